//! `sort`: sorts, merges or checks lines. GNU coreutils sort(1) with the byte order of the C.UTF-8 locale.
//!
//! All input is held in one buffer; a line is a record of 24 bytes with its place and a summary of what orders it
//! (`sort/order.rs`). Records are sorted by their summaries, in small portions so that others run meanwhile, and those whose
//! summaries are equal by what follows (`sort/distribute.rs`). What a key is and how two compare is in `sort/key.rs` and
//! `sort/compare.rs`.

mod check;
mod compare;
mod debug;
mod distribute;
mod key;
mod merge;
mod option;
mod order;
mod resource;
mod settings;

use super::file::random_source::{RandomSource, only_source};
use super::format::count::parse_digits;
use crate::limit::gauge;
use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;
use compare::Seed;
use option::{Opt, TROUBLE, read_failed, trouble};
use order::{Line, Order};
use settings::{Check, SortOptions, open_output};

pub(super) const UTILITY: Utility = Utility {
    name: "sort",
    summary: "sort lines of text files",
    usage: "sort [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[
        example("printf '10\\n9\\n' | sort", "10\n9\n"),
        example("printf '10\\n9\\n' | sort -n", "9\n10\n"),
        example("printf 'a 2\\nb 1\\n' | sort -k2", "b 1\na 2\n"),
    ],
    run: start!(run),
    usage_status: 2,
    ..Utility::BASE
};

/// `+POS1 [-POS2]` is the old form of `-k`; its positions are counted from 0. Also gives the keys that were written so.
fn with_keys(args: Vec<Text>) -> (Vec<Text>, Vec<Text>) {
    let mut old = Vec::new();
    let mut out = Vec::with_capacity(args.len());
    let mut args = args.into_iter().peekable();
    while let Some(arg) = args.next() {
        if arg.as_bytes() == b"--" {
            out.push(arg);
            break;
        }
        let Some((field, character, letters)) = arg.strip_prefix(b"+").and_then(old_position) else {
            out.push(arg);
            continue;
        };
        let mut key = format!("{}.{}{}", field + 1, character + 1, bstr::BStr::new(letters));
        let second = args.peek().and_then(|next| next.strip_prefix(b"-")).and_then(old_position);
        if let Some((field, character, letters)) = second {
            let end = if character == 0 { format!("{field}") } else { format!("{}.{character}", field + 1) };
            key = format!("{key},{end}{}", bstr::BStr::new(letters));
            args.next();
        }
        out.push(Text::from_static(b"-k"));
        out.push(Text::from(key.as_bytes()));
        old.push(Text::from(key.as_bytes()));
    }
    out.extend(args);
    (out, old)
}

/// `F.Cletters`
fn old_position(text: &[u8]) -> Option<(u64, u64, &[u8])> {
    let number = |text: &'_ [u8]| -> Option<(u64, usize)> {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        Some((parse_digits(text.get(..count)?)?, count))
    };
    let (field, count) = number(text)?;
    let rest = text.get(count..)?;
    let (character, rest) = match rest.strip_prefix(b".") {
        Some(after) => number(after).and_then(|(value, count)| Some((value, after.get(count..)?)))?,
        None => (0, rest),
    };
    (field < u64::MAX && character < u64::MAX && rest.iter().all(u8::is_ascii_alphabetic))
        .then_some((field, character, rest))
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    let (args, old_keys) = with_keys(args);
    ctx.args = args;
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    resource::check(&options)?;
    let inputs = match options.value(Opt::Files0From) {
        Some(_) if !options.operands.is_empty() => {
            let extra = options.operands.first().map_or_else(String::new, |extra| quote_name(extra));
            return Err(UtilityError::Usage(format!(
                "extra operand {extra}\nfile operands cannot be combined with --files0-from"
            )));
        }
        Some(list) => resource::listed_files(ctx, list).await?,
        None => ctx.inputs(&options.operands),
    };
    let mut settings = SortOptions::of(&options, &old_keys)?;
    if settings.debug {
        debug::warn(ctx, &settings);
    }
    settings.seed = seed(ctx, &options, &settings).await?;
    if settings.check != Check::No {
        return check::run(ctx, &settings, &inputs).await;
    }
    // What could not be read is told before anything is written.
    let mut opened = Vec::new();
    for operand in &inputs {
        let input = ctx.open_input(operand).map_err(|error| trouble("cannot read", operand, error))?;
        opened.push((operand.clone(), input));
    }
    if settings.merge {
        return merge::merge_files(ctx, &settings, opened).await;
    }
    let mut text = Vec::new();
    for (operand, mut input) in opened {
        read_all(ctx, &mut input, &mut text, settings.delimiter)
            .await
            .map_err(|error| read_failed(&operand, error))?;
    }
    let mut lines = order::index(ctx, &settings, &text).await?;
    let order = Order::new(&settings, &text);
    distribute::sort(ctx, &order, &mut lines).await?;
    write_lines(ctx, &settings, &order, &lines).await?;
    Ok(ExitStatus::SUCCESS)
}

/// What `-R` mixes with the lines: a number of the session, or the first bytes of a file.
async fn seed(
    ctx: &mut Context,
    options: &Options<Opt>,
    settings: &SortOptions,
) -> Result<Seed, UtilityError> {
    let source = only_source(options.values(Opt::RandomSource)).map_err(settings::failed)?;
    let (Some(name), true) = (source, settings.is_random()) else {
        return Ok(Seed::Number(ctx.session.random.next_u64()));
    };
    let mut bytes = [0; 16];
    let mut source =
        RandomSource::open(ctx, Some(name)).map_err(|error| trouble("open failed", name, error))?;
    match source.fill(ctx, &mut bytes).await {
        Ok(()) => Ok(Seed::Bytes(bytes)),
        Err(UtilityError::Failed { message, .. }) => Err(UtilityError::Failed { message, status: TROUBLE }),
        Err(error) => Err(error),
    }
}

/// Appends the rest of the input; its last line gets a delimiter if it lacks one.
async fn read_all(
    ctx: &mut Context,
    input: &mut Input,
    text: &mut Vec<u8>,
    delimiter: u8,
) -> Result<(), OperandError> {
    let before = text.len();
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        text.extend_from_slice(block);
        let count = block.len();
        input.consume(count);
    }
    if text.len() > before && text.last() != Some(&delimiter) {
        text.push(delimiter);
    }
    Ok(())
}

async fn write_lines(
    ctx: &mut Context,
    settings: &SortOptions,
    order: &Order<'_>,
    lines: &[Line],
) -> Result<(), UtilityError> {
    let mut file = open_output(ctx, settings)?;
    let mut previous: Option<&Line> = None;
    for portion in lines.chunks(128) {
        let mut bytes = 0;
        for line in portion {
            if settings.unique {
                if let Some(before) = previous {
                    let (before, line) = (order.line(before), order.line(line));
                    if order::compare_lines_paced(&ctx.meter, settings, before, line).await?.is_eq() {
                        continue;
                    }
                }
                previous = Some(line);
            }
            bytes += line.length;
            if settings.debug {
                debug::write(ctx, settings, order.line(line)).await?;
                continue;
            }
            let out = file.as_mut().unwrap_or(&mut ctx.stdout);
            out.write(order.with_delimiter(line)).await?;
        }
        gauge::spend_few_bytes(bytes);
        ctx.check().await?;
    }
    if let Some(mut file) = file {
        file.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    fn sort(args: &[&str], stdin: &str) -> String {
        let outcome = run("sort", args, stdin.as_bytes(), &[("f", "b\na"), ("g", "c\n")]);
        outcome.stdout + &outcome.stderr
    }

    #[test]
    fn orders() {
        for (args, input, want) in [
            (&[][..], "b\na\nc", "a\nb\nc\n"),
            (&["-r"], "b\na\nc\n", "c\nb\na\n"),
            (&["-n"], "10\n9\n-1\nx\n 2.5\n", "-1\nx\n 2.5\n9\n10\n"),
            (&["-g"], "1e3\n5\nnan\nx\n-inf\n", "x\nnan\n-inf\n5\n1e3\n"),
            (&["-h"], "1K\n2\n1G\n1M\n-1K\n", "-1K\n2\n1K\n1M\n1G\n"),
            (&["-V"], "a-1.10\na-1.9\na-1.9.tar.gz\n.b\n", ".b\na-1.9\na-1.9.tar.gz\na-1.10\n"),
            (&["-M"], "feb\nJAN\nx\ndec\n", "x\nJAN\nfeb\ndec\n"),
            (&["-f"], "b\nA\na\nB\n", "A\na\nB\nb\n"),
            (&["-u", "-f"], "b\nA\na\nB\n", "A\nb\n"),
            (&["-k2n", "-t:"], "a:10\nb:9\n", "b:9\na:10\n"),
            (&["-k2,2r", "-k1,1"], "b x\na x\nc y\n", "c y\na x\nb x\n"),
            (&["-s", "-k1,1"], "b 2\na 2\na 1\n", "a 2\na 1\nb 2\n"),
            (&["-k1.2,1.2"], "ab\nba\n", "ba\nab\n"),
            (&["-d"], "a-c\na b\nab\n", "a b\nab\na-c\n"),
            (&["f", "g", "-"], "d\n", "a\nb\nc\nd\n"),
            (&["-m", "g", "-"], "a\nd\n", "a\nc\nd\n"),
        ] {
            assert_eq!(sort(args, input), want, "{args:?}");
        }
    }

    #[test]
    fn refuses() {
        for (args, want) in [
            (&["-k0"][..], "field number is zero: invalid field specification ‘0’"),
            (&["-k1z"], "stray character in field spec: invalid field specification ‘1z’"),
            (&["-gn"], "options '-gn' are incompatible"),
            (&["-t", "ab"], "multi-character tab ‘ab’"),
            (&["nope"], "cannot read: nope: No such file or directory"),
        ] {
            assert_eq!(sort(args, ""), format!("sort: {want}\n"));
        }
    }

    #[test]
    fn many_lines_in_portions() {
        let mut lines: Vec<String> = (0..20_000_u64).map(|n| (n * 7919 % 20_011).to_string()).collect();
        let input = lines.join("\n") + "\n";
        lines.sort();
        assert_eq!(sort(&[], &input), lines.join("\n") + "\n");
    }
}
