//! `od`: dumps bytes in octal and other formats. GNU coreutils od(1).
//!
//! Input is cut into blocks of one output line; each format prints the block on a line of its own, its fields spread over
//! the columns that the widest format needs (`format.rs`). Lines that repeat the one before are shown as `*`. With `-S`
//! strings are printed instead (`strings.rs`). `settings.rs` reads options and the older form of operands.

mod float;
mod format;
mod settings;
mod strings;

use crate::memory::{String, Vec, format, repeat_text};
use crate::utility::prelude::*;
use settings::OdOptions;
use strings::Strings;

options! {
    enum Opt {
        AddressRadix = value('A', "address-radix", "RADIX", "output format for file offsets: d, o, x or n"),
        Endian = value('\0', "endian", "big|little", "swap input bytes according the specified order"),
        SkipBytes = value('j', "skip-bytes", "BYTES", "skip BYTES input bytes first"),
        ReadBytes = value('N', "read-bytes", "BYTES", "limit dump to BYTES input bytes"),
        Strings = value('S', "", "BYTES", "output strings of at least BYTES graphic chars")
            | optional('\0', "strings", "BYTES", "the same; 3 is implied when BYTES is not specified"),
        Format = value(
            't',
            "format",
            "TYPE",
            "output formats: a, c, d, f, o, u, x with a size (1, 2, 4, 8, 16, C, S, I, L, F, D); z",
        ),
        OutputDuplicates = flag('v', "output-duplicates", "do not use * to mark line suppression"),
        Width = optional('w', "width", "BYTES", "output BYTES bytes per output line; 32 without BYTES"),
        Traditional = flag('\0', "traditional", "accept an offset and a label after the file"),
        Named = flag('a', "", "same as -t a"),
        Octal1 = flag('b', "", "same as -t o1"),
        Characters = flag('c', "", "same as -t c"),
        Unsigned2 = flag('d', "", "same as -t u2"),
        Unsigned4 = flag('D', "", "same as -t u4"),
        Single = flag('f', "", "same as -t fF"),
        Double = flag('F', "", "same as -t fD") | flag('e', "", "same as -t fD"),
        SignedInt = flag('i', "", "same as -t dI"),
        SignedLong = flag('l', "", "same as -t dL")
            | flag('I', "", "same as -t dL")
            | flag('L', "", "same as -t dL"),
        Octal2 = flag('o', "", "same as -t o2") | flag('B', "", "same as -t o2"),
        Octal4 = flag('O', "", "same as -t o4"),
        Signed2 = flag('s', "", "same as -t d2"),
        Hexadecimal2 = flag('x', "", "same as -t x2") | flag('h', "", "same as -t x2"),
        Hexadecimal4 = flag('X', "", "same as -t x4") | flag('H', "", "same as -t x4"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "od",
    summary: "dump files in octal and other formats",
    usage: "od [OPTION]... [FILE]...\nod [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]\nod --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\n' | od -c", "0000000   a  \\n\n0000002\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut operands = options.operands.clone();
    let settings = OdOptions::read(ctx, &options, &mut operands)?;
    let strings = settings.strings.map(|least| Strings::new(&settings, least));
    let mut dump =
        Dump { offset: settings.skip, previous: Vec::new(), starred: false, line: Vec::new(), strings };
    let mut status = ExitStatus::SUCCESS;
    // The last offset is printed even where nothing could be read of what was opened.
    let mut has_opened = false;
    let (mut skip, mut left) = (settings.skip, settings.limit);
    let mut has_read = false;
    for operand in ctx.inputs(&operands) {
        // Once all that is wanted was read, no more files are opened.
        if left == 0 && has_read {
            break;
        }
        if let Err(error) = read(ctx, &settings, &operand, &mut dump, &mut skip, &mut left).await {
            let errno = error.errno()?;
            let is_opened = errno == Errno::IsDirectory || operand == b"-";
            has_opened |= is_opened;
            let shown = if is_opened { quote_input(&operand) } else { quote_operand(&operand) };
            status = ctx.warn(format_args!("{shown}: {}", errno.message()));
        } else {
            (has_read, has_opened) = (true, true);
        }
    }
    if skip > 0 {
        return Err(UtilityError::failed("cannot skip past end of combined input"));
    }
    if settings.strings.is_some() {
        return Ok(status);
    }
    dump.write_line(ctx, &settings).await?;
    if (settings.radix != b'n' || settings.label.is_some())
        && (status.is_success() || has_opened || dump.offset > 0)
    {
        let end = settings.addresses(dump.offset);
        ctx.stdout.write(format!("{end}\n").as_bytes()).await?;
    }
    Ok(status)
}

/// An offset in its radix.
fn address(radix: u8, offset: u64) -> String {
    match radix {
        b'd' => format!("{offset:07}"),
        b'x' => format!("{offset:06x}"),
        _ => format!("{offset:07o}"),
    }
}

async fn read(
    ctx: &mut Context,
    settings: &OdOptions,
    operand: &[u8],
    dump: &mut Dump,
    skip: &mut u64,
    left: &mut u64,
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    while *left > 0 {
        ctx.tick().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        if *skip > 0 {
            let count = block.len().min(usize::try_from(*skip).unwrap_or(usize::MAX));
            input.consume(count);
            *skip -= count as u64;
            continue;
        }
        let most = usize::try_from(*left).unwrap_or(usize::MAX);
        if let Some(strings) = &mut dump.strings {
            let block = block.get(..most.min(block.len()).min(1024)).unwrap_or(block);
            for &byte in block {
                if strings.is_over() {
                    break;
                }
                strings.take(byte, settings, &mut ctx.stdout);
            }
            *left -= block.len() as u64;
            let count = block.len();
            input.consume(count);
            ctx.tick_many(count as u32 / 64);
            ctx.stdout.flush_if_full().await?;
            continue;
        }
        let count = block.len().min(settings.line - dump.line.len()).min(most);
        dump.line.extend_from_slice(block.get(..count).unwrap_or(block));
        input.consume(count);
        *left -= count as u64;
        if dump.line.len() == settings.line {
            dump.write_line(ctx, settings).await?;
            ctx.stdout.flush_if_full().await?;
        }
    }
    Ok(())
}

/// The bytes of the line that is being filled, and what was printed before.
struct Dump {
    offset: u64,
    previous: Vec<u8>,
    starred: bool,
    line: Vec<u8>,
    /// With `-S`.
    strings: Option<Strings>,
}

impl Dump {
    async fn write_line(&mut self, ctx: &mut Context, settings: &OdOptions) -> Result<(), UtilityError> {
        let length = self.line.len();
        if length == 0 {
            return Ok(());
        }
        if !settings.all && length == settings.line && self.line == self.previous {
            if !std::mem::replace(&mut self.starred, true) {
                ctx.stdout.push(b"*\n");
            }
        } else {
            self.starred = false;
            let shown = settings.addresses(self.offset);
            // Fields of all formats share the columns of the widest.
            let columns =
                settings.formats.iter().map(|format| settings.line / format.size * (format.width + 1));
            let widest = columns.max().unwrap_or(0);
            for (index, format) in settings.formats.iter().enumerate() {
                let mut text =
                    if index == 0 { shown.clone() } else { repeat_text(" ", settings.indentation()) };
                format.append(ctx, &self.line, settings.line, widest, settings.is_big, &mut text).await?;
                text.push('\n');
                ctx.stdout.push(text.as_bytes());
            }
        }
        self.offset = self.offset.saturating_add(length as u64);
        std::mem::swap(&mut self.previous, &mut self.line);
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn dumps() {
        let od = |args: &[&str], input: &[u8]| run("od", args, input, &[]).stdout;
        assert_eq!(od(&["-c"], b"a\n\0\xff"), "0000000   a  \\n  \\0 377\n0000004\n");
        assert_eq!(od(&["-An", "-tx1"], b"hello"), " 68 65 6c 6c 6f\n");
        assert_eq!(od(&["-tx1c"], b"ab"), "0000000  61  62\n          a   b\n0000002\n");
        assert_eq!(
            od(&[], &[0; 36]),
            "0000000 000000 000000 000000 000000 000000 000000 000000 000000\n*\n0000040 000000 000000\n0000044\n"
        );
    }
}
