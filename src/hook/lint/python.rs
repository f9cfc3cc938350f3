//! What `jq` would do in the place of a short Python program. Of the programs that hooks give to `python3`
//! in a script, one in five reads an object from standard input and prints one member of it; the sandbox has no Python, so the
//! linter says the filter.
//!
//! Statement by statement: imports, names for what was read, one `print` as the last. Anything else has no filter.

/// A program that is longer is not looked at.
const LONGEST: usize = 4096;
/// Parentheses inside each other.
const MOST_NESTING: u32 = 16;

/// What stands for a member that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fallback {
    /// `None`, `{}`, `[]`: no members, as null in jq.
    Nothing,
    EmptyText,
}

/// The value of an expression: a member of what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    /// The filter; empty for the whole.
    path: String,
    default: Fallback,
    /// Whether the program fails where the member is not there (`d["x"]`).
    is_wanted: bool,
}

impl Member {
    fn whole() -> Self {
        Self { path: String::new(), default: Fallback::Nothing, is_wanted: false }
    }

    /// `.path // default`
    fn filter(&self) -> String {
        match self.default {
            Fallback::Nothing => self.path.clone(),
            Fallback::EmptyText => format!("{} // \"\"", self.path),
        }
    }
}

/// The call of `jq` that does what the program does, where it does nothing but print a member of its input.
pub(super) fn as_jq(program: &str) -> Option<String> {
    if program.len() > LONGEST {
        return None;
    }
    let mut names: Vec<(&str, Member)> = Vec::new();
    let mut printed = None;
    for statement in statements(program) {
        if statement.starts_with("import ") {
            continue;
        }
        if printed.is_some() {
            return None;
        }
        let mut text = Text { rest: statement, names: &names };
        if text.take("print(") {
            // The whole would be shown as Python shows it.
            let member = text.expression(0).filter(|member| !member.path.is_empty())?;
            let options = if text.take(",") {
                let joined = text.take("end=''") || text.take("end=\"\"");
                joined.then_some("-j")?
            } else if member.is_wanted && member.default == Fallback::Nothing {
                "-er"
            } else {
                "-r"
            };
            (text.take(")") && text.is_at_end()).then_some(())?;
            printed = Some(format!("jq {options} '{}'", member.filter()));
        } else {
            let name = text.name()?;
            text.take("=").then_some(())?;
            let member = text.expression(0)?;
            text.is_at_end().then_some(())?;
            names.push((name, member));
        }
    }
    printed
}

/// The statements, one after another. Those of `try:` count, and what handles its errors is left out: it prints nothing of
/// the input.
fn statements(program: &str) -> impl Iterator<Item = &str> {
    let lines = program.lines().map(str::trim).take_while(|line| !line.starts_with("except"));
    lines
        .flat_map(|line| line.strip_prefix("try:").unwrap_or(line).split(';'))
        .map(str::trim)
        .filter(|statement| !statement.is_empty() && !statement.starts_with('#'))
}

/// What is left of a statement.
struct Text<'t, 'n> {
    rest: &'t str,
    names: &'n [(&'t str, Member)],
}

impl<'t> Text<'t, '_> {
    fn is_at_end(&self) -> bool {
        self.rest.trim_start().is_empty()
    }

    fn take(&mut self, what: &str) -> bool {
        match self.rest.trim_start().strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let text = self.rest.trim_start();
        let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        self.rest = rest;
        is_name.then_some(name)
    }

    /// A text without escapes.
    fn text(&mut self) -> Option<&'t str> {
        let text = self.rest.trim_start();
        let quote = text.chars().next().filter(|letter| matches!(letter, '\'' | '"'))?;
        let (value, rest) = text.strip_prefix(quote)?.split_once(quote)?;
        let is_plain =
            value.chars().all(|letter| !letter.is_control() && !matches!(letter, '\\' | '\'' | '"'));
        self.rest = rest;
        is_plain.then_some(value)
    }

    /// `member or ''`
    fn expression(&mut self, nesting: u32) -> Option<Member> {
        let mut member = self.member(nesting)?;
        while self.take("or ") {
            member.default = self.default()?;
        }
        Some(member)
    }

    /// `d.get('a', {}).get('b')`, `d['a']`, `(d.get('a') or {}).get('b')`
    fn member(&mut self, nesting: u32) -> Option<Member> {
        let mut member = self.root(nesting)?;
        loop {
            let (key, default, is_wanted) = if self.take(".get(") {
                let key = self.text()?;
                let default = if self.take(",") { self.default()? } else { Fallback::Nothing };
                self.take(")").then_some(())?;
                (key, default, false)
            } else if self.take("[") {
                let key = self.text()?;
                self.take("]").then_some(())?;
                (key, Fallback::Nothing, true)
            } else {
                return Some(member);
            };
            let is_name = key.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
                && key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let step = match (is_name, member.path.is_empty()) {
                (true, _) => format!(".{key}"),
                (false, true) => format!(".[\"{key}\"]"),
                (false, false) => format!("[\"{key}\"]"),
            };
            member.path.push_str(&step);
            member.default = default;
            member.is_wanted = is_wanted || member.is_wanted && default == Fallback::Nothing;
        }
    }

    fn root(&mut self, nesting: u32) -> Option<Member> {
        if self.take("json.load(sys.stdin)") || self.take("json.loads(sys.stdin.read())") {
            return Some(Member::whole());
        }
        if nesting < MOST_NESTING && self.take("(") {
            let member = self.expression(nesting.saturating_add(1))?;
            self.take(")").then_some(())?;
            return Some(member);
        }
        let name = self.name()?;
        self.names.iter().rev().find(|(known, _)| *known == name).map(|(_, member)| member.clone())
    }

    /// What an expression has in the place of nothing.
    fn default(&mut self) -> Option<Fallback> {
        if self.take("{}") || self.take("[]") || self.take("None") {
            return Some(Fallback::Nothing);
        }
        self.text()?.is_empty().then_some(Fallback::EmptyText)
    }
}

#[cfg(test)]
mod tests {
    use super::as_jq;

    #[test]
    fn programs_that_print_a_member_have_a_filter() {
        for (program, call) in [
            (
                "import json,sys; print(json.load(sys.stdin)['tool_input']['command'])",
                "jq -er '.tool_input.command'",
            ),
            (
                "import sys, json\nd = json.load(sys.stdin)\nprint(d.get('tool_input', {}).get('file_path', ''))\n",
                "jq -r '.tool_input.file_path // \"\"'",
            ),
            (
                "import sys,json\ntry:\n  d=json.loads(sys.stdin.read())\n  t = d.get(\"tool_input\") or {}\n  print(t.get(\"x-y\") or \"\")\nexcept Exception:\n  print(\"\")",
                "jq -r '.tool_input[\"x-y\"] // \"\"'",
            ),
            (
                "import json,sys; d=json.load(sys.stdin); print((d.get('a') or {}).get('b',''), end='')",
                "jq -j '.a.b // \"\"'",
            ),
            ("import json,sys\nprint(json.load(sys.stdin).get('prompt'))", "jq -r '.prompt'"),
        ] {
            assert_eq!(as_jq(program).as_deref(), Some(call), "{program}");
        }
    }

    #[test]
    fn other_programs_have_none() {
        let deep = format!("print({}json.load(sys.stdin){})", "(".repeat(40), ")".repeat(40));
        let long = format!("print(json.load(sys.stdin)){}", " ".repeat(5000));
        for program in [
            "",
            "import json",
            "print(1)",
            "print(d.get('a'))",
            "import json,sys; print(json.load(sys.stdin))",
            "import json,sys; print(len(json.load(sys.stdin)))",
            "import json,sys; d=json.load(sys.stdin); print(d.get('a','none'))",
            "import json,sys; d=json.load(sys.stdin); print(d['a'] if d else '')",
            "import json,sys; d=json.load(sys.stdin); print(d.get('a')); print(d.get('b'))",
            "import json,sys; d=json.load(sys.stdin); print(d.get('a\\n'))",
            "import json,sys; d=json.load(sys.stdin); print(d.get('a').strip())",
            "import json,sys; d=json.load(sys.stdin); print(d.get('a'), file=sys.stderr)",
            deep.as_str(),
            long.as_str(),
        ] {
            assert_eq!(as_jq(program), None, "{program}");
        }
    }
}
