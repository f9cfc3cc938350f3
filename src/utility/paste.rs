//! `paste`: merges lines of files. GNU coreutils paste(1).

use crate::memory::{String, Vec, format};
use crate::utility::format::escape::{Escape, Escapes};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Delimiters = value('d', "delimiters", "LIST", "reuse characters from LIST instead of TABs"),
        Serial = flag('s', "serial", "paste one file at a time instead of in parallel"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "paste",
    summary: "merge lines of files",
    usage: "paste [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("seq 4 | paste -sd+", "1+2+3+4\n"), example("seq 4 | paste - -", "1\t2\n3\t4\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let end = if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' };
    let delimiters = parse_delimiters(options.value(Opt::Delimiters).map_or(b"\t", Text::as_bytes))?;
    let inputs = ctx.inputs(&options.operands);
    if options.has(Opt::Serial) {
        let mut status = ExitStatus::SUCCESS;
        for operand in inputs {
            if let Err(error) = serial(ctx, &operand, &delimiters, end).await {
                let errno = error.errno()?;
                status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
            }
        }
        return Ok(status);
    }
    parallel(ctx, &inputs, &delimiters, end).await
}

/// `\0` is not a delimiter at all.
fn parse_delimiters(list: &[u8]) -> Result<Vec<Option<u8>>, UtilityError> {
    let mut delimiters = Vec::new();
    let mut rest = list;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            delimiters.push(Some(byte));
            continue;
        }
        let Some((&escape, tail)) = rest.split_first() else {
            return Err(UtilityError::failed(format!(
                "delimiter list ends with an unescaped backslash: {}",
                String::from_utf8_lossy(list)
            )));
        };
        rest = tail;
        delimiters.push(match escape {
            b'0' => None,
            _ => match Escapes::PASTE.read(&[escape]) {
                (Escape::Byte(byte), _) => Some(byte),
                _ => Some(escape),
            },
        });
    }
    if delimiters.is_empty() {
        delimiters.push(None);
    }
    Ok(delimiters)
}

async fn serial(
    ctx: &mut Context,
    operand: &[u8],
    delimiters: &[Option<u8>],
    end: u8,
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    let mut between = delimiters.iter().cycle();
    let mut first = true;
    while let Some(line) = input.next_line(end).await? {
        if !first && let Some(Some(delimiter)) = between.next() {
            ctx.stdout.push(&[*delimiter]);
        }
        first = false;
        ctx.stdout.write(split_delimiter(line, end).0).await?;
        ctx.tick().await?;
    }
    ctx.stdout.write(&[end]).await?;
    Ok(())
}

async fn parallel(
    ctx: &mut Context,
    operands: &[Text],
    delimiters: &[Option<u8>],
    end: u8,
) -> Result<ExitStatus, UtilityError> {
    // Several `-` share standard input, which is read through one buffer.
    let mut inputs = Vec::new();
    let mut places = Vec::new();
    let mut standard = None;
    for operand in operands {
        if operand.as_bytes() == b"-"
            && let Some(index) = standard
        {
            places.push(index);
            continue;
        }
        let input = ctx
            .open_input(operand)
            .map_err(|error| UtilityError::operand(quote_operand(operand).as_bytes(), error))?;
        if operand.as_bytes() == b"-" {
            standard = Some(inputs.len());
        }
        places.push(inputs.len());
        inputs.push((input, false));
    }
    let mut status = ExitStatus::SUCCESS;
    loop {
        let mut any = false;
        // Delimiters of files that ended, written once another file has a line.
        let mut pending = Vec::new();
        for (column, (place, operand)) in places.iter().zip(operands).enumerate() {
            let Some((input, ended)) = inputs.get_mut(*place) else { continue };
            if column > 0
                && let Some(Some(delimiter)) = delimiters.get((column - 1) % delimiters.len().max(1))
            {
                pending.push(*delimiter);
            }
            if *ended {
                continue;
            }
            match input.next_line(end).await {
                Ok(Some(line)) => {
                    ctx.stdout.push(&pending);
                    pending.clear();
                    ctx.stdout.write(split_delimiter(line, end).0).await?;
                    any = true;
                }
                Ok(None) => *ended = true,
                Err(error) => {
                    *ended = true;
                    let errno = OperandError::from(error).errno()?;
                    status = ctx.warn(format_args!("{}: {}", quote_operand(operand), errno.message()));
                }
            }
            ctx.tick().await?;
        }
        if !any {
            return Ok(status);
        }
        pending.push(end);
        ctx.stdout.write(&pending).await?;
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn in_parallel_and_serial() {
        let files = [("a", "abc\nd"), ("b", "abc\nd\ne")];
        for (args, want) in [
            (&["a", "b"][..], "abc\tabc\nd\td\n\te\n"),
            (&["-s", "a", "b"], "abc\td\nabc\td\te\n"),
            (&["-d,;", "a", "b", "b"], "abc,abc;abc\nd,d;d\n,e;e\n"),
            (&["-d", "\\0", "a", "b"], "abcabc\ndd\ne\n"),
            (&["-sd", "\\n:", "b"], "abc\nd:e\n"),
            (&["-", "-"], "1\t2\n3\t\n"),
        ] {
            assert_eq!(run("paste", args, b"1\n2\n3\n", &files).stdout, want, "{args:?}");
        }
    }
}
