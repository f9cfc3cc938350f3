//! Branches of a script that no hook comes to: for operating systems that the sandbox is not, and for arguments that nobody gives.

use super::script::end_of;

/// Systems by the words of `$OSTYPE` and `uname`.
const OTHERS: &[&str] = &["cygwin", "darwin", "macos", "mingw", "msys", "win32", "windows"];
/// What tells them.
const ASKS: &[&str] = &["ostype", "uname", "$os", "${os", "platform"];
/// Lines before a command in which its branch is looked for.
const NEAR: usize = 40;

/// Whether what stands there is run on other systems alone: behind `if [[ $OSTYPE == darwin* ]]`, in the arm `Darwin)` of a `case`.
pub(super) fn is_for_another(script: &str, offset: usize) -> bool {
    let before = end_of(script.get(..offset).unwrap_or(""));
    for (index, line) in before.rsplit('\n').take(NEAR).enumerate() {
        let line = line.trim().to_ascii_lowercase();
        let is_own_line = index == 0;
        let names = OTHERS.iter().any(|word| line.contains(word));
        let asks = ASKS.iter().any(|word| line.contains(word)) && !line.contains("!=");
        let ends = |word: &str| line.split([' ', ';']).any(|one| one == word);
        if names && asks && !ends("else") && !ends("fi") && !line.ends_with(";;") {
            let is_branch = ["if ", "elif "].iter().any(|word| line.starts_with(word));
            return is_branch || is_own_line && (line.contains("&&") || line.contains("then"));
        }
        // `Darwin) open "$x" ;;`
        let arm = line.split_once(')').map(|(pattern, _)| pattern);
        if let Some(pattern) = arm.filter(|pattern| is_pattern(pattern)) {
            let is_other = |one: &str| OTHERS.iter().any(|word| one.contains(word));
            return (is_own_line || !line.ends_with(";;")) && pattern.split('|').all(is_other);
        }
        if ["elif", "else", "fi", "esac", "done", "}", ";;"].iter().any(|word| line.starts_with(word))
            || line.ends_with(";;")
        {
            return false;
        }
    }
    false
}

/// Whether what stands there is run only where the script has arguments: in `if [ $# -gt 0 ]; then`, from the first column.
pub(super) fn wants_arguments(script: &str, offset: usize) -> bool {
    let before = end_of(script.get(..offset).unwrap_or(""));
    let is_branch = |line: &&str| ["if ", "elif ", "else", "fi"].iter().any(|word| line.starts_with(word));
    before.rsplit('\n').skip(1).find(is_branch).is_some_and(|line| {
        let line = line.replace(['"', '{', '}'], "");
        line.starts_with("if ") && ["$# -gt 0", "$# -ge 1", "$# -ne 0"].iter().any(|test| line.contains(test))
    })
}

/// Whether it is the pattern of an arm: words, stars and bars alone.
fn is_pattern(text: &str) -> bool {
    let text = text.trim_start_matches('(').trim();
    !text.is_empty()
        && text.chars().all(|letter| {
            letter.is_ascii_alphanumeric() || matches!(letter, '*' | '|' | '_' | '-' | '"' | '\'' | ' ')
        })
        && !text.contains("  ")
}

#[cfg(test)]
mod tests {
    use super::{is_for_another, wants_arguments};

    #[test]
    fn branches_with_arguments() {
        for (script, wanted) in [
            ("if [ $# -gt 0 ]; then\n  if x; then\n    y\n  fi\n  §", true),
            ("if [[ \"${#}\" -ge 1 ]]; then\n  §", true),
            ("if [ \"$#\" -ne 0 ]; then\n  §", true),
            ("if [ $# -gt 0 ]; then\n  x\nelse\n  §", false),
            ("if [ $# -gt 0 ]; then\n  x\nfi\n§", false),
            ("if [ $# -gt 1 ]; then\n  §", false),
            ("§", false),
        ] {
            let offset = script.find('§').unwrap();
            assert_eq!(wants_arguments(script, offset), wanted, "{script}");
        }
    }

    #[test]
    fn branches_of_other_systems() {
        for (script, wanted) in [
            ("if [[ \"$OSTYPE\" == \"darwin\"* ]]; then\n  echo a\n  §", true),
            ("if [ x ]; then y\nelif [[ $OSTYPE == msys || $OSTYPE == cygwin ]]; then\n  §", true),
            ("if [ \"$(uname)\" = Darwin ]; then §", true),
            ("[[ $OSTYPE == darwin* ]] && §", true),
            ("case \"$(uname -s)\" in\n  Darwin) §", true),
            ("case \"$(uname -s)\" in\n  Linux) x ;;\n  MINGW*|MSYS*)\n    y\n    §", true),
            ("case \"$(uname -s)\" in\n  Darwin|Linux) §", false),
            ("case \"$(uname -s)\" in\n  Darwin) x ;;\n  Linux) §", false),
            ("case \"$(uname -s)\" in\n  Darwin) x ;;\nesac\n§", false),
            ("if [[ $OSTYPE == darwin* ]]; then\n  x\nelse\n  §", false),
            ("if [[ $OSTYPE == darwin* ]]; then\n  x\nfi\n§", false),
            ("if [ \"$(uname)\" != Darwin ]; then\n  §", false),
            ("if [[ $OSTYPE == linux* ]]; then\n  §", false),
            ("# for darwin, uname\n§", false),
            ("§", false),
        ] {
            let offset = script.find('§').unwrap();
            assert_eq!(is_for_another(script, offset), wanted, "{script}");
        }
    }
}
