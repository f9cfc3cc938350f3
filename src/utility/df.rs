//! `df`: the space of the session's file system. POSIX XCU df, GNU coreutils df(1). There is one file system, `tmpfs` at
//! `/`, which is local; nothing has to be written out before it is asked.

use super::format::block_size::{BlockOpt, BlockSize, blocks_heading};
use super::format::quote::quote_if_needed;
use crate::memory::{String, ToDecimal, ToMeteredString, Vec, format, vec};
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "all", "include pseudo, duplicate, inaccessible file systems"),
        Block(BlockOpt),
        HumanReadable = flag('h', "human-readable", "print sizes in powers of 1024 (e.g., 1023M)"),
        Si = flag('H', "si", "print sizes in powers of 1000 (e.g., 1.1G)"),
        Inodes = flag('i', "inodes", "list inode information instead of block usage"),
        Kibibytes = flag('k', "", "like --block-size=1K"),
        Local = flag('l', "local", "limit listing to local file systems"),
        Mebibytes = flag('m', "", "like --block-size=1M"),
        NoSync = flag('\0', "no-sync", "do not invoke sync before getting usage info (default)"),
        OutputFields = optional(
            '\0',
            "output",
            "FIELD_LIST",
            "print these fields, or all: source, fstype, itotal, iused, iavail, ipcent, size, used, avail, pcent, file, target",
        ),
        Portability = flag('P', "portability", "use the POSIX output format"),
        Sync = flag('\0', "sync", "invoke sync before getting usage info"),
        Total = flag('\0', "total", "produce a grand total"),
        Type = value('t', "type", "TYPE", "limit listing to file systems of type TYPE"),
        PrintType = flag('T', "print-type", "print file system type"),
        ExcludeType = value('x', "exclude-type", "TYPE", "limit listing to file systems not of type TYPE"),
        Ignored = flag('v', "", "(ignored)"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "df",
    summary: "show information about the file system on which each FILE resides",
    usage: "df [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("df -P . | wc -l", "2\n")],
    run: start!(run),
    ..Utility::BASE
};

/// The type of the file system, and its source.
const KIND: &str = "tmpfs";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Source,
    Kind,
    InodeTotal,
    InodesUsed,
    InodesFree,
    InodeShare,
    Size,
    Used,
    Available,
    Share,
    File,
    Target,
}

/// The name of each field in `--output`, its heading, its least width.
const FIELDS: [(&str, Field, &str, usize); 12] = [
    ("source", Field::Source, "Filesystem", 14),
    ("fstype", Field::Kind, "Type", 4),
    ("itotal", Field::InodeTotal, "Inodes", 5),
    ("iused", Field::InodesUsed, "IUsed", 5),
    ("iavail", Field::InodesFree, "IFree", 5),
    ("ipcent", Field::InodeShare, "IUse%", 4),
    ("size", Field::Size, "1K-blocks", 5),
    ("used", Field::Used, "Used", 5),
    ("avail", Field::Available, "Available", 5),
    ("pcent", Field::Share, "Use%", 4),
    ("file", Field::File, "File", 0),
    ("target", Field::Target, "Mounted on", 0),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Default,
    Human,
    Posix,
    Inodes,
    Output,
}

/// What is printed, and how.
struct Table {
    mode: Mode,
    fields: Vec<Field>,
    unit: BlockSize,
}

/// Numbers of a file system, or of several.
#[derive(Clone, Copy, Debug, Default)]
struct Amounts {
    total: u64,
    used: u64,
    free: u64,
    inodes: u64,
    inodes_used: u64,
}

/// Exit status: 0, or 1 when an operand does not exist, or nothing was shown.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let table = table(ctx, &options)?;
    if let Some(both) =
        options.values(Opt::Type).find(|kind| options.values(Opt::ExcludeType).any(|other| other == *kind))
    {
        return Err(UtilityError::failed(format!(
            "file system type {} both selected and excluded",
            quote(both)
        )));
    }
    let mut status = ExitStatus::SUCCESS;
    // The file that each row is about; none is named without operands.
    let mut files = Vec::new();
    for operand in &options.operands {
        ctx.tick().await?;
        match ctx.stat(operand) {
            Ok(_) => files.push(operand.to_metered_string()),
            Err(error) => status = ctx.complain(quote_if_needed(operand), error)?,
        }
    }
    if options.operands.is_empty() {
        files.push("-".into());
    }
    if files.is_empty() {
        return Ok(status);
    }
    let kind = KIND.as_bytes();
    let selected = !options.has(Opt::Type) || options.values(Opt::Type).any(|wanted| **wanted == *kind);
    if !selected || options.values(Opt::ExcludeType).any(|excluded| **excluded == *kind) {
        return Err(UtilityError::failed("no file systems processed"));
    }
    let own = amounts(ctx);
    let count = files.len() as u64;
    let mut rows = vec![table.headings()];
    for file in &files {
        ctx.tick().await?;
        rows.push(table.row(own, ["/", KIND, KIND, file]));
    }
    if options.has(Opt::Total) {
        let sum = Amounts {
            total: own.total.saturating_mul(count),
            used: own.used.saturating_mul(count),
            free: own.free.saturating_mul(count),
            inodes: own.inodes.saturating_mul(count),
            inodes_used: own.inodes_used.saturating_mul(count),
        };
        let target = if table.fields.contains(&Field::Source) { "-" } else { "total" };
        rows.push(table.row(sum, [target, "total", "-", "-"]));
    }
    table.print(ctx, &rows).await?;
    Ok(status)
}

fn amounts(ctx: &Context) -> Amounts {
    let (limits, usage) = (ctx.meter.limits(), ctx.fs().usage());
    let total = limits.file_system_bytes;
    Amounts {
        total,
        used: usage.bytes.min(total),
        // Names, inodes and folders take room, too.
        free: total.saturating_sub(usage.memory),
        inodes: limits.files.max(usage.files),
        inodes_used: usage.files,
    }
}

fn table(ctx: &Context, options: &Options<Opt>) -> Result<Table, UtilityError> {
    let mut unit = BlockSize::of_environment(ctx, "DF_BLOCK_SIZE");
    for (option, argument) in options.given() {
        match option {
            Opt::HumanReadable => unit = BlockSize::Human(1024),
            Opt::Si => unit = BlockSize::Human(1000),
            Opt::Kibibytes => unit = BlockSize::of(1 << 10),
            Opt::Mebibytes => unit = BlockSize::of(1 << 20),
            Opt::Block(option) => {
                unit = BlockSize::of_option(option, argument.map_or(&b""[..], |text| text.as_bytes()))?;
            }
            _ => {}
        }
    }
    let fields = if options.has(Opt::OutputFields) { Some(output_fields(options)?) } else { None };
    if let Some(fields) = fields {
        return Ok(Table { mode: Mode::Output, fields, unit });
    }
    let mode = match unit {
        _ if options.has(Opt::Inodes) => Mode::Inodes,
        BlockSize::Human(_) => Mode::Human,
        BlockSize::Units { .. } if options.has(Opt::Portability) => Mode::Posix,
        BlockSize::Units { .. } => Mode::Default,
    };
    let mut fields = vec![Field::Source];
    if options.has(Opt::PrintType) {
        fields.push(Field::Kind);
    }
    fields.extend(if mode == Mode::Inodes {
        [Field::InodeTotal, Field::InodesUsed, Field::InodesFree, Field::InodeShare, Field::Target]
    } else {
        [Field::Size, Field::Used, Field::Available, Field::Share, Field::Target]
    });
    Ok(Table { mode, fields, unit })
}

/// The fields of `--output`, each once.
fn output_fields(options: &Options<Opt>) -> Result<Vec<Field>, UtilityError> {
    for (option, letter) in [(Opt::Inodes, 'i'), (Opt::Portability, 'P'), (Opt::PrintType, 'T')] {
        if options.has(option) {
            let message = format!("options -{letter} and --output are mutually exclusive");
            return Err(UtilityError::Usage(message));
        }
    }
    let mut fields = Vec::new();
    for list in options.values(Opt::OutputFields) {
        for word in list.split(|&byte| byte == b',') {
            let found = FIELDS.iter().find(|(name, ..)| name.as_bytes() == word);
            let message = match found {
                Some((_, field, ..)) if !fields.contains(field) => {
                    fields.push(*field);
                    continue;
                }
                Some(_) => "used more than once",
                None => "unknown",
            };
            let shown = quote(word);
            return Err(UtilityError::Usage(format!("option --output: field {shown} {message}")));
        }
    }
    if fields.is_empty() {
        fields.extend(FIELDS.iter().map(|(_, field, ..)| *field));
    }
    Ok(fields)
}

impl Table {
    fn headings(&self) -> Vec<String> {
        let heading = |field: &Field| match (field, self.mode, self.unit) {
            (Field::Size, Mode::Human, _) | (Field::Size, _, BlockSize::Human(_)) => "Size".into(),
            (Field::Size, Mode::Posix, BlockSize::Units { bytes, .. }) => format!("{bytes}-blocks"),
            (Field::Size, _, BlockSize::Units { bytes, suffix }) => blocks_heading(bytes, suffix),
            (Field::Available, Mode::Human | Mode::Output, _) => "Avail".into(),
            (Field::Share, Mode::Posix, _) => "Capacity".into(),
            _ => row_of(*field).2.into(),
        };
        self.fields.iter().map(heading).collect()
    }

    /// The cells of a row; `names` are its target, source, type and file.
    fn row(&self, amounts: Amounts, names: [&str; 4]) -> Vec<String> {
        let [target, source, kind, file] = names;
        let count = |count: u64| match self.unit {
            BlockSize::Human(_) => self.unit.show(count),
            BlockSize::Units { .. } => count.to_decimal(),
        };
        let cell = |field: &Field| match field {
            Field::Source => source.into(),
            Field::Kind => kind.into(),
            Field::InodeTotal => count(amounts.inodes),
            Field::InodesUsed => count(amounts.inodes_used),
            Field::InodesFree => count(amounts.inodes - amounts.inodes_used),
            Field::InodeShare => share(amounts.inodes_used, amounts.inodes - amounts.inodes_used),
            Field::Size => self.unit.show(amounts.total),
            Field::Used => self.unit.show(amounts.used),
            Field::Available => self.unit.show(amounts.free),
            Field::Share => share(amounts.used, amounts.total.saturating_sub(amounts.used)),
            Field::File => file.into(),
            Field::Target => target.into(),
        };
        self.fields.iter().map(cell).collect()
    }

    /// Prints rows, each column as wide as its widest cell.
    async fn print(&self, ctx: &mut Context, rows: &[Vec<String>]) -> Result<(), UtilityError> {
        let mut widths: Vec<usize> = self.fields.iter().map(|field| row_of(*field).3).collect();
        let length = |cell: &String| cell.chars().count();
        for row in rows {
            ctx.tick().await?;
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(length(cell));
            }
        }
        for row in rows {
            let mut line = String::new();
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                ctx.tick().await?;
                if index > 0 {
                    line.push(' ');
                }
                let field = self.fields.get(index);
                let is_name =
                    matches!(field, Some(Field::Source | Field::Kind | Field::File | Field::Target));
                let blanks = width.saturating_sub(length(cell));
                if !is_name {
                    line.extend(std::iter::repeat_n(' ', blanks));
                }
                line.push_str(cell);
                if is_name && index + 1 < row.len() {
                    line.extend(std::iter::repeat_n(' ', blanks));
                }
            }
            line.push('\n');
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(())
    }
}

/// The row of a field in the table.
fn row_of(field: Field) -> (&'static str, Field, &'static str, usize) {
    FIELDS.into_iter().find(|(_, other, ..)| *other == field).unwrap_or(FIELDS[0])
}

/// How much is used, in percent.
fn share(used: u64, free: u64) -> String {
    let total = u128::from(used) + u128::from(free);
    if total == 0 { "-".into() } else { format!("{}%", (u128::from(used) * 100).div_ceil(total)) }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn one_file_system() {
        let outcome = run("df", &["-h"], b"", &[]);
        assert_eq!(
            outcome.stdout,
            "Filesystem      Size  Used Avail Use% Mounted on\ntmpfs           256M     0  256M   0% /\n"
        );
        assert_eq!(run("df", &["nope"], b"", &[]).stderr, "df: nope: No such file or directory\n");
    }
}
