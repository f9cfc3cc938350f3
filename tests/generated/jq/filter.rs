//! Random filters: stages of the table, joined by operators and syntax. A filter is made for the kind of value that it
//! gets, so that most of it does something; now and then the kind is ignored, which is an error to be told.

use super::super::random::Random;
use super::input;
use super::table::{FORMATS, PATHS, REGEXES, STAGES, TIME_FORMATS};

/// Kinds: `n`umber, `s`tring, `a`rray, `o`bject, `b`oolean, `z` null, `*` any.
pub(super) struct Maker<'a> {
    random: &'a mut Random,
    /// What is defined here, inner ones last.
    variables: Vec<String>,
    functions: Vec<(String, usize)>,
    labels: Vec<String>,
    /// How many names were made.
    names: usize,
}

impl<'a> Maker<'a> {
    pub(super) fn new(random: &'a mut Random, variables: Vec<String>) -> Self {
        Self { random, variables, functions: Vec::new(), labels: Vec::new(), names: 0 }
    }

    /// A whole program for inputs of a kind.
    pub(super) fn program(&mut self, kind: char) -> String {
        let mut program = String::new();
        if self.random.once_in(6) {
            program = self.definition();
            program.push(' ');
        }
        let depth = 1 + self.random.below(3);
        program.push_str(&self.filter(kind, depth));
        if self.random.once_in(40) {
            program = format!("{}{program}", self.random.pick(&["# c\n", "  ", "\n", "#\\\nx\n"]));
        }
        program
    }

    /// A filter for a kind of input.
    fn filter(&mut self, kind: char, depth: usize) -> String {
        if depth == 0 {
            return self.simple(kind);
        }
        match self.random.below(24) {
            0..=8 => self.pipeline(kind, depth),
            9 => {
                let (left, right) = (self.operand(kind, depth), self.operand(kind, depth));
                format!("{left} {} {right}", self.operator())
            }
            10 => {
                let (left, right) = (self.filter(kind, depth - 1), self.filter(kind, depth - 1));
                format!("{left}, {right}")
            }
            11 => format!("[{}]", self.filter(kind, depth - 1)),
            12 => self.construction(kind, depth),
            13 => self.string(kind, depth),
            14 | 15 => self.assignment(kind, depth),
            16 => self.condition(kind, depth),
            17 => self.attempt(kind, depth),
            18 | 19 => self.binding(kind, depth),
            20 => self.fold(kind, depth),
            21 => {
                let definition = self.definition();
                format!("({definition} {})", self.filter(kind, depth - 1))
            }
            22 => {
                self.names += 1;
                let label = format!("l{}", self.names);
                self.labels.push(label.clone());
                let body = self.filter(kind, depth - 1);
                self.labels.pop();
                let end = self.random.pick(&["", "", ", 9"]);
                format!("(label ${label} | {body}, break ${label}{end})")
            }
            _ => format!("({})", self.filter(kind, depth - 1)),
        }
    }

    fn operand(&mut self, kind: char, depth: usize) -> String {
        if self.random.once_in(3) {
            return self.simple(kind);
        }
        let inner = self.filter(kind, depth - 1);
        if self.random.once_in(8) { inner } else { format!("({inner})") }
    }

    fn operator(&mut self) -> &'static str {
        self.random.pick(&[
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", "+", "-", "*",
            "==", ",", "|",
        ])
    }

    /// Stages one after the other, each for the kind that the one before gives.
    fn pipeline(&mut self, kind: char, depth: usize) -> String {
        let mut stages = Vec::new();
        let mut kind = kind;
        for _ in 0..=self.random.below(3) {
            let (text, gives) = self.stage(kind, depth);
            stages.push(text);
            kind = gives;
        }
        stages.join(" | ")
    }

    fn stage(&mut self, kind: char, depth: usize) -> (String, char) {
        let strict = !self.random.once_in(12);
        let fitting: Vec<&(&str, &str, char)> = STAGES
            .iter()
            .filter(|(takes, ..)| !strict || kind == '*' || takes.contains('*') || takes.contains(kind))
            .collect();
        // Those that are for this kind alone are more telling than those for all.
        let special: Vec<&(&str, &str, char)> =
            fitting.iter().copied().filter(|(takes, ..)| !takes.contains('*')).collect();
        let from = if special.is_empty() || self.random.once_in(3) { fitting } else { special };
        let (_, template, gives) = from[self.random.below(from.len())];
        let gives = if *gives == '=' { kind } else { *gives };
        (self.fill(template, kind, depth - 1), gives)
    }

    /// The template with its holes filled; the table says what they are.
    fn fill(&mut self, template: &str, kind: char, depth: usize) -> String {
        let mut out = String::new();
        let mut characters = template.chars();
        while let Some(character) = characters.next() {
            if character != '$' {
                out.push(character);
                continue;
            }
            let Some(hole) = characters.next() else { break };
            let filled = match hole {
                'F' => self.filter(kind, depth),
                'E' => self.filter('*', depth),
                'T' => format!("({})", self.filter(kind, depth)),
                'P' => self.path(),
                'N' => self.of('n'),
                'I' => self.random.pick(&["0", "1", "2", "3", "-1", "-2", "5", "null", "1.5"]).to_owned(),
                'C' => self.random.pick(&["0", "1", "2", "3", "1", "2", "-1"]).to_owned(),
                'S' => self.of('s'),
                'A' => self.of('a'),
                'O' => self.of('o'),
                'V' => input::value(self.random, 1).replace("nan", "2"),
                'K' => self.key(),
                'R' => format!("\"{}\"", self.random.pick(REGEXES)),
                'G' => format!(
                    "\"{}\"",
                    self.random.pick(&["", "g", "i", "x", "s", "n", "gi", "gx", "p", "gn", "l", "q", "g"])
                ),
                'D' => format!("\"{}\"", self.random.pick(TIME_FORMATS)),
                'f' => self.random.pick(FORMATS).to_owned(),
                '_' => "$".to_owned(),
                other => format!("${other}"),
            };
            out.push_str(&filled);
        }
        out
    }

    /// A short filter whose value is mostly of the kind.
    fn of(&mut self, kind: char) -> String {
        match self.random.below(8) {
            0 => format!("({})", self.path()),
            1 => self.simple('*'),
            _ => input::of_kind(self.random, kind).replace("\\ud800", "").replace("-nan", "nan"),
        }
    }

    fn key(&mut self) -> String {
        format!("\"{}\"", self.random.pick(&["a", "b", "c", "key", "é", "", "id"]))
    }

    fn simple(&mut self, kind: char) -> String {
        match self.random.below(12) {
            0..=3 => self.path(),
            4 => ".".to_owned(),
            5 | 6 => input::value(self.random, 1),
            7 if !self.variables.is_empty() => {
                let at = self.random.below(self.variables.len());
                format!("${}", self.variables[at])
            }
            8 if !self.functions.is_empty() => self.call(kind),
            9 if !self.labels.is_empty() && self.random.once_in(3) => {
                let at = self.random.below(self.labels.len());
                format!("break ${}", self.labels[at])
            }
            10 => self
                .random
                .pick(&[
                    "$__loc__",
                    "$ENV.HOME",
                    "env.LANG",
                    "$ARGS",
                    "$ARGS.named",
                    "$__prog_args",
                    "input",
                    "[inputs]",
                    "input_line_number",
                    "input_filename",
                    "$nope",
                    "first(inputs)",
                    "try input catch .",
                    "empty",
                    "error",
                    "have_literal_numbers",
                    "infinite",
                    "nan",
                    "null|not",
                    "$ARGS.positional",
                    "have_decnum",
                    "now|type",
                ])
                .to_owned(),
            _ => self.stage(kind, 1).0,
        }
    }

    fn call(&mut self, kind: char) -> String {
        let at = self.random.below(self.functions.len());
        let (name, parameters) = self.functions[at].clone();
        if parameters == 0 {
            return name;
        }
        let arguments: Vec<String> = (0..parameters)
            .map(|_| if self.random.once_in(2) { self.path() } else { self.filter(kind, 1) })
            .collect();
        format!("{name}({})", arguments.join("; "))
    }

    fn path(&mut self) -> String {
        let mut path = String::new();
        for _ in 0..=self.random.below(2) {
            if !path.is_empty() {
                let joint = self.random.pick(&["", "", " | ", " | "]);
                path.push_str(joint);
            }
            let step = self.random.pick(PATHS);
            // A suffix can stand directly behind a suffix only.
            if !path.is_empty() && !path.ends_with("| ") && !step.starts_with('.') {
                path.push_str(" | ");
            }
            if path.ends_with("..") || (step == "." && !path.is_empty() && !path.ends_with(' ')) {
                path.push_str(" | ");
            }
            path.push_str(&self.fill(step, '*', 0));
        }
        path
    }

    fn construction(&mut self, kind: char, depth: usize) -> String {
        let mut members = Vec::new();
        for _ in 0..=self.random.below(3) {
            let member = match self.random.below(9) {
                0 => "a".to_owned(),
                1 => "\"b c\"".to_owned(),
                2 if !self.variables.is_empty() => {
                    let at = self.random.below(self.variables.len());
                    format!("${}", self.variables[at])
                }
                3 => format!("({}): {}", self.filter(kind, depth - 1), self.simple(kind)),
                4 => format!("\"k\\({})\": 1", self.filter(kind, depth - 1)),
                5 => self
                    .random
                    .pick(&["$__loc__", "@base64 \"x\": 1", "if: 1", "\"a\\(1)\"", "(\"x\",\"y\"): 2"])
                    .to_owned(),
                6 => format!(
                    "and: {}",
                    self.random.pick(&["1", "-1", ".a", "\"s\"", "[1]", ". as $x | $x", "1 | 2"])
                ),
                _ => {
                    let key = self.random.pick(&["a", "b", "x", "\"y z\"", "@text \"t\"", "c"]);
                    let filter = self.filter(kind, depth - 1);
                    if self.random.once_in(6) {
                        format!("{key}: {filter}")
                    } else {
                        format!("{key}: ({filter})")
                    }
                }
            };
            members.push(member);
        }
        format!("{{{}}}", members.join(", "))
    }

    fn string(&mut self, kind: char, depth: usize) -> String {
        let format = if self.random.once_in(2) { "" } else { self.random.pick(FORMATS) };
        let (left, right) = (self.random.pick(input::STRINGS), self.random.pick(&["", "-", " é", "\\n"]));
        let space = if format.is_empty() { "" } else { " " };
        format!("{format}{space}\"{left}\\({}){right}\"", self.filter(kind, depth - 1))
    }

    fn assignment(&mut self, kind: char, depth: usize) -> String {
        let operator = self.random.pick(&["=", "|=", "|=", "+=", "-=", "*=", "/=", "%=", "//=", "|="]);
        let path = if self.random.once_in(5) { self.filter(kind, depth - 1) } else { self.path() };
        let path = if path.contains(['|', ',', ' ']) { format!("({path})") } else { path };
        let right = if self.random.once_in(2) { self.simple('*') } else { self.filter('*', depth - 1) };
        format!("{path} {operator} ({right})")
    }

    fn condition(&mut self, kind: char, depth: usize) -> String {
        let (test, then) = (self.filter(kind, depth - 1), self.filter(kind, depth - 1));
        let other = match self.random.below(4) {
            0 => String::new(),
            1 => format!(" elif {} then {} else {}", self.simple(kind), self.simple(kind), self.simple(kind)),
            2 => format!(" elif {} then {}", self.simple(kind), self.simple(kind)),
            _ => format!(" else {}", self.filter(kind, depth - 1)),
        };
        format!("if {test} then {then}{other} end")
    }

    fn attempt(&mut self, kind: char, depth: usize) -> String {
        let body = self.filter(kind, depth - 1);
        match self.random.below(6) {
            0 => format!("({body})?"),
            1 => format!("try ({body})"),
            2 => format!("[.[]? | try ({body}) catch .]"),
            3 => format!("try error({body}) catch ."),
            4 => format!("try ({body}) catch ({})", self.filter('*', depth - 1)),
            _ => format!("try ({body}) catch ."),
        }
    }

    /// A pattern of a binding; the names that it makes are put into scope.
    fn pattern(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.once_in(2) {
            let name = self.random.pick(&["x", "y", "z"]).to_owned();
            self.variables.push(name.clone());
            return format!("${name}");
        }
        let count = 1 + self.random.below(2);
        let inner: Vec<String> = (0..count).map(|_| self.pattern(depth - 1)).collect();
        if self.random.once_in(2) {
            return format!("[{}]", inner.join(", "));
        }
        let members: Vec<String> = inner
            .into_iter()
            .map(|pattern| match self.random.below(6) {
                0 => {
                    self.variables.push("a".to_owned());
                    "$a".to_owned()
                }
                1 => {
                    self.variables.push("b".to_owned());
                    format!("$b: {pattern}")
                }
                2 => format!("(\"a\", \"b\"): {pattern}"),
                3 => format!("\"k\\(1)\": {pattern}"),
                4 => format!("\"b\": {pattern}"),
                _ => format!("{}: {pattern}", self.random.pick(&["a", "b", "key"])),
            })
            .collect();
        format!("{{{}}}", members.join(", "))
    }

    fn binding(&mut self, kind: char, depth: usize) -> String {
        let source = self.random.pick(&[
            ".",
            ".",
            ".[]?",
            ".a?",
            "(1, 2)",
            "[1, [2]]",
            "{\"a\":1,\"b\":[2]}",
            ".[0]?",
        ]);
        let before = self.variables.len();
        let mut pattern = self.pattern(2);
        for _ in 0..self.random.below(4).saturating_sub(1) {
            pattern = format!("{pattern} ?// {}", self.pattern(2));
        }
        let body = self.filter(kind, depth - 1);
        self.variables.truncate(before);
        format!("{source} as {pattern} | {body}")
    }

    fn fold(&mut self, kind: char, depth: usize) -> String {
        let source =
            self.random.pick(&[".[]?", "range(3)", "(1, 2)", ".. | numbers", "empty", "limit(4; .[]?)"]);
        let source = if source.contains(' ') { format!("({source})") } else { source.to_owned() };
        let before = self.variables.len();
        let pattern = self.pattern(1);
        let start = if self.random.once_in(2) { "0".to_owned() } else { self.simple(kind) };
        let variable = self.variables.last().cloned().unwrap_or_default();
        let update = match self.random.below(4) {
            0 => format!(". + ${variable}"),
            1 => format!("[., ${variable}]"),
            2 => self.filter('*', depth - 1),
            _ => self
                .random
                .pick(&[". + 1", ".", "empty", "(., 1)", "error", "tojson", ".[0]?", ". * 2"])
                .to_owned(),
        };
        let text = match self.random.below(3) {
            0 => format!("reduce {source} as {pattern} ({start}; {update})"),
            1 => format!("foreach {source} as {pattern} ({start}; {update})"),
            _ => {
                format!("foreach {source} as {pattern} ({start}; {update}; {})", self.filter('*', depth - 1))
            }
        };
        self.variables.truncate(before);
        if self.random.once_in(2) { format!("[{text}]") } else { text }
    }

    fn definition(&mut self) -> String {
        self.names += 1;
        let name = match self.random.below(6) {
            0 => self.random.pick(&["map", "length", "add", "first"]).to_owned(),
            _ => format!("f{}", self.names),
        };
        let before = (self.variables.len(), self.functions.len());
        let definition = match self.random.below(5) {
            0 => {
                self.functions.push(("g".to_owned(), 0));
                (format!("def {name}(g): {};", self.filter('*', 1)), 1)
            }
            1 => {
                self.variables.push("p".to_owned());
                (format!("def {name}($p): {};", self.filter('*', 1)), 1)
            }
            2 => {
                self.variables.push("q".to_owned());
                self.functions.push(("g".to_owned(), 0));
                (format!("def {name}(g; $q): {};", self.filter('*', 1)), 2)
            }
            3 => (
                format!(
                    "def {name}: {};",
                    self.random
                        .pick(&[
                            "def i: . + 1; i | i",
                            "if type == \"number\" and . < 3 then . + 1 | f0 else . end",
                            ".",
                            "[.]"
                        ])
                        .replace("f0", &name)
                ),
                0,
            ),
            _ => (format!("def {name}: {};", self.filter('*', 1)), 0),
        };
        self.variables.truncate(before.0);
        self.functions.truncate(before.1);
        self.functions.push((name, definition.1));
        definition.0
    }
}

/// The program with tokens deleted, doubled or put in.
pub(super) fn damaged(random: &mut Random, program: &str) -> String {
    let mut characters: Vec<char> = program.chars().collect();
    let at = random.below(characters.len().max(1)).min(characters.len().saturating_sub(1));
    match random.below(3) {
        0 if !characters.is_empty() => {
            characters.remove(at);
        }
        1 => characters.truncate(at),
        _ => {
            let token = random.pick(&[
                "(", ")", "[", "]", "{", "}", "|", ",", ";", ":", "\"", "'", "\\", "@", "$", "$x", "..", ".",
                "as", "def", "if", "end", "then", "else", "try", "catch", "reduce", "?//", "//=", "!=", "=",
                "%", "#", "@foo", "é", "label", "and", "import", "__loc__", "1.", ".1", "?", "$__loc__",
                "0x1", "!", "&", "~", "^", "\u{7f}", "nope", "nope(1)", "\n",
            ]);
            characters.splice(at..at, token.chars());
        }
    }
    characters.into_iter().collect()
}
