//! What `md5sum`, `sha256sum`, `b2sum`, `cksum` and their kin share: printing and checking digests. GNU coreutils sha256sum(1).

mod algorithm;
#[cfg(feature = "programs")]
mod blake2b;
mod check;
mod sum;

use crate::memory::{String, ToMetered, Vec, format, vec};
use crate::utility::prelude::*;
pub(super) use algorithm::Algorithm;
#[cfg(feature = "programs")]
pub(super) use algorithm::BLAKE2B_BYTES;
pub(super) use sum::Sum;

options! {
    /// Which digests are read.
    pub(super) enum InputOpt {
        Binary = flag('b', "binary", "mark the digests as made in binary mode"),
        Check = flag('c', "check", "read checksums from the FILEs and check them"),
    }
}

options! {
    /// How digests are printed and checked.
    pub(super) enum OutputOpt {
        Tag = flag('\0', "tag", "create a BSD-style checksum"),
        Text = flag('t', "text", "mark the digests as made in text mode (default)"),
        Zero = flag('z', "zero", "end each output line with NUL, and disable file name escaping"),
        IgnoreMissing = flag('\0', "ignore-missing", "don't fail or report status for missing files"),
        Quiet = flag('\0', "quiet", "don't print OK for each successfully verified file"),
        Status = flag('\0', "status", "don't output anything, status code shows success"),
        Strict = flag('\0', "strict", "exit non-zero for improperly formatted checksum lines"),
        Warn = flag('w', "warn", "warn about improperly formatted checksum lines"),
    }
}

options! {
    enum Opt {
        Input(InputOpt),
        Output(OutputOpt),
    }
}

/// The options of `md5sum` and its kin.
pub(super) const TABLE: &[super::OptionSpec] = Opt::TABLE;

/// What is printed or checked, as the options of these utilities and of `cksum` say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DigestOptions {
    pub(super) checks: bool,
    pub(super) is_tagged: bool,
    pub(super) is_binary: bool,
    pub(super) ends_in_nul: bool,
    pub(super) ignores_missing: bool,
    pub(super) is_quiet: bool,
    pub(super) is_silent: bool,
    pub(super) is_strict: bool,
    pub(super) warns: bool,
}

impl DigestOptions {
    /// What the options ask for.
    pub(super) fn of<O: OptionSet + From<InputOpt> + From<OutputOpt>>(
        options: &Options<O>,
    ) -> Result<Self, UtilityError> {
        let checks = options.has(InputOpt::Check);
        let is_tagged = options.has(OutputOpt::Tag);
        let binary = O::from(InputOpt::Binary);
        let mode = options.last_of([binary, O::from(OutputOpt::Text)]).map(|option| option == binary);
        let usage = |text: String| Err(UtilityError::Usage(text));
        if is_tagged && mode == Some(false) {
            return usage("--tag does not support --text mode".into());
        }
        for option in [OutputOpt::Zero, OutputOpt::Tag] {
            if checks && options.has(option) {
                let name = option.long();
                return usage(format!("the --{name} option is meaningless when verifying checksums"));
            }
        }
        if checks && mode.is_some() {
            return usage("the --binary and --text options are meaningless when verifying checksums".into());
        }
        for option in [
            OutputOpt::IgnoreMissing,
            OutputOpt::Status,
            OutputOpt::Warn,
            OutputOpt::Quiet,
            OutputOpt::Strict,
        ] {
            if !checks && options.has(option) {
                let name = option.long();
                return usage(format!("the --{name} option is meaningful only when verifying checksums"));
            }
        }
        Ok(Self {
            checks,
            is_tagged,
            is_binary: mode == Some(true),
            ends_in_nul: options.has(OutputOpt::Zero),
            ignores_missing: options.has(OutputOpt::IgnoreMissing),
            is_quiet: options.has(OutputOpt::Quiet),
            is_silent: options.has(OutputOpt::Status),
            is_strict: options.has(OutputOpt::Strict),
            warns: options.has(OutputOpt::Warn),
        })
    }
}

/// Runs the utility of that row.
pub(super) async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    algorithm: Algorithm,
) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(utility)?;
    run_with(ctx, algorithm, &options.operands, DigestOptions::of(&options)?).await
}

/// Prints or checks digests.
pub(super) async fn run_with(
    ctx: &mut Context,
    algorithm: Algorithm,
    operands: &[Text],
    options: DigestOptions,
) -> Result<ExitStatus, UtilityError> {
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(operands) {
        if options.checks {
            if !check::run(ctx, algorithm, options, &operand).await? {
                status = ExitStatus::FAILURE;
            }
            continue;
        }
        match digest(ctx, algorithm, &operand).await {
            Ok(digest) => print(ctx, algorithm, options, &operand, &digest).await?,
            Err(error) => {
                let errno = error.errno()?;
                status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
            }
        }
    }
    Ok(status)
}

/// Bytes that are worked on at once.
const PIECE: usize = 16 << 10;

/// The digest of a file in hexadecimal.
async fn digest(ctx: &mut Context, algorithm: Algorithm, operand: &[u8]) -> Result<String, OperandError> {
    let mut input = ctx.open_input(operand)?;
    let mut state = algorithm.start();
    loop {
        ctx.check().await?;
        if input.show(PIECE, &mut |piece| state.update(piece)).await? == 0 {
            break;
        }
    }
    let digits = state.finish().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect())
}

async fn print(
    ctx: &mut Context,
    algorithm: Algorithm,
    options: DigestOptions,
    operand: &[u8],
    digest: &str,
) -> Result<(), UtilityError> {
    let zero = options.ends_in_nul;
    let escaped = !zero && operand.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'));
    let name = if escaped { escape(operand) } else { operand.to_metered() };
    let mut line = if escaped { vec![b'\\'] } else { Vec::new() };
    if options.is_tagged {
        line.extend_from_slice(format!("{} (", algorithm.tag()).as_bytes());
        line.extend_from_slice(&name);
        line.extend_from_slice(format!(") = {digest}").as_bytes());
    } else {
        line.extend_from_slice(digest.as_bytes());
        line.extend_from_slice(if options.is_binary { b" *" } else { b"  " });
        line.extend_from_slice(&name);
    }
    line.push(if zero { 0 } else { b'\n' });
    ctx.stdout.write(&line).await
}

fn escape(name: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in name {
        match byte {
            b'\\' => escaped.extend_from_slice(b"\\\\"),
            b'\n' => escaped.extend_from_slice(b"\\n"),
            b'\r' => escaped.extend_from_slice(b"\\r"),
            _ => escaped.push(byte),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    #[cfg(feature = "programs")]
    fn digests_of_known_messages() {
        for (name, want) in [
            ("md5sum", "900150983cd24fb0d6963f7d28e17f72"),
            ("sha1sum", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("sha256sum", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            assert_eq!(run(name, &[], b"abc", &[]).stdout, format!("{want}  -\n"));
        }
        // Lengths around the padding's border, and more than one block.
        for (name, want) in [
            (
                "md5sum",
                "ef1772b6dff9a122358552954ad0df65 3b0c8ac703f828b04c6c197006d17218 014842d480b571495a4a0363793f7367",
            ),
            (
                "sha1sum",
                "c1c8bbdc22796e28c0e15163d20899b65621d65a c2db330f6083854c99d4b5bfb6e8f29f201be699 0098ba824b5c16427bd7a1122a5a442a25ec644d",
            ),
        ] {
            let sums: Vec<String> = [55, 56, 64]
                .map(|length| run(name, &[], &vec![b'a'; length], &[]).stdout.replace("  -\n", ""))
                .to_vec();
            assert_eq!(sums.join(" "), want);
        }
    }

    #[test]
    fn checks_lists() {
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let list = format!("{sum}  f\nSHA256 (f) = {sum}\n{}  f\n{sum} *nope\nbad\n", "0".repeat(64));
        let outcome = run("sha256sum", &["-c"], list.as_bytes(), &[("f", "abc")]);
        assert_eq!(outcome.stdout, "f: OK\nf: OK\nf: FAILED\nnope: FAILED open or read\n");
        assert_eq!(
            outcome.stderr,
            "sha256sum: nope: No such file or directory\n\
             sha256sum: WARNING: 1 line is improperly formatted\n\
             sha256sum: WARNING: 1 listed file could not be read\n\
             sha256sum: WARNING: 1 computed checksum did NOT match\n"
        );
        assert_eq!(outcome.status, 1);
        let outcome = run("sha256sum", &["-c", "--quiet"], format!("{sum}  f\n").as_bytes(), &[("f", "abc")]);
        assert_eq!((outcome.stdout.as_str(), outcome.status), ("", 0));
    }
}
