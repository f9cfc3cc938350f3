//! Looks through commands that run others: shells, `eval`, `trap`, wrappers, `find -exec`.

use super::field::Field;
use super::walk::{Call, Walker};
use super::wrapper::{self, ALL, Alone, Wrapper};
use super::{MAX_NESTING, OpaqueKind, RedirectView, Via, WordView, last_component};

impl Walker {
    /// Records what a command runs besides itself.
    pub(super) fn through(&mut self, call: &Call<'_>) {
        let Some((first, arguments)) = call.fields.split_first() else { return };
        let Some(word) = first.text() else {
            return self.opaque(OpaqueKind::ComputedCommand, &call.place);
        };
        let name = last_component(word);
        match name {
            "eval" => self.joined(arguments, name, call),
            "trap" => self.trap(arguments, call),
            "mapfile" | "readarray" => self.callback(arguments, call),
            "." | "source" if !arguments.is_empty() => self.opaque(OpaqueKind::ScriptFile, &call.place),
            "alias" => self.alias(arguments, call),
            "hash" | "enable" => self.changed_names(name, arguments, call),
            "find" | "fd" | "fdfind" => self.find(arguments, call),
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(arguments, call),
            "let" | "test" | "[" | "read" | "unset" | "printf" | "declare" | "typeset" | "local"
            | "export" | "readonly" | "wait" => self.subscripts(arguments, call),
            _ if wrapper::is_shell(name) => self.shell(name, arguments, call),
            _ => {
                if let Some(letters) = wrapper::language_options(name) {
                    self.language(letters, arguments, call);
                } else if let Some(row) = wrapper::find(name) {
                    self.wrapper(row, arguments, call);
                }
            }
        }
    }

    /// Records the command that a wrapper runs, and looks through it.
    fn inner(&mut self, name: &str, fields: &[Field], assignments: Vec<(String, WordView)>, call: &Call<'_>) {
        if self.nesting >= MAX_NESTING {
            return self.opaque(OpaqueKind::TooLarge, &call.place);
        }
        if self.exceeds(fields.len(), &call.place) {
            return;
        }
        self.nesting += 1;
        self.via.push(Via::Wrapper(name.to_owned()));
        let inner = Call { fields, redirects: call.redirects, place: call.place.clone() };
        self.record(fields.iter().map(|field| field.view.clone()).collect(), assignments, &inner);
        self.through(&inner);
        self.via.pop();
        self.nesting -= 1;
    }

    fn script(&mut self, name: &str, text: Option<&str>, call: &Call<'_>) {
        match text {
            Some(text) => self.nested(text, Via::Script(name.to_owned()), &call.place),
            None => self.opaque(OpaqueKind::ComputedScript, &call.place),
        }
    }

    /// `eval`, `watch`, `ssh`: the words joined by blanks are a script.
    fn joined(&mut self, arguments: &[Field], name: &str, call: &Call<'_>) {
        let arguments = skip_separator(arguments);
        if arguments.is_empty() {
            return;
        }
        let texts: Option<Vec<&str>> = arguments.iter().map(Field::text).collect();
        self.script(name, texts.map(|texts| texts.join(" ")).as_deref(), call);
    }

    fn trap(&mut self, arguments: &[Field], call: &Call<'_>) {
        if matches!(arguments.first().and_then(Field::text), Some("-l" | "-p")) {
            return;
        }
        let arguments = skip_separator(arguments);
        // One operand alone is a signal that is reset.
        if let (Some(action), true) = (arguments.first(), arguments.len() > 1)
            && !matches!(action.text(), Some("-" | ""))
        {
            self.script("trap", action.text(), call);
        }
    }

    /// `mapfile -C callback`
    fn callback(&mut self, arguments: &[Field], call: &Call<'_>) {
        let scan = scan(arguments, "dnOsuCc", "", &[], false);
        if let Some(value) = scan.value('C') {
            let text = value.text().map(str::to_owned);
            self.script("mapfile", text.as_deref(), call);
        }
    }

    /// `alias name=value`: the value begins a command wherever the name is used.
    fn alias(&mut self, arguments: &[Field], call: &Call<'_>) {
        for argument in arguments {
            match argument.text().map(|text| text.split_once('=')) {
                Some(Some((name, value))) => {
                    self.redefine(name);
                    self.script("alias", Some(value), call);
                }
                Some(None) => {}
                None => {
                    if let Some((name, _)) = argument.prefix.split_once('=') {
                        self.redefine(name);
                    }
                    self.opaque(OpaqueKind::ComputedScript, &call.place);
                }
            }
        }
    }

    /// `hash -p file name`, `enable -f file name`
    fn changed_names(&mut self, name: &str, arguments: &[Field], call: &Call<'_>) {
        let letter = if name == "hash" { 'p' } else { 'f' };
        let scan = scan(arguments, if name == "hash" { "p" } else { "f" }, "", &[], false);
        if scan.value(letter).is_some() {
            self.opaque(OpaqueKind::Redefined, &call.place);
            for name in arguments.get(scan.next..).unwrap_or(&[]).iter().filter_map(Field::text) {
                self.redefine(name);
            }
        }
    }

    /// Builtins that evaluate subscripts in their arguments as arithmetic, with its command substitutions.
    fn subscripts(&mut self, arguments: &[Field], call: &Call<'_>) {
        let evaluates = |text: &str| text.contains('[') && (text.contains("$(") || text.contains('`'));
        if arguments.iter().filter_map(Field::text).any(evaluates) {
            self.opaque(OpaqueKind::ComputedScript, &call.place);
        }
    }

    /// `find ... -exec command {} ;` and its kin; `fd ... -x command`.
    fn find(&mut self, arguments: &[Field], call: &Call<'_>) {
        let mut rest = arguments;
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            if !matches!(
                first.text(),
                Some("-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
            ) {
                continue;
            }
            let mut end = behind.len();
            for (index, field) in behind.iter().enumerate() {
                let before = index.checked_sub(1).and_then(|before| behind.get(before)).and_then(Field::text);
                if field.text() == Some(";") || (field.text() == Some("+") && before == Some("{}")) {
                    end = index;
                    break;
                }
            }
            let (command, behind) = behind.split_at_checked(end).unwrap_or((behind, &[]));
            rest = behind;
            let command: Vec<Field> = command.iter().map(|field| replaced(field, "{}")).collect();
            // The redirections are those of `find`; copying them for each action would be quadratic.
            let call = Call { fields: &[], redirects: &[], place: call.place.clone() };
            self.inner("find", &command, Vec::new(), &call);
        }
    }

    fn awk(&mut self, arguments: &[Field], call: &Call<'_>) {
        let scan =
            scan(arguments, "Fvfie", "", &["field-separator", "assign", "file", "include", "source"], false);
        if scan.value('f').is_some() {
            return self.opaque(OpaqueKind::ScriptFile, &call.place);
        }
        let program = scan.value('e').or_else(|| arguments.get(scan.next));
        if let Some(program) = program
            && program.text().is_none_or(awk_runs_commands)
        {
            self.opaque(OpaqueKind::OtherLanguage, &call.place);
        }
    }

    fn language(&mut self, letters: &str, arguments: &[Field], call: &Call<'_>) {
        let scan = scan(arguments, letters, "", &["eval", "print", "command"], false);
        let given = letters.chars().any(|letter| scan.value(letter).is_some())
            || ["eval", "print", "command"].iter().any(|name| scan.long_value(name).is_some());
        if given {
            self.opaque(OpaqueKind::OtherLanguage, &call.place);
        } else if matches!(arguments.get(scan.next).map(Field::text), None | Some(Some("-"))) && !scan.informs
        {
            self.opaque(OpaqueKind::PipedScript, &call.place);
        }
    }

    /// `bash [options] [-c text | file] [arguments]`
    fn shell(&mut self, name: &str, arguments: &[Field], call: &Call<'_>) {
        let options = shell_options(arguments);
        let operand = arguments.get(options.next);
        if options.computed {
            self.opaque(OpaqueKind::ComputedArguments, &call.place);
        }
        match (options.command, operand) {
            (true, Some(text)) => {
                let text = text.text().map(str::to_owned);
                self.script(name, text.as_deref(), call);
            }
            (true, None) if self.takes_more_words() => self.opaque(OpaqueKind::PipedScript, &call.place),
            (true, None) => {}
            (false, Some(_)) if !options.stdin => self.opaque(OpaqueKind::ScriptFile, &call.place),
            (false, _) if options.informs => {}
            (false, _) => self.shell_input(name, call),
        }
    }

    /// `xargs` adds words after those that are seen.
    fn takes_more_words(&self) -> bool {
        self.via.iter().any(|via| matches!(via, Via::Wrapper(name) if name == "xargs"))
    }

    /// A shell that reads its standard input.
    fn shell_input(&mut self, name: &str, call: &Call<'_>) {
        let is_input = |redirect: &&RedirectView| {
            redirect.operator.starts_with('<') && matches!(redirect.descriptor.as_deref(), None | Some("0"))
        };
        match call.redirects.iter().rev().find(is_input) {
            Some(redirect) if matches!(redirect.operator, "<<" | "<<<") => {
                let text = redirect.target.text.clone();
                self.script(name, text.as_deref(), call);
            }
            Some(redirect) if redirect.operator == "<" && redirect.target.text.is_some() => {
                self.opaque(OpaqueKind::ScriptFile, &call.place);
            }
            _ => self.opaque(OpaqueKind::PipedScript, &call.place),
        }
    }

    fn wrapper(&mut self, row: &'static Wrapper, arguments: &[Field], call: &Call<'_>) {
        if row.name == "env"
            && let Some(split) = split_string(arguments)
        {
            return self.split_string(&split, call);
        }
        let valued: String = row.valued.chars().chain(row.script.map(|(letter, _)| letter)).collect();
        let scan = scan_row(row, &valued, arguments);
        if row.idle.chars().any(|letter| scan.has(letter)) {
            return;
        }
        if scan.computed {
            self.opaque(OpaqueKind::ComputedArguments, &call.place);
        }
        let rest = arguments.get(scan.next..).unwrap_or(&[]);
        if let Some(text) = script_option(row, &scan, rest) {
            let text = text.text().map(str::to_owned);
            return self.script(row.name, text.as_deref(), call);
        }
        if rest.is_empty() {
            if row.alone == Alone::Shell && !scan.informs {
                self.shell_input(row.name, call);
            }
            if row.name != "xargs" && self.takes_more_words() {
                self.opaque(OpaqueKind::ComputedCommand, &call.place);
            }
            return;
        }
        if row.joined {
            let data = |field: &Field| matches!(field.text(), Some(":::" | "::::" | ":::+" | "::::+"));
            let end = rest.iter().position(data).unwrap_or(rest.len());
            let words: Vec<Field> =
                rest.get(..end).unwrap_or(rest).iter().map(|field| replaced(field, "{}")).collect();
            return self.joined(&words, row.name, call);
        }
        let replacement = match row.name {
            "xargs" => scan.placeholder(),
            _ => None,
        };
        match replacement {
            Some(placeholder) => {
                let words: Vec<Field> = rest.iter().map(|field| replaced(field, &placeholder)).collect();
                self.inner(row.name, &words, Vec::new(), call);
            }
            None => self.inner(row.name, rest, scan.assignments, call),
        }
    }

    /// `env -S 'text' ...`: only texts without a meaning of their own to `env` are split.
    fn split_string(&mut self, split: &SplitString<'_>, call: &Call<'_>) {
        let plain = |text: &str| !text.contains(['\'', '"', '\\', '$', '#']);
        let Some(text) = split.text.filter(|text| plain(text)) else {
            return self.opaque(OpaqueKind::ComputedScript, &call.place);
        };
        let mut words: Vec<Field> = split.before.to_vec();
        words.insert(0, Field::fixed("env"));
        words.extend(text.split_ascii_whitespace().map(Field::fixed));
        words.extend_from_slice(split.behind);
        let Some((_, arguments)) = words.split_first() else { return };
        if self.nesting >= MAX_NESTING || !self.charge(words.len()) {
            return self.opaque(OpaqueKind::TooLarge, &call.place);
        }
        self.nesting += 1;
        if let Some(row) = wrapper::find("env") {
            self.wrapper(row, arguments, call);
        }
        self.nesting -= 1;
    }
}

/// The word, computed when the placeholder stands in it.
fn replaced(field: &Field, placeholder: &str) -> Field {
    if field.text().is_some_and(|text| text.contains(placeholder)) { field.computed() } else { field.clone() }
}

fn skip_separator(arguments: &[Field]) -> &[Field] {
    match arguments.split_first() {
        Some((first, rest)) if first.text() == Some("--") => rest,
        _ => arguments,
    }
}

/// `system(...)`, `... | "command"`, `"command" | getline`, and `|&`.
fn awk_runs_commands(program: &str) -> bool {
    program.contains("system") || program.contains("|&") || {
        program.split('|').skip(1).any(|behind| {
            let behind = behind.trim_start();
            behind.starts_with('"') || behind.starts_with("getline")
        })
    }
}

/// What the options in front of a command are.
#[derive(Default)]
struct Scan<'f> {
    /// Letters with their option-arguments.
    letters: Vec<(char, Option<Field>)>,
    /// Long options with their option-arguments.
    long: Vec<(&'f str, Option<Field>)>,
    assignments: Vec<(String, WordView)>,
    /// Index of the first word after them.
    next: usize,
    /// A computed word stands where it could change what follows.
    computed: bool,
    /// `--help` or `--version`.
    informs: bool,
}

impl Scan<'_> {
    fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(found, _)| *found == letter)
    }

    fn value(&self, letter: char) -> Option<&Field> {
        self.letters.iter().rev().find(|(found, _)| *found == letter).and_then(|(_, value)| value.as_ref())
    }

    fn long_value(&self, name: &str) -> Option<&Field> {
        self.long
            .iter()
            .find(|(found, _)| !found.is_empty() && name.starts_with(found))
            .and_then(|(_, value)| value.as_ref())
    }

    /// What `xargs -I`, `-i` and `--replace` replace.
    fn placeholder(&self) -> Option<String> {
        let text = |field: &Field| field.text().unwrap_or("").to_owned();
        if let Some(value) = self.value('I') {
            return Some(text(value));
        }
        let long = self.long.iter().find(|(name, _)| name.len() > 2 && "replace".starts_with(name));
        if self.has('i') || long.is_some() {
            let value = self.value('i').or_else(|| long.and_then(|(_, value)| value.as_ref()));
            return Some(value.map(text).filter(|text| !text.is_empty()).unwrap_or_else(|| "{}".to_owned()));
        }
        None
    }
}

/// Reads options up to the first operand.
fn scan<'f>(fields: &'f [Field], valued: &str, attached: &str, long: &[&str], assignments: bool) -> Scan<'f> {
    let mut scan = Scan::default();
    while let Some(field) = fields.get(scan.next) {
        // A computed word shows by its beginning what it is.
        let text = field.text().unwrap_or(&field.prefix);
        if field.text() == Some("--") {
            scan.next += 1;
            break;
        }
        if field.text() == Some("-") && assignments {
            scan.next += 1;
        } else if let Some(name) = text.strip_prefix("--") {
            scan_long(&mut scan, fields, name, field, long);
        } else if text.len() > 1 && text.starts_with('-') {
            scan_letters(&mut scan, fields, field, text, valued, attached);
        } else if let Some((name, value)) = text.split_once('=').filter(|_| assignments) {
            let text = field.text().map(|_| value.to_owned());
            let source = field.view.source.clone();
            scan.assignments.push((name.to_owned(), WordView { text, source }));
            scan.next += 1;
        } else {
            scan.computed |= field.text().is_none() && (!field.single || text.starts_with('-'));
            break;
        }
    }
    scan
}

fn scan_long<'f>(scan: &mut Scan<'f>, fields: &'f [Field], name: &'f str, field: &Field, long: &[&str]) {
    scan.next += 1;
    let (name, attached) = match name.split_once('=') {
        Some((name, value)) => {
            (name, Some(if field.text().is_some() { Field::fixed(value) } else { field.computed() }))
        }
        None => (name, None),
    };
    scan.informs |= matches!(name, "help" | "version");
    let takes_value = long.iter().any(|option| !name.is_empty() && option.starts_with(name));
    let value = match attached {
        None if takes_value => {
            let value = fields.get(scan.next).cloned();
            scan.computed |= value.as_ref().is_some_and(|value| !value.single && value.text().is_none());
            scan.next += 1;
            value
        }
        attached => attached,
    };
    scan.long.push((name, value));
}

fn scan_letters<'f>(
    scan: &mut Scan<'f>,
    fields: &'f [Field],
    field: &Field,
    text: &str,
    valued: &str,
    attached: &str,
) {
    scan.next += 1;
    let mut letters = text.strip_prefix('-').unwrap_or(text).chars();
    while let Some(letter) = letters.next() {
        let rest = letters.as_str();
        let takes_value = valued.contains(letter);
        if !takes_value && !attached.contains(letter) {
            scan.letters.push((letter, None));
            continue;
        }
        let value = if !rest.is_empty() || field.text().is_none() {
            Some(if field.text().is_some() { Field::fixed(rest) } else { field.computed() })
        } else if takes_value {
            let value = fields.get(scan.next).cloned();
            scan.computed |= value.as_ref().is_some_and(|value| !value.single && value.text().is_none());
            scan.next += 1;
            value
        } else {
            None
        };
        scan.letters.push((letter, value));
        return;
    }
    // `-$x`: more letters than are seen.
    scan.computed |= field.text().is_none();
}

/// The options and operands in front of a wrapper's command.
fn scan_row<'f>(row: &Wrapper, valued: &str, fields: &'f [Field]) -> Scan<'f> {
    let script = row.script.map(|(_, name)| name);
    let long: Vec<&str> = row.long.iter().copied().chain(script).collect();
    let mut found = scan(fields, valued, row.attached, &long, row.assignments);
    if row.operands == ALL {
        while found.next < fields.len() {
            found.next += 1;
            let more = scan(fields.get(found.next..).unwrap_or(&[]), valued, row.attached, &long, false);
            found.next += more.next;
            found.computed |= more.computed;
            found.informs |= more.informs;
            found.letters.extend(more.letters);
            found.long.extend(more.long);
        }
        return found;
    }
    for _ in 0..row.operands {
        let Some(operand) = fields.get(found.next) else { break };
        found.computed |= operand.text().is_none() && !operand.single;
        found.next += 1;
    }
    found
}

/// The text that an option in front of or after the operands gives to a shell.
fn script_option<'s>(row: &Wrapper, scan: &'s Scan<'_>, rest: &'s [Field]) -> Option<&'s Field> {
    let (letter, name) = row.script?;
    if let Some(value) = scan.value(letter).or_else(|| scan.long_value(name)) {
        return Some(value);
    }
    let (first, behind) = rest.split_first()?;
    let option = first.text()?;
    let is_option = option.strip_prefix('-').is_some_and(|short| short.chars().eq([letter]))
        || option.strip_prefix("--") == Some(name);
    if is_option { behind.first() } else { None }
}

/// The arguments of `env` around its option `-S`.
struct SplitString<'f> {
    before: &'f [Field],
    text: Option<&'f str>,
    behind: &'f [Field],
}

fn split_string(arguments: &[Field]) -> Option<SplitString<'_>> {
    for (index, field) in arguments.iter().enumerate() {
        let text = field.text().unwrap_or(&field.prefix);
        if !text.starts_with('-') || text == "--" {
            return None;
        }
        let before = arguments.get(..index).unwrap_or(&[]);
        let behind = arguments.get(index + 1..).unwrap_or(&[]);
        let attached = match text.strip_prefix("--") {
            Some(long) => {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                if name.is_empty() || !"split-string".starts_with(name) {
                    continue;
                }
                value
            }
            None => {
                let letters = text.trim_start_matches(['-', 'i', '0', 'v']);
                let Some(value) = letters.strip_prefix('S') else { continue };
                Some(value).filter(|value| !value.is_empty())
            }
        };
        return Some(match attached {
            Some(value) => SplitString { before, text: field.text().map(|_| value), behind },
            None => match behind.split_first() {
                Some((next, behind)) => SplitString { before, text: next.text(), behind },
                None => SplitString { before, text: None, behind },
            },
        });
    }
    None
}

/// The options of a shell.
#[derive(Default)]
struct ShellOptions {
    /// `-c`
    command: bool,
    /// `-s`
    stdin: bool,
    /// A computed word stands among them.
    computed: bool,
    /// `--help` or `--version`.
    informs: bool,
    /// Index of the first operand.
    next: usize,
}

fn shell_options(arguments: &[Field]) -> ShellOptions {
    let mut options = ShellOptions::default();
    while let Some(field) = arguments.get(options.next) {
        let Some(text) = field.text() else {
            // `bash "$file"` is a file; `bash $options` could be anything.
            options.computed |= !field.single || field.prefix.starts_with('-');
            return options;
        };
        if let Some(long) = text.strip_prefix("--") {
            options.next += 1;
            if long.is_empty() {
                return options;
            }
            options.informs |= matches!(long, "help" | "version");
            if matches!(long, "rcfile" | "init-file") {
                options.next += 1;
            }
            continue;
        }
        if text == "-" {
            options.next += 1;
            return options;
        }
        let Some(letters) = text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else {
            return options;
        };
        options.next += 1;
        options.command |= text.starts_with('-') && letters.contains('c');
        options.stdin |= letters.contains('s');
        // `-o` and `-O` take the next word each.
        options.next += letters.bytes().filter(|letter| matches!(letter, b'o' | b'O')).count();
    }
    options
}
