//! The command line of `jq`, as jq 1.8 takes it: options and operands in any order, one-letter options in clusters,
//! option-arguments words of their own (but for `-L`). A word is an option if a letter or a second `-` follows its `-`, so that
//! a filter such as `-1` or `-(.a)` is none. The first operand is the filter, or with `-f` a file that holds it.

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
    /// A string with a NUL cannot be told apart in the output (`--raw-output0`).
    pub(super) refuses_nul: bool,
    /// RS before each JSON text of the output (`--seq`).
    pub(super) sequence: bool,
    pub(super) exit_status: bool,
    /// `-L`: where modules are searched; `None` for the places of jq.
    pub(super) library: Option<Vec<Text>>,
    /// Without its colours.
    pub(super) layout: Layout,
    pub(super) colour: bool,
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
    /// `--build-configuration`
    Configuration,
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
/// The message for an unknown option or a missing option-argument.
pub(super) fn parse(args: &[Text]) -> Result<Parsed<'_>, String> {
    let mut request = Request {
        filter: None,
        from_file: false,
        files: Vec::new(),
        kind: Kind::default(),
        null_input: false,
        raw_output: false,
        end: b"\n",
        refuses_nul: false,
        sequence: false,
        exit_status: false,
        library: None,
        layout: PRETTY,
        colour: false,
        named: Vec::new(),
        positional: Vec::new(),
    };
    let mut operands = Operands::Files;
    let mut options_ended = false;
    let mut colours = Colours::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_bytes() {
            b"--" if !options_ended => options_ended = true,
            [b'-', b'-', long @ ..] if !options_ended => match long {
                b"args" => operands = Operands::Texts,
                b"jsonargs" => operands = Operands::Json,
                b"help" => return Ok(Parsed::Help),
                b"version" => return Ok(Parsed::Version),
                b"build-configuration" => return Ok(Parsed::Configuration),
                b"color-output" => colours.wanted = true,
                b"monochrome-output" => colours.unwanted = true,
                _ => request.take_long(long, &mut rest)?,
            },
            [b'-', letters @ ..]
                if !options_ended && letters.first().is_some_and(u8::is_ascii_alphabetic) =>
            {
                for (at, &letter) in letters.iter().enumerate() {
                    match letter {
                        b'h' => return Ok(Parsed::Help),
                        b'V' => return Ok(Parsed::Version),
                        b'C' => colours.wanted = true,
                        b'M' => colours.unwanted = true,
                        b'L' => {
                            request.take_library(letters.get(at + 1..).unwrap_or_default(), &mut rest)?;
                            break;
                        }
                        _ => request.take_letter(letter).ok_or_else(|| unknown_letters(letters, at))?,
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
    request.colour = colours.wanted && !colours.unwanted;
    Ok(Parsed::Run(request))
}

/// `-C` and `-M`: the second one counts wherever it stands.
#[derive(Default)]
struct Colours {
    wanted: bool,
    unwanted: bool,
}

/// The letter of a cluster that is not an option.
fn unknown_letters(letters: &[u8], at: usize) -> String {
    let rest = String::from_utf8_lossy(letters.get(at..).unwrap_or_default());
    format!("jq: Unknown option -{}", rest.chars().next().unwrap_or_default())
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
            b'S' => self.layout.sort_keys = true,
            b'e' => self.exit_status = true,
            b'f' => self.from_file = true,
            // Only where lines end in two bytes is there anything to do.
            b'b' => {}
            _ => return None,
        }
        Some(())
    }

    /// `-L`: the directory is the rest of the word, or the next word.
    fn take_library(
        &mut self,
        attached: &[u8],
        rest: &mut impl Iterator<Item = &'a Text>,
    ) -> Result<(), String> {
        let directory = if attached.is_empty() {
            rest.next().cloned().ok_or("-L takes a parameter: (e.g. -L /search/path or -L/search/path)")?
        } else {
            Text::from(attached)
        };
        self.library.get_or_insert_default().push(directory);
        Ok(())
    }

    fn take_long(&mut self, long: &[u8], rest: &mut impl Iterator<Item = &'a Text>) -> Result<(), String> {
        let letter = match long {
            b"null-input" => b'n',
            b"raw-output" => b'r',
            b"join-output" => b'j',
            b"ascii-output" => b'a',
            b"slurp" => b's',
            b"raw-input" => b'R',
            b"compact-output" => b'c',
            b"sort-keys" => b'S',
            b"exit-status" => b'e',
            b"from-file" => b'f',
            b"binary" => b'b',
            _ => return self.take_word(long, rest),
        };
        self.take_letter(letter);
        Ok(())
    }

    fn take_word(&mut self, long: &[u8], rest: &mut impl Iterator<Item = &'a Text>) -> Result<(), String> {
        match long {
            b"tab" => self.layout.indent = Indent::Tab,
            b"stream" => self.kind.stream = true,
            b"seq" => (self.kind.sequence, self.sequence) = (true, true),
            b"library-path" => self.take_library(b"", rest)?,
            // Outputs are never held back for longer than it takes to compute the next one.
            b"unbuffered" => {}
            b"raw-output0" => {
                (self.raw_output, self.end, self.refuses_nul) = (true, b"\0", true);
            }
            b"indent" => {
                let width = rest.next().ok_or("jq: --indent takes one parameter")?;
                self.layout.indent = indent(width)?;
            }
            b"arg" => self.name("arg", "value", Given::Text, rest)?,
            b"argjson" => self.name("argjson", "text", Given::Json, rest)?,
            b"slurpfile" => self.name("slurpfile", "filename", Given::Values, rest)?,
            b"rawfile" => self.name("rawfile", "filename", Given::File, rest)?,
            _ => return Err(format!("jq: Unknown option --{}", bstr::BStr::new(long))),
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
            return Err(format!("jq: --{option} takes two parameters (e.g. --{option} varname {second})"));
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

/// The number of spaces that `--indent` asks for; -1 is a tab.
fn indent(width: &Text) -> Result<Indent, String> {
    match width.to_string_lossy().parse::<i64>() {
        Ok(-1) => Ok(Indent::Tab),
        Ok(width @ 0..=7) => Ok(Indent::Spaces(width as u8)),
        _ => Err("jq: --indent takes a number between -1 and 7".into()),
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
    fn an_unknown_letter_is_named() {
        with(&["-rQ", "."], |parsed| {
            assert!(matches!(parsed, Err(message) if message == "jq: Unknown option -Q"));
        });
    }

    #[test]
    fn widths_of_indent() {
        let width = |text: &str| indent(&Text::from(text));
        assert_eq!(width("3"), Ok(Indent::Spaces(3)));
        assert_eq!(width("-1"), Ok(Indent::Tab));
        assert_eq!(width("0"), Ok(Indent::Spaces(0)));
        assert!(width("x").is_err() && width(" 1").is_err() && width("1x").is_err());
        assert!(width("8").is_err() && width("-2").is_err() && width("99999999999999999999").is_err());
    }
}
