//! `tee`: copies standard input to each file and to standard output. GNU coreutils tee(1).

use crate::memory::Vec;
use crate::utility::prelude::*;

options! {
    enum Opt {
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

/// Exit status: 0, or 1 when a file could not be opened or written (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut status = ExitStatus::SUCCESS;
    let mut files = Vec::new();
    for name in &options.operands {
        match ctx.create(name, options.has(Opt::Append)) {
            Ok(output) => files.push((name, output)),
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                status = ctx.warn(format_args!("{}: {}", quote_operand(name), errno.message()));
            }
        }
    }
    let mut input = ctx.standard_input();
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
        ctx.stdout.write(block).await?;
        ctx.stdout.flush().await?;
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
