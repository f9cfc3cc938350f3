//! The command line of `yq`, `tomlq` and `xq`: options of their own by any of their names, all others for `jq`; the first
//! operand is the filter. Letters of a cluster that are theirs are taken out of it.

use super::yaml_write::Layout;
use crate::memory::{Vec, format};
use crate::text::Text;
use crate::utility::context::options::options;
use crate::utility::{OptionSet as _, UtilityError};

options! {
    pub(super) enum Opt {
        YamlOutput = flag('y', "yaml-output", "print YAML")
            | flag('\0', "yml-output", "the same as --yaml-output"),
        YamlRoundtrip = flag('Y', "yaml-roundtrip", "print YAML with the tags and styles of the input")
            | flag('\0', "yml-roundtrip", "the same as --yaml-roundtrip"),
        GrammarVersion = value('\0', "yaml-output-grammar-version", "1.1|1.2", "quote what is no text in this YAML")
            | value('\0', "yml-out-ver", "1.1|1.2", "the same as --yaml-output-grammar-version"),
        Width = value('w', "width", "WIDTH", "break texts after WIDTH columns in YAML"),
        IndentlessLists = flag('\0', "indentless-lists", "do not indent lists in mappings in YAML")
            | flag('\0', "indentless", "the same as --indentless-lists"),
        ExplicitStart = flag('\0', "explicit-start", "begin each document with ---"),
        ExplicitEnd = flag('\0', "explicit-end", "end each document with ..."),
        MaxExpansionFactor = value('\0', "max-expansion-factor", "N", "how much longer aliases may make a document"),
        XmlOutput = flag('x', "xml-output", "print XML"),
        XmlDtd = flag('\0', "xml-dtd", "begin XML with its declaration"),
        XmlRoot = value('\0', "xml-root", "NAME", "put an element around the output in XML"),
        XmlForceList = value('\0', "xml-force-list", "NAME", "an element that is always a list"),
        TomlOutput = flag('t', "toml-output", "print TOML"),
        InPlace = flag('i', "in-place", "write what comes out of a file to it"),
        Help = flag('h', "help", "display this help and exit"),
        Version = flag('\0', "version", "output version information and exit"),
    }
}

/// A notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
    Xml,
    Toml,
}

/// What is asked for.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) input: Format,
    pub(super) output: Format,
    pub(super) layout: Layout,
    pub(super) max_expansion: usize,
    pub(super) in_place: bool,
    pub(super) xml_declaration: bool,
    pub(super) xml_root: Option<Text>,
    pub(super) xml_lists: Vec<Text>,
    pub(super) help: bool,
    pub(super) version: bool,
    /// The words after `jq`, the filter among them.
    pub(super) jq: Vec<Text>,
    pub(super) files: Vec<Text>,
    pub(super) null_input: bool,
    pub(super) has_filter: bool,
}

/// Options of `jq` that take words after them.
const OF_JQ: &[(&str, usize)] = &[
    ("--indent", 1),
    ("-f", 1),
    ("--from-file", 1),
    ("-L", 1),
    ("--arg", 2),
    ("--argjson", 2),
    ("--slurpfile", 2),
    ("--rawfile", 2),
];

impl Request {
    pub(super) fn new(input: Format) -> Self {
        Self {
            input,
            output: Format::Json,
            layout: Layout::default(),
            max_expansion: 1024,
            in_place: false,
            xml_declaration: false,
            xml_root: None,
            xml_lists: Vec::new(),
            help: false,
            version: false,
            jq: Vec::new(),
            files: Vec::new(),
            null_input: false,
            has_filter: false,
        }
    }

    /// Reads the words after the name.
    pub(super) fn parse(words: Vec<Text>, input: Format) -> Result<Self, UtilityError> {
        let mut request = Self::new(input);
        let mut operands: Vec<Text> = Vec::new();
        let mut for_jq: Vec<Text> = Vec::new();
        // What follows `--args` and `--jsonargs`, behind all else.
        let mut rest: Option<Vec<Text>> = None;
        let mut words = words.into_iter();
        let mut reads_file = false;
        while let Some(word) = words.next() {
            let bytes = word.as_bytes();
            if matches!(bytes, b"--args" | b"--jsonargs") {
                let mut list = crate::memory::vec![word];
                list.extend(words.by_ref());
                rest = Some(list);
                break;
            }
            if let Some((name, count)) = OF_JQ.iter().find(|(name, _)| name.as_bytes() == bytes) {
                reads_file |= matches!(*name, "-f" | "--from-file");
                for_jq.push(word);
                for_jq.extend(words.by_ref().take(*count));
                continue;
            }
            match bytes {
                b"--" => operands.extend(words.by_ref()),
                [b'-', b'-', long @ ..] => {
                    let (name, attached) = match memchr::memchr(b'=', long) {
                        Some(at) => (long.get(..at).unwrap_or(long), long.get(at + 1..)),
                        None => (long, None),
                    };
                    match Opt::of_long(name) {
                        None => for_jq.push(word),
                        Some(option) => {
                            let value = value(option, attached, &mut words)?;
                            request.take(option, value)?;
                        }
                    }
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    request.cluster(letters, &mut for_jq, &mut words)?;
                }
                _ => operands.push(word),
            }
        }
        let mut operands = operands.into_iter();
        if request.output != Format::Json {
            // Colours would be read as values.
            for_jq.retain(|word| word.as_bytes() != b"-C" && word.as_bytes() != b"--color-output");
        }
        request.null_input =
            for_jq.iter().any(|word| word.as_bytes() == b"--null-input") || request.null_input;
        let filter = if reads_file { None } else { operands.next() };
        request.has_filter = filter.is_some() || reads_file;
        request.files = operands.collect();
        request.jq = for_jq;
        match rest {
            Some(mut rest) => {
                let at = 1.min(rest.len());
                if let Some(filter) = filter {
                    rest.insert(at, filter);
                }
                request.jq.extend(rest);
            }
            None => request.jq.extend(filter),
        }
        Ok(request)
    }

    /// Takes the letters that are options of its own; the others are for `jq`.
    fn cluster(
        &mut self,
        letters: &[u8],
        for_jq: &mut Vec<Text>,
        words: &mut impl Iterator<Item = Text>,
    ) -> Result<(), UtilityError> {
        let mut others = crate::memory::vec![b'-'];
        for (at, &letter) in letters.iter().enumerate() {
            match Opt::of_short(char::from(letter)) {
                Some(Opt::Width) => {
                    let attached = letters.get(at + 1..).filter(|rest| !rest.is_empty());
                    let value = value(Opt::Width, attached, words)?;
                    self.take(Opt::Width, value)?;
                    break;
                }
                Some(option) => self.take(option, Text::EMPTY)?,
                None => {
                    self.null_input |= letter == b'n';
                    others.push(letter);
                }
            }
        }
        if others.len() > 1 {
            for_jq.push(Text::from(others));
        }
        Ok(())
    }

    fn take(&mut self, option: Opt, value: Text) -> Result<(), UtilityError> {
        match option {
            Opt::YamlOutput => {
                self.output = Format::Yaml;
                self.layout.annotated = false;
            }
            Opt::YamlRoundtrip => {
                self.output = Format::Yaml;
                self.layout.annotated = true;
            }
            Opt::GrammarVersion => match value.as_bytes() {
                b"1.1" => self.layout.core_schema = false,
                b"1.2" => self.layout.core_schema = true,
                _ => {
                    let message = format!(
                        "argument --yaml-output-grammar-version/--yml-out-ver: invalid choice: '{value}' (choose from '1.1', '1.2')"
                    );
                    return Err(usage(&message));
                }
            },
            Opt::Width => {
                let width = whole(option, "--width/-w", &value)?;
                // One that leaves no room is none.
                self.layout.width = if width > 4 { width } else { 80 };
            }
            Opt::MaxExpansionFactor => {
                self.max_expansion = whole(option, "--max-expansion-factor", &value)?;
            }
            Opt::IndentlessLists => self.layout.indentless = true,
            Opt::ExplicitStart => self.layout.explicit_start = true,
            Opt::ExplicitEnd => self.layout.explicit_end = true,
            Opt::XmlOutput => self.output = Format::Xml,
            Opt::XmlDtd => self.xml_declaration = true,
            Opt::XmlRoot => self.xml_root = Some(value),
            Opt::XmlForceList => self.xml_lists.push(value),
            Opt::TomlOutput => self.output = Format::Toml,
            Opt::InPlace => self.in_place = true,
            Opt::Help => self.help = true,
            Opt::Version => self.version = true,
        }
        Ok(())
    }
}

fn value(
    option: Opt,
    attached: Option<&[u8]>,
    words: &mut impl Iterator<Item = Text>,
) -> Result<Text, UtilityError> {
    let takes_one = matches!(
        option,
        Opt::GrammarVersion | Opt::Width | Opt::MaxExpansionFactor | Opt::XmlRoot | Opt::XmlForceList
    );
    if !takes_one {
        return match attached {
            None => Ok(Text::EMPTY),
            Some(value) => {
                let (name, value) = (option.long(), bstr::BStr::new(value));
                Err(usage(&format!("argument --{name}: ignored explicit argument '{value}'")))
            }
        };
    }
    let missing = || usage(&format!("argument --{}: expected one argument", option.long()));
    attached.map(Text::from).or_else(|| words.next()).ok_or_else(missing)
}

fn whole(_: Opt, shown: &str, value: &Text) -> Result<usize, UtilityError> {
    let wrong = || usage(&format!("argument {shown}: invalid int value: '{value}'"));
    value.to_string_lossy().trim().parse().map_err(|_| wrong())
}

/// A message of the parser; status 2.
pub(super) fn usage(message: &str) -> UtilityError {
    UtilityError::Failed { message: format!("error: {message}"), status: 2 }
}
