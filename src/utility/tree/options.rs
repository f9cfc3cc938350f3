//! The command line of `tree`, which is its own: an option's argument is the next word that is none, long options may have it
//! attached, and what is wrong is told at once.

use super::color::Palette;
use crate::memory::{String, Vec, format, vec};
use crate::utility::context::options::options;
use crate::utility::prelude::*;

options! {
    pub(super) enum Opt {
        All = flag('a', "", "list hidden files too"),
        DirectoriesOnly = flag('d', "", "list directories only"),
        FollowLinks = flag('l', "", "follow symbolic links to directories"),
        FullPaths = flag('f', "", "print the path of each file"),
        OneFileSystem = flag('x', "", "stay on the file system"),
        Level = value('L', "", "LEVEL", "go down at most LEVEL directories"),
        Include = value('P', "", "PATTERN", "list only files that match"),
        Exclude = value('I', "", "PATTERN", "list no files that match"),
        Gitignore = flag('\0', "gitignore", "leave out what .gitignore files name"),
        Gitfile = value('\0', "gitfile", "FILE", "leave out what FILE names, read as .gitignore is"),
        IgnoreCase = flag('\0', "ignore-case", "case does not matter in patterns"),
        MatchDirs = flag('\0', "matchdirs", "-P matches names of directories too"),
        MetaFirst = flag('\0', "metafirst", "print what is in brackets before the lines"),
        Prune = flag('\0', "prune", "leave out directories without files"),
        NoReport = flag('\0', "noreport", "print no numbers at the end"),
        Charset = value('\0', "charset", "CHARSET", "draw lines with UTF-8, ASCII or IBM437"),
        FileLimit = value('\0', "filelimit", "N", "do not open directories with more than N entries"),
        TimeFormat = value('\0', "timefmt", "FORMAT", "print times in this format of strftime"),
        Output = value('o', "", "FILE", "print to FILE"),
        QuestionMarks = flag('q', "", "print ? for what cannot be printed"),
        Literal = flag('N', "", "print names as they are"),
        Quote = flag('Q', "", "put names in double quotes"),
        Permissions = flag('p', "", "print types and permissions"),
        User = flag('u', "", "print owners"),
        Group = flag('g', "", "print groups"),
        Size = flag('s', "", "print sizes in bytes"),
        Human = flag('h', "", "print sizes with units"),
        Si = flag('\0', "si", "as -h, in powers of 1000"),
        DiskUsage = flag('\0', "du", "sizes of directories are sums"),
        Date = flag('D', "", "print times of last modification"),
        Classify = flag('F', "", "append / = * | as ls -F does"),
        Inodes = flag('\0', "inodes", "print inode numbers"),
        Device = flag('\0', "device", "print device numbers"),
        VersionSort = flag('v', "", "sort by version"),
        TimeSort = flag('t', "", "sort by time of last modification"),
        ChangeSort = flag('c', "", "sort by time of last status change"),
        Unsorted = flag('U', "", "do not sort"),
        Reverse = flag('r', "", "sort the other way round"),
        DirsFirst = flag('\0', "dirsfirst", "list directories first"),
        FilesFirst = flag('\0', "filesfirst", "list files first"),
        Sort = value('\0', "sort", "TYPE", "sort by name, version, size, mtime or ctime"),
        NoIndent = flag('i', "", "draw no lines"),
        AnsiLines = flag('A', "", "draw lines as an ANSI terminal does"),
        Cp437Lines = flag('S', "", "draw lines in IBM437"),
        NoColor = flag('n', "", "print without colors"),
        Color = flag('C', "", "print in colors"),
        Xml = flag('X', "", "print XML"),
        Json = flag('J', "", "print JSON"),
        FromFile = flag('\0', "fromfile", "read paths from files"),
        LinksOfFile = flag('\0', "fflinks", "-> in such paths stands before where a link leads"),
        Help = flag('\0', "help", "display this help and exit"),
        Version = flag('\0', "version", "output version information and exit"),
    }
}

/// Options of the real program that are refused by name: HTML, and comments in `.info` files.
const REFUSED: [&str; 6] = ["hintro", "houtro", "nolinks", "info", "infofile", "nostrip"];
const REFUSED_LETTERS: &[u8] = b"HTR";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Name,
    Version,
    Size,
    Modified,
    Changed,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Lines,
    Json,
    Xml,
}

/// How lines are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    Utf8,
    Ascii,
    Ansi,
    Cp437,
}

#[derive(Debug)]
pub(super) struct Settings {
    given: Vec<Opt>,
    pub(super) level: usize,
    pub(super) file_limit: usize,
    pub(super) included: Vec<Vec<u8>>,
    pub(super) excluded: Vec<Vec<u8>>,
    pub(super) git_files: Vec<Text>,
    pub(super) order: Order,
    pub(super) drawing: Drawing,
    pub(super) is_utf8: bool,
    pub(super) notation: Notation,
    pub(super) time_format: Option<Text>,
    pub(super) output: Option<Text>,
    pub(super) colors: Option<Palette>,
    pub(super) operands: Vec<Text>,
}

const USAGE: &str = "usage: tree [-acdfghilnpqrstuvxACDFJQNSUX] [-L level [-R]] [-H  baseHREF]
	[-T title] [-o filename] [-P pattern] [-I pattern] [--gitignore]
	[--gitfile[=]file] [--matchdirs] [--metafirst] [--ignore-case]
	[--nolinks] [--hintro[=]file] [--houtro[=]file] [--inodes] [--device]
	[--sort[=]<name>] [--dirsfirst] [--filesfirst] [--filelimit #] [--si]
	[--du] [--prune] [--charset[=]X] [--timefmt[=]format] [--fromfile]
	[--fflinks] [--info] [--infofile[=]file] [--noreport] [--version]
	[--help] [--] [directory ...]
";

/// A message as it is, with status 1.
fn told(message: String) -> UtilityError {
    UtilityError::Failed { message, status: 1 }
}

impl Settings {
    pub(super) fn has(&self, option: Opt) -> bool {
        self.given.contains(&option)
    }

    /// The operands, or what stands for them.
    pub(super) fn roots(&self) -> Vec<Text> {
        if self.operands.is_empty() { vec![Text::from_static(b".")] } else { self.operands.clone() }
    }

    /// Whether something stands in brackets before names.
    pub(super) fn has_details(&self) -> bool {
        let details = [
            Opt::Permissions,
            Opt::User,
            Opt::Group,
            Opt::Size,
            Opt::Human,
            Opt::Si,
            Opt::DiskUsage,
            Opt::Date,
            Opt::TimeFormat,
            Opt::Inodes,
            Opt::Device,
        ];
        self.given.iter().any(|option| details.contains(option))
    }

    pub(super) fn parse(ctx: &mut Context) -> Result<Self, UtilityError> {
        let variable = |name: &[u8]| ctx.env.get(name).filter(|value| !value.is_empty());
        let locale = variable(b"LC_ALL").or_else(|| variable(b"LC_CTYPE")).or_else(|| variable(b"LANG"));
        let is_utf8 = locale.is_some_and(|name| is_utf8(name));
        let mut settings = Self {
            given: Vec::new(),
            level: usize::MAX,
            file_limit: usize::MAX,
            included: Vec::new(),
            excluded: Vec::new(),
            git_files: Vec::new(),
            order: Order::Name,
            drawing: if is_utf8 { Drawing::Utf8 } else { Drawing::Ascii },
            is_utf8,
            notation: Notation::Lines,
            time_format: None,
            output: None,
            colors: None,
            operands: Vec::new(),
        };
        if let Some(name) = variable(b"TREE_CHARSET").cloned() {
            settings.draw(&name);
        }
        let words = std::mem::take(&mut ctx.args);
        settings.take_all(words)?;
        let is_forced = ctx.env.get(b"CLICOLOR_FORCE").is_some() && ctx.env.get(b"NO_COLOR").is_none();
        let is_wanted = settings.has(Opt::Color) || (is_forced && !settings.has(Opt::NoColor));
        if is_wanted && ctx.env.get(b"TERM").is_some() {
            let given = ctx.env.get(b"TREE_COLORS").or_else(|| ctx.env.get(b"LS_COLORS"));
            settings.colors = Some(Palette::new(given.map(Text::as_bytes)));
        }
        Ok(settings)
    }

    fn take_all(&mut self, words: Vec<Text>) -> Result<(), UtilityError> {
        // Arguments of options are taken from the words that follow, and are no operands.
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_bytes() {
                b"--" => self.operands.extend(words.by_ref()),
                [b'-', b'-', long @ ..] => self.take_long(long, &mut words)?,
                [b'-', letters @ ..] if !letters.is_empty() => self.take_letters(letters, &mut words)?,
                _ => self.operands.push(word),
            }
        }
        Ok(())
    }

    fn take_long(&mut self, long: &[u8], words: &mut impl Iterator<Item = Text>) -> Result<(), UtilityError> {
        let mut parts = long.splitn(2, |&byte| byte == b'=');
        let name = parts.next().unwrap_or_default();
        let attached = parts.next().map(Text::from);
        let shown = bstr::BStr::new(long);
        if REFUSED.iter().any(|known| known.as_bytes() == name) {
            return Err(told(format!("tree: The option --{} is not supported.\n", bstr::BStr::new(name))));
        }
        let Some(option) = Opt::of_long(name) else {
            return Err(told(format!("tree: Invalid argument `--{shown}'.\n{USAGE}")));
        };
        let takes_value =
            matches!(option, Opt::Gitfile | Opt::Charset | Opt::FileLimit | Opt::TimeFormat | Opt::Sort);
        if !takes_value {
            if attached.is_some() {
                return Err(told(format!("tree: Invalid argument `--{shown}'.\n{USAGE}")));
            }
            return self.take(option, Text::EMPTY);
        }
        let name = option.long();
        let value = match attached {
            Some(value) if value.is_empty() => {
                return Err(told(format!("tree: Missing argument to --{name}=\n")));
            }
            Some(value) => value,
            None => words.next().ok_or_else(|| told(format!("tree: Missing argument to --{name}\n")))?,
        };
        self.take(option, value)
    }

    fn take_letters(
        &mut self,
        letters: &[u8],
        words: &mut impl Iterator<Item = Text>,
    ) -> Result<(), UtilityError> {
        for &letter in letters {
            let shown = char::from(letter);
            if REFUSED_LETTERS.contains(&letter) {
                return Err(told(format!("tree: The option -{shown} is not supported.\n")));
            }
            let Some(option) = Opt::of_short(shown) else {
                return Err(told(format!("tree: Invalid argument -`{shown}'.\n{USAGE}")));
            };
            let mut value = Text::EMPTY;
            if matches!(option, Opt::Level | Opt::Include | Opt::Exclude | Opt::Output) {
                let missing = || told(format!("tree: Missing argument to -{shown} option.\n"));
                value = words.next().ok_or_else(missing)?;
            }
            self.take(option, value)?;
        }
        Ok(())
    }

    fn take(&mut self, option: Opt, value: Text) -> Result<(), UtilityError> {
        self.given.push(option);
        match option {
            Opt::Level => {
                self.level = value
                    .to_string_lossy()
                    .parse()
                    .ok()
                    .filter(|&level| level > 0)
                    .ok_or_else(|| told("tree: Invalid level, must be greater than 0.\n".into()))?;
            }
            // What is no number is 0, and that is no limit.
            Opt::FileLimit => {
                let limit = value.to_string_lossy().parse().unwrap_or(0);
                self.file_limit = if limit == 0 { usize::MAX } else { limit };
            }
            Opt::Include => self.included.extend(alternatives(&value)),
            Opt::Exclude => self.excluded.extend(alternatives(&value)),
            Opt::Gitfile => self.git_files.push(value),
            Opt::Charset => self.draw(&value),
            Opt::TimeFormat => self.time_format = Some(value),
            Opt::Output => self.output = Some(value),
            Opt::VersionSort => self.order = Order::Version,
            Opt::TimeSort => self.order = Order::Modified,
            Opt::ChangeSort => self.order = Order::Changed,
            Opt::Unsorted => self.order = Order::None,
            Opt::Sort => {
                self.order = match value.as_bytes() {
                    b"name" => Order::Name,
                    b"version" => Order::Version,
                    b"size" => Order::Size,
                    b"mtime" => Order::Modified,
                    b"ctime" => Order::Changed,
                    _ => {
                        return Err(told(format!(
                            "tree: Sort type '{value}' not valid, should be one of: \0"
                        )));
                    }
                };
            }
            Opt::AnsiLines => self.drawing = Drawing::Ansi,
            Opt::Cp437Lines => self.drawing = Drawing::Cp437,
            Opt::Xml => self.notation = Notation::Xml,
            Opt::Json => self.notation = Notation::Json,
            _ => {}
        }
        Ok(())
    }

    fn draw(&mut self, charset: &[u8]) {
        self.drawing = if is_utf8(charset) {
            Drawing::Utf8
        } else if charset.eq_ignore_ascii_case(b"ibm437") {
            Drawing::Cp437
        } else {
            Drawing::Ascii
        };
    }
}

fn is_utf8(name: &[u8]) -> bool {
    let ends_with = |end: &[u8]| {
        name.len() >= end.len()
            && name.get(name.len() - end.len()..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    ends_with(b"utf-8") || ends_with(b"utf8")
}

/// A pattern's alternatives, between bars.
fn alternatives(pattern: &[u8]) -> Vec<Vec<u8>> {
    let mut patterns = vec![Vec::new()];
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'|' {
            patterns.push(Vec::new());
        } else if let Some(last) = patterns.last_mut() {
            last.push(byte);
            if byte == b'\\' {
                last.extend(bytes.next().copied());
            }
        }
    }
    patterns
}
