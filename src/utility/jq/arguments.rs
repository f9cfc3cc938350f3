//! The command line of `jq`, as jq 1.8 takes it: options and operands in any order, one-letter options in clusters,
//! option-arguments words of their own (but for `-L`). A word is an option if a letter or a second `-` follows its `-`, so that
//! a filter such as `-1` or `-(.a)` is none. The first operand is the filter, or with `-f` a file that holds it.

use super::print::{Indent, Layout, PRETTY};
use super::source::Kind;
use crate::memory::{String, Vec, format};
use crate::text::Text;
use crate::utility::OptionSet as _;
use crate::utility::context::options::options;

options! {
    pub(super) enum Opt {
        NullInput = flag(
            'n',
            "null-input",
            "run the filter once, over null; the inputs are left to input and inputs",
        ),
        RawInput = flag('R', "raw-input", "each line is an input, as a string"),
        Slurp = flag('s', "slurp", "all inputs as one array; with -R, all text as one string"),
        Stream = flag('\0', "stream", "inputs as pairs of path and leaf"),
        Seq = flag('\0', "seq", "inputs and outputs as a JSON text sequence, each behind an RS"),
        RawOutput = flag('r', "raw-output", "print strings as they are"),
        JoinOutput = flag('j', "join-output", "as -r, without newlines"),
        RawOutput0 = flag('\0', "raw-output0", "as -r, with NUL instead of newlines"),
        AsciiOutput = flag('a', "ascii-output", "print characters beyond ASCII as escapes"),
        CompactOutput = flag('c', "compact-output", "each output on one line"),
        ColorOutput = flag('C', "color-output", "print in colour"),
        MonochromeOutput = flag('M', "monochrome-output", "print without colour"),
        SortKeys = flag('S', "sort-keys", "print keys in order"),
        Tab = flag('\0', "tab", "indent with tabs"),
        Indent = value('\0', "indent", "N", "indent with N spaces, 0 to 7; -1 is a tab"),
        Unbuffered = flag('\0', "unbuffered", "print each output at once"),
        ExitStatus = flag('e', "exit-status", "1 if the last output is false or null, 4 if there is none"),
        FromFile = flag('f', "from-file", "the filter is in the file of that name"),
        LibraryPath = value('L', "library-path", "DIRECTORY", "search modules there"),
        Arg = value('\0', "arg", "NAME TEXT", "$NAME is the text"),
        Argjson = value('\0', "argjson", "NAME JSON", "$NAME is the value"),
        Slurpfile = value('\0', "slurpfile", "NAME FILE", "$NAME is the array of values in the file"),
        Rawfile = value('\0', "rawfile", "NAME FILE", "$NAME is the text of the file"),
        Args = flag('\0', "args", "operands after the filter are strings in $ARGS.positional"),
        Jsonargs = flag('\0', "jsonargs", "operands after the filter are values in $ARGS.positional"),
        Binary = flag('b', "binary", "nothing is different where lines end in a newline alone"),
        Help = flag('h', "help", "display this help and exit"),
        Version = flag('V', "version", "print the version of the language and exit"),
        BuildConfiguration = flag('\0', "build-configuration", "print how the program was built and exit"),
    }
}

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
    let request = Request {
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
    let mut state = ArgumentState { request, operands: Operands::Files, colours: Colours::default() };
    let mut options_ended = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_bytes() {
            b"--" if !options_ended => options_ended = true,
            [b'-', b'-', long @ ..] if !options_ended => {
                let unknown = || format!("jq: Unknown option --{}", bstr::BStr::new(long));
                let option = Opt::of_long(long).ok_or_else(unknown)?;
                if let Some(told) = state.take(option, b"", &mut rest)? {
                    return Ok(told);
                }
            }
            [b'-', letters @ ..]
                if !options_ended && letters.first().is_some_and(u8::is_ascii_alphabetic) =>
            {
                for (at, &letter) in letters.iter().enumerate() {
                    let option =
                        Opt::of_short(char::from(letter)).ok_or_else(|| unknown_letters(letters, at))?;
                    let attached = letters.get(at + 1..).unwrap_or_default();
                    if let Some(told) = state.take(option, attached, &mut rest)? {
                        return Ok(told);
                    }
                    if option == Opt::LibraryPath {
                        break;
                    }
                }
            }
            _ if state.request.filter.is_none() => state.request.filter = Some(arg),
            _ => match state.operands {
                Operands::Files => state.request.files.push(arg.clone()),
                Operands::Texts => state.request.positional.push((arg, false)),
                Operands::Json => state.request.positional.push((arg, true)),
            },
        }
    }
    let ArgumentState { mut request, colours, .. } = state;
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

/// What the arguments have said so far.
struct ArgumentState<'a> {
    request: Request<'a>,
    operands: Operands,
    colours: Colours,
}

impl<'a> ArgumentState<'a> {
    /// Takes an option. `attached` is the rest of a cluster after it, `rest` the words that follow. Some options tell something
    /// in place of a run.
    fn take(
        &mut self,
        option: Opt,
        attached: &[u8],
        rest: &mut impl Iterator<Item = &'a Text>,
    ) -> Result<Option<Parsed<'a>>, String> {
        let request = &mut self.request;
        match option {
            Opt::Help => return Ok(Some(Parsed::Help)),
            Opt::Version => return Ok(Some(Parsed::Version)),
            Opt::BuildConfiguration => return Ok(Some(Parsed::Configuration)),
            Opt::Args => self.operands = Operands::Texts,
            Opt::Jsonargs => self.operands = Operands::Json,
            Opt::ColorOutput => self.colours.wanted = true,
            Opt::MonochromeOutput => self.colours.unwanted = true,
            Opt::NullInput => request.null_input = true,
            Opt::RawInput => request.kind.raw = true,
            Opt::Slurp => request.kind.slurp = true,
            Opt::Stream => request.kind.stream = true,
            Opt::Seq => (request.kind.sequence, request.sequence) = (true, true),
            Opt::RawOutput => request.raw_output = true,
            Opt::JoinOutput => (request.raw_output, request.end) = (true, b""),
            Opt::RawOutput0 => (request.raw_output, request.end, request.refuses_nul) = (true, b"\0", true),
            Opt::AsciiOutput => request.layout.ascii = true,
            Opt::CompactOutput => request.layout.indent = Indent::None,
            Opt::SortKeys => request.layout.sort_keys = true,
            Opt::Tab => request.layout.indent = Indent::Tab,
            Opt::Indent => {
                let width = rest.next().ok_or("jq: --indent takes one parameter")?;
                request.layout.indent = indent(width)?;
            }
            Opt::ExitStatus => request.exit_status = true,
            Opt::FromFile => request.from_file = true,
            Opt::LibraryPath => request.take_library(attached, rest)?,
            Opt::Arg => request.name(option, "value", Given::Text, rest)?,
            Opt::Argjson => request.name(option, "text", Given::Json, rest)?,
            Opt::Slurpfile => request.name(option, "filename", Given::Values, rest)?,
            Opt::Rawfile => request.name(option, "filename", Given::File, rest)?,
            // Outputs are never held back for longer than it takes to compute the next one, and only where lines end in two
            // bytes is there anything to do for `-b`.
            Opt::Unbuffered | Opt::Binary => {}
        }
        Ok(None)
    }
}

impl<'a> Request<'a> {
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

    fn name(
        &mut self,
        option: Opt,
        second: &str,
        given: Given,
        rest: &mut impl Iterator<Item = &'a Text>,
    ) -> Result<(), String> {
        let (Some(name), Some(text)) = (rest.next(), rest.next()) else {
            let option = option.long();
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
