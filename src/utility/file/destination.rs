//! The operands of `cp` and `mv`: sources and where each goes.

use super::{join, last_component};
use crate::memory::{String, ToMetered, Vec, format, vec};
use crate::text::Text;
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, OptionSet, Options, UtilityError};

/// What options say of the operands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placement<'o> {
    /// `-t`: all are copied into this directory.
    pub(crate) directory: Option<&'o Text>,
    /// `-T`: the last one is the file itself, also where it is a directory.
    pub(crate) whole: bool,
    /// `--parents`: the sources' directories are made as well.
    pub(crate) parents: bool,
}

/// Each source with its destination.
pub(crate) fn destinations(
    ctx: &Context,
    operands: &[Text],
    placement: Placement<'_>,
) -> Result<Vec<(Text, Vec<u8>)>, UtilityError> {
    let Placement { directory, whole, parents } = placement;
    let usage = |message: String| Err(UtilityError::Usage(message));
    let missing =
        |after: &Text| usage(format!("missing destination file operand after {}", quote_name(after)));
    if whole && directory.is_some() {
        let message = "cannot combine --target-directory (-t) and --no-target-directory (-T)";
        return Err(UtilityError::failed(message));
    }
    let into = |directory: &[u8], sources: &[Text]| {
        let name = |source: &Text| {
            let name = if parents { without_slashes(source) } else { last_component(source) };
            // `d/.` is copied into the directory itself.
            if matches!(name, b"." | b"..") && !parents { b".".to_metered() } else { name.to_metered() }
        };
        sources.iter().map(|source| (source.clone(), join(directory, &name(source)))).collect()
    };
    if let Some(directory) = directory {
        if operands.is_empty() {
            return usage("missing file operand".into());
        }
        require_directory(ctx, directory, "target directory")?;
        return Ok(into(directory, operands));
    }
    match operands {
        [] => usage("missing file operand".into()),
        [only] => missing(only),
        [source, destination] if whole => Ok(vec![(source.clone(), destination.to_metered())]),
        [_, _, extra, ..] if whole => usage(format!("extra operand {}", quote_name(extra))),
        [source, destination] => {
            if ctx.stat(destination).is_ok_and(|metadata| metadata.is_directory()) {
                Ok(into(destination, std::slice::from_ref(source)))
            } else if parents {
                usage("with --parents, the destination must be a directory".into())
            } else {
                Ok(vec![(source.clone(), destination.to_metered())])
            }
        }
        [sources @ .., directory] => {
            require_directory(ctx, directory, "target")?;
            Ok(into(directory, sources))
        }
    }
}

/// A path without slashes around it.
fn without_slashes(path: &[u8]) -> &[u8] {
    let start = path.iter().position(|&byte| byte != b'/').unwrap_or(path.len());
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(start, |last| last + 1);
    path.get(start..end).unwrap_or(path)
}

/// The argument of `-t`, which may be given once.
pub(in crate::utility) fn target_directory<O: OptionSet>(
    options: &Options<O>,
    option: O,
) -> Result<Option<&Text>, UtilityError> {
    if options.count(option) > 1 {
        return Err(UtilityError::failed("multiple target directories specified"));
    }
    Ok(options.value(option))
}

/// `--strip-trailing-slashes`
pub(crate) fn strip_slashes(operands: &mut [Text]) {
    for operand in operands {
        let end = operand.iter().rposition(|&byte| byte != b'/').map_or(1, |last| last + 1);
        if let Some(stripped) = operand.get(..end)
            && stripped.len() < operand.len()
        {
            *operand = Text::from(stripped);
        }
    }
}

pub(in crate::utility) fn require_directory(
    ctx: &Context,
    path: &[u8],
    what: &str,
) -> Result<(), UtilityError> {
    let Some(error) = ctx.directory_error(path) else { return Ok(()) };
    Err(UtilityError::operand(format!("{what} {}", quote_name(path)).as_bytes(), error))
}
