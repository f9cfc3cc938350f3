//! Options of `set -o` and `shopt` as bits; one table with their names. Bash manual 4.3.1, 4.3.2.
use crate::memory::Vec;

macro_rules! options {
    ($($name:ident $text:literal $letter:literal $set:literal $default:literal;)*) => {
        /// An option.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum ShellOption { $(#[doc = concat!("`", $text, "`")] $name,)* }

        /// Every option: its name, its letter (NUL: none), whether `set -o` has it (else `shopt`), whether it is on in a
        /// script.
        pub(crate) const OPTIONS: &[(ShellOption, &str, u8, bool, bool)] =
            &[$((ShellOption::$name, $text, $letter, $set, $default)),*];
    };
}

options! {
    AllExport "allexport" b'a' true false;
    BraceExpand "braceexpand" b'B' true true;
    Emacs "emacs" 0 true false;
    ErrExit "errexit" b'e' true false;
    ErrTrace "errtrace" b'E' true false;
    FuncTrace "functrace" b'T' true false;
    HashAll "hashall" b'h' true true;
    HistExpand "histexpand" b'H' true false;
    History "history" 0 true false;
    IgnoreEof "ignoreeof" 0 true false;
    InteractiveComments "interactive-comments" 0 true true;
    Keyword "keyword" b'k' true false;
    Monitor "monitor" b'm' true false;
    NoClobber "noclobber" b'C' true false;
    NoExec "noexec" b'n' true false;
    NoGlob "noglob" b'f' true false;
    NoLog "nolog" 0 true false;
    Notify "notify" b'b' true false;
    NoUnset "nounset" b'u' true false;
    OneCmd "onecmd" b't' true false;
    Physical "physical" b'P' true false;
    PipeFail "pipefail" 0 true false;
    Posix "posix" 0 true false;
    Privileged "privileged" b'p' true false;
    Verbose "verbose" b'v' true false;
    Vi "vi" 0 true false;
    XTrace "xtrace" b'x' true false;
    AutoCd "autocd" 0 false false;
    AssocExpandOnce "assoc_expand_once" 0 false false;
    CdableVars "cdable_vars" 0 false false;
    CdSpell "cdspell" 0 false false;
    CheckHash "checkhash" 0 false false;
    CheckJobs "checkjobs" 0 false false;
    CheckWinSize "checkwinsize" 0 false true;
    CmdHist "cmdhist" 0 false true;
    Compat31 "compat31" 0 false false;
    Compat32 "compat32" 0 false false;
    Compat40 "compat40" 0 false false;
    Compat41 "compat41" 0 false false;
    Compat42 "compat42" 0 false false;
    Compat43 "compat43" 0 false false;
    Compat44 "compat44" 0 false false;
    CompleteFullquote "complete_fullquote" 0 false true;
    DirExpand "direxpand" 0 false false;
    DirSpell "dirspell" 0 false false;
    DotGlob "dotglob" 0 false false;
    ExecFail "execfail" 0 false false;
    ExpandAliases "expand_aliases" 0 false false;
    ExtDebug "extdebug" 0 false false;
    ExtGlob "extglob" 0 false false;
    ExtQuote "extquote" 0 false true;
    FailGlob "failglob" 0 false false;
    ForceFignore "force_fignore" 0 false true;
    GlobAsciiRanges "globasciiranges" 0 false true;
    GlobSkipDots "globskipdots" 0 false true;
    GlobStar "globstar" 0 false false;
    GnuErrFmt "gnu_errfmt" 0 false false;
    HistAppend "histappend" 0 false false;
    HistReEdit "histreedit" 0 false false;
    HistVerify "histverify" 0 false false;
    HostComplete "hostcomplete" 0 false true;
    HupOnExit "huponexit" 0 false false;
    InheritErrExit "inherit_errexit" 0 false false;
    InteractiveCommentsShopt "interactive_comments" 0 false true;
    LastPipe "lastpipe" 0 false false;
    LitHist "lithist" 0 false false;
    LocalVarInherit "localvar_inherit" 0 false false;
    LocalVarUnset "localvar_unset" 0 false false;
    LoginShell "login_shell" 0 false false;
    MailWarn "mailwarn" 0 false false;
    NoEmptyCmdCompletion "no_empty_cmd_completion" 0 false false;
    NoCaseGlob "nocaseglob" 0 false false;
    NoCaseMatch "nocasematch" 0 false false;
    NoExpandTranslation "noexpand_translation" 0 false false;
    NullGlob "nullglob" 0 false false;
    PatSubReplacement "patsub_replacement" 0 false true;
    ProgComp "progcomp" 0 false true;
    ProgCompAlias "progcomp_alias" 0 false false;
    PromptVars "promptvars" 0 false true;
    RestrictedShell "restricted_shell" 0 false false;
    ShiftVerbose "shift_verbose" 0 false false;
    SourcePath "sourcepath" 0 false true;
    VarRedirClose "varredir_close" 0 false false;
    XpgEcho "xpg_echo" 0 false false;
}

/// The state of every option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options(u128);

impl Options {
    /// The options of a shell that runs a script.
    pub(crate) const SCRIPT: Self = Self::script();

    const fn script() -> Self {
        let mut bits = 0_u128;
        let mut index = 0;
        while index < OPTIONS.len() {
            if OPTIONS[index].4 {
                bits |= 1 << (OPTIONS[index].0 as u8);
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
            .filter(|(option, _, letter, ..)| *letter != 0 && self.has(*option))
            .map(|(_, _, letter, ..)| *letter)
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
    OPTIONS
        .iter()
        .find(|(_, text, _, in_set, _)| *in_set == set && text.as_bytes() == name)
        .map(|(option, ..)| *option)
}

/// The option with that letter.
pub(crate) fn find_letter(letter: u8) -> Option<ShellOption> {
    OPTIONS.iter().find(|(_, _, own, ..)| *own == letter && letter != 0).map(|(option, ..)| *option)
}

impl Options {
    /// `BASH_COMPAT=4.4` or `44`: as `shopt -s compat44`. `false`: there is no such level.
    pub(crate) fn set_compatibility(&mut self, value: &[u8]) -> bool {
        use ShellOption::{Compat31, Compat32, Compat40, Compat41, Compat42, Compat43, Compat44};
        for option in [Compat31, Compat32, Compat40, Compat41, Compat42, Compat43, Compat44] {
            self.set(option, false);
        }
        let level = match value {
            [] => return true,
            [major, b'.', minor] | [major, minor] => [*major, *minor],
            _ => return false,
        };
        let option = match &level {
            b"31" => Compat31,
            b"32" => Compat32,
            b"40" => Compat40,
            b"41" => Compat41,
            b"42" => Compat42,
            b"43" => Compat43,
            b"44" => Compat44,
            b"50" | b"51" | b"52" => return true,
            _ => return false,
        };
        self.set(option, true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_starts_with_bash_defaults() {
        // bash -c 'echo $-' prints hBc
        assert_eq!(Options::script().letters(false, true, false), b"hBc");
        assert!(OPTIONS.len() <= 128);
        assert_eq!(find(b"errexit", true), Some(ShellOption::ErrExit));
        assert_eq!(find(b"errexit", false), None);
    }
}
