//! What a utility's table of options has is read by its code: a variant of its enum, or the name of one of its rows, stands
//! somewhere beside the table. What is accepted and changes nothing is named below, with the reason.

use std::path::Path;

/// Options that change nothing in a session: the utility's file below `src/utility`, the variant, why.
const WITHOUT_EFFECT: &[(&str, &str, &str)] = &[
    ("awk/mod.rs", "LocaleNumbers", "a session's locale has a decimal point"),
    ("bc/mod.rs", "Help", "the arguments are asked for it"),
    ("cksum.rs", "Debug", "there is one implementation"),
    ("cp.rs", "SecurityContext", "without SELinux it does nothing"),
    ("cut.rs", "NoSplit", "the manual says that it is ignored"),
    ("df.rs", "All", "there are no pseudo file systems"),
    ("df.rs", "Ignored", "the manual says that it is ignored"),
    ("df.rs", "Local", "all file systems are local"),
    ("df.rs", "NoSync", "nothing waits to be written"),
    ("df.rs", "Sync", "nothing waits to be written"),
    ("git/command/checkout.rs", "IgnoreOtherWorktrees", "what other work trees have is not looked at"),
    ("git/command/commit.rs", "NoPostRewrite", "hooks of a repository are not run"),
    ("git/command/grep.rs", "ExtGrep", "there is no other grep to be called"),
    ("git/command/grep.rs", "RecurseSubmodules", "submodules are not searched"),
    ("git/command/grep.rs", "Textconv", "filters of contents are not run"),
    ("git/command/grep.rs", "Threads", "there are no threads"),
    ("git/history/options.rs", "ClearDecorations", "all refs are shown"),
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

/// A variant with the names of its rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) letters: Vec<char>,
    pub(super) words: Vec<String>,
}

/// The tables of a file, and its text without them.
pub(super) fn tables(text: &str) -> (Vec<Variant>, String) {
    let (mut variants, mut rest) = (Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "options! {" {
            rest.push_str(line);
            rest.push('\n');
            continue;
        }
        let table: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        for line in table.join("\n").split("\n        ") {
            if let Some((name, row)) = line.split_once(" = ")
                && name.chars().all(|letter| letter.is_ascii_alphanumeric())
            {
                variants.push(Variant { name: name.to_owned(), letters: Vec::new(), words: Vec::new() });
                names(row, &mut variants);
            } else {
                names(line, &mut variants);
            }
        }
    }
    (variants, rest)
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

/// The texts beside a file: those of its folder, if it has one, and of those who share its options.
fn beside<'t>(file: &str, sources: &'t [(String, String)]) -> Vec<&'t str> {
    let folder = match file.strip_suffix("/mod.rs") {
        Some(folder) => format!("{folder}/"),
        None => match file.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/"),
            None => format!("{}/", file.trim_end_matches(".rs")),
        },
    };
    let shares = match file {
        "pkill.rs" => "pgrep/",
        "zipinfo.rs" => "unzip/",
        // Sets that its subcommands share.
        "git/history/options.rs" => "git/",
        // A table below the file that reads it.
        "sort/option.rs" => "sort.rs",
        _ => folder.as_str(),
    };
    sources
        .iter()
        .filter(|(name, _)| name != file && (name.starts_with(&folder) || name.starts_with(shares)))
        .map(|(_, text)| text.as_str())
        .collect()
}

fn is_read(variant: &Variant, texts: &[&str]) -> bool {
    let after = |text: &str, found: usize| {
        let next = text.get(found..).and_then(|rest| rest.chars().next());
        !next.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let path = format!("::{}", variant.name);
    texts.iter().any(|text| {
        text.match_indices(&path).any(|(at, _)| after(text, at + path.len()))
            || variant.words.iter().any(|word| !word.is_empty() && text.contains(&format!("\"{word}\"")))
            || variant.letters.iter().any(|letter| text.contains(&format!("'{letter}'")))
    })
}

#[test]
fn no_option_is_accepted_and_ignored() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/utility");
    let sources = super::sources(&folder);
    let (mut unread, mut count) = (Vec::new(), 0);
    for (file, text) in &sources {
        let (variants, rest) = tables(text);
        count += variants.len();
        let mut texts = beside(file, &sources);
        texts.push(&rest);
        for variant in variants.iter().filter(|variant| !is_read(variant, &texts)) {
            unread.push((file.clone(), variant.name.clone()));
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
    let text = "options! {\n    enum Opt {\n        Bytes = value('c', \"bytes\", \"NUM\", \"\"),\n        Quiet = flag('q', \"quiet\", \"\")\n            | flag('s', \"silent\", \"\"),\n    }\n}\n\nOpt::Quiet2 'c'\n";
    let (variants, rest) = tables(text);
    let shown: Vec<_> =
        variants.iter().map(|variant| (variant.name.as_str(), variant.letters.clone())).collect();
    assert_eq!(shown, [("Bytes", vec!['c']), ("Quiet", vec!['q', 's'])]);
    assert!(is_read(&variants[0], &[&rest]) && !is_read(&variants[1], &[&rest]));
}
