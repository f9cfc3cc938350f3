//! What a utility's table of options has is read by its code: a variant of its enum, or the long name of one of its rows,
//! stands beside the table. What is accepted and changes nothing is named below, with the reason.
//!
//! Beside a table are its file and the folder below the file; for a `pub` enum also its folder, or every file that names the
//! enum. Other tables are no reading, so an option is not taken for read where another program has one of the same name.

use std::path::Path;

/// Options that change nothing in a session: the utility's file below `src/utility`, the variant, why.
const WITHOUT_EFFECT: &[(&str, &str, &str)] = &[
    ("awk/mod.rs", "Intervals", "the manual says that it is the default"),
    ("awk/mod.rs", "LocaleNumbers", "a session's locale has a decimal point"),
    ("awk/mod.rs", "NoOptimize", "the result is the same"),
    ("awk/mod.rs", "Optimize", "the result is the same"),
    ("bc/mod.rs", "Help", "the arguments are asked for it"),
    ("cksum.rs", "Debug", "there is one implementation"),
    ("cp.rs", "SecurityContext", "without SELinux it does nothing"),
    ("cut.rs", "NoSplit", "the manual says that it is ignored"),
    ("df.rs", "All", "there are no pseudo file systems"),
    ("df.rs", "Ignored", "the manual says that it is ignored"),
    ("df.rs", "Local", "all file systems are local"),
    ("df.rs", "NoSync", "nothing waits to be written"),
    ("df.rs", "Sync", "nothing waits to be written"),
    ("git/command/add.rs", "Sparse", "there are no sparse checkouts"),
    ("git/command/checkout.rs", "IgnoreOtherWorktrees", "what other work trees have is not looked at"),
    ("git/command/checkout.rs", "Progress", "there is no terminal"),
    ("git/command/commit.rs", "Status", "no editor shows the template"),
    ("git/command/diff.rs", "Recursive", "it always recurses, as the real one does"),
    ("git/command/diff_files.rs", "IgnoreGone", "the real one tells files that are gone all the same"),
    ("git/command/diff_index.rs", "Recursive", "it always recurses, as the real one does"),
    ("git/command/grep.rs", "ExtGrep", "there is no other grep to be called"),
    ("git/command/grep.rs", "RecurseSubmodules", "submodules are not searched"),
    ("git/command/grep.rs", "Textconv", "filters of contents are not run"),
    ("git/command/grep.rs", "Threads", "there are no threads"),
    ("git/command/merge.rs", "Commit", "a fast-forward makes no commit"),
    ("git/command/merge.rs", "Edit", "a fast-forward has no message"),
    ("git/command/merge.rs", "Verbose", "a fast-forward says nothing more"),
    ("git/command/mv.rs", "Sparse", "there are no sparse checkouts"),
    ("git/command/read_tree.rs", "Verbose", "there is no terminal"),
    ("git/command/restore.rs", "Progress", "there is no terminal"),
    ("git/command/rm.rs", "Sparse", "there are no sparse checkouts"),
    ("git/command/switch.rs", "Progress", "there is no terminal"),
    ("gzip/mod.rs", "Ascii", "files have no mode on this system"),
    ("gzip/mod.rs", "Synchronous", "files are in memory"),
    ("iconv/mod.rs", "Silent", "there are no warnings"),
    ("id.rs", "All", "the manual says that it is ignored"),
    ("install.rs", "Copy", "the manual says that it is ignored"),
    ("install.rs", "SecurityContext", "without SELinux it does nothing"),
    ("killall.rs", "Exact", "names are not cut off"),
    ("less.rs", "Chop", "there is no terminal"),
    ("less.rs", "IgnoreCase", "there is no terminal"),
    ("less.rs", "LineNumbers", "there is no terminal"),
    ("less.rs", "NoInit", "there is no terminal"),
    ("less.rs", "QuitAtEof", "there is no terminal"),
    ("less.rs", "QuitIfOneScreen", "there is no terminal"),
    ("less.rs", "Raw", "there is no terminal"),
    ("less.rs", "Screen", "there is no terminal"),
    ("less.rs", "ScreenValue", "there is no terminal"),
    ("logger/mod.rs", "NoAct", "messages are kept nowhere"),
    ("logger/mod.rs", "Tcp", "a server is refused"),
    ("logger/mod.rs", "Udp", "a server is refused"),
    ("mkdir.rs", "SecurityContext", "without SELinux it does nothing"),
    ("mkfifo.rs", "SecurityContext", "without SELinux it does nothing"),
    ("more.rs", "CleanPrint", "there is no terminal"),
    ("more.rs", "ExitOnEof", "there is no terminal"),
    ("more.rs", "Logical", "there is no terminal"),
    ("more.rs", "NoPause", "there is no terminal"),
    ("more.rs", "Plain", "there is no terminal"),
    ("more.rs", "PrintOver", "there is no terminal"),
    ("more.rs", "Silent", "there is no terminal"),
    ("more.rs", "Squeeze", "there is no terminal"),
    ("mv.rs", "SecurityContext", "without SELinux it does nothing"),
    ("patch/mod.rs", "Binary", "files have no mode on this system"),
    ("pgrep/mod.rs", "Lightweight", "a process of a session has one thread"),
    ("pidof.rs", "NoStat", "a session has no network file systems"),
    ("pidof.rs", "SameRoot", "the processes of a session have one root"),
    ("pidof.rs", "Zombies", "a session has no zombies"),
    ("pr/mod.rs", "Balance", "columns of the last page are always balanced, as in the real program"),
    ("ps/mod.rs", "Bsd", "a row of the help for options without a dash"),
    ("realpath.rs", "Physical", "it is the default"),
    ("rg/option.rs", "Mmap", "files are in memory"),
    ("rg/option.rs", "NoConfig", "no file of settings is read"),
    ("rg/option.rs", "NoMmap", "files are in memory"),
    ("stdbuf.rs", "Error", "all modes are checked alike"),
    ("stdbuf.rs", "Output", "all modes are checked alike"),
    ("tar/options.rs", "CheckDevice", "incremental archives are refused"),
    ("tar/options.rs", "DelayDirectories", "directories get times and modes at the end"),
    ("tar/options.rs", "ForceLocal", "an archive is always a local file"),
    ("tar/options.rs", "NoAttributes", "files have no such attributes"),
    ("tar/options.rs", "ReadFull", "input is always reblocked"),
    ("tar/options.rs", "Seek", "archives are files in memory"),
    ("touch.rs", "Ignored", "the manual says that it is ignored"),
    ("watch.rs", "Beep", "there is no terminal: watch fails"),
    ("watch.rs", "ChgExit", "there is no terminal: watch fails"),
    ("watch.rs", "Color", "there is no terminal: watch fails"),
    ("watch.rs", "Differences", "there is no terminal: watch fails"),
    ("watch.rs", "ErrExit", "there is no terminal: watch fails"),
    ("watch.rs", "Exec", "there is no terminal: watch fails"),
    ("watch.rs", "NoTitle", "there is no terminal: watch fails"),
    ("watch.rs", "NoWrap", "there is no terminal: watch fails"),
    ("watch.rs", "Precise", "there is no terminal: watch fails"),
    ("who.rs", "Ips", "a session has no records of users"),
    ("who.rs", "Lookup", "a session has no records of users"),
    ("who.rs", "Own", "a session has no records of users"),
    ("xz/mod.rs", "NoSparse", "no sparse files are made"),
    ("zip/mod.rs", "Grow", "an archive is always written anew"),
    ("zip/mod.rs", "Help", "the arguments are asked for it"),
    ("zip/mod.rs", "Level", "the arguments are asked for digits"),
    ("zstd/mod.rs", "NoAsync", "input and output take turns"),
    ("zstd/mod.rs", "NoDictId", "there are no dictionaries"),
    ("zstd/mod.rs", "NoProgress", "there is no terminal"),
    ("zstd/mod.rs", "NoSparse", "no sparse files are made"),
    ("zstd/mod.rs", "SingleThread", "there is one thread"),
];

/// Programs that read letters themselves; the file below `src/utility` that does.
const READ_BY_LETTER: &[(&str, &str)] = &[
    ("env.rs", "env.rs"),
    ("ps/mod.rs", "ps/options.rs"),
    ("sort/option.rs", "sort/key.rs"),
    ("zipinfo.rs", "unzip/settings.rs"),
];

/// A variant with the names of its rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) letters: Vec<char>,
    pub(super) words: Vec<String>,
}

/// A table of options.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// The name of its enum.
    name: String,
    is_public: bool,
    pub(super) variants: Vec<Variant>,
}

/// The tables of a file, and its text without them.
pub(super) fn tables(text: &str) -> (Vec<Table>, String) {
    let (mut tables, mut rest) = (Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "options! {" {
            rest.push_str(line);
            rest.push('\n');
            continue;
        }
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        tables.push(table(&text.join("\n")));
    }
    (tables, rest)
}

fn table(text: &str) -> Table {
    let mut table = Table::default();
    for line in text.split("\n        ") {
        if let Some((visibility, name)) = line.split_once("enum ") {
            name.trim_end_matches(" {").clone_into(&mut table.name);
            table.is_public = visibility.contains("pub");
        } else if let Some((name, row)) = line.split_once(" = ")
            && name.chars().all(|letter| letter.is_ascii_alphanumeric())
        {
            table.variants.push(Variant { name: name.to_owned(), ..Variant::default() });
            names(row, &mut table.variants);
        } else {
            names(line, &mut table.variants);
        }
    }
    table
}

/// Adds the letters and words of rows to the variant that is last: what stands in the first two arguments.
fn names(text: &str, variants: &mut [Variant]) {
    let Some(variant) = variants.last_mut() else { return };
    // A row may be broken after its bracket, with an argument on each line.
    if let Some(word) = text.split('"').nth(1)
        && variant.words.is_empty()
    {
        variant.words.push(word.to_owned());
    }
    for row in text.split("| ") {
        if let Some(letter) = row.split('\'').nth(1).filter(|letter| letter.chars().count() == 1) {
            variant.letters.extend(letter.chars());
        }
    }
}

/// A file below `src/utility`, without its tables.
#[derive(Debug)]
struct Source {
    file: String,
    tables: Vec<Table>,
    text: String,
}

/// Whether what reads a table may stand in a file.
fn is_beside(table: &Table, file: &str, other: &Source) -> bool {
    let below = match file.strip_suffix("mod.rs") {
        Some(folder) => folder.to_owned(),
        None => format!("{}/", file.trim_end_matches(".rs")),
    };
    if other.file == file || other.file.starts_with(&below) {
        return true;
    }
    let shares = match file {
        "pkill.rs" => "pgrep/",
        "zipinfo.rs" => "unzip/",
        // A table below the file that reads it.
        "sort/option.rs" => "sort.rs",
        _ => "nothing",
    };
    let folder = file.rsplit_once('/').map_or("nothing", |(folder, _)| folder);
    other.file.starts_with(shares)
        || (table.is_public
            && (other.file.starts_with(folder)
                || (table.name != "Opt" && has_word(&other.text, &table.name))))
}

/// Whether a text has a name, which no further letter follows.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let next = text.get(at + word.len()..).and_then(|rest| rest.chars().next());
        !next.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

fn is_read(variant: &Variant, texts: &[&str]) -> bool {
    let path = format!("::{}", variant.name);
    texts.iter().any(|text| {
        has_word(text, &path)
            || variant.words.iter().any(|word| !word.is_empty() && text.contains(&format!("\"{word}\"")))
    })
}

/// Whether a program that reads letters itself reads one of a variant.
fn is_read_by_letter(file: &str, variant: &Variant, sources: &[Source]) -> bool {
    let Some((_, reader)) = READ_BY_LETTER.iter().find(|(table, _)| *table == file) else { return false };
    let mut texts = sources.iter().filter(|source| source.file == *reader).map(|source| &source.text);
    texts.any(|text| variant.letters.iter().any(|letter| text.contains(&format!("'{letter}'"))))
}

#[test]
fn no_option_is_accepted_and_ignored() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/utility");
    let sources: Vec<Source> = super::sources(&folder)
        .into_iter()
        .map(|(file, text)| {
            let (tables, text) = tables(&text);
            Source { file, tables, text }
        })
        .collect();
    let (mut unread, mut count) = (Vec::new(), 0);
    for source in &sources {
        for table in &source.tables {
            count += table.variants.len();
            let texts: Vec<&str> = sources
                .iter()
                .filter(|other| is_beside(table, &source.file, other))
                .map(|other| other.text.as_str())
                .collect();
            for variant in &table.variants {
                if !is_read(variant, &texts) && !is_read_by_letter(&source.file, variant, &sources) {
                    unread.push((source.file.clone(), variant.name.clone()));
                }
            }
        }
    }
    assert!(count > 700, "{count} options");
    let known = |file: &str, name: &str| {
        WITHOUT_EFFECT.iter().any(|(path, option, _)| *path == file && *option == name)
    };
    let ignored: Vec<_> = unread.iter().filter(|(file, name)| !known(file, name)).collect();
    assert!(ignored.is_empty(), "accepted without effect: {ignored:?}");
    let read: Vec<_> = WITHOUT_EFFECT
        .iter()
        .filter(|(path, option, _)| !unread.iter().any(|(file, name)| file == path && name == option))
        .collect();
    assert!(read.is_empty(), "these are read by now: {read:?}");
}

#[test]
fn tables_are_read() {
    let text = "options! {\n    enum Opt {\n        Bytes = value('c', \"bytes\", \"NUM\", \"\"),\n        Quiet = flag('q', \"quiet\", \"\")\n            | flag('s', \"silent\", \"\"),\n    }\n}\n\nOpt::Quiet2 'c' \"bytes\"\n";
    let (tables, rest) = tables(text);
    let [table] = &tables[..] else { panic!("{tables:?}") };
    assert!(table.name == "Opt" && !table.is_public);
    let shown: Vec<_> =
        table.variants.iter().map(|variant| (variant.name.as_str(), variant.letters.clone())).collect();
    assert_eq!(shown, [("Bytes", vec!['c']), ("Quiet", vec!['q', 's'])]);
    assert!(is_read(&table.variants[0], &[&rest]) && !is_read(&table.variants[1], &[&rest]));
}

#[test]
fn a_namesake_elsewhere_is_no_reading() {
    let table = Table { name: "Opt".to_owned(), ..Table::default() };
    let source = |file: &str| Source { file: file.to_owned(), tables: Vec::new(), text: String::new() };
    assert!(is_beside(&table, "git/command/add.rs", &source("git/command/add.rs")));
    assert!(is_beside(&table, "git/command/add.rs", &source("git/command/add/paths.rs")));
    assert!(!is_beside(&table, "git/command/add.rs", &source("git/command/apply.rs")));
    assert!(is_beside(&table, "tar/mod.rs", &source("tar/read.rs")));
}
