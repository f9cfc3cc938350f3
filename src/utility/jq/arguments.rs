//! The command line of `jq`, as jq 1.6 takes it: options and operands in any order, one-letter options in clusters,
//! option-arguments always words of their own. The first operand is the filter, or with `-f` a file that holds it.

use super::print::{Indent, Layout, PRETTY};
use super::source::Kind;
use crate::memory::{String, Vec, format};
use crate::text::Text;

/// Where the value of a named variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// `--arg`: the text itself.
    Text,
    /// `--argjson`: the text is JSON.
    Json,
    /// `--slurpfile`: the values in a file, as an array.
    Values,
    /// `--rawfile`: a file's text.
    File,
}

/// What a run is asked to do.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// The filter's text or file.
    pub(super) filter: Option<&'a Text>,
    pub(super) from_file: bool,
    pub(super) files: Vec<Text>,
    pub(super) kind: Kind,
    pub(super) null_input: bool,
    /// Strings are printed as they are (`-r`, unless `-a` asks for JSON).
    pub(super) raw_output: bool,
    /// After each output: a newline, nothing (`-j`), NUL (`--raw-output0`).
    pub(super) end: &'static [u8],
    pub(super) exit_status: bool,
    pub(super) layout: Layout,
    /// `--arg` and its kin: name, text, where the value comes from.
    pub(super) named: Vec<(&'a Text, &'a Text, Given)>,
    /// After `--args` (false) and `--jsonargs` (true).
    pub(super) positional: Vec<(&'a Text, bool)>,
}

/// What the arguments ask for.
#[derive(Debug)]
pub(super) enum Parsed<'a> {
    /// A run.
    Run(Request<'a>),
    /// `-h`
    Help,
    /// `-V`
    Version,
}

/// What operands are.
#[derive(Clone, Copy)]
enum Operands {
    Files,
    Texts,
    Json,
}

/// Parses the arguments.
///
/// # Errors
/// The message for an unknown option or a missing option-argument, without the utility's name.
pub(super) fn parse(args: &[Text]) -> Result<Parsed<'_>, String> {
    let mut request = Request {
        filter: None,
        from_file: false,
        files: Vec::new(),
        kind: Kind::default(),
        null_input: false,
        raw_output: false,
        end: b"\n",
        exit_status: false,
        layout: PRETTY,
        named: Vec::new(),
        positional: Vec::new(),
    };
    let mut operands = Operands::Files;
    let mut options_ended = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_bytes() {
            b"--" if !options_ended => options_ended = true,
            [b'-', b'-', long @ ..] if !options_ended => match long {
                b"args" => operands = Operands::Texts,
                b"jsonargs" => operands = Operands::Json,
                b"help" => return Ok(Parsed::Help),
                b"version" => return Ok(Parsed::Version),
                _ => request.take_long(long, arg, &mut rest)?,
            },
            [b'-', letters @ ..] if !options_ended && !letters.is_empty() => {
                for &letter in letters {
                    match letter {
                        b'h' => return Ok(Parsed::Help),
                        b'V' => return Ok(Parsed::Version),
                        _ => request.take_letter(letter).ok_or_else(|| unknown(arg))?,
                    }
                }
            }
            _ if request.filter.is_none() => request.filter = Some(arg),
            _ => match operands {
                Operands::Files => request.files.push(arg.clone()),
                Operands::Texts => request.positional.push((arg, false)),
                Operands::Json => request.positional.push((arg, true)),
            },
        }
    }
    request.raw_output &= !request.layout.ascii;
    Ok(Parsed::Run(request))
}

fn unknown(arg: &Text) -> String {
    format!("Unknown option {}", bstr::BStr::new(arg.as_bytes()))
}

impl<'a> Request<'a> {
    fn take_letter(&mut self, letter: u8) -> Option<()> {
        match letter {
            b'n' => self.null_input = true,
            b'r' => self.raw_output = true,
            b'j' => (self.raw_output, self.end) = (true, b""),
            b'a' => self.layout.ascii = true,
            b's' => self.kind.slurp = true,
            b'R' => self.kind.raw = true,
            b'c' => self.layout.indent = Indent::None,
            b'C' => self.layout.colour = true,
            b'M' => self.layout.colour = false,
            b'S' => self.layout.sort_keys = true,
            b'e' => self.exit_status = true,
            b'f' => self.from_file = true,
            _ => return None,
        }
        Some(())
    }

    fn take_long(
        &mut self,
        long: &[u8],
        arg: &Text,
        rest: &mut impl Iterator<Item = &'a Text>,
    ) -> Result<(), String> {
        let letter = match long {
            b"null-input" => b'n',
            b"raw-output" => b'r',
            b"join-output" => b'j',
            b"ascii-output" => b'a',
            b"slurp" => b's',
            b"raw-input" => b'R',
            b"compact-output" => b'c',
            b"color-output" => b'C',
            b"monochrome-output" => b'M',
            b"sort-keys" => b'S',
            b"exit-status" => b'e',
            b"from-file" => b'f',
            _ => return self.take_word(long, arg, rest),
        };
        self.take_letter(letter).ok_or_else(|| unknown(arg))
    }

    fn take_word(
        &mut self,
        long: &[u8],
        arg: &Text,
        rest: &mut impl Iterator<Item = &'a Text>,
    ) -> Result<(), String> {
        match long {
            b"tab" => self.layout.indent = Indent::Tab,
            b"stream" => self.kind.stream = true,
            // Outputs are never held back for longer than it takes to compute the next one.
            b"unbuffered" => {}
            b"raw-output0" => (self.raw_output, self.end) = (true, b"\0"),
            b"indent" => {
                let width = rest.next().ok_or("--indent takes one parameter")?;
                self.layout.indent = indent(width)?;
            }
            b"arg" => self.name("arg", "value", Given::Text, rest)?,
            b"argjson" => self.name("argjson", "text", Given::Json, rest)?,
            b"slurpfile" => self.name("slurpfile", "filename", Given::Values, rest)?,
            b"rawfile" => self.name("rawfile", "filename", Given::File, rest)?,
            _ => return Err(unknown(arg)),
        }
        Ok(())
    }

    fn name(
        &mut self,
        option: &str,
        second: &str,
        given: Given,
        rest: &mut impl Iterator<Item = &'a Text>,
    ) -> Result<(), String> {
        let (Some(name), Some(text)) = (rest.next(), rest.next()) else {
            return Err(format!("--{option} takes two parameters (e.g. --{option} varname {second})"));
        };
        // The first one of a name counts.
        if self.named.iter().all(|(known, ..)| *known != name) {
            self.named.push((name, text, given));
        }
        Ok(())
    }

    /// Whether each JSON text is an input of its own.
    pub(super) fn is_plain_json(&self) -> bool {
        !self.kind.raw && !self.kind.slurp && !self.null_input && !self.kind.stream
    }
}

/// The number of spaces that `--indent` asks for: the digits at its start; -1 is a tab.
fn indent(width: &Text) -> Result<Indent, String> {
    let text = width.to_string_lossy();
    let digits = text.trim_start();
    let sign = usize::from(digits.starts_with(['-', '+']));
    let end = digits.bytes().skip(sign).take_while(u8::is_ascii_digit).count() + sign;
    match digits.get(..end).unwrap_or_default().parse::<i64>() {
        Ok(0) => Ok(Indent::None),
        Ok(-1) => Ok(Indent::Tab),
        Ok(width @ 1..=7) => Ok(Indent::Spaces(width as u8)),
        Err(_) if end == sign => Ok(Indent::None),
        _ => Err("--indent takes a number between -1 and 7".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(args: &[&str], check: impl FnOnce(Result<Parsed<'_>, String>) -> T) -> T {
        let args: Vec<Text> = args.iter().map(|arg| Text::from(*arg)).collect();
        check(parse(&args))
    }

    #[test]
    fn options_may_follow_the_filter() {
        with(&[".a", "f", "-rc", "--", "-x"], |parsed| {
            let Ok(Parsed::Run(request)) = parsed else { panic!("{parsed:?}") };
            assert!(request.raw_output && request.layout.indent == Indent::None);
            assert_eq!(request.filter.map(Text::as_bytes), Some(&b".a"[..]));
            assert_eq!(request.files, [Text::from("f"), Text::from("-x")]);
        });
    }

    #[test]
    fn an_unknown_letter_names_its_cluster() {
        with(&["-rQ", "."], |parsed| {
            assert!(matches!(parsed, Err(message) if message == "Unknown option -rQ"));
        });
    }

    #[test]
    fn widths_of_indent() {
        let width = |text: &str| indent(&Text::from(text));
        assert_eq!(width("3"), Ok(Indent::Spaces(3)));
        assert_eq!(width("-1"), Ok(Indent::Tab));
        assert_eq!(width("0"), Ok(Indent::None));
        assert_eq!(width("x"), Ok(Indent::None));
        assert!(width("8").is_err() && width("-2").is_err() && width("99999999999999999999").is_err());
    }
}
