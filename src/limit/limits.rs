//! The limits of a run: their names, their values by profile, what reaching one says ([`LimitError`]), and what was used
//! ([`Usage`]).

use std::fmt;

macro_rules! limits {
    ($($(#[doc = $doc:expr])* $name:ident $kind:ident $text:literal [$default:expr, $hook:expr, $everruns:expr, $interactive:expr];)*) => {
        /// What a run is allowed. Every value is a hard bound; reaching one ends the run with a [`LimitError`]. Sizes are bytes and
        /// times milliseconds; `u64::MAX` bounds nothing.
        ///
        /// | limit | `default` | `hook` | `everruns` | `interactive` |
        /// |---|---|---|---|---|
        $(#[doc = concat!(
            "| `", stringify!($name), "` | ", stringify!($default), " | ", stringify!($hook), " | ",
            stringify!($everruns), " | ", stringify!($interactive), " |",
        )])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits { $($(#[doc = $doc])* pub $name: u64,)* }

        /// The name of a limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Limit { $($(#[doc = $doc])* $kind,)* }

        impl Limit {
            /// Every limit, in the order of [`Limits`]' fields.
            pub const ALL: &'static [Limit] = &[$(Limit::$kind,)*];

            /// The name as the command line and messages spell it, for example `wall_time_ms`.
            pub const fn name(self) -> &'static str {
                match self { $(Limit::$kind => stringify!($name),)* }
            }

            /// What it bounds, in words.
            pub const fn describe(self) -> &'static str {
                match self { $(Limit::$kind => $text,)* }
            }
        }

        impl Limits {
            /// The value of one limit.
            pub const fn get(&self, limit: Limit) -> u64 {
                match limit { $(Limit::$kind => self.$name,)* }
            }

            /// These limits with another value of one: `Limits::hook().with(Limit::WallTime, 500)`.
            #[must_use]
            pub fn with(mut self, limit: Limit, value: u64) -> Self {
                self.set(limit, value);
                self
            }

            /// Sets one limit.
            pub fn set(&mut self, limit: Limit, value: u64) {
                match limit { $(Limit::$kind => self.$name = value,)* }
            }

            /// The profile for a general-purpose run.
            pub const fn default_profile() -> Self { Self { $($name: $default,)* } }
            /// The profile for short hook scripts.
            pub const fn hook() -> Self { Self { $($name: $hook,)* } }
            /// The bounds that Everruns' shipped runtime sets (its contract, 5.2).
            pub const fn everruns() -> Self { Self { $($name: $everruns,)* } }
            /// The profile for a person at a prompt: no time limit, wide bounds.
            pub const fn interactive() -> Self { Self { $($name: $interactive,)* } }
        }
    };
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

limits! {
    /// Wall time of the run, in milliseconds of the session's clock.
    wall_time_ms WallTime "wall time in ms" [30_000, 5_000, 5_000, u64::MAX];
    /// Operations of the machine and loop turns of utilities.
    operations Operations "operations" [4_000_000_000, 400_000_000, 400_000_000, u64::MAX];
    /// Simple commands executed.
    commands Commands "simple commands" [50_000_000, 1_000_000, 200, u64::MAX];
    /// Turns of all loops of the language together.
    loop_iterations LoopIterations "loop iterations" [500_000_000, 10_000_000, 2_000, u64::MAX];
    /// Processes alive at the same time.
    processes Processes "processes" [512, 128, 64, 4096];
    /// Nested function calls, `source`, `eval`, traps and subshells.
    frames Frames "nested calls" [10_000, 10_000, 32, 100_000];
    /// Bytes held by variables, fields, pipes and utilities' buffers.
    live_bytes LiveBytes "live bytes" [256 * MIB, 64 * MIB, 10 * MIB, GIB];
    /// Bytes captured from the run's standard output, and from its standard error.
    output_bytes OutputBytes "bytes of output" [64 * MIB, MIB, MIB, GIB];
    /// Files and directories of the session's file system.
    files Files "files" [100_000, 100_000, 100_000, 1_000_000];
    /// Bytes of all files of the session's file system, with what the host keeps for names, inodes and folders. A file that was
    /// removed counts until it is closed.
    file_system_bytes FileSystemBytes "bytes in files" [256 * MIB, 256 * MIB, 256 * MIB, GIB];
    /// Bytes of one variable, field or line.
    value_bytes ValueBytes "bytes of one value" [64 * MIB, 16 * MIB, 10 * MIB, GIB];
    /// Bytes of one script, `eval` text or sourced file.
    script_bytes ScriptBytes "bytes of script" [4 * MIB, MIB, 64 * KIB, 16 * MIB];
    /// Nesting of the grammar, all brackets, quotes and compound commands together.
    syntax_depth SyntaxDepth "syntax nesting" [200, 200, 64, 200];
    /// Fields that one word may expand to.
    expansion_results ExpansionResults "results of an expansion" [1_000_000, 100_000, 100_000, 10_000_000];
    /// Bytes of one arithmetic expression that are read, with those of the variables in it whose values are expressions; each of
    /// these counts for 16 bytes more.
    expression_bytes ExpressionBytes "bytes of one arithmetic expression" [64 * KIB, 64 * KIB, 64 * KIB, MIB];
    /// Bytes of one compiled regular expression.
    regex_bytes RegexBytes "bytes of a compiled regular expression" [8 * MIB, 2 * MIB, 2 * MIB, 64 * MIB];
    /// Time to parse one script, in milliseconds.
    parse_time_ms ParseTime "parse time in ms" [5_000, 2_000, 2_000, 30_000];
}

impl Limits {
    /// The profile of that name: `default`, `hook`, `everruns` or `interactive`.
    pub fn profile(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::default_profile()),
            "hook" => Some(Self::hook()),
            "everruns" => Some(Self::everruns()),
            "interactive" => Some(Self::interactive()),
            _ => None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::default_profile()
    }
}

impl Limit {
    /// The limit of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A limit was reached, or the run was cancelled. It ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} limit of {allowed} reached{}", .limit.name(), LineSuffix(*.line))]
pub struct LimitError {
    /// Which limit.
    pub limit: Limit,
    /// How much was allowed.
    pub allowed: u64,
    /// The script line that was running, where known.
    pub line: Option<u32>,
}

struct LineSuffix(Option<u32>);

impl fmt::Display for LineSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, " at line {line}"))
    }
}

/// What a run has used, in the units of [`Limits`]; counters of limits that are not counted are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Real time between start and end, in microseconds.
    pub wall_time_us: u64,
    /// See [`Limits::operations`].
    pub operations: u64,
    /// See [`Limits::commands`].
    pub commands: u64,
    /// See [`Limits::loop_iterations`].
    pub loop_iterations: u64,
    /// The most processes alive at one time.
    pub peak_processes: u64,
    /// The most live bytes at one time. A run that meets the limit may hold up to 256 KiB more while it ends.
    pub peak_live_bytes: u64,
    /// Bytes written to standard output.
    pub stdout_bytes: u64,
    /// Bytes written to standard error.
    pub stderr_bytes: u64,
}

impl Usage {
    /// How much of each counted limit is left, in the limits' own units.
    pub fn headroom(&self, limits: &Limits) -> Vec<(Limit, u64)> {
        let used = [
            (Limit::WallTime, self.wall_time_us / 1000),
            (Limit::Operations, self.operations),
            (Limit::Commands, self.commands),
            (Limit::LoopIterations, self.loop_iterations),
            (Limit::Processes, self.peak_processes),
            (Limit::LiveBytes, self.peak_live_bytes),
            (Limit::OutputBytes, self.stdout_bytes.max(self.stderr_bytes)),
        ];
        used.iter().map(|&(limit, used)| (limit, limits.get(limit).saturating_sub(used))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::limit::Meter;
    use std::sync::Arc;
    use std::time::Duration;

    fn meter(limits: Limits) -> Arc<Meter> {
        Meter::new(limits, Arc::new(Clock::fixed(Duration::ZERO)))
    }

    #[test]
    fn the_first_limit_is_kept_and_named() {
        let meter = meter(Limits { live_bytes: 10, commands: 0, ..Limits::default() });
        let charge = meter.charge(8).unwrap();
        let error = meter.charge(3).unwrap_err();
        assert_eq!(error.to_string(), "live_bytes limit of 10 reached");
        drop(charge);
        assert_eq!(meter.count_command().unwrap_err().limit, Limit::LiveBytes);
        assert_eq!(meter.failure().map(|error| error.limit), Some(Limit::LiveBytes));
    }

    #[test]
    fn a_charge_is_given_back_when_it_is_dropped() {
        let meter = meter(Limits { live_bytes: 10, ..Limits::default() });
        for _ in 0..5 {
            let mut charge = meter.charge(4).unwrap();
            charge.set(10).unwrap();
            charge.set(2).unwrap();
        }
        assert_eq!(meter.usage().peak_live_bytes, 10);
    }

    #[test]
    fn every_limit_has_a_name_and_a_value() {
        for &limit in Limit::ALL {
            assert_eq!(Limit::from_name(limit.name()), Some(limit));
            assert!(Limits::hook().get(limit) <= Limits::interactive().get(limit), "{limit}");
        }
    }
}
