//! `envsubst`: puts the values of variables into a text. GNU gettext envsubst(1): `$NAME` and `${NAME}` alone, nothing else
//! of the shell.

use crate::memory::{HashSet, JoinMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Variables = flag('v', "variables", "output the variables occurring in SHELL-FORMAT"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "envsubst",
    summary: "substitute the values of environment variables",
    usage: "envsubst [OPTION] [SHELL-FORMAT]",
    options: Opt::TABLE,
    examples: &[
        example("echo 'Hello $NAME' | NAME=World envsubst", "Hello World\n"),
        example("envsubst -v '$A ${B}'", "A\nB\n"),
    ],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

/// The longest name that is looked for across the blocks of the input.
const LONGEST: usize = 64 * 1024;

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let lists = options.has(Opt::Variables);
    let format = match options.operands.as_slice() {
        [] if lists => return Err(UtilityError::failed("missing arguments")),
        [] => None,
        [format] => Some(format),
        _ => return Err(UtilityError::failed("too many arguments")),
    };
    let mut wanted: Option<HashSet<&[u8]>> = None;
    if let Some(format) = format {
        let mut at = 0;
        while let Some((_, end, name)) = next_variable(format, at) {
            ctx.tick().await?;
            if lists {
                ctx.stdout.write(&[name, b"\n"].concat_metered()).await?;
            } else {
                wanted.get_or_insert_default().insert(name);
            }
            at = end;
        }
        if lists {
            return Ok(ExitStatus::SUCCESS);
        }
        wanted.get_or_insert_default();
    }
    substitute(ctx, wanted.as_ref()).await
}

async fn substitute(ctx: &mut Context, wanted: Option<&HashSet<&[u8]>>) -> Result<ExitStatus, UtilityError> {
    let environment = ctx.env.clone();
    let mut input = ctx.standard_input();
    let mut text = Vec::new();
    loop {
        ctx.check().await?;
        let block = match input.fill().await {
            Ok(block) => block,
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                return Err(UtilityError::failed(format!(
                    "error while reading \"standard input\": {}",
                    errno.message()
                )));
            }
        };
        let is_end = block.is_empty();
        text.extend_from_slice(block);
        let length = block.len();
        input.consume(length);
        // What may be the start of a variable waits for the next block.
        let usable = if is_end { text.len() } else { complete(&text) };
        let part = text.get(..usable).unwrap_or(&text);
        let mut at = 0;
        while let Some((start, end, name)) = next_variable(part, at) {
            ctx.tick().await?;
            ctx.stdout.push(part.get(at..start).unwrap_or(&[]));
            if wanted.is_none_or(|wanted| wanted.contains(name)) {
                ctx.stdout.push(environment.get(name).map_or(&[], |value| value.as_bytes()));
            } else {
                ctx.stdout.push(part.get(start..end).unwrap_or(&[]));
            }
            ctx.stdout.flush_if_full().await?;
            at = end;
        }
        ctx.stdout.write(part.get(at..).unwrap_or(&[])).await?;
        text.remove_front(usable);
        if is_end {
            return Ok(ExitStatus::SUCCESS);
        }
    }
}

/// How much of the text ends in no part of a variable.
fn complete(text: &[u8]) -> usize {
    let Some(dollar) = memchr::memrchr(b'$', text) else { return text.len() };
    let rest = text.get(dollar + 1..).unwrap_or(&[]);
    let name = rest.strip_prefix(b"{").unwrap_or(rest);
    let is_open = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if is_open && name.len() < LONGEST { dollar } else { text.len() }
}

/// The first variable at or after `from`: where it starts and ends, and its name.
fn next_variable(text: &[u8], from: usize) -> Option<(usize, usize, &[u8])> {
    let mut at = from;
    loop {
        let start = at + memchr::memchr(b'$', text.get(at..)?)?;
        at = start + 1;
        let is_braced = text.get(at) == Some(&b'{');
        let name = text.get(at + usize::from(is_braced)..)?;
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let is_name = name.first().is_some_and(|byte| !byte.is_ascii_digit()) && length > 0;
        if is_name && (!is_braced || name.get(length) == Some(&b'}')) {
            let end = at + length + 2 * usize::from(is_braced);
            return Some((start, end, name.get(..length)?));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found() {
        let names = |text: &'static str| {
            let (mut found, mut at) = (Vec::new(), 0);
            while let Some((_, end, name)) = next_variable(text.as_bytes(), at) {
                found.push(String::from_utf8_lossy(name).into_owned());
                at = end;
            }
            found.join(" ")
        };
        assert_eq!(names("$a ${b} $$c ${d:-x} ${e $f1_ $1 $ ${} $"), "a b c f1_");
        assert_eq!(complete(b"a $b"), 2);
        assert_eq!(complete(b"a ${b"), 2);
        assert_eq!(complete(b"a $b "), 5);
    }
}
