//! `du`: sums up the space that files take. POSIX XCU du, GNU coreutils du(1). `settings.rs` reads the options.

mod settings;

use super::context::names::NameList;
use super::file::blocks;
use super::file::walk::{Walk, WalkStep, comes_back};
use super::format::block_size::{BlockOpt, BlockSize};
use crate::memory::{HashSet, ToDecimal, Vec, format, vec};
use crate::utility::prelude::*;
use crate::vfs::Metadata;
use settings::{Follow, Settings};
use std::time::Duration;

options! {
    enum Opt {
        Null = flag('0', "null", "end each output line with NUL, not newline"),
        All = flag('a', "all", "write counts for all files, not just directories"),
        ApparentSize = flag('\0', "apparent-size", "print apparent sizes rather than device usage"),
        Block(BlockOpt),
        Bytes = flag('b', "bytes", "equivalent to '--apparent-size --block-size=1'"),
        Total = flag('c', "total", "produce a grand total"),
        Dereference = flag('L', "dereference", "dereference all symbolic links"),
        DereferenceArgs = flag(
            'D',
            "dereference-args",
            "dereference only symlinks that are listed on the command line",
        ) | flag('H', "", "equivalent to -D"),
        MaxDepth = value(
            'd',
            "max-depth",
            "N",
            "print the total for a directory only if it is N or fewer levels below the command line argument",
        ),
        Files0From = value(
            '\0',
            "files0-from",
            "F",
            "summarize usage of the NUL-terminated file names in file F, - for standard input",
        ),
        HumanReadable = flag(
            'h',
            "human-readable",
            "print sizes in human readable format (e.g., 1K 234M 2G)",
        ),
        Inodes = flag('\0', "inodes", "list inode usage information instead of block usage"),
        Kibibytes = flag('k', "", "like --block-size=1K"),
        CountLinks = flag('l', "count-links", "count sizes many times if hard linked"),
        Mebibytes = flag('m', "", "like --block-size=1M"),
        NoDereference = flag('P', "no-dereference", "don't follow any symbolic links (the default)"),
        Summarize = flag('s', "summarize", "display only a total for each argument"),
        SeparateDirs = flag('S', "separate-dirs", "for directories do not include size of subdirectories"),
        Si = flag('\0', "si", "like -h, but use powers of 1000 not 1024"),
        Threshold = value(
            't',
            "",
            "SIZE",
            "exclude entries smaller than SIZE if positive, or entries greater than SIZE if negative",
        ),
        ThresholdLong = value('\0', "threshold", "SIZE", "as -t"),
        Time = optional(
            '\0',
            "time",
            "WORD",
            "show time of the last modification, or WORD: atime, access, use, ctime or status",
        ),
        TimeStyle = value('\0', "time-style", "STYLE", "show times as full-iso, long-iso, iso or +FORMAT"),
        Exclude = value('\0', "exclude", "PATTERN", "exclude files that match PATTERN"),
        ExcludeFrom = value('X', "exclude-from", "FILE", "exclude files that match any pattern in FILE"),
        OneFileSystem = flag('x', "one-file-system", "skip directories on different file systems"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "du",
    summary: "summarize device usage of the set of FILEs, recursively for directories",
    usage: "du [OPTION]... [FILE]...\ndu [OPTION]... --files0-from=F",
    options: Opt::TABLE,
    examples: &[example("printf 12345 > f; du -b f", "5\tf\n")],
    run: start!(run),
    ..Utility::BASE
};

/// What was counted: bytes, or inodes, and the latest time of all.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    bytes: u64,
    inodes: u64,
    latest: Duration,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.inodes = self.inodes.saturating_add(other.inodes);
        self.latest = self.latest.max(other.latest);
    }
}

struct Count {
    settings: Settings,
    /// Inodes that were counted and may come again.
    seen: HashSet<u64>,
    /// Any file may come again: there are several operands, or links are followed.
    hashes_all: bool,
    total: Sum,
    status: ExitStatus,
}

/// Exit status: 0, or 1 when something could not be read.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = Settings::of(ctx, &options).await?;
    let hashes_all =
        options.operands.len() > 1 || options.has(Opt::Files0From) || settings.follow == Follow::Always;
    let mut count = Count {
        settings,
        seen: HashSet::default(),
        hashes_all,
        total: Sum::default(),
        status: ExitStatus::SUCCESS,
    };
    if let Some(list) = options.value(Opt::Files0From) {
        if let Some(extra) = options.operands.first() {
            return Err(UtilityError::Usage(format!(
                "extra operand {}\nfile operands cannot be combined with --files0-from",
                quote(extra)
            )));
        }
        let mut names = NameList::open(ctx, list)?;
        while let Some(name) = names.next(ctx, &mut count.status).await? {
            count.operand(ctx, &name).await?;
        }
    } else {
        let operands = if options.operands.is_empty() {
            vec![Text::from_static(b".")]
        } else {
            options.operands.clone()
        };
        for operand in operands {
            count.operand(ctx, &operand).await?;
        }
    }
    if options.has(Opt::Total) {
        count.print(ctx, count.total, b"total").await?;
    }
    Ok(count.status)
}

/// A directory under way: its own size and its files', that of directories in it, and the file system that it is in.
struct Level {
    own: Sum,
    below: Sum,
    file_system: u64,
    inode: u64,
}

impl Count {
    async fn operand(&mut self, ctx: &mut Context, operand: &[u8]) -> Result<(), UtilityError> {
        let mut walk = Walk::default();
        let mut levels: Vec<Level> = Vec::new();
        self.visit(ctx, &mut walk, &mut levels, operand).await?;
        while let Some(step) = walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => self.visit(ctx, &mut walk, &mut levels, &path).await?,
                WalkStep::Leave { path } => {
                    let Some(level) = levels.pop() else { continue };
                    let mut all = level.own;
                    all.add(level.below);
                    let shown = if self.settings.separate { level.own } else { all };
                    if walk.depth() as u64 <= self.settings.max_depth {
                        self.print_entry(ctx, shown, &path).await?;
                    }
                    match levels.last_mut() {
                        Some(above) => above.below.add(all),
                        None => self.total.add(all),
                    }
                }
            }
        }
        Ok(())
    }

    async fn visit(
        &mut self,
        ctx: &mut Context,
        walk: &mut Walk,
        levels: &mut Vec<Level>,
        path: &[u8],
    ) -> Result<(), UtilityError> {
        if self.settings.excludes(path) {
            return Ok(());
        }
        let follows = match self.settings.follow {
            Follow::Never => false,
            Follow::Operands => levels.is_empty(),
            Follow::Always => true,
        };
        let metadata = match if follows { ctx.stat(path) } else { ctx.lstat(path) } {
            Ok(metadata) => metadata,
            Err(error) => {
                self.status = ctx.complain(format_args!("cannot access {}", quote_name(path)), error)?;
                return Ok(());
            }
        };
        let file_system = metadata.file_system();
        let is_elsewhere = levels.last().is_some_and(|level| level.file_system != file_system);
        if self.settings.one_file_system && is_elsewhere {
            return Ok(());
        }
        // A link to a directory above it is not walked again; without -l no directory is.
        let is_cycle = self.settings.counts_links
            && self.settings.follow == Follow::Always
            && metadata.is_directory()
            && comes_back(ctx, levels.iter().map(|level| level.inode), metadata.inode);
        let is_linked = metadata.links > 1 && !metadata.is_directory();
        let may_come_again = !self.settings.counts_links && (self.hashes_all || is_linked);
        if is_cycle || (may_come_again && !self.seen.insert(metadata.inode)) {
            return Ok(());
        }
        let sum = self.sum(&metadata);
        if metadata.is_directory() {
            levels.push(Level { own: sum, below: Sum::default(), file_system, inode: metadata.inode });
            if let Err(error) = walk.enter(ctx, path) {
                self.status =
                    ctx.complain(format_args!("cannot read directory {}", quote_name(path)), error)?;
                walk.enter_entries(path, Vec::new());
            }
            return Ok(());
        }
        let depth = walk.depth() as u64;
        if depth == 0 || (self.settings.all && depth <= self.settings.max_depth) {
            self.print_entry(ctx, sum, path).await?;
        }
        match levels.last_mut() {
            Some(level) => level.own.add(sum),
            None => self.total.add(sum),
        }
        Ok(())
    }

    fn sum(&self, metadata: &Metadata) -> Sum {
        let bytes = if self.settings.apparent { metadata.size } else { blocks(metadata).saturating_mul(512) };
        Sum { bytes, inodes: 1, latest: self.settings.moment(metadata) }
    }

    /// Prints an entry, unless it is too small or too large.
    async fn print_entry(&self, ctx: &mut Context, sum: Sum, path: &[u8]) -> Result<(), UtilityError> {
        let amount = if self.settings.inodes { sum.inodes } else { sum.bytes };
        if self.settings.reaches(amount) { self.print(ctx, sum, path).await } else { Ok(()) }
    }

    async fn print(&self, ctx: &mut Context, sum: Sum, path: &[u8]) -> Result<(), UtilityError> {
        let settings = &self.settings;
        let amount = match settings.unit {
            _ if !settings.inodes => settings.unit.show(sum.bytes),
            BlockSize::Human(_) => settings.unit.show(sum.inodes),
            BlockSize::Units { .. } => sum.inodes.to_decimal(),
        };
        let mut line = format!("{amount}\t").into_bytes();
        if settings.time.is_some() {
            let moment = settings.zone.since_epoch(sum.latest);
            settings.zone.format_into(&settings.time_format, &moment, &mut line);
            line.push(b'\t');
        }
        line.extend_from_slice(path);
        line.push(settings.end);
        ctx.stdout.write(&line).await
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn sums() {
        let fixture = Fixture::new(&[("d/x", &"x".repeat(5000)), ("d/e/y", &"y".repeat(100)), ("f", "1")]);
        let rows: [(&[&str], &str); 9] = [
            (&["d"], "8\td/e\n20\td\n"),
            (&["-s", "d"], "20\td\n"),
            (&["-h", "d"], "8.0K\td/e\n20K\td\n"),
            (&["-b", "d"], "4196\td/e\n13292\td\n"),
            (&["-c", "d", "f"], "8\td/e\n20\td\n4\tf\n24\ttotal\n"),
            (&["-d", "0", "d"], "20\td\n"),
            (&["-S", "d"], "8\td/e\n12\td\n"),
            (&["-B", "1", "d"], "8192\td/e\n20480\td\n"),
            (&["d", "d/e"], "8\td/e\n20\td\n"),
        ];
        for (args, want) in rows {
            assert_eq!(fixture.run("du", args, b"").stdout, want, "{args:?}");
        }
        let outcome = fixture.run("du", &["nope"], b"");
        assert_eq!(outcome.stderr, "du: cannot access 'nope': No such file or directory\n");
    }
}
