//! Scripts of `ed`, as far as `diff -e` writes them: `a`, `c`, `d` and `i` with line numbers, and `s/.//`.

use super::fatal;
use super::parse::script_command;
use crate::memory::Vec;
use crate::utility::{Context, UtilityError};

/// Applies a script to a file.
pub(super) async fn edit(ctx: &mut Context, file: &[u8], script: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let mut buffer = Buffer::default();
    for line in file.split_inclusive(|byte| *byte == b'\n') {
        ctx.tick().await?;
        buffer.before.push(line);
    }
    buffer.current = buffer.before.len();
    if file.last().is_some_and(|byte| *byte != b'\n') {
        ctx.stdout.write(b"Newline appended\n").await?;
    }
    let mut rest = script.split_inclusive(|byte| *byte == b'\n');
    while let Some(command) = rest.next() {
        ctx.tick().await?;
        let Some(letter) = script_command(command) else { return Err(failure(ctx).await) };
        let (first, last) = addresses(command, buffer.current);
        let least = usize::from(!matches!(letter, b'a' | b'i'));
        if first < least || last < first || last > buffer.len() {
            return Err(failure(ctx).await);
        }
        match letter {
            b'a' => buffer.go_to(ctx, first).await?,
            b'i' => buffer.go_to(ctx, first.saturating_sub(1)).await?,
            b'c' | b'd' => {
                buffer.go_to(ctx, last).await?;
                buffer.before.truncate(first - 1);
                // The current line is the one after what is gone.
                buffer.current = first.min(buffer.len());
            }
            _ => {
                buffer.go_to(ctx, first).await?;
                if !buffer.cut_first() {
                    return Err(failure(ctx).await);
                }
            }
        }
        if matches!(letter, b'a' | b'c' | b'i') {
            let start = buffer.before.len();
            for line in rest.by_ref() {
                ctx.tick().await?;
                if line == b".\n" {
                    break;
                }
                buffer.before.push(line);
            }
            if buffer.before.len() > start {
                buffer.current = buffer.before.len();
            }
        }
    }
    let mut out = Vec::with_capacity(file.len());
    for line in buffer.before.iter().chain(buffer.after.iter().rev()) {
        ctx.tick().await?;
        out.extend_from_slice(line);
        // `ed` ends each line.
        if !line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    Ok(out)
}

/// What `ed` says of a command that it cannot do, and `patch` of `ed`.
async fn failure(ctx: &mut Context) -> UtilityError {
    ctx.stdout.push(b"?\n");
    match ctx.stdout.flush().await {
        Ok(()) => fatal("ed FAILED"),
        Err(error) => error,
    }
}

/// The lines that a command is about; the current one where it does not say.
fn addresses(command: &[u8], current: usize) -> (usize, usize) {
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    let end =
        command.iter().position(|byte| !byte.is_ascii_digit() && *byte != b',').unwrap_or(command.len());
    let mut numbers = command.get(..end).unwrap_or_default().splitn(2, |byte| *byte == b',').map(number);
    let first: Option<usize> = numbers.next().flatten();
    let last: Option<usize> = numbers.next().flatten();
    let first = first.unwrap_or(current);
    (first, last.unwrap_or(first))
}

/// The lines of the file in two parts, between which the next command works: scripts go from the end of a file to its start,
/// so that each line is moved once.
#[derive(Default)]
struct Buffer<'t> {
    before: Vec<&'t [u8]>,
    /// The last line first.
    after: Vec<&'t [u8]>,
    /// The number of the current line; 0 before the first.
    current: usize,
}

impl Buffer<'_> {
    const fn len(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// Makes the first part `count` lines long.
    async fn go_to(&mut self, ctx: &mut Context, count: usize) -> Result<(), UtilityError> {
        while self.before.len() > count
            && let Some(line) = self.before.pop()
        {
            ctx.tick().await?;
            self.after.push(line);
        }
        while self.before.len() < count
            && let Some(line) = self.after.pop()
        {
            ctx.tick().await?;
            self.before.push(line);
        }
        Ok(())
    }

    /// Takes the first character off the last line of the first part; whether there is one.
    fn cut_first(&mut self) -> bool {
        self.current = self.before.len();
        let Some(line) = self.before.last_mut() else { return false };
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let width = bstr::decode_utf8(text).1;
        *line = line.get(width..).unwrap_or_default();
        width > 0
    }
}
