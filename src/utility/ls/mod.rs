//! `ls`: lists directories. POSIX XCU ls, GNU coreutils ls(1). Standard output is not a terminal: one name a line unless
//! asked otherwise.
//!
//! `option.rs` has the options, `style.rs` what they mean together; `entry.rs` gathers and sorts entries, `long.rs` prints `-l`, `columns.rs` the others,
//! `dired.rs` what an editor wants to know of a long listing.

mod columns;
mod dired;
pub(in crate::utility) mod entry;
mod long;
mod option;
mod quoting;
mod style;

use crate::memory::{JoinMetered, Vec, format, vec};
use crate::utility::format::quote::quote_name;
use crate::utility::prelude::*;
use dired::Dired;
use entry::Entry;
pub(in crate::utility) use option::Opt;
use style::Style;

pub(super) const UTILITY: Utility = Utility {
    name: "ls",
    summary: "list information about the FILEs (the current directory by default)",
    usage: "ls [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("touch b a .c; ls -A", ".c\na\nb\n"), example("mkdir d; touch x; ls -p", "d/\nx\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// A directory that is still to be listed.
struct Pending {
    path: Vec<u8>,
    /// Given on the command line.
    is_operand: bool,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    list(ctx, &UTILITY).await
}

/// `dir` is `ls -C -b`, and `vdir` is `ls -l -b`; what is given takes precedence.
pub(super) async fn start_dir(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    ctx.args.insert(0, Text::from_static(b"-Cb"));
    list(ctx, &super::dir::UTILITY).await
}

/// See [`start_dir`].
pub(super) async fn start_vdir(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    ctx.args.insert(0, Text::from_static(b"-lb"));
    list(ctx, &super::vdir::UTILITY).await
}

/// Exit status: 0; 1 when something below an operand could not be read; 2 when an operand could not.
async fn list(ctx: &mut Context, utility: &'static Utility) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(utility)?;
    let style = Style::of(ctx, &options)?;
    let operands =
        if options.operands.is_empty() { vec![Text::from_static(b".")] } else { options.operands.clone() };
    let dired = style.dired.then(Dired::default);
    let mut listing = Listing { style, dired, status: ExitStatus::SUCCESS, printed: false, heading: false };
    listing.operands(ctx, operands).await?;
    if let Some(dired) = &listing.dired {
        dired.print(ctx, listing.style.quoting.name()).await?;
    }
    Ok(listing.status)
}

struct Listing {
    style: Style,
    dired: Option<Dired>,
    status: ExitStatus,
    /// Something was printed: a blank line comes before the next directory.
    printed: bool,
    /// Directories are listed with their names.
    heading: bool,
}

impl Listing {
    async fn operands(&mut self, ctx: &mut Context, operands: Vec<Text>) -> Result<(), UtilityError> {
        self.heading = operands.len() > 1 || self.style.recursive;
        let (mut files, mut directories) = (Vec::new(), Vec::new());
        for operand in operands {
            ctx.tick().await?;
            match Entry::of_operand(ctx, &self.style, &operand) {
                Ok(entry) if entry.metadata.is_directory() && !self.style.directory_itself => {
                    directories.push(entry);
                }
                Ok(entry) => files.push(entry),
                Err(error) => {
                    ctx.complain(format_args!("cannot access {}", quote_name(&operand)), error)?;
                    self.status = ExitStatus(2);
                }
            }
        }
        entry::sort(&self.style, &mut files);
        entry::sort(&self.style, &mut directories);
        if !files.is_empty() {
            self.print(ctx, &files, &directories).await?;
            self.printed = true;
        }
        // A stack: the next one is the last.
        let mut pending: Vec<Pending> = directories
            .into_iter()
            .rev()
            .map(|entry| Pending { path: entry.path, is_operand: true })
            .collect();
        while let Some(directory) = pending.pop() {
            self.directory(ctx, &directory, &mut pending).await?;
        }
        Ok(())
    }

    async fn directory(
        &mut self,
        ctx: &mut Context,
        directory: &Pending,
        pending: &mut Vec<Pending>,
    ) -> Result<(), UtilityError> {
        ctx.tick().await?;
        let names = match crate::utility::file::walk::read_directory(ctx, &directory.path) {
            Ok(names) => names,
            Err(error) => {
                ctx.complain(format_args!("cannot open directory {}", quote_name(&directory.path)), error)?;
                self.status = self.status.max(ExitStatus(if directory.is_operand { 2 } else { 1 }));
                return Ok(());
            }
        };
        if self.heading {
            let blank: &[u8] = if self.printed { b"\n" } else { b"" };
            let indent: &[u8] = if self.dired.is_some() { b"  " } else { b"" };
            let name = self.style.shown_name(&directory.path);
            if let Some(dired) = &mut self.dired {
                dired.heading(
                    blank.len() + indent.len(),
                    name.len(),
                    blank.len() + indent.len() + name.len() + 2,
                );
            }
            let address = entry::address(ctx, &self.style, &directory.path);
            let mut shown = Vec::new();
            columns::push_linked(address.as_deref(), &name, &mut shown);
            ctx.stdout.write(&[blank, indent, &shown, b":\n"].concat_metered()).await?;
        }
        self.printed = true;
        let (mut entries, errors) = entry::gather(ctx, &self.style, &directory.path, names).await?;
        for (path, error) in errors {
            ctx.complain(format_args!("cannot access {}", quote_name(&path)), error)?;
            self.status = self.status.max(ExitStatus(1));
        }
        entry::sort(&self.style, &mut entries);
        if self.style.long || self.style.blocks {
            let indent = if self.dired.is_some() { "  " } else { "" };
            let line = format!("{indent}total {}\n", self.style.total(&entries));
            if let Some(dired) = &mut self.dired {
                dired.text(line.len());
            }
            ctx.stdout.write(line.as_bytes()).await?;
        }
        self.print(ctx, &entries, &[]).await?;
        if self.style.recursive {
            for entry in entries.iter().rev() {
                let is_dots = matches!(entry.name.as_bytes(), b"." | b"..");
                if entry.metadata.is_directory() && !is_dots {
                    pending.push(Pending { path: entry.path.clone(), is_operand: false });
                }
            }
        }
        Ok(())
    }

    /// Prints entries; what `others` need counts for the widths of columns.
    async fn print(
        &mut self,
        ctx: &mut Context,
        entries: &[Entry],
        others: &[Entry],
    ) -> Result<(), UtilityError> {
        if self.style.long {
            long::print(ctx, &self.style, entries, others, self.dired.as_mut()).await
        } else {
            columns::print(ctx, &self.style, entries, others).await
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    fn fixture() -> Fixture {
        let fixture =
            Fixture::new(&[("a", "12"), (".h", ""), ("d/x", ""), ("d/y", ""), ("z10", ""), ("z9", "123456")]);
        fixture.run("ln", &["-s", "d", "l"], b"");
        fixture.run("touch", &["-d", "2024-01-02", "a"], b"");
        fixture
    }

    #[test]
    fn names_in_lines_columns_and_commas() {
        let fixture = fixture();
        let rows: [(&[&str], &str); 12] = [
            (&[], "a\nd\nl\nz10\nz9\n"),
            (&["-a"], ".\n..\n.h\na\nd\nl\nz10\nz9\n"),
            (&["-A"], ".h\na\nd\nl\nz10\nz9\n"),
            (&["-F"], "a\nd/\nl@\nz10\nz9\n"),
            (&["-p", "--group-directories-first"], "d/\nl\na\nz10\nz9\n"),
            (&["-v", "-r"], "z10\nz9\nl\nd\na\n"),
            (&["-S"], "d\nz9\na\nl\nz10\n"),
            (&["-C"], "a  d  l  z10  z9\n"),
            (&["-m"], "a, d, l, z10, z9\n"),
            (&["-x", "-w", "8"], "a   d\nl   z10\nz9\n"),
            (&["-R", "d"], "d:\nx\ny\n"),
            (&["d", "a"], "a\n\nd:\nx\ny\n"),
        ];
        for (args, want) in rows {
            assert_eq!(fixture.run("ls", args, b"").stdout, want, "{args:?}");
        }
    }

    #[test]
    fn long_lines() {
        let fixture = fixture();
        assert_eq!(
            fixture.run("ls", &["-l"], b"").stdout,
            "total 12\n\
             -rw-r--r-- 1 root root    2 Jan  2  2024 a\n\
             drwxr-xr-x 2 root root 4096 May 28 12:34 d\n\
             lrwxrwxrwx 1 root root    1 May 28 12:34 l -> d\n\
             -rw-r--r-- 1 root root    0 May 28 12:34 z10\n\
             -rw-r--r-- 1 root root    6 May 28 12:34 z9\n"
        );
        assert_eq!(
            fixture.run("ls", &["-gGn", "--time-style=long-iso", "a"], b"").stdout,
            "-rw-r--r-- 1 2 2024-01-02 00:00 a\n"
        );
        assert_eq!(
            fixture.run("ls", &["-ld", "l"], b"").stdout,
            "lrwxrwxrwx 1 root root 1 May 28 12:34 l -> d\n"
        );
    }

    #[test]
    fn a_missing_operand_is_serious() {
        let outcome = fixture().run("ls", &["nope", "a"], b"");
        assert_eq!((outcome.stdout.as_str(), outcome.status), ("a\n", 2));
        assert_eq!(outcome.stderr, "ls: cannot access 'nope': No such file or directory\n");
    }
}
