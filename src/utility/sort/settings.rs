//! The options of `sort` as one value, checked.

use super::compare::Seed;
use super::key::{Key, KeyOrdering, parse_key};
use super::option::{Opt, TROUBLE, trouble};
use crate::memory::{String, Vec, format};
use crate::utility::format::keyword::{bad_word, meaning};
use crate::utility::prelude::*;

/// Whether the input is only checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    No,
    Report,
    Quiet,
}

#[derive(Clone, Debug)]
pub(super) struct SortOptions {
    pub(super) keys: Vec<Key>,
    /// Fields end at this byte; `None`: between a non-blank and a blank.
    pub(super) tab: Option<u8>,
    pub(super) delimiter: u8,
    pub(super) reverse: bool,
    pub(super) stable: bool,
    pub(super) unique: bool,
    pub(super) merge: bool,
    pub(super) check: Check,
    pub(super) output: Option<Text>,
    /// For `-R`.
    pub(super) seed: Seed,
    pub(super) debug: bool,
    /// The ordering options outside of any key.
    pub(super) global: KeyOrdering,
    /// Whether there is no key but the whole line with those.
    pub(super) has_global_key_only: bool,
}

pub(super) fn failed(message: impl Into<String>) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: TROUBLE }
}

impl SortOptions {
    pub(super) fn of(options: &Options<Opt>, old_keys: &[Text]) -> Result<Self, UtilityError> {
        let mut global = KeyOrdering::default();
        for (option, argument) in options.given() {
            match option {
                Opt::Sort => global.set_by_word(argument.map(Text::as_bytes).unwrap_or_default())?,
                Opt::IgnoreLeadingBlanks => (global.skip_start_blanks, global.skip_end_blanks) = (true, true),
                _ => {
                    global.set_by_letter(option.short());
                }
            }
        }
        let mut keys = Vec::new();
        let mut old_keys = old_keys.iter().peekable();
        for text in options.values(Opt::Key) {
            let mut key = parse_key(text)?;
            if old_keys.next_if_eq(&text).is_some() {
                key.obsolete = Some(key.obsolete_forms());
            }
            keys.push(key);
        }
        for key in &mut keys {
            if key.ordering.is_default() && !key.ordering.reverse {
                key.ordering = global;
            }
        }
        let has_global_key_only = keys.is_empty() && !global.is_default();
        if has_global_key_only {
            keys.push(Key::whole_line(global));
        }
        for ordering in keys.iter().map(|key| key.ordering).chain([global]) {
            ordering.check_compatible()?;
        }
        let settings = Self {
            keys,
            tab: tab(options)?,
            delimiter: if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' },
            reverse: global.reverse,
            stable: options.has(Opt::Stable) || options.has(Opt::Unique),
            unique: options.has(Opt::Unique),
            merge: options.has(Opt::Merge),
            check: check(options)?,
            output: output(options)?,
            seed: Seed::Number(0),
            debug: options.has(Opt::Debug),
            global,
            has_global_key_only,
        };
        settings.check_operands(options)?;
        Ok(settings)
    }

    /// Whether a key is compared at random.
    pub(super) fn is_random(&self) -> bool {
        self.keys.iter().any(|key| key.ordering.random)
    }

    fn check_operands(&self, options: &Options<Opt>) -> Result<(), UtilityError> {
        let letter = match self.check {
            Check::No if self.debug && self.output.is_some() => {
                return Err(failed("options '-o --debug' are incompatible"));
            }
            Check::No => return Ok(()),
            Check::Report => 'c',
            Check::Quiet => 'C',
        };
        if let Some(extra) = options.operands.get(1) {
            return Err(failed(format!("extra operand {} not allowed with -{letter}", quote_name(extra))));
        }
        if self.output.is_some() {
            return Err(failed(format!("options '-{letter}o' are incompatible")));
        }
        if self.debug {
            return Err(failed(format!("options '-{letter} --debug' are incompatible")));
        }
        Ok(())
    }
}

fn tab(options: &Options<Opt>) -> Result<Option<u8>, UtilityError> {
    let mut tab = None;
    for text in options.values(Opt::FieldSeparator) {
        let new = match text.as_bytes() {
            [] => return Err(failed("empty tab")),
            [byte] => *byte,
            b"\\0" => 0,
            _ => return Err(failed(format!("multi-character tab {}", quote(text)))),
        };
        if tab.is_some_and(|old| old != new) {
            return Err(failed("incompatible tabs"));
        }
        tab = Some(new);
    }
    Ok(tab)
}

fn check(options: &Options<Opt>) -> Result<Check, UtilityError> {
    let rows: [(&[&str], Check); 2] =
        [(&["quiet", "silent"], Check::Quiet), (&["diagnose-first"], Check::Report)];
    let mut check = Check::No;
    for (option, argument) in options.given() {
        let new = match (option, argument) {
            (Opt::CheckFirst, _) | (Opt::Check, None) => Check::Report,
            (Opt::CheckQuietly, _) => Check::Quiet,
            (Opt::Check, Some(word)) => {
                meaning("--check", &rows, word).map_err(|message| bad_word("sort", &message))?
            }
            _ => continue,
        };
        if check != Check::No && check != new {
            return Err(failed("options '-cC' are incompatible"));
        }
        check = new;
    }
    Ok(check)
}

fn output(options: &Options<Opt>) -> Result<Option<Text>, UtilityError> {
    let mut output: Option<&Text> = None;
    for file in options.values(Opt::Output) {
        if output.is_some_and(|other| other != file) {
            return Err(failed("multiple output files specified"));
        }
        output = Some(file);
    }
    Ok(output.cloned())
}

/// Where the result goes.
pub(super) fn open_output(ctx: &mut Context, settings: &SortOptions) -> Result<Option<Output>, UtilityError> {
    settings
        .output
        .as_ref()
        .map(|file| ctx.create(file, false).map_err(|error| trouble("open failed", file, error)))
        .transpose()
}
