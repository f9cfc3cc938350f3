//! `du`: sums up the space that files take. POSIX XCU du, GNU coreutils du(1).

use super::file::blocks;
use super::file::walk::{Walk, WalkStep};
use super::format::human_size::{human_size, parse_size};
use super::format::quote::{quote, quote_name};
use crate::memory::{HashSet, String, ToDecimal, Vec, format, vec};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

options! {
    enum Opt {
        Null = flag('0', "null", "end each output line with NUL, not newline"),
        All = flag('a', "all", "write counts for all files, not just directories"),
        ApparentSize = flag('\0', "apparent-size", "print apparent sizes rather than device usage"),
        Bytes = flag('b', "bytes", "equivalent to '--apparent-size --block-size=1'"),
        BlockSize = value('B', "block-size", "SIZE", "scale sizes by SIZE before printing them"),
        Total = flag('c', "total", "produce a grand total"),
        MaxDepth = value(
            'd',
            "max-depth",
            "N",
            "print the total for a directory only if it is N or fewer levels below the command line argument",
        ),
        HumanReadable = flag(
            'h',
            "human-readable",
            "print sizes in human readable format (e.g., 1K 234M 2G)",
        ),
        Kibibytes = flag('k', "", "like --block-size=1K"),
        CountLinks = flag('l', "count-links", "count sizes many times if hard linked"),
        Dereference = flag('L', "dereference", "dereference all symbolic links"),
        Mebibytes = flag('m', "", "like --block-size=1M"),
        Summarize = flag('s', "summarize", "display only a total for each argument"),
        SeparateDirs = flag('S', "separate-dirs", "for directories do not include size of subdirectories"),
        Si = flag('\0', "si", "like -h, but use powers of 1000 not 1024"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "du",
    summary: "summarize device usage of the set of FILEs, recursively for directories",
    usage: "du [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 12345 > f; du -b f", "5\tf\n")],
    run: start!(run),
    ..Utility::BASE
};

struct Count {
    all: bool,
    apparent: bool,
    follow: bool,
    separate: bool,
    /// Files with several names count for each of them.
    counts_links: bool,
    max_depth: u64,
    unit: u64,
    human: Option<u64>,
    end: char,
    /// Inodes with several names that were counted.
    seen: HashSet<u64>,
    total: u64,
    status: ExitStatus,
}

/// Exit status: 0, or 1 when something could not be read.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut count = count(&options)?;
    let operands =
        if options.operands.is_empty() { vec![Text::from_static(b".")] } else { options.operands.clone() };
    for operand in operands {
        count.operand(ctx, &operand).await?;
    }
    if options.has(Opt::Total) {
        count.print(ctx, count.total, b"total").await?;
    }
    Ok(count.status)
}

fn count(options: &Options<Opt>) -> Result<Count, UtilityError> {
    let mut max_depth = u64::MAX;
    if let Some(text) = options.value(Opt::MaxDepth) {
        let parsed = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        max_depth =
            parsed.ok_or_else(|| UtilityError::Usage(format!("invalid maximum depth {}", quote(text))))?;
    }
    if options.has(Opt::Summarize) {
        if options.has(Opt::All) {
            return Err(UtilityError::Usage("cannot both summarize and show all entries".into()));
        }
        max_depth = 0;
    }
    let (mut unit, mut human) = (1024, None);
    for (option, argument) in options.given() {
        match option {
            Opt::Bytes => (unit, human) = (1, None),
            Opt::Kibibytes => (unit, human) = (1 << 10, None),
            Opt::Mebibytes => (unit, human) = (1 << 20, None),
            Opt::HumanReadable => human = Some(1024),
            Opt::Si => human = Some(1000),
            Opt::BlockSize => {
                let text = argument.map_or(&b""[..], |text| text.as_bytes());
                let size = parse_size(text).filter(|&size| size > 0);
                let wrong = || {
                    UtilityError::failed(format!("invalid -B argument '{}'", String::from_utf8_lossy(text)))
                };
                (unit, human) = (size.ok_or_else(wrong)?, None);
            }
            _ => {}
        }
    }
    Ok(Count {
        all: options.has(Opt::All),
        apparent: options.has(Opt::ApparentSize) || options.has(Opt::Bytes),
        follow: options.has(Opt::Dereference),
        separate: options.has(Opt::SeparateDirs),
        counts_links: options.has(Opt::CountLinks),
        max_depth,
        unit,
        human,
        end: if options.has(Opt::Null) { '\0' } else { '\n' },
        seen: HashSet::default(),
        total: 0,
        status: ExitStatus::SUCCESS,
    })
}

impl Count {
    async fn operand(&mut self, ctx: &mut Context, operand: &[u8]) -> Result<(), UtilityError> {
        let mut walk = Walk::default();
        // Bytes of each directory under way: its own and its files', and those of directories in it.
        let mut sums: Vec<(u64, u64)> = Vec::new();
        self.visit(ctx, &mut walk, &mut sums, operand).await?;
        while let Some(step) = walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => self.visit(ctx, &mut walk, &mut sums, &path).await?,
                WalkStep::Leave { path } => {
                    let Some((own, below)) = sums.pop() else { continue };
                    let shown = if self.separate { own } else { own.saturating_add(below) };
                    if walk.depth() as u64 <= self.max_depth {
                        self.print(ctx, shown, &path).await?;
                    }
                    match sums.last_mut() {
                        Some((_, above)) => *above = above.saturating_add(own).saturating_add(below),
                        None => self.total = self.total.saturating_add(own).saturating_add(below),
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
        sums: &mut Vec<(u64, u64)>,
        path: &[u8],
    ) -> Result<(), UtilityError> {
        let metadata = match if self.follow { ctx.stat(path) } else { ctx.lstat(path) } {
            Ok(metadata) => metadata,
            Err(error) => {
                self.status = ctx.complain(format_args!("cannot access {}", quote_name(path)), error)?;
                return Ok(());
            }
        };
        let may_come_again =
            !self.counts_links && (metadata.links > 1 || metadata.is_directory() || self.follow);
        if may_come_again && !self.seen.insert(metadata.inode) {
            return Ok(());
        }
        let size = self.size(&metadata);
        if metadata.is_directory() {
            sums.push((size, 0));
            if let Err(error) = walk.enter(ctx, path) {
                self.status =
                    ctx.complain(format_args!("cannot read directory {}", quote_name(path)), error)?;
                walk.enter_entries(path, Vec::new());
            }
            return Ok(());
        }
        let depth = walk.depth() as u64;
        if depth == 0 || (self.all && depth <= self.max_depth) {
            self.print(ctx, size, path).await?;
        }
        match sums.last_mut() {
            Some((own, _)) => *own = own.saturating_add(size),
            None => self.total = self.total.saturating_add(size),
        }
        Ok(())
    }

    fn size(&self, metadata: &Metadata) -> u64 {
        if self.apparent { metadata.size } else { blocks(metadata).saturating_mul(512) }
    }

    async fn print(&self, ctx: &mut Context, bytes: u64, path: &[u8]) -> Result<(), UtilityError> {
        let size = match self.human {
            Some(base) => human_size(bytes, base),
            None => bytes.div_ceil(self.unit).to_decimal(),
        };
        let mut line = format!("{size}\t").into_bytes();
        line.extend_from_slice(path);
        line.push(self.end as u8);
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
