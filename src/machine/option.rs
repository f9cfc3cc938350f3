//! Options of `set -o` and `shopt` as bits; one table with their names. Bash manual 4.3.1, 4.3.2.

use crate::memory::Vec;

/// What is known of an option.
pub(crate) struct ShellOptionRow {
    pub(crate) option: ShellOption,
    pub(crate) name: &'static str,
    pub(crate) letter: Option<u8>,
    /// `set -o` has it, else `shopt`.
    pub(crate) in_set: bool,
    /// It is on in a script.
    is_on: bool,
}

macro_rules! options {
    ($($name:ident $text:literal $letter:tt $set:literal $default:literal;)*) => {
        /// An option.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum ShellOption { $(#[doc = concat!("`", $text, "`")] $name,)* }

        /// Every option.
        pub(crate) const OPTIONS: &[ShellOptionRow] = &[$(ShellOptionRow {
            option: ShellOption::$name,
            name: $text,
            letter: $letter,
            in_set: $set,
            is_on: $default,
        }),*];
    };
}

options! {
    AllExport "allexport" (Some(b'a')) true false;
    BraceExpand "braceexpand" (Some(b'B')) true true;
    Emacs "emacs" None true false;
    ErrExit "errexit" (Some(b'e')) true false;
    ErrTrace "errtrace" (Some(b'E')) true false;
    FuncTrace "functrace" (Some(b'T')) true false;
    HashAll "hashall" (Some(b'h')) true true;
    HistExpand "histexpand" (Some(b'H')) true false;
    History "history" None true false;
    IgnoreEof "ignoreeof" None true false;
    InteractiveComments "interactive-comments" None true true;
    Keyword "keyword" (Some(b'k')) true false;
    Monitor "monitor" (Some(b'm')) true false;
    NoClobber "noclobber" (Some(b'C')) true false;
    NoExec "noexec" (Some(b'n')) true false;
    NoGlob "noglob" (Some(b'f')) true false;
    NoLog "nolog" None true false;
    Notify "notify" (Some(b'b')) true false;
    NoUnset "nounset" (Some(b'u')) true false;
    OneCmd "onecmd" (Some(b't')) true false;
    Physical "physical" (Some(b'P')) true false;
    PipeFail "pipefail" None true false;
    Posix "posix" None true false;
    Privileged "privileged" (Some(b'p')) true false;
    Verbose "verbose" (Some(b'v')) true false;
    Vi "vi" None true false;
    XTrace "xtrace" (Some(b'x')) true false;
    AutoCd "autocd" None false false;
    AssocExpandOnce "assoc_expand_once" None false false;
    CdableVars "cdable_vars" None false false;
    CdSpell "cdspell" None false false;
    CheckHash "checkhash" None false false;
    CheckJobs "checkjobs" None false false;
    CheckWinSize "checkwinsize" None false true;
    CmdHist "cmdhist" None false true;
    Compat31 "compat31" None false false;
    Compat32 "compat32" None false false;
    Compat40 "compat40" None false false;
    Compat41 "compat41" None false false;
    Compat42 "compat42" None false false;
    Compat43 "compat43" None false false;
    Compat44 "compat44" None false false;
    CompleteFullquote "complete_fullquote" None false true;
    DirExpand "direxpand" None false false;
    DirSpell "dirspell" None false false;
    DotGlob "dotglob" None false false;
    ExecFail "execfail" None false false;
    ExpandAliases "expand_aliases" None false false;
    ExtDebug "extdebug" None false false;
    ExtGlob "extglob" None false false;
    ExtQuote "extquote" None false true;
    FailGlob "failglob" None false false;
    ForceFignore "force_fignore" None false true;
    GlobAsciiRanges "globasciiranges" None false true;
    GlobSkipDots "globskipdots" None false true;
    GlobStar "globstar" None false false;
    GnuErrFmt "gnu_errfmt" None false false;
    HistAppend "histappend" None false false;
    HistReEdit "histreedit" None false false;
    HistVerify "histverify" None false false;
    HostComplete "hostcomplete" None false true;
    HupOnExit "huponexit" None false false;
    InheritErrExit "inherit_errexit" None false false;
    InteractiveCommentsShopt "interactive_comments" None false true;
    LastPipe "lastpipe" None false false;
    LitHist "lithist" None false false;
    LocalVarInherit "localvar_inherit" None false false;
    LocalVarUnset "localvar_unset" None false false;
    LoginShell "login_shell" None false false;
    MailWarn "mailwarn" None false false;
    NoEmptyCmdCompletion "no_empty_cmd_completion" None false false;
    NoCaseGlob "nocaseglob" None false false;
    NoCaseMatch "nocasematch" None false false;
    NoExpandTranslation "noexpand_translation" None false false;
    NullGlob "nullglob" None false false;
    PatSubReplacement "patsub_replacement" None false true;
    ProgComp "progcomp" None false true;
    ProgCompAlias "progcomp_alias" None false false;
    PromptVars "promptvars" None false true;
    RestrictedShell "restricted_shell" (Some(b'r')) false false;
    ShiftVerbose "shift_verbose" None false false;
    SourcePath "sourcepath" None false true;
    VarRedirClose "varredir_close" None false false;
    XpgEcho "xpg_echo" None false false;
}

/// The options that are levels of compatibility, with their numbers.
const COMPATIBILITY: &[(ShellOption, [u8; 2])] = &[
    (ShellOption::Compat31, *b"31"),
    (ShellOption::Compat32, *b"32"),
    (ShellOption::Compat40, *b"40"),
    (ShellOption::Compat41, *b"41"),
    (ShellOption::Compat42, *b"42"),
    (ShellOption::Compat43, *b"43"),
    (ShellOption::Compat44, *b"44"),
];

/// Whether it is a level of compatibility.
pub(crate) fn is_compatibility(option: ShellOption) -> bool {
    COMPATIBILITY.iter().any(|(known, _)| *known == option)
}

/// The state of every option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShellOptions(u128);

impl ShellOptions {
    /// The options of a shell that runs a script.
    pub(crate) const SCRIPT: Self = Self::script();

    const fn script() -> Self {
        let mut bits = 0_u128;
        let mut index = 0;
        while index < OPTIONS.len() {
            if OPTIONS[index].is_on {
                bits |= 1 << (OPTIONS[index].option as u8);
            }
            index += 1;
        }
        Self(bits)
    }

    #[inline]
    pub(crate) const fn has(self, option: ShellOption) -> bool {
        self.0 & (1 << (option as u8)) != 0
    }

    pub(crate) fn set(&mut self, option: ShellOption, on: bool) {
        if on {
            self.0 |= 1 << (option as u8);
        } else {
            self.0 &= !(1 << (option as u8));
        }
    }

    /// `$-`: the letters of the options that are on, then `c` for a shell with a command string, `s` for one that reads its
    /// script from standard input.
    pub(crate) fn letters(self, interactive: bool, command_string: bool, input: bool) -> Vec<u8> {
        let mut letters: Vec<u8> = OPTIONS
            .iter()
            .filter(|row| self.has(row.option))
            .filter_map(|row| row.letter)
            .chain(interactive.then_some(b'i'))
            .collect();
        // Bash lists the lower-case letters first.
        letters.sort_by_key(|letter| (letter.is_ascii_uppercase(), *letter));
        if command_string {
            letters.push(b'c');
        }
        if input {
            letters.push(b's');
        }
        letters
    }
}

/// The option with that name in `set -o` (`set`) or `shopt`.
pub(crate) fn find(name: &[u8], set: bool) -> Option<ShellOption> {
    OPTIONS.iter().find(|row| row.in_set == set && row.name.as_bytes() == name).map(|row| row.option)
}

/// The option with that letter.
pub(crate) fn find_letter(letter: u8) -> Option<ShellOption> {
    OPTIONS.iter().find(|row| row.letter == Some(letter)).map(|row| row.option)
}

impl ShellOptions {
    /// `BASH_COMPAT=4.4` or `44`: as `shopt -s compat44`. `false`: there is no such level.
    pub(crate) fn set_compatibility(&mut self, value: &[u8]) -> bool {
        self.forget_compatibility();
        let level = match value {
            [] => return true,
            [major, b'.', minor] | [major, minor] => [*major, *minor],
            _ => return false,
        };
        match COMPATIBILITY.iter().find(|(_, known)| *known == level) {
            Some((option, _)) => self.set(*option, true),
            None => return matches!(&level, b"50" | b"51" | b"52"),
        }
        true
    }

    /// One level is on at most.
    pub(crate) fn forget_compatibility(&mut self) {
        for (option, _) in COMPATIBILITY {
            self.set(*option, false);
        }
    }

    /// What `BASH_COMPAT` shows.
    pub(crate) fn compatibility(self) -> &'static [u8] {
        COMPATIBILITY
            .iter()
            .find(|(option, _)| self.has(*option))
            .map_or(b"52", |(_, level)| level.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_starts_with_bash_defaults() {
        // bash -c 'echo $-' prints hBc
        assert_eq!(ShellOptions::script().letters(false, true, false), b"hBc");
        assert!(OPTIONS.len() <= 128);
        assert_eq!(find(b"errexit", true), Some(ShellOption::ErrExit));
        assert_eq!(find(b"errexit", false), None);
    }
}
