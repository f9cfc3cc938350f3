//! `split`: cuts an input into files. GNU coreutils split(1).
//!
//! Lines and bytes are cut as they stream by (`split/pieces.rs`); for a number of chunks the size must be known, so that the
//! input is held (`split/chunks.rs`). Names of files are in `split/names.rs`, where bytes go in `split/target.rs`.

mod chunks;
mod names;
mod pieces;
mod settings;
mod target;

use crate::memory::format;
use crate::utility::prelude::*;
use names::Names;
use pieces::Unit;
use settings::{SplitOptions, Way};
use target::Targets;

options! {
    enum Opt {
        SuffixLength = value('a', "suffix-length", "N", "generate suffixes of length N (default 2)"),
        AdditionalSuffix = value(
            '\0',
            "additional-suffix",
            "SUFFIX",
            "append an additional SUFFIX to file names",
        ),
        Bytes = value('b', "bytes", "SIZE", "put SIZE bytes per output file"),
        LineBytes = value('C', "line-bytes", "SIZE", "put at most SIZE bytes of records per output file"),
        NumericSuffixes = flag('d', "", "use numeric suffixes starting at 0, not alphabetic")
            | optional('\0', "numeric-suffixes", "FROM", "same as -d, but allow setting the start value"),
        HexSuffixes = flag('x', "", "use hex suffixes starting at 0, not alphabetic")
            | optional('\0', "hex-suffixes", "FROM", "same as -x, but allow setting the start value"),
        ElideEmptyFiles = flag('e', "elide-empty-files", "do not generate empty output files with '-n'"),
        Filter = value('\0', "filter", "COMMAND", "write to shell COMMAND; file name is $FILE"),
        Lines = value('l', "lines", "NUMBER", "put NUMBER lines/records per output file"),
        Number = value(
            'n',
            "number",
            "CHUNKS",
            "N, K/N, l/N, l/K/N, r/N or r/K/N: N files; K is printed alone",
        ),
        Separator = value(
            't',
            "separator",
            "SEP",
            "use SEP instead of newline as the record separator; '\\0' is NUL",
        ),
        Unbuffered = flag('u', "unbuffered", "immediately copy input to output with '-n r/...'"),
        Verbose = flag('\0', "verbose", "print a diagnostic just before each output file is opened"),
        Digits = number("NUM", "the same as -l NUM"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "split",
    summary: "split a file into pieces",
    usage: "split [OPTION]... [FILE [PREFIX]]",
    options: Opt::TABLE,
    examples: &[
        example("seq 3 | split -l 2; cat xab", "3\n"),
        example("seq 4 | split -n r/2 --filter='tr \"\\n\" \" \"; echo $FILE'", "1 3 xaa\n2 4 xab\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = SplitOptions::of(&options)?;
    let mut operands = options.operands.iter();
    let file = operands.next().cloned().unwrap_or(Text::from_static(b"-"));
    let prefix = operands.next().cloned().unwrap_or(Text::from_static(b"x"));
    if let Some(extra) = operands.next() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    settings.check_start()?;
    let names = Names::new(&prefix, &settings);
    let mut input = ctx.open_input(&file).map_err(|error| {
        let what = format!("cannot open {} for reading", quote_name(&file));
        UtilityError::operand(what.as_bytes(), error)
    })?;
    let mut targets = Targets::new(names, &settings, input.description().metadata());
    let split = match settings.way {
        Way::Lines(count) => {
            pieces::counted(ctx, &mut input, &mut targets, count, Unit::Line(settings.separator)).await
        }
        Way::Bytes(count) => pieces::counted(ctx, &mut input, &mut targets, count, Unit::Byte).await,
        Way::LineBytes(most) => {
            pieces::line_bytes(ctx, &mut input, &mut targets, most, settings.separator).await
        }
        Way::Chunks { kind, chosen, count } => {
            chunks::split(ctx, &mut input, &mut targets, &settings, kind, chosen, count).await
        }
    };
    match split {
        Ok(()) => targets.close(ctx).await?,
        Err(error) => {
            let errno = error.errno()?;
            return Err(UtilityError::operand(quote_operand(&file).as_bytes(), errno.into()));
        }
    }
    Ok(ExitStatus::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;
    use std::fmt::Write as _;

    /// The pieces of the input, one a line.
    fn pieces(args: &[&str], input: &str) -> String {
        let fixture = Fixture::new(&[("f", input)]);
        let outcome = fixture.run("split", &[args, &["f"]].concat(), b"");
        if outcome.status != 0 || !outcome.stdout.is_empty() {
            return outcome.stdout + &outcome.stderr;
        }
        let mut out = String::new();
        for entry in fixture.session.fs.read_dir(b"/work").unwrap() {
            if *entry.name != b"f"[..] {
                let path = [b"/work/", entry.name.as_bytes()].concat();
                let content = fixture.session.fs.read(&path).unwrap();
                let content = String::from_utf8_lossy(content.as_bytes()).into_owned();
                let _ = write!(out, "{}={content:?} ", entry.name);
            }
        }
        out
    }

    #[test]
    fn splits() {
        let rows: [(&[&str], &str, &str); 14] = [
            (&["-l2"], "1\n2\n3\n", r#"xaa="1\n2\n" xab="3\n" "#),
            (&["-1"], "1\n2", r#"xaa="1\n" xab="2" "#),
            (&["-b3", "-d"], "abcdefg", r#"x00="abc" x01="def" x02="g" "#),
            (&["-C4"], "1\n2\n3\nlonger\nx\n", r#"xaa="1\n2\n" xab="3\n" xac="long" xad="er\n" xae="x\n" "#),
            (&["-n3", "-a1"], "0123456789", r#"xa="012" xb="345" xc="6789" "#),
            (&["-nl/2"], "aaaa\nb\nc\n", r#"xaa="aaaa\n" xab="b\nc\n" "#),
            (&["-nl/4"], "aaaaaaaaa\nb\n", r#"xaa="aaaaaaaaa\n" xab="" xac="" xad="b\n" "#),
            (&["-nr/2"], "1\n2\n3\n", r#"xaa="1\n3\n" xab="2\n" "#),
            (&["-n2/3"], "0123456789", "345"),
            (&["-nr/2/2"], "1\n2\n3\n4", "2\n4"),
            (&["-en4"], "ab", r#"xaa="a" xab="b" "#),
            (
                &["--hex-suffixes=e", "-l1", "--additional-suffix=.t"],
                "1\n2\n3\n",
                "x0e.t=\"1\\n\" x0f.t=\"2\\n\" x10.t=\"3\\n\" ",
            ),
            (&["-l1", "-t,"], "1,2", r#"xaa="1," xab="2" "#),
            (&["-b0"], "", "split: invalid number of bytes: ‘0’: Numerical result out of range\n"),
        ];
        for (args, input, want) in rows {
            assert_eq!(pieces(args, input), want, "{args:?}");
        }
    }
}
