//! `tee`: copies standard input to each file and to standard output. GNU coreutils tee(1).

use super::format::keyword::keyword;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        IgnoreInterrupts = flag('i', "ignore-interrupts", "ignore interrupt signals"),
        Pipe = flag('p', "", "operate in a more appropriate MODE with pipes"),
        OutputError = optional('\0', "output-error", "MODE", "set behavior on write error: warn, warn-nopipe, exit, exit-nopipe"),
        Append = flag('a', "append", "append to the given FILEs, do not overwrite"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tee",
    summary: "copy standard input to each FILE, and also to standard output",
    usage: "tee [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("echo a | tee f; cat f", "a\na\n")],
    run: start!(run),
    ..Utility::BASE
};

/// What is done about an output that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnError {
    /// A broken pipe ends it, another error is told.
    Default,
    Warn,
    WarnNoPipe,
    Exit,
    ExitNoPipe,
}

impl OnError {
    fn of(options: &Options<Opt>) -> Result<Self, UtilityError> {
        const MODES: [(&[&str], OnError); 4] = [
            (&["warn"], OnError::Warn),
            (&["warn-nopipe"], OnError::WarnNoPipe),
            (&["exit"], OnError::Exit),
            (&["exit-nopipe"], OnError::ExitNoPipe),
        ];
        let last =
            options.given().filter(|(option, _)| matches!(option, Opt::Pipe | Opt::OutputError)).last();
        let Some((_, word)) = last else { return Ok(Self::Default) };
        let Some(word) = word else { return Ok(Self::WarnNoPipe) };
        keyword("--output-error", &MODES, word)
    }

    const fn keeps_pipes(self) -> bool {
        matches!(self, Self::WarnNoPipe | Self::ExitNoPipe)
    }

    const fn exits(self) -> bool {
        matches!(self, Self::Exit | Self::ExitNoPipe)
    }
}

/// Set where a shell that ignores the signal has started this again.
const MARK: &[u8] = b"HOOKBOX_TEE_IGNORES_INTERRUPTS";

/// Runs again behind a shell that ignores interrupts.
async fn run_ignoring(ctx: &mut Context, options: &Options<Opt>) -> Result<ExitStatus, UtilityError> {
    let script: &[u8] = b"trap '' INT; exec tee \"$@\"";
    let mut argv: Vec<Text> =
        [&b"bash"[..], b"-c", script, b"tee", b"-i"].into_iter().map(Text::from).collect();
    if options.has(Opt::Append) {
        argv.push(Text::from_static(b"-a"));
    }
    if options.has(Opt::Pipe) {
        argv.push(Text::from_static(b"-p"));
    }
    for mode in options.values(Opt::OutputError) {
        argv.push(Text::from(format!("--output-error={mode}").as_bytes()));
    }
    argv.push(Text::from_static(b"--"));
    argv.extend(options.operands.iter().cloned());
    let mut request = ctx.command(argv);
    crate::memory::Arc::make_mut(&mut request.environment).set(Text::from(MARK), Text::from_static(b"1"));
    ctx.stand_in(request, |name| format!("{}", bstr::BStr::new(name))).await
}

/// Exit status: 0, or 1 when a file could not be opened or written (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let on_error = OnError::of(&options)?;
    if options.has(Opt::IgnoreInterrupts) && ctx.env.get(MARK).is_none() {
        return run_ignoring(ctx, &options).await;
    }
    let mut status = ExitStatus::SUCCESS;
    let mut files = Vec::new();
    for name in &options.operands {
        match ctx.create(name, options.has(Opt::Append)) {
            Ok(output) => files.push((name, output)),
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                status = ctx.warn(format_args!("{}: {}", quote_operand(name), errno.message()));
                if on_error.exits() {
                    return Ok(status);
                }
            }
        }
    }
    let mut input = ctx.standard_input();
    let mut has_stdout = true;
    loop {
        ctx.check().await?;
        let block = match input.fill().await {
            Ok([]) => return Ok(status),
            Ok(block) => block,
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                return Ok(ctx.warn(format_args!("read error: {}", errno.message())));
            }
        };
        if has_stdout {
            let written = match ctx.stdout.write(block).await {
                Ok(()) => ctx.stdout.flush().await,
                error => error,
            };
            match written {
                Ok(()) => {}
                Err(UtilityError::Write(Errno::BrokenPipe)) if on_error.keeps_pipes() => has_stdout = false,
                Err(UtilityError::Write(errno)) if on_error != OnError::Default => {
                    let message = format!("'standard output': {}", errno.message());
                    if on_error.exits() {
                        return Err(UtilityError::failed(message));
                    }
                    status = ctx.warn(message);
                    has_stdout = false;
                }
                Err(error) => return Err(error),
            }
        }
        if !has_stdout && files.is_empty() {
            return Ok(status);
        }
        let mut failed = Vec::new();
        for (index, (_, file)) in files.iter_mut().enumerate() {
            let written = match file.write(block).await {
                Ok(()) => file.flush().await,
                error => error,
            };
            match written {
                Ok(()) => {}
                Err(UtilityError::Write(errno)) => failed.push((index, errno)),
                Err(error) => return Err(error),
            }
        }
        let count = block.len();
        input.consume(count);
        for (index, errno) in failed.into_iter().rev() {
            let (name, _) = files.remove(index);
            if errno == Errno::BrokenPipe && on_error.keeps_pipes() {
                continue;
            }
            if on_error.exits() {
                let message = format!("{}: {}", quote_operand(name), errno.message());
                return Err(UtilityError::failed(message));
            }
            status = ctx.warn(format_args!("{}: {}", quote_operand(name), errno.message()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn copies_to_all_files_that_open() {
        let fixture = Fixture::new(&[("old", "1\n")]);
        let outcome = fixture.run("tee", &["-a", "old", "no/x", "new"], b"2\n");
        assert_eq!((outcome.stdout.as_str(), outcome.status), ("2\n", 1));
        assert_eq!(outcome.stderr, "tee: no/x: No such file or directory\n");
        assert_eq!(fixture.run("cat", &["old", "new"], b"").stdout, "1\n2\n2\n");
    }
}
