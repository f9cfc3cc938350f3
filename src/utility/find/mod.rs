//! `find`: searches trees for files. POSIX XCU find, GNU findutils find(1).
//!
//! `parse.rs` (with `metadata.rs` and `regex.rs`) turns the arguments into a [`Plan`](expression::Plan): options, and an expression compiled to steps with
//! jumps over one truth value (`expression.rs`); `run.rs` walks the trees with an explicit stack and runs the steps for
//! each file; `test.rs` has the tests, `action.rs` the actions, `format.rs` the directives of `-printf`.

mod action;
mod expression;
mod format;
mod metadata;
mod parse;
pub(super) mod regex;
mod run;
mod test;

use crate::memory::vec;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "find",
    summary: "search for files in a directory hierarchy",
    usage: "find [-H] [-L] [-P] [path...] [expression]",
    options: parse::Opt::TABLE,
    examples: &[
        example("mkdir d; touch d/a.txt d/b; find d -name '*.txt'", "d/a.txt\n"),
        example("mkdir d; touch d/x; find d -type f -exec basename {} \\;", "x\n"),
    ],
    run: start!(search),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a file could not be looked at or the expression is wrong.
async fn search(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    for (name, option) in [(&b"-help"[..], "--help"), (b"-version", "--version")] {
        if ctx.args.iter().any(|arg| arg.as_bytes() == name || arg.as_bytes() == option.as_bytes()) {
            ctx.args = vec![Text::from(option)];
            ctx.parse_options::<parse::Opt>(&UTILITY)?;
        }
    }
    let args = std::mem::take(&mut ctx.args);
    let plan = parse::parse(ctx, &args)?;
    run::run(ctx, plan).await
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    fn fixture() -> Fixture {
        let fixture =
            Fixture::new(&[("d/a.txt", "hello\n"), ("d/e/b.TXT", ""), ("d/e/c", "x"), ("d/.h", "")]);
        fixture.run("mkdir", &["d/empty"], b"");
        fixture
    }

    fn sorted(outcome: &str) -> String {
        let mut lines: Vec<&str> = outcome.lines().collect();
        lines.sort_unstable();
        lines.join(" ")
    }

    #[test]
    fn expressions_select_files() {
        let fixture = fixture();
        let rows: [(&[&str], &str); 16] = [
            (&["d"], "d d/.h d/a.txt d/e d/e/b.TXT d/e/c d/empty"),
            (&["d", "-name", "*.txt"], "d/a.txt"),
            (&["d", "-iname", "*.txt", "-type", "f"], "d/a.txt d/e/b.TXT"),
            (&["d", "-type", "d", "-o", "-name", "c"], "d d/e d/e/c d/empty"),
            (&["d", "!", "-type", "d", "-size", "+0"], "d/a.txt d/e/c"),
            (&["d", "-empty"], "d/.h d/e/b.TXT d/empty"),
            (&["d", "-path", "d/e", "-prune", "-o", "-type", "f", "-print"], "d/.h d/a.txt"),
            (&["d", "-maxdepth", "1", "-mindepth", "1"], "d/.h d/a.txt d/e d/empty"),
            (&["d", "(", "-name", "a*", "-o", "-name", "c", ")", "-print"], "d/a.txt d/e/c"),
            (&["d", "-regex", ".*/[a-c]\\(\\.txt\\|\\)"], "d/a.txt d/e/c"),
            (&["d", "-regextype", "posix-extended", "-iregex", ".*\\.(txt|doc)"], "d/a.txt d/e/b.TXT"),
            (&["d", "-perm", "-755"], "d d/e d/empty"),
            (&["d", "-size", "-1"], "d/.h d/e/b.TXT"),
            (&["d", "-false", ",", "-name", "c"], "d/e/c"),
            (&["d", "-newermt", "2030-01-01"], ""),
            (&["d", "-mmin", "-5", "-name", "c"], "d/e/c"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("find", args, b"");
            assert_eq!((sorted(&outcome.stdout).as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
    }

    #[test]
    fn printf_directives() {
        let fixture = fixture();
        fixture.run("touch", &["-d", "2024-01-02 03:04:05.678", "d/a.txt"], b"");
        let format = "%d|%f|%h|%H|%k|%b|%m|%M|%n|%p|%P|%s|%TY-%Tm-%Td %TH:%TM:%TS|%T@|%T+|%y|%Y|%5s|%-3d|%%\\n\\101\\c x";
        let outcome = fixture.run("find", &["d", "-name", "a.txt", "-printf", format], b"");
        assert_eq!(
            outcome.stdout,
            "1|a.txt|d|d|4|8|644|-rw-r--r--|1|d/a.txt|a.txt|6|2024-01-02 03:04:05.6780000000|\
             1704164645.6780000000|2024-01-02+03:04:05.6780000000|f|f|    6|1  |%\nA"
        );
    }

    #[test]
    fn commands_run_for_each_file_or_for_many() {
        let fixture = fixture();
        let outcome = fixture.run("find", &["d/e", "-type", "f", "-exec", "echo", "<{}>", ";"], b"");
        assert_eq!(sorted(&outcome.stdout), "echo <d/e/b.TXT> echo <d/e/c>");
        let outcome = fixture.run("find", &["d/a.txt", "d/e/c", "-exec", "echo", "{}", "+"], b"");
        assert_eq!(outcome.stdout, "echo d/a.txt d/e/c\n");
        let outcome = fixture.run("find", &["d/a.txt", "-execdir", "echo", "{}", ";"], b"");
        assert_eq!(outcome.stdout, "echo ./a.txt\n");
    }

    #[test]
    fn deletes_depth_first() {
        let fixture = fixture();
        let outcome = fixture.run("find", &["d", "-delete"], b"");
        assert_eq!((outcome.stderr.as_str(), outcome.status), ("", 0));
        let outcome = fixture.run("find", &["d"], b"");
        assert_eq!((outcome.stderr.as_str(), outcome.status), ("find: ‘d’: No such file or directory\n", 1));
    }

    #[test]
    fn errors_are_worded_as_gnu_find_does() {
        let fixture = fixture();
        let rows: [(&[&str], &str); 16] = [
            (&["-foo"], "find: unknown predicate `-foo'\n"),
            (&[".", "-name"], "find: missing argument to `-name'\n"),
            (&[".", "-type", "q"], "find: Unknown argument to -type: q\n"),
            (&[".", "-size", "x"], "find: invalid -size type `x'\n"),
            (&[".", "-mtime", "x"], "find: invalid argument `x' to `-mtime'\n"),
            (&[".", "-perm", "zz"], "find: invalid mode ‘zz’\n"),
            (
                &[".", "(", "-name", "a"],
                "find: invalid expression; I was expecting to find a ')' somewhere but did not see one.\n",
            ),
            (
                &[".", "-a"],
                "find: invalid expression; you have used a binary operator '-a' with nothing before it.\n",
            ),
            (&[".", "-name", "a", "-o"], "find: expected an expression after '-o'\n"),
            (&[".", "!"], "find: expected an expression after '!'\n"),
            (&[".", "(", ")"], "find: invalid expression; empty parentheses are not allowed.\n"),
            (&[".", "-exec", "echo"], "find: missing argument to `-exec'\n"),
            (
                &[".", "-maxdepth", "x"],
                "find: Expected a positive decimal integer argument to -maxdepth, but got ‘x’\n",
            ),
            (&[".", "-name", "a", ")"], "find: you have too many ')'\n"),
            (
                &[".", "-newermt", "zork"],
                "find: I cannot figure out how to interpret ‘zork’ as a date or time\n",
            ),
            (&[".", "-newer", "nope"], "find: ‘nope’: No such file or directory\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("find", args, b"");
            assert_eq!((outcome.stderr.as_str(), outcome.status), (want, 1), "{args:?}");
        }
    }
}
