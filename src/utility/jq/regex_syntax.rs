//! Regular expressions as jq takes them (Oniguruma's Perl syntax with named groups) in the syntax of the engines here.
//!
//! Names of groups, comments, blanks of extended expressions and the options for lines and dots are resolved, so that what
//! comes out has numbered groups only. It also says whether the linear engine can match it.

use crate::memory::{String, ToMeteredString, Vec, format};

/// A translated expression.
#[derive(Debug, Default)]
pub(super) struct Translated {
    /// For the engine.
    pub(super) pattern: String,
    /// The names of the groups from the first; a name may stand more than once.
    pub(super) names: Vec<Option<String>>,
    /// There is look-around, a back-reference or another thing that a linear engine does not have.
    pub(super) backtracks: bool,
}

/// What is wrong with an expression, in Oniguruma's words.
pub(super) type Wrong = String;

/// What options are on.
#[derive(Clone, Copy, Default)]
pub(super) struct Options {
    pub(super) ignore_case: bool,
    pub(super) extended: bool,
    pub(super) dot_matches_newline: bool,
    /// `(?m)`: `^` and `$` match at each line.
    pub(super) lines: bool,
    /// The text ends in a newline, before which `$` and `\Z` match as well.
    pub(super) before_newline: bool,
}

/// The last piece that a repeat operator could follow.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Nothing,
    /// An anchor or a look-around; it cannot be repeated.
    Anchor,
    /// It begins at this byte of the output.
    Atom(usize),
    /// The same, repeated already.
    Repeated(usize),
}

struct Translator<'t> {
    text: &'t str,
    at: usize,
    out: Translated,
    options: Options,
    /// For each open group: the options around it, where it begins, whether it can be repeated.
    open: Vec<(Options, usize, bool)>,
    last: Last,
    /// Names and numbers that are referred to.
    wanted: Vec<String>,
}

/// Translates an expression.
pub(super) fn translate(text: &str, options: Options) -> Result<Translated, Wrong> {
    let mut translator = Translator {
        text,
        at: 0,
        out: Translated::default(),
        options,
        open: Vec::new(),
        last: Last::Nothing,
        wanted: Vec::new(),
    };
    translator.collect_names();
    if options.ignore_case {
        translator.out.pattern.push_str("(?i)");
    }
    while let Some(character) = translator.next() {
        translator.piece(character)?;
    }
    if !translator.open.is_empty() {
        return Err("end pattern with unmatched parenthesis".into());
    }
    Ok(translator.out)
}

/// A character as a literal of the engines.
fn push_literal(character: char, out: &mut String) {
    if character.is_ascii_punctuation() || character == ' ' || character == '#' {
        if !matches!(character, '<' | '>' | ' ') {
            out.push('\\');
        }
        out.push(character);
    } else if character.is_control() {
        out.push_str(&format!("\\x{{{:x}}}", u32::from(character)));
    } else {
        out.push(character);
    }
}

impl Translator<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn takes(&mut self, start: &str) -> bool {
        let takes = self.rest().starts_with(start);
        if takes {
            self.at += start.len();
        }
        takes
    }

    /// The names of all groups first: a reference may stand before its group.
    fn collect_names(&mut self) {
        let bytes = self.text.as_bytes();
        let (mut at, mut in_class) = (0, false);
        while let Some(&byte) = bytes.get(at) {
            let rest = bytes.get(at + 1..).unwrap_or_default();
            match byte {
                b'\\' if rest.first() == Some(&b'Q') => {
                    let quoted = self.text.get(at..).unwrap_or_default();
                    at += quoted.find("\\E").unwrap_or(quoted.len());
                }
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'(' if !in_class => match rest {
                    [b'?', b'<', next, ..] if !matches!(next, b'=' | b'!') => {
                        let name = self.text.get(at + 3..).unwrap_or_default();
                        let name = name.split('>').next().unwrap_or_default();
                        self.wanted.push(name.to_metered_string());
                    }
                    [b'?', b'\'', ..] => {
                        let name = self.text.get(at + 3..).unwrap_or_default();
                        self.wanted.push(name.split('\'').next().unwrap_or_default().to_metered_string());
                    }
                    [b'?', ..] => {}
                    _ => self.wanted.push(String::new()),
                },
                _ => {}
            }
            at += 1;
        }
    }

    fn piece(&mut self, character: char) -> Result<(), Wrong> {
        let start = self.out.pattern.len();
        match character {
            '\\' => return self.escape(start),
            '[' => {
                self.class()?;
                self.last = Last::Atom(start);
            }
            '(' => return self.group(start),
            ')' => {
                let Some((options, start, is_atom)) = self.open.pop() else {
                    return Err("unmatched close parenthesis".into());
                };
                self.options = options;
                self.out.pattern.push(')');
                self.last = if is_atom { Last::Atom(start) } else { Last::Anchor };
            }
            '|' => {
                self.out.pattern.push('|');
                self.last = Last::Nothing;
            }
            '*' | '+' | '?' => self.repeat(&character.to_metered_string())?,
            '{' => match self.interval()? {
                Some(interval) => self.repeat(&interval)?,
                None => self.literal('{', start),
            },
            '^' => {
                self.out.pattern.push_str(if self.options.lines { "(?m:^)" } else { "\\A" });
                self.last = Last::Anchor;
            }
            '$' if self.options.lines => {
                self.out.pattern.push_str("(?m:$)");
                self.last = Last::Anchor;
            }
            '$' => self.end(),
            '.' => {
                let dot = if self.options.dot_matches_newline { "(?s:.)" } else { "(?-s:.)" };
                self.out.pattern.push_str(dot);
                self.last = Last::Atom(start);
            }
            '#' if self.options.extended => while self.next().is_some_and(|next| next != '\n') {},
            blank if self.options.extended && blank.is_ascii_whitespace() => {}
            other => self.literal(other, start),
        }
        Ok(())
    }

    fn literal(&mut self, character: char, start: usize) {
        push_literal(character, &mut self.out.pattern);
        self.last = Last::Atom(start);
    }

    /// `$` and `\Z`.
    fn end(&mut self) {
        let end = if self.options.before_newline { "(?=\\n?\\z)" } else { "\\z" };
        self.out.backtracks |= self.options.before_newline;
        self.out.pattern.push_str(end);
        self.last = Last::Anchor;
    }

    /// A repeat operator, with what may follow it.
    fn repeat(&mut self, operator: &str) -> Result<(), Wrong> {
        let start = match self.last {
            Last::Nothing => return Err("target of repeat operator is not specified".into()),
            Last::Anchor => return Err("target of repeat operator is invalid".into()),
            Last::Atom(start) => start,
            Last::Repeated(start) => {
                self.out.pattern.insert_str(start, "(?:");
                self.out.pattern.push(')');
                start
            }
        };
        let is_possessive = operator.len() == 1 && self.takes("+");
        if is_possessive {
            self.out.backtracks = true;
            self.out.pattern.insert_str(start, "(?>");
        }
        self.out.pattern.push_str(operator);
        if is_possessive {
            self.out.pattern.push(')');
        } else if self.takes("?") {
            self.out.pattern.push('?');
        }
        self.last = Last::Repeated(start);
        Ok(())
    }

    /// `n}`, `n,}`, `n,m}` after a brace; anything else is text.
    fn interval(&mut self) -> Result<Option<String>, Wrong> {
        let Some(end) = self.rest().find('}') else { return Ok(None) };
        let inner = self.rest().get(..end).unwrap_or_default();
        let (low, high) = match inner.split_once(',') {
            Some((low, high)) => (low, Some(high)),
            None => (inner, None),
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(low) || !high.is_none_or(|high| high.is_empty() || is_number(high)) {
            return Ok(None);
        }
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if number <= 100_000 => Ok(number),
            _ => Err(Wrong::from("too big number for repeat range")),
        };
        let least = number(low)?;
        if let Some(high) = high.filter(|high| !high.is_empty())
            && number(high)? < least
        {
            return Err("upper is smaller than lower in repeat range".into());
        }
        let interval = format!("{{{inner}}}");
        self.at += end + 1;
        Ok(Some(interval))
    }

    fn group(&mut self, start: usize) -> Result<(), Wrong> {
        let outer = self.options;
        if !self.takes("?") {
            self.capture(None, start);
            return Ok(());
        }
        if self.takes("#") {
            let Some(end) = self.rest().find(')') else { return Err("end pattern in group".into()) };
            self.at += end + 1;
            return Ok(());
        }
        for (sign, is_atom) in
            [(":", true), (">", true), ("=", false), ("!", false), ("<=", false), ("<!", false)]
        {
            if self.takes(sign) {
                self.out.backtracks |= sign != ":";
                self.out.pattern.push_str("(?");
                self.out.pattern.push_str(sign);
                self.open.push((outer, start, is_atom));
                self.last = Last::Nothing;
                return Ok(());
            }
        }
        for (open, close) in [("<", '>'), ("'", '\'')] {
            if self.takes(open) {
                let name = self.rest().split([close, ')']).next().unwrap_or_default().to_metered_string();
                self.at += name.len();
                let is_word = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
                let starts_well = name.chars().next().is_none_or(|letter| !letter.is_ascii_digit());
                if name.is_empty() {
                    return Err("group name is empty".into());
                }
                if !self.takes(close.encode_utf8(&mut [0; 4])) || !is_word || !starts_well {
                    return Err(format!("invalid group name <{name}>"));
                }
                self.capture(Some(name), start);
                return Ok(());
            }
        }
        self.inline_options(outer, start)
    }

    fn capture(&mut self, name: Option<String>, start: usize) {
        self.out.pattern.push('(');
        self.out.names.push(name);
        self.open.push((self.options, start, true));
        self.last = Last::Nothing;
    }

    /// `(?i)`, `(?i-m:` and the like, after the question mark.
    fn inline_options(&mut self, outer: Options, start: usize) -> Result<(), Wrong> {
        let mut options = self.options;
        let mut on = true;
        loop {
            match self.next() {
                Some('-') => on = false,
                Some('i') => options.ignore_case = on,
                Some('m') => options.lines = on,
                Some('s') => options.dot_matches_newline = on,
                Some('x') => options.extended = on,
                Some(end @ (')' | ':')) => {
                    self.options = options;
                    let case = if options.ignore_case { "i" } else { "-i" };
                    if end == ')' {
                        self.out.pattern.push_str(&format!("(?{case})"));
                        self.last = Last::Nothing;
                    } else {
                        self.out.pattern.push_str(&format!("(?{case}:"));
                        self.open.push((outer, start, true));
                        self.last = Last::Nothing;
                    }
                    return Ok(());
                }
                None => return Err("end pattern in group".into()),
                Some('~' | '(') => return Err("absent operators and conditionals are not supported".into()),
                Some(_) => return Err("undefined group option".into()),
            }
        }
    }

    fn escape(&mut self, start: usize) -> Result<(), Wrong> {
        let Some(letter) = self.next() else { return Err("end pattern at escape".into()) };
        let anchor = |translator: &mut Self, text: &str| {
            translator.out.pattern.push_str(text);
            translator.last = Last::Anchor;
        };
        match letter {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => {
                self.out.pattern.extend(['\\', letter]);
                self.last = Last::Atom(start);
            }
            'b' => anchor(self, "\\b"),
            'B' => anchor(self, "\\B"),
            'A' => anchor(self, "\\A"),
            'z' => anchor(self, "\\z"),
            'Z' => self.end(),
            'G' | 'K' => {
                self.out.backtracks = true;
                anchor(self, if letter == 'G' { "\\G" } else { "\\K" });
            }
            'R' => {
                self.out.pattern.push_str("(?:\\r\\n|[\\n-\\r\\x{85}\\x{2028}\\x{2029}])");
                self.last = Last::Atom(start);
            }
            'N' | 'O' => {
                self.out.pattern.push_str(if letter == 'N' { "(?-s:.)" } else { "(?s:.)" });
                self.last = Last::Atom(start);
            }
            'X' | 'g' | 'y' | 'Y' if letter != 'g' || self.rest().starts_with(['<', '\'']) => {
                return Err(format!("\\{letter} is not supported"));
            }
            'Q' => {
                let quoted = self.rest();
                let end = quoted.find("\\E").unwrap_or(quoted.len());
                let text = quoted.get(..end).unwrap_or_default().to_metered_string();
                self.at = (self.at + end + 2).min(self.text.len());
                for character in text.chars() {
                    let start = self.out.pattern.len();
                    self.literal(character, start);
                }
            }
            'p' | 'P' => {
                let class = self.property(letter)?;
                self.out.pattern.push_str(&class);
                self.last = Last::Atom(start);
            }
            'k' if self.rest().starts_with(['<', '\'']) => self.named_reference(start)?,
            '1'..='9' => self.numbered_reference(letter, start)?,
            _ => {
                let character = self.character(letter)?;
                self.literal(character, start);
            }
        }
        Ok(())
    }

    /// The character of an escape that stands for one.
    fn character(&mut self, letter: char) -> Result<char, Wrong> {
        Ok(match letter {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            '0' => self.code(3, 8).unwrap_or('\0'),
            'c' => match self.next() {
                Some(control) => char::from(u8::try_from(u32::from(control) & 0x1f).unwrap_or(0)),
                None => return Err("end pattern at control".into()),
            },
            'x' if self.takes("{") => {
                let character = self.code(8, 16);
                if !self.takes("}") {
                    return Err("invalid code point value".into());
                }
                // A number that is not a character matches nothing.
                character.unwrap_or('\u{10ffff}')
            }
            'x' => self.code(2, 16).unwrap_or('\0'),
            other => other,
        })
    }

    /// The character of at most so many digits.
    fn code(&mut self, digits: usize, radix: u32) -> Option<char> {
        let count = self.rest().chars().take(digits).take_while(|digit| digit.is_digit(radix)).count();
        let text = self.rest().get(..count)?;
        let code = u32::from_str_radix(text, radix).ok();
        self.at += count;
        code.and_then(char::from_u32)
    }

    /// `{name}` after `\p`.
    fn property(&mut self, letter: char) -> Result<String, Wrong> {
        let mut negated = letter == 'P';
        if !self.takes("{") {
            return Ok(format!("{}", if negated { 'P' } else { 'p' }));
        }
        negated ^= self.takes("^");
        let name = self.rest().split('}').next().unwrap_or_default().to_metered_string();
        self.at += name.len() + 1;
        let class = posix_class(&name).map_or_else(
            || {
                let plain = format!("\\p{{{name}}}");
                regex_syntax::parse(&plain).is_ok().then_some(plain)
            },
            |class| Some(format!("[{class}]")),
        );
        match class {
            Some(class) if negated => Ok(format!("[^{class}]")),
            Some(class) => Ok(class),
            None => Err(format!("invalid character property name {{{name}}}")),
        }
    }

    fn named_reference(&mut self, start: usize) -> Result<(), Wrong> {
        let close = if self.takes("<") { '>' } else { '\'' };
        if close == '\'' {
            self.takes("'");
        }
        let name = self.rest().split(close).next().unwrap_or_default().to_metered_string();
        self.at = (self.at + name.len() + 1).min(self.text.len());
        let numbered = name.parse::<usize>().ok().filter(|number| (1..=self.wanted.len()).contains(number));
        let number = self.wanted.iter().rposition(|known| *known == name).map(|place| place + 1).or(numbered);
        match number {
            Some(number) => self.reference(number, start),
            None => return Err(format!("undefined name <{name}> reference")),
        }
        Ok(())
    }

    fn numbered_reference(&mut self, first: char, start: usize) -> Result<(), Wrong> {
        let more = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let digits = format!("{first}{}", self.rest().get(..more).unwrap_or_default());
        match digits.parse::<usize>() {
            Ok(number) if number <= self.wanted.len() => {
                self.at += more;
                self.reference(number, start);
                Ok(())
            }
            _ => Err("invalid backref number/name".into()),
        }
    }

    fn reference(&mut self, number: usize, start: usize) {
        self.out.backtracks = true;
        self.out.pattern.push_str(&format!("(?:\\{number})"));
        self.last = Last::Atom(start);
    }

    /// A class; its opening bracket is taken. Brackets, `&&` and the like inside are literal.
    fn class(&mut self) -> Result<(), Wrong> {
        let mut class = String::from("[");
        if self.takes("^") {
            class.push('^');
        }
        let mut is_first = true;
        // The character that may begin a range.
        let mut low: Option<char> = None;
        loop {
            let Some(character) = self.next() else { return Err("premature end of char-class".into()) };
            match character {
                ']' if !is_first => break,
                '[' if self.rest().starts_with(':') && self.rest().contains(":]") => {
                    self.posix(&mut class)?;
                    low = None;
                }
                '-' if low.is_some() && !self.rest().starts_with(']') => {
                    let from = low.take().unwrap_or_default();
                    let high = self.class_member()?;
                    let Ok(upto) = high else { return Err("char-class value at end of range".into()) };
                    if upto < from {
                        return Err("empty range in char class".into());
                    }
                    class.push('-');
                    push_literal(upto, &mut class);
                }
                _ => {
                    self.at -= character.len_utf8();
                    match self.class_member()? {
                        Ok(member) => {
                            push_literal(member, &mut class);
                            low = Some(member);
                        }
                        Err(set) => {
                            class.push_str(&set);
                            low = None;
                        }
                    }
                }
            }
            is_first = false;
        }
        class.push(']');
        self.out.pattern.push_str(&class);
        Ok(())
    }

    /// A character of a class, or (`Err`) a set of them such as `\d`.
    fn class_member(&mut self) -> Result<Result<char, String>, Wrong> {
        match self.next() {
            None => Err("premature end of char-class".into()),
            Some('\\') => match self.next() {
                None => Err("end pattern at escape".into()),
                Some(letter @ ('d' | 'D' | 'w' | 'W' | 's' | 'S')) => Ok(Err(format!("\\{letter}"))),
                Some(letter @ ('p' | 'P')) if self.rest().starts_with('{') => self.property(letter).map(Err),
                Some('b') => Ok(Ok('\u{8}')),
                Some(letter) => self.character(letter).map(Ok),
            },
            Some(other) => Ok(Ok(other)),
        }
    }

    /// `:name:]` after a bracket.
    fn posix(&mut self, class: &mut String) -> Result<(), Wrong> {
        self.takes(":");
        let negated = self.takes("^");
        let name = self.rest().split(":]").next().unwrap_or_default().to_metered_string();
        let Some(set) = posix_class(&name) else { return Err("invalid POSIX bracket type".into()) };
        self.at += name.len() + 2;
        class.push_str(&format!("[{}{set}]", if negated { "^" } else { "" }));
        Ok(())
    }
}

/// The members of a class of POSIX, over all of Unicode.
fn posix_class(name: &str) -> Option<&'static str> {
    Some(match name {
        "alnum" => "\\p{Alphabetic}\\p{Nd}",
        "alpha" => "\\p{Alphabetic}",
        "ascii" => "\\x00-\\x7f",
        "blank" => "\\t\\p{Zs}",
        "cntrl" => "\\p{Cc}",
        "digit" => "\\p{Nd}",
        "graph" => "[\\S&&[^\\p{Cc}\\p{Cn}\\p{Cs}]]",
        "lower" => "\\p{Lowercase}",
        "print" => "[\\S&&[^\\p{Cc}\\p{Cn}\\p{Cs}]]\\p{Zs}",
        "punct" => "\\p{P}$+<=>^`|~",
        "space" => "\\s",
        "upper" => "\\p{Uppercase}",
        "word" => "\\w",
        "xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}
