//! The command line as curl reads it: letters in clusters, long names that may be cut short and begin with `no-`, values as
//! the next argument, `--next` between groups, and files of more options (`-K`).

use super::config::{Config, Scope, UNSUPPORTED};
use super::option::{Opt, REFUSED};
use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::context::options::{OptionArgument, OptionSpec};
use crate::utility::prelude::*;

/// Files of options that name each other.
const MOST_FILES: u32 = 16;

/// What was asked for: groups between `--next`.
pub(super) struct CommandLine {
    pub(super) groups: Vec<Config>,
    pub(super) scope: Scope,
}

/// A mistake in the command line: status 2, for a protocol that is not there libcurl's own, and where to look.
pub(super) fn usage(ctx: &mut Context, option: &str, why: &str) -> UtilityError {
    let about = if option.is_empty() { String::new() } else { format!("option {option}: ") };
    ctx.warn(format_args!("{about}{why}"));
    ctx.warn("try 'curl --help' or 'curl --manual' for more information");
    UtilityError::Exit(ExitStatus(if why == UNSUPPORTED { 1 } else { 2 }))
}

/// An option that was found: its variant, whether it was given as `--no-...`, and its row.
struct Found {
    option: Opt,
    is_on: bool,
    spec: &'static OptionSpec,
}

/// Switches whose off form has a meaning of its own.
const NAMED_OFF: [&str; 3] = ["buffer", "clobber", "progress-meter"];

fn row(at: usize) -> Option<Found> {
    let (spec, option) = (Opt::TABLE.get(at)?, *Opt::NAMES.get(at)?);
    Some(Found { option, is_on: !NAMED_OFF.contains(&spec.long), spec })
}

fn find_long(ctx: &mut Context, given: &[u8]) -> Result<Found, UtilityError> {
    let shown = format!("--{}", bstr::BStr::new(given));
    let known = |name: &[u8]| {
        let own = Opt::TABLE.iter().map(|spec| spec.long).filter(|long| !long.is_empty());
        let others = REFUSED.iter().map(|refused| refused.long);
        let mut all = own.chain(others).filter(|long| long.as_bytes().starts_with(name));
        match (all.clone().find(|long| long.as_bytes() == name), all.next(), all.next()) {
            (Some(exact), _, _) => Ok(Some(exact)),
            (None, Some(only), None) => Ok(Some(only)),
            (None, Some(_), Some(_)) => Err(()),
            (None, None, _) => Ok(None),
        }
    };
    let (name, is_off) = match (known(given), given.strip_prefix(b"no-")) {
        (Ok(None), Some(rest)) => (known(rest), true),
        (found, _) => (found, false),
    };
    match name {
        Ok(Some(name)) => {
            if let Some(refused) = REFUSED.iter().find(|refused| refused.long == name) {
                return Err(usage(ctx, &shown, refused.why));
            }
            let found = Opt::TABLE.iter().position(|spec| spec.long == name).and_then(row);
            let found = found.map(|found| Found { is_on: found.is_on != is_off, ..found });
            match found {
                Some(found) if is_off && found.spec.argument != OptionArgument::None => {
                    Err(usage(ctx, &shown, "used '--no-' for option that isn't a boolean"))
                }
                Some(found) => Ok(found),
                None => Err(usage(ctx, &shown, "is unknown")),
            }
        }
        Ok(None) => Err(usage(ctx, &shown, "is unknown")),
        Err(()) => Err(usage(ctx, &shown, "is ambiguous")),
    }
}

fn find_short(ctx: &mut Context, letter: u8) -> Result<Found, UtilityError> {
    let letter = char::from(letter);
    let shown = format!("-{letter}");
    if let Some(refused) = REFUSED.iter().find(|refused| refused.short == letter) {
        return Err(usage(ctx, &shown, refused.why));
    }
    let found = Opt::TABLE.iter().position(|spec| spec.short == letter && letter != '\0').and_then(row);
    found.ok_or_else(|| usage(ctx, &shown, "is unknown"))
}

/// Reads the command line.
pub(super) async fn parse(ctx: &mut Context) -> Result<CommandLine, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    let mut line = CommandLine { groups: Vec::new(), scope: Scope::default() };
    line.groups.push(Config::default());
    let is_disabled = args.first().is_some_and(|first| {
        first.as_bytes() == b"--disable" || first.starts_with(b"-q") && !first.starts_with(b"--")
    });
    if !is_disabled {
        let home = ctx.env.get(b"HOME").cloned().unwrap_or_default();
        let mut path = home;
        path.push_bytes(b"/.curlrc");
        if ctx.session.fs.metadata(&ctx.absolute(&path)).is_ok() {
            config_file(ctx, &mut line, &path, 1).await?;
        }
    }
    let mut args = args.into_iter();
    let mut only_operands = false;
    while let Some(arg) = args.next() {
        ctx.tick().await?;
        match arg.as_bytes() {
            b"--" if !only_operands => only_operands = true,
            [b'-', b'-', long @ ..] if !only_operands => {
                let found = find_long(ctx, long)?;
                let shown = format!("--{}", bstr::BStr::new(long));
                let value = if takes_value(&found) {
                    match args.next() {
                        Some(value) => Some(value),
                        None => return Err(usage(ctx, &shown, "requires parameter")),
                    }
                } else {
                    None
                };
                apply(ctx, &mut line, &found, &shown, value, 0).await?;
            }
            [b'-', cluster @ ..] if !only_operands && !cluster.is_empty() => {
                let mut rest = cluster;
                while let Some((letter, after)) = rest.split_first() {
                    let found = find_short(ctx, *letter)?;
                    let shown = format!("-{}", char::from(*letter));
                    rest = after;
                    let value = if !takes_value(&found) {
                        None
                    } else if !after.is_empty() {
                        rest = &[];
                        Some(Text::from(after))
                    } else {
                        match args.next() {
                            Some(value) => Some(value),
                            None => return Err(usage(ctx, &shown, "requires parameter")),
                        }
                    };
                    apply(ctx, &mut line, &found, &shown, value, 0).await?;
                }
            }
            _ => {
                if let Some(config) = line.groups.last_mut() {
                    config.add_url(arg);
                }
            }
        }
    }
    Ok(line)
}

fn takes_value(found: &Found) -> bool {
    found.spec.argument != OptionArgument::None
}

async fn apply(
    ctx: &mut Context,
    line: &mut CommandLine,
    found: &Found,
    shown: &str,
    value: Option<Text>,
    files: u32,
) -> Result<(), UtilityError> {
    match found.option {
        Opt::Config => {
            let path = value.unwrap_or_default();
            return config_file(ctx, line, &path, files.saturating_add(1)).await;
        }
        Opt::Next => {
            if line.groups.last().is_some_and(|config| config.urls.is_empty()) {
                return Err(usage(ctx, "", "no URL specified!"));
            }
            line.groups.push(Config::default());
            return Ok(());
        }
        _ => {}
    }
    let CommandLine { groups, scope } = line;
    let Some(config) = groups.last_mut() else { return Ok(()) };
    match config.set(ctx, scope, found.option, found.is_on, value.unwrap_or_default()).await? {
        Ok(()) => Ok(()),
        Err(why) => Err(usage(ctx, shown, why)),
    }
}

/// Reads options from a file, a line each: `name value`, `name = value`, `name: "value"`, `-x value`, comments.
fn config_file<'a>(
    ctx: &'a mut Context,
    line: &'a mut CommandLine,
    path: &'a Text,
    files: u32,
) -> std::pin::Pin<std::boxed::Box<dyn Future<Output = Result<(), UtilityError>> + Send + 'a>> {
    #[expect(clippy::disallowed_methods, reason = "no more than MOST_FILES")]
    std::boxed::Box::pin(async move {
        if files > MOST_FILES {
            return Err(usage(ctx, "-K", "config files that name each other"));
        }
        let text = match ctx.open_input(path) {
            Ok(mut input) => input.read_to_end().await.ok(),
            Err(_) => None,
        };
        let Some(text) = text else {
            ctx.warn(format_args!("cannot read config from '{}'", bstr::BStr::new(path.as_bytes())));
            return Err(UtilityError::Exit(ExitStatus(26)));
        };
        for text in text.split(|byte| *byte == b'\n') {
            ctx.tick().await?;
            let Some((name, value)) = config_line(text) else { continue };
            let (found, shown) = match name.as_slice() {
                [b'-', b'-', long @ ..] => (find_long(ctx, long)?, format!("--{}", bstr::BStr::new(long))),
                [b'-', letter, ..] => (find_short(ctx, *letter)?, format!("-{}", char::from(*letter))),
                long => (find_long(ctx, long)?, format!("--{}", bstr::BStr::new(long))),
            };
            let attached = match name.as_slice() {
                [b'-', letter, rest @ ..] if *letter != b'-' && !rest.is_empty() => Some(Text::from(rest)),
                _ => None,
            };
            let value = match (takes_value(&found), attached.or(value)) {
                (true, None) => return Err(usage(ctx, &shown, "requires parameter")),
                (true, value) => value,
                (false, _) => None,
            };
            apply(ctx, line, &found, &shown, value, files).await?;
        }
        Ok(())
    })
}

/// Name and value of a line.
fn config_line(line: &[u8]) -> Option<(Vec<u8>, Option<Text>)> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return None;
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b':');
    let end = line.iter().position(is_end).unwrap_or(line.len());
    let (name, rest) = line.split_at_checked(end)?;
    let start = rest.iter().position(|byte| !is_end(byte)).unwrap_or(rest.len());
    let rest = rest.get(start..).unwrap_or_default();
    let value = match rest {
        [] => None,
        [b'"', quoted @ ..] => {
            let mut value = Vec::new();
            let mut bytes = quoted.iter();
            while let Some(byte) = bytes.next() {
                match byte {
                    b'"' => break,
                    b'\\' => value.push(match bytes.next() {
                        Some(b't') => b'\t',
                        Some(b'n') => b'\n',
                        Some(b'r') => b'\r',
                        Some(b'v') => 0x0b,
                        Some(other) => *other,
                        None => break,
                    }),
                    byte => value.push(*byte),
                }
            }
            Some(Text::from(value))
        }
        plain => plain.split(u8::is_ascii_whitespace).next().map(Text::from),
    };
    Some((name.to_metered(), value))
}
