//! Random statements of constructs that stand alone: one row for each section of bash's manual, and more for those with many
//! options. `§w` is a word, `§v` a value, `§a` an expression, `§p` a pattern, `§d` a word in double quotes, `§n` a small number.

use super::Statement;
use super::random::Random;
use super::word::{arithmetic, double, pattern, word};

const ROWS: &[&str] = &[
    // 3.2.3, 3.2.4 Pipelines and lists
    "echo §w |& tr a-c A-C; show \"${PIPESTATUS[@]}\"",
    "! false | true; show \"$?\" \"${PIPESTATUS[*]}\"",
    "(exit §n) | (exit 3) | true; show \"${PIPESTATUS[@]}\" $?",
    "true && false || echo §w && echo and",
    "{ echo §w; false; } && echo yes || echo no $?",
    // 3.2.5 Compound commands
    "select v in §w §v; do show \"$v\" \"$REPLY\"; break; done <<<§n",
    "PS3='pick '; select v in a b; do echo \"$v\"; done <<<$'2\\n9\\n\\n1'",
    "for ((x = §n, y = 0; x > 0; x--, y += 2)); do show $x $y; done",
    "for ((;;)); do ((++z > 2)) && break; echo $z; done",
    "for x; do show \"$x\"; done",
    "for x in 1 2 3; do for y in a b; do [[ $y == §p ]] && continue 2; show $x $y; done; done",
    "for x in 1 2; do while :; do break 2; done; done; echo out $x",
    "until ((n++ > 2)); do echo $n; done",
    "case §w in §p) echo 1;;& §p) echo 2;& §p) echo 3;; *) echo 4;; esac",
    "case §d in (a|b*) echo p;; ('§p') echo q;; esac",
    "[[ §d =~ §d ]]; show $? \"${BASH_REMATCH[@]}\"",
    "[[ $a =~ ^(.)([^.]*)(.*)$ ]] && show \"${BASH_REMATCH[@]}\"",
    "[[ ! ( §d == §p || -n $u ) && §d < §d ]]; echo $?",
    "[[ -v a && -v arr[§n] || -v m[k] ]]; echo $?",
    // 3.2.6 Coprocesses
    "coproc { read -r l; echo \"co $l\"; }; echo §w >&\"${COPROC[1]}\"; read -r l <&\"${COPROC[0]}\"; show \"$l\"; wait",
    "coproc CO { tr a-c A-C; }; echo §d >&\"${CO[1]}\"; exec {CO[1]}>&-; cat <&\"${CO[0]}\"; wait",
    // 3.3 Functions
    "g1() { show \"$FUNCNAME\" \"${#FUNCNAME[@]}\" \"$#\" \"${@:2}\"; }; g1 §w §w",
    "g2() ( a=§v; show \"$a\"; exit §n ); g2; echo $? \"$a\"",
    "function g3 { local a=§w b; b=$a; show \"$a\" \"$b\"; unset a; show \"${a-unset}\"; }; g3; show \"$a\"",
    "g4() { echo in; echo err >&2; } >o1 2>&1; g4; cat o1",
    "g5() { (($1 > 2)) && return $1; g5 $(($1 + 1)); echo $1 $?; }; g5 §n; echo $?",
    "g6() { local -; set -f; echo *; }; g6; echo *1",
    "g7() { declare -g gv=§w; declare gl=1; typeset -i gi=§a; echo \"$gi\"; }; g7; show \"$gv\" \"${gl-unset}\"",
    "g8() { local -n ref=$1; ref=§v; show \"${!ref}\"; }; g8 b; show \"$b\"",
    "g9() { trap 'echo ret $?' RETURN; return §n; }; g9; echo $?; trap - RETURN",
    "g10() { local arr=(§w x); local -A m=([q]=§v); declare -p arr m; }; g10; declare -p arr",
    "g11() { caller; caller 0; echo \"${BASH_LINENO[0]}\" \"${BASH_SOURCE[0]}\"; }; g11",
    "unset -f g1; g1 2>&1; type -t g1 || echo none",
    "declare -F f1 show; declare -f f1",
    // 3.4 Parameters
    "show \"$#\" \"$*\" \"${@: -1}\" \"${*:1:1}\" \"${#*}\" \"$0\"",
    "set -- §w §w; shift; show \"$@\"; shift 3; echo $?",
    "set -- -a 1 -b; while getopts ab:c o; do show \"$o\" \"${OPTARG-}\" \"$OPTIND\"; done; OPTIND=1",
    "while getopts :x:y o -x §w -q -y -x; do show \"$o\" \"${OPTARG-}\"; done; OPTIND=1",
    "echo \"$-\"; echo \"${0##*/}\"; : §w; show \"$_\"",
    "declare -n r1=a; r1+=§v; show \"$r1\" \"${!r1}\" \"${r1@Q}\"; unset -n r1",
    "declare -n r2=arr; r2[1]=§v; r2+=(§w); show \"${r2[@]}\" \"${!r2}\"; unset -n r2",
    "declare -n r3=m; show \"${r3[k]}\" \"${#r3[@]}\"; unset -n r3",
    // 3.5 Expansions
    "echo {§n..3}{a,§v} {x,y{1..2},z} {a..e..2} {5..1..2} pre{,§w}post",
    "echo ~ ~/x ~+ ~- a=~ ~/§w",
    "show \"${!a*}\" ${!arr@} \"${!m[@]}\" ${!b@}",
    "show \"${a@Q}\" \"${arr[@]@Q}\" \"${m[@]@K}\" \"${arr[*]@A}\" \"${a@A}\" \"${n@a}\" \"${arr[@]@a}\"",
    "show \"${a@U}\" \"${b@u}\" \"${c@L}\" \"${a@E}\" \"${arr[@]@U}\" \"${m@a}\" \"${arr[@]@k}\"",
    "show \"${a/§p/<&>}\" \"${arr[@]/#§p/x}\" \"${a//§p}\" \"${*/%§p/\\&}\"",
    "show \"${a:§n}\" \"${a:1:§n}\" \"${arr[@]:§n:2}\" \"${@:0:2}\" \"${a: -2}\"",
    "show ${u:-§w} \"${u:-§d}\" ${a:+§w} \"${a+§v}\" \"${#a}\" ${#arr[@]}",
    "show \"${v1:=§v}\" \"$v1\"; unset v1",
    "(: ${u?§v}; echo no); echo $?",
    "(: ${u:?}; echo no); echo $?; (: ${n:?}; echo yes)",
    "show $(echo §w; echo §d) \"$(printf '%s\\n\\n' §w)\" `echo §v`",
    "show $((§a)) $[n + §n] \"$((n ? §a : 0))\"",
    "((n = §a)) && echo yes || echo no; let n+=2 'm2 = n * 2'; echo $n $m2",
    "cat <(echo §w) <(printf '%s\\n' §d) | sort",
    "echo §w > >(cat >o1); wait $!; sleep 0.02; cat o1",
    "while read -r l; do show \"$l\"; done < <(printf '%s\\n' §w x)",
    "IFS=: ; set -- $PATH; show \"$#\" \"$1\"; unset IFS",
    "IFS=,; w=(§v,x); show \"${w[*]}\" $a; IFS=$' \\t\\n'",
    "shopt -s nullglob; show nope* *1; shopt -u nullglob",
    "shopt -s failglob; echo nope*; echo $?\nshopt -u failglob",
    "shopt -s globstar dotglob; echo **/x **; shopt -u globstar dotglob",
    "GLOBIGNORE='a1:*.txt'; echo *; unset GLOBIGNORE",
    // 3.6 Redirections
    "exec 4<b.txt; read -r -u 4 l; show \"$l\"; read -r l <&4; show \"$l\"; exec 4<&-",
    "exec {fd}>o1; echo §w >&$fd; exec {fd}>&-; cat o1",
    "{ echo out; echo err >&2; } 2>&1 >o1 | sed 's/^/p /'; cat o1",
    "echo §w >o1 >o2; cat o1 o2; cat <b.txt <a1",
    "echo §w 1>&2 2>/dev/null; echo x 2>&- >&2; echo $?",
    "echo a >&7; echo $?; cat <nope; echo $?; echo a >/; echo $?",
    "set -C; echo a >a1; echo $?; echo §w >|a1; cat a1; set +C",
    "cat <<<§w; cat <<<\"§v $a\"; read -r x y <<<§d; show \"$x\" \"$y\"",
    "cat <<A; cat <<'B'\n$a ${n} $((n + 1)) `echo b`\nA\n$a \\$\nB",
    "cat <<-E | tr a-c A-C\n\t\t§w\n\t$a\n\tE",
    "echo §w &>o1; echo b &>>o1; cat o1; echo c >>o1; wc -l <o1",
    "exec 3>&1; v=$(echo §w; echo shown >&3); exec 3>&-; show \"$v\"",
    "{ read -r l; cat; } <b.txt; head -n 1 <b.txt",
    // 3.7 Executing commands
    "a=§v b=§w bash -c 'echo \"$a\" \"$b\" \"$0\" \"$@\"' name §w",
    "v=1 eval 'echo $v'; echo \"${v-unset}\"; nosuch §w; echo $?",
    "(a=§w; n=9; cd d; pwd >/dev/null; exit §n); echo $? \"$a\" $BASH_SUBSHELL",
    "echo \"$BASH_SUBSHELL\" $(echo $BASH_SUBSHELL) $( (echo $BASH_SUBSHELL) )",
    "trap 'echo usr1' USR1; kill -USR1 $$; trap - USR1",
    "trap 'echo err $?' ERR; false; (exit §n); true; trap - ERR",
    "trap 'echo dbg' DEBUG; :; echo §w; trap - DEBUG",
    "trap 'echo bye' EXIT; trap -p EXIT; trap - EXIT; trap -p",
    "(trap 'echo sub $?' EXIT; exit §n); echo $?",
    "trap '' USR1; kill -USR1 $$; echo alive; trap - USR1; trap",
    // 4.1, 4.2 Builtins
    "read -r -a w -d : <<<'1 2:3'; show \"${w[@]}\"; read -n 3 v <<<§w; show \"$v\"; read -N 2 v <<<§v; show \"$v\"",
    "read -r v w x <b.txt; show \"$v\" \"$w\" \"$x\"; read -t 0 <b.txt; echo $?; read nope-name <b.txt; echo $?",
    "printf '%s|%5s|%-5s|%05d|%x|%c|%b|%q\\n' §w ab cd 42 255 xyz 'a\\tb' §v",
    "printf '%d %i %u %o %e %g\\n' 0x1f 010 \"'a\" 8 1.5 0.0001; printf '%s\\n'; printf '%d\\n' §w",
    "printf -v v '%s.' §w §w; show \"$v\"; printf -v 'arr[2]' '%03d' §n; show \"${arr[2]}\"; printf '%(%Y)T\\n' 0",
    "printf '%.*s|%*d|%%|%n' 2 abc 4 5; printf '%q ' '' 'a b' $'x\\ny' '~' \\#; echo",
    "mapfile -t w <b.txt; show \"${#w[@]}\" \"${w[@]}\"; mapfile -n 1 -s 1 w <b.txt; show \"${w[@]}\"",
    "mapfile -t -O 2 w <<<§w; declare -p w; mapfile -t -d : w <<<'a:b:c'; declare -p w; unset w",
    "mapfile -t -C 'show cb' -c 1 w <b.txt; unset w",
    "pushd d >/dev/null; show \"${DIRSTACK[1]##*/}\"; popd >/dev/null; dirs +7; echo $?; popd; echo $?",
    "cd d && show \"${OLDPWD##*/}\" && cd - >/dev/null; cd nope; echo $?; cd a1; echo $?",
    "declare -i i1=§n; i1+=2; i1='i1 * 2'; show \"$i1\"; declare +i i1; i1+=2; show \"$i1\"; declare -p i1; unset i1",
    "declare -u up=§v; declare -l lo1=§v; show \"$up\" \"$lo1\"; up+=x; show \"$up\"; unset up lo1",
    "declare -r ro=§v; ro=2; echo $?\nunset ro; echo $?",
    "readonly rx=1; (rx=2; echo no); echo $?; declare rx=3; echo $?; export rx; declare -p rx",
    "declare -x ex=§w; bash -c 'echo \"$ex\"'; export -n ex; bash -c 'echo \"${ex-unset}\"'; export -p | grep -c ex",
    "declare -a d1; d1[3]=§v; declare -p d1; d1+=([1]=x y); declare -p d1; unset 'd1[3]'; declare -p d1; unset d1",
    "declare -A d2=([a]=1 [b c]=§v); d2[a]+=2; d2+=([z]=3); show \"${d2[a]}\" \"${d2[b c]}\" ${#d2[@]}; unset 'd2[a]'; declare -p d2; unset d2",
    "declare -A d3=(k1 §v k2); declare -p d3; unset d3",
    "arr[§n]+=§v; arr=(\"${arr[@]}\" §w); unset 'arr[0]'; show \"${!arr[@]}\"; arr=([3]=a b [1]=c); declare -p arr",
    "local nope=1; return 3 2>/dev/null; echo $?; declare -p nosuchvar; echo $?; unset nosuchvar; echo $?",
    "type -t echo if f1 nope cat; type -a true | head -n 1; command -v f1 cd nope; echo $?; command -V echo",
    "alias; alias x1='echo §v'; alias x1; unalias x1; unalias x1; echo $?",
    "shopt -s expand_aliases; alias al='show al'\nal §w; unalias al",
    "eval 'if'; echo $?; eval 'echo §v; )'; echo $?; eval 'done'; echo $?",
    "printf 'show \"$@\" \"$#\"\\nreturn %s\\n' §n >s1; . ./s1 §w; echo $?; source s1; echo $?; . ./nope; echo $?",
    "set -x; echo §w; v=§v; [[ $v == §p ]]; ((n + 1)); for x in 1; do :; done; { set +x; } 2>/dev/null",
    "set -a; ax=§w; set +a; declare -p ax; set -u; (echo $nosuch); echo $?; set +u",
    "set -o pipefail; false | true; echo $?; set +o pipefail; set -o | grep -c off",
    "set -e; f1 x || true; if false; then :; fi; set +e; echo \"$-\"",
    "set -f; echo *; set +f; set -B; set +B; echo {a,b}; set -B; shopt -q extglob; echo $?; shopt nocasematch",
    "shopt -s xpg_echo; echo 'a\\tb'; shopt -u xpg_echo; echo -e 'a\\tb\\x41\\c' x; echo -n §w; echo -E 'a\\n'",
    "shopt -s lastpipe; echo §w | read -r lp; show \"${lp-unset}\"; shopt -u lastpipe",
    "shopt -s nocasematch; [[ ABC == §p ]]; echo $?; case FOO in f*) echo ci;; esac; shopt -u nocasematch",
    "sleep 0.01 & p=$!; wait $p; echo $?; (exit §n) & wait $!; echo $?; wait 99999; echo $?",
    "(exit 4) & wait -n -p wp; echo $? $((wp > 0)); wait -n; echo $?; jobs; kill -0 $!; echo $?",
    "sleep 5 & kill $!; wait $!; echo $?; kill -l 9 15 INT; kill -l 143; kill -s nope 1; echo $?",
    "umask 027; umask; umask -S; umask u=rwx,g=,o=; umask; umask 022",
    "hash -r; hash nope; echo $?; enable -n test; type -t test; enable test; builtin nope; echo $?",
    "test §d -a §d; echo $?; [ ! -f a1 -o -d d ]; echo $?; [ §d = §d ]; echo $?; [ 1 -lt x ]; echo $?; [ a b ]; echo $?; test",
    "[ -f a1 ] && [ -s a2 ]; echo $?; [ a1 -nt nope ]; echo $?; [ '(' a ')' ]; echo $?; [ -z '' -a ! -n '' ]; echo $?",
    "let; echo $?; let 'n = §a' || echo zero; echo $n; let n++ --n; echo $?",
    "exec 5<&0 5<&-; echo $?; exec 6>o1; (echo sub >&6); exec 6>&-; cat o1; times >/dev/null; echo $?",
    "shift -1; echo $?; break; echo $?; continue 2; echo $?; return; echo $?; cd a b; echo $?; exit_nope; echo $?",
    "help nosuch 2>/dev/null; echo $?; ulimit -c >/dev/null; echo $?; compgen -W 'a1 b2 §v' -- a; echo $?; compgen -v nosuch; echo $?",
    "complete -W 'x y' foo; complete -p foo; complete -r foo; complete -p foo; echo $?",
    // 5 Variables, 6 Features
    "SECONDS=5; ((SECONDS >= 5)); echo $?; RANDOM=1; ((RANDOM >= 0)); echo $?; LINENO=3; BASH_ARGV0=x; echo \"${EUID:+set}\"",
    "show \"${BASH_VERSINFO[0]}\" \"${FUNCNAME-none}\" \"${GROUPS:+set}\" \"$OPTIND\" \"${PPID:+set}\" \"${HOSTTYPE:+set}\"",
    "REPLY=old; read <<<\"  §v  \"; show \"$REPLY\"; TIMEFORMAT=%R; OPTERR=0; getopts a x -z; show \"$x\"; OPTIND=1",
    "bash -c 'echo $# \"$@\"; exit §n' x §w; echo $?; echo 'echo \"in $1\"' | bash -s §w; bash -c 'echo )'; echo $?",
    "bash -n -c 'echo no'; bash -e -c 'false; echo no'; echo $?; bash -u -c 'echo $nosuch'; echo $?; bash --posix -c 'echo $POSIXLY_CORRECT'",
    "set -o posix; a=§v : ; f1 x; export v=§w; set +o posix",
    "PS4='+$LINENO '; set -x; : §d; set +x; PS4='+ '",
];

/// A random row.
pub(super) fn line(random: &mut Random) -> String {
    let row = ROWS[random.below(ROWS.len())];
    let mut out = String::new();
    let mut parts = row.split('§');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let text = match part.as_bytes().first() {
            Some(b'w') => word(random, 1),
            Some(b'v') => {
                random.pick(&["abc", "'a b'", "5", "x*", "''", "'q\"r'", "Foo", "1:2", "héé"]).to_owned()
            }
            Some(b'a') => arithmetic(random, 1),
            Some(b'p') => pattern(random),
            Some(b'd') => double(random, 1),
            _ => random.pick(&["0", "1", "2", "3"]).to_owned(),
        };
        out.push_str(&text);
        out.push_str(part.get(1..).unwrap_or_default());
    }
    out
}

/// Statements of which each has its row.
pub(super) fn statements(random: &mut Random) -> Vec<Statement> {
    (0..=random.below(4)).map(|_| Statement::Line(line(random))).collect()
}
