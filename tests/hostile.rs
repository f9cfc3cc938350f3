//! Hostile scripts end cleanly: each runs in a child process with a bounded address space, and must end without a signal,
//! in bounded time, with an ordinary status or with a limit that is named.
//!
//! The child is this test binary again, with the name of the case in its environment. `HOSTILE=FILTER cargo test --test
//! hostile -- --nocapture` runs the cases whose name contains the filter and prints how each ended.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::limit::Limits;
use hookbox::sandbox::{End, Sandbox, Script};
use std::fmt::Write as _;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time limit of each run, in milliseconds.
const WALL_TIME_MS: u64 = 1_000;
/// A child that lives longer than this hangs. Generous: a debug build on a busy machine.
const HANG: Duration = Duration::from_secs(20);
/// Address space of a child, in KiB.
const ADDRESS_SPACE_KIB: u32 = 2_000_000;
/// Names the case in a child.
const CASE_VARIABLE: &str = "HOSTILE_CASE";

/// How a run may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// A limit, whichever is met first.
    Limit,
    /// An ordinary end with this status, which is bash's.
    Status(u8),
    /// An ordinary end, with any status.
    Exit,
    /// Either; what counts is that it ends.
    Any,
}
use Want::{Any, Exit, Limit, Status};

/// Name, script, expected end.
const SCRIPTS: &[(&str, &str, Want)] = &[
    // Numbers that do not fit.
    ("number: descriptor", "echo 99999999999>x", Status(0)),
    ("number: descriptor in braces", "exec {x}>f; echo $x", Status(0)),
    ("number: duplicated descriptor", "echo >&99999999999999999999", Any),
    ("number: moved descriptor", "exec 3>&99999999999999999999-", Any),
    ("number: closed descriptor", "exec 99999999999999999999>&-", Any),
    ("number: big descriptor", "exec 1000000000>f; echo x >&1000000000", Any),
    ("number: brace sequence", "echo {1..99999999999999999999999}", Status(0)),
    ("number: brace step", "echo {1..9223372036854775807..9223372036854775807}", Any),
    ("number: brace from the lowest", "echo {-9223372036854775808..9223372036854775807}", Any),
    ("number: brace step lowest", "echo {1..5..-9223372036854775808}", Any),
    ("number: break", "for i in 1 2; do break 99999999999999999999; done", Any),
    ("number: continue", "for i in 1 2; do continue 99999999999999999999; done", Any),
    ("number: break lowest", "for i in 1 2; do break -9223372036854775808; done", Any),
    ("number: exit", "exit 99999999999999999999", Any),
    ("number: exit highest", "exit 9223372036854775807", Status(255)),
    ("number: exit lowest", "exit -9223372036854775808", Status(0)),
    ("number: return", "f() { return 99999999999999999999; }; f", Any),
    ("number: shift", "shift 99999999999999999999", Any),
    ("number: shift highest", "shift 9223372036854775807", Any),
    ("number: printf width", "printf %99999999999d 1", Any),
    ("number: printf precision", "printf %.99999999999d 1", Any),
    ("number: printf huge width", "printf %99999999999999999999s x", Any),
    ("number: printf star", "printf '%*.*f' 2147483647 2147483647 1", Any),
    ("number: printf lowest star", "printf '%*d' -9223372036854775808 1", Any),
    ("number: printf big precision", "printf %.1000000000f 1", Any),
    ("number: printf %q width", "printf %1000000000q x", Any),
    ("number: printf time", "printf '%(%Y)T' 9223372036854775807", Any),
    ("number: printf value", "printf '%d %u %x' 99999999999999999999 -1 -99999999999999999999", Any),
    ("number: printf escape", "printf '\\U7fffffff \\Uffffffff \\777 \\xfff'", Any),
    ("number: echo escape", "echo -e '\\U7fffffff \\Uffffffff \\07777'", Any),
    ("number: dollar quote", "echo $'\\Uffffffff \\777 \\xff \\c'", Any),
    (
        "number: substring",
        "x=abc; echo ${x:99999999999999999999} ${x:1:9999999999999} ${x: -9999999999999}",
        Any,
    ),
    ("number: substring lowest", "x=abc; echo ${x: -9223372036854775808} ${x:1:-9223372036854775808}", Any),
    ("number: slice", "echo ${@:9223372036854775807:9223372036854775807}", Any),
    (
        "number: array slice",
        "a=(1 2); echo ${a[@]:9223372036854775807:9223372036854775807} ${a[@]: -9223372036854775808}",
        Any,
    ),
    ("number: positional", "echo $99999999999999999999 ${99999999999999999999}", Any),
    ("number: subscript", "a[99999999999999999999]=1", Any),
    ("number: subscript highest", "a[9223372036854775807]=1; a+=(2 3); echo ${#a[@]}", Any),
    ("number: subscript lowest", "a[-9223372036854775808]=1", Any),
    ("number: list subscript", "a=([9223372036854775807]=1 2 3)", Any),
    (
        "number: subscript far",
        "a[9223372036854775806]=1; echo \"${!a[@]}\" \"${a[@]:1}\" ${a[-1]} ${a[-9223372036854775807]}",
        Any,
    ),
    ("number: unset subscript", "a=(1); unset 'a[-9223372036854775808]' 'a[9223372036854775807]'", Any),
    (
        "number: divide lowest",
        "echo $(( -9223372036854775807 - 1 )) $(( (-9223372036854775807 - 1) / -1 ))",
        Status(0),
    ),
    (
        "number: remainder lowest",
        "x=-9223372036854775808; echo $(( x % -1 )) $(( -x )) $(( x - 1 ))",
        Status(0),
    ),
    ("number: divide by zero", "echo $(( 1 / 0 ))", Status(1)),
    ("number: power", "echo $(( 9 ** 99999 )) $(( 2 ** 9223372036854775807 ))", Status(0)),
    (
        "number: shift bits",
        "echo $(( 1 << 99999 )) $(( 1 << -1 )) $(( 1 >> 64 )) $(( -1 >> -9223372036854775807 ))",
        Status(0),
    ),
    ("number: base", "echo $(( 99999999999999999999#1 ))", Any),
    ("number: literal", "echo $(( 99999999999999999999999999999999 * 99999999999999999999 ))", Any),
    ("number: increment", "x=9223372036854775807; (( x++ )); echo $x; (( x-- )); echo $x", Status(0)),
    ("number: self reference", "x=x; echo $(( x ))", Status(1)),
    ("number: mutual reference", "x=y; y=x; echo $(( x )) ", Status(1)),
    ("number: subscript reference", "x='a[x]'; echo $(( x ))", Status(1)),
    ("number: head", "seq 10 | head -n 99999999999999999999", Any),
    (
        "number: head highest",
        "seq 10 | head -n 9223372036854775807; seq 10 | head -c 18446744073709551615",
        Any,
    ),
    (
        "number: head from the end",
        "seq 10 | head -n -9223372036854775808; seq 10 | head -c -18446744073709551615",
        Any,
    ),
    ("number: tail", "seq 10 | tail -n 99999999999999999999; seq 10 | tail -n +99999999999999999999", Any),
    (
        "number: tail highest",
        "seq 10 | tail -n +18446744073709551615; seq 10 | tail -c 18446744073709551615; seq 10 | tail -c +9223372036854775807",
        Any,
    ),
    ("number: tail units", "seq 10 | tail -c 99999999999E; seq 10 | head -c 16E", Any),
    ("number: seq", "seq 99999999999999999999 100000000000000000005", Any),
    ("number: seq endless", "seq 1 99999999999999999999 > /dev/null", Limit),
    ("number: seq inf", "seq inf | head -n 2; seq 1e400 | head -n 2; seq nan", Any),
    ("number: seq width", "seq -w 1 1e300 | head -n 1; seq -f %99999999999g 3", Any),
    ("number: seq zero step", "seq 1 0 2 | head -n 2", Any),
    ("number: sleep", "sleep 99999999999999999999", Limit),
    ("number: sleep inf", "sleep inf", Limit),
    ("number: sleep days", "sleep 1e300d", Limit),
    ("number: sleep nan", "sleep nan", Any),
    ("number: sleep negative", "sleep -1", Any),
    ("number: timeout", "timeout 99999999999999999999d true; timeout 1e300 true; timeout inf true", Any),
    ("number: timeout kill", "timeout -k 1e300 -s 99999999999 1e300 true", Any),
    (
        "number: read -n",
        "read -n 99999999999999999999 x <<< a; read -N 9223372036854775807 x <<< a; echo $x",
        Any,
    ),
    (
        "number: read -t",
        "read -t 99999999999999999999 x; read -t 1e300 x; read -u 99999999999999999999 x",
        Any,
    ),
    ("number: mapfile", "mapfile -n 99999999999999999999 -O 9223372036854775807 a <<< $'x\\ny'", Any),
    (
        "number: mapfile origin",
        "mapfile -O 9223372036854775807 a <<< $'x\\ny\\nz'; mapfile -s 18446744073709551615 b <<< x",
        Any,
    ),
    (
        "number: mapfile callback",
        "mapfile -c 9223372036854775807 -C echo a <<< x; mapfile -c 0 -C echo a <<< x",
        Any,
    ),
    ("number: umask", "umask 99999999999999999999; umask 77777777777777777777777", Any),
    (
        "number: wait",
        "wait 99999999999999999999; wait %99999999999999999999; kill -99999999999999999999 1; kill 99999999999999999999",
        Any,
    ),
    (
        "number: kill -l",
        "kill -l 99999999999999999999; kill -l 9223372036854775807; trap : 99999999999999999999",
        Any,
    ),
    (
        "number: getopts",
        "OPTIND=9223372036854775807; getopts ab x -a; OPTIND=-9223372036854775808; getopts ab x -a; echo $OPTIND",
        Any,
    ),
    (
        "number: special variables",
        "SECONDS=9223372036854775807; RANDOM=9223372036854775807; LINENO=9223372036854775807; echo $SECONDS $LINENO",
        Any,
    ),
    ("number: history and ulimit", "ulimit -n 99999999999999999999; ulimit -v 9223372036854775807", Any),
    (
        "number: pushd",
        "pushd +99999999999999999999; popd +9223372036854775807; dirs +9223372036854775807",
        Any,
    ),
    ("number: caller", "f() { caller 9223372036854775807; caller 99999999999999999999; }; f", Any),
    (
        "number: test",
        "test 99999999999999999999 -gt 1; [ -9223372036854775808 -lt 9223372036854775807 ]; test -t 99999999999999999999; [[ 99999999999999999999 -gt 1 ]]",
        Any,
    ),
    ("number: let", "let x=99999999999999999999; let 'x=1<<63' 'x=x/-1'; echo $x", Any),
    (
        "number: declare -i",
        "declare -i x=9223372036854775807; x+=1; echo $x; declare -i y=99999999999999999999; echo $y",
        Any,
    ),
    (
        "number: cut",
        "echo abc | cut -c 18446744073709551615; echo abc | cut -c 99999999999999999999-; echo abc | cut -f 1-18446744073709551615",
        Any,
    ),
    (
        "number: sort key",
        "echo a | sort -k 99999999999999999999; echo a | sort -k 18446744073709551615.18446744073709551615; echo a | sort -S 99999999999999999999",
        Any,
    ),
    (
        "number: sort values",
        "printf '1e999\\n-1e999\\n99999999999999999999999999\\n' | sort -n; printf '1e999\\nnan\\n' | sort -g; echo 99999999999999999999E | sort -h",
        Any,
    ),
    (
        "number: grep",
        "echo a | grep -m 99999999999999999999 a; echo a | grep -A 99999999999999999999 -B 18446744073709551615 a; echo a | grep -C 9223372036854775807 a",
        Any,
    ),
    (
        "number: sed",
        "echo a | sed 99999999999999999999p; echo a | sed 's/a/b/99999999999999999999'; echo a | sed '1~18446744073709551615p'; echo a | sed '1,+18446744073709551615p'; echo a | sed '18446744073709551615,~18446744073709551615p'; echo a | sed 'q999999999999'",
        Any,
    ),
    (
        "number: sed line",
        "echo a | sed -n 'l 99999999999999999999'; echo a | sed -l 99999999999999999999 -n l",
        Any,
    ),
    (
        "number: repeats",
        "echo a | grep -E 'a{99999999999999999999}'; echo a | grep 'a\\{32768\\}'; echo a | sed 's/\\99999999999//'",
        Any,
    ),
    (
        "number: truncate",
        "truncate -s 9223372036854775807 f; truncate -s +9223372036854775807 f; truncate -s %0 f; truncate -s 99999999999999999999 f; truncate -s 16E f",
        Any,
    ),
    (
        "number: dd",
        "dd if=/dev/zero of=f bs=99999999999999999999 count=1; dd if=/dev/zero of=f bs=9223372036854775807 count=1; dd if=/dev/zero of=f seek=9223372036854775807 count=1",
        Any,
    ),
    (
        "number: od",
        "echo a | od -j 99999999999999999999; echo a | od -N 18446744073709551615; echo a | od -w99999999999 ; echo a | od -w18446744073709551615",
        Any,
    ),
    (
        "number: fold",
        "echo abc | fold -w 99999999999999999999; echo abc | fold -w 18446744073709551615; echo abc | fold -w 0",
        Any,
    ),
    (
        "number: split",
        "seq 9 | split -l 99999999999999999999; seq 9 | split -b 18446744073709551615; seq 9 | split -a 18446744073709551615; seq 9 | split -n 18446744073709551615",
        Any,
    ),
    (
        "number: expand",
        "printf '\\ta\\n' | expand -t 18446744073709551615; printf '\\ta\\n' | expand -t 99999999999999999999; printf '\\ta\\n' | expand -t 1000000000000",
        Any,
    ),
    (
        "number: nl",
        "echo a | nl -w 99999999999999999999; echo a | nl -w 2147483647; echo a | nl -v 9223372036854775807; printf 'a\\nb\\n' | nl -v 9223372036854775807 -i 9223372036854775807",
        Any,
    ),
    (
        "number: date",
        "date -d @99999999999999999999; date -d @9223372036854775807; date -d '99999999999999999999 days'; date -d '2147483647 years ago'; date +%99999999999Y",
        Any,
    ),
    ("number: date width", "date +%1000000000N; date +%1000000000Y | wc -c", Any),
    (
        "number: touch",
        "touch -d @9223372036854775807 f; touch -d @-9223372036854775808 f; touch -t 99999999999999999999 f; stat f; ls -l f",
        Any,
    ),
    (
        "number: find",
        "touch f; find . -size +99999999999999999999c; find . -mtime -9223372036854775808; find . -maxdepth 99999999999999999999; find . -mmin +1e300; find . -size 9223372036854775807G; find . -perm 99999999999",
        Any,
    ),
    (
        "number: xargs",
        "seq 3 | xargs -n 99999999999999999999; seq 3 | xargs -n 18446744073709551615 -P 18446744073709551615; seq 3 | xargs -s 99999999999999999999; seq 3 | xargs -L 18446744073709551615",
        Any,
    ),
    (
        "number: expr",
        "expr 99999999999999999999 + 1; expr 9223372036854775807 + 1; expr -9223372036854775808 / -1; expr -9223372036854775808 % -1; expr 9223372036854775807 '*' 9223372036854775807; expr substr abc 9223372036854775807 9223372036854775807; expr 1 / 0",
        Any,
    ),
    ("number: chmod", "touch f; chmod 99999999999999999999 f; chmod 777777 f; mkdir -m 99999999999 d", Any),
    (
        "number: shuf",
        "shuf -i 1-18446744073709551615 -n 3; shuf -i 0-18446744073709551615 -n 1; shuf -n 99999999999999999999 -e a; shuf -r -n 3 -i 5-4",
        Any,
    ),
    ("number: shuf all", "shuf -i 1-9999999999 > /dev/null", Any),
    (
        "number: numfmt",
        "numfmt --to=iec 99999999999999999999999999; numfmt --padding=9223372036854775807 1; numfmt --padding=-9223372036854775808 1; numfmt --format=%99999999999f 1; numfmt --format=%.1000000000f 1",
        Any,
    ),
    ("number: factor", "factor 99999999999999999999999999999999999999; factor 18446744073709551557", Any),
    (
        "number: column and pr",
        "echo a | column -c 99999999999999999999; echo a | fmt -w 99999999999; echo a | tr -d '\\777777'; echo a | tr 'a' '[b*18446744073709551615]'; echo a | tr a '[b*99999999999999999999]'",
        Any,
    ),
    (
        "number: uniq comm join",
        "echo a | uniq -f 18446744073709551615 -s 18446744073709551615 -w 99999999999999999999; echo a | join -1 99999999999999999999 - /dev/null; echo a | join -o 1.18446744073709551615 - /dev/null",
        Any,
    ),
    (
        "number: base64",
        "echo a | base64 -w 99999999999999999999; echo a | base64 -w 18446744073709551615",
        Any,
    ),
    (
        "number: mktemp and hexdump",
        "mktemp XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX; echo a | hexdump -n 99999999999999999999 -s 99999999999; echo a | xxd -l 99999999999999999999 -c 99999999999",
        Any,
    ),
    (
        "number: awk",
        "awk 'BEGIN { printf \"%99999999999d\", 1 }'; awk 'BEGIN { print substr(\"abc\", -1e300, 1e308), $99999999999999999999 }'; awk 'BEGIN { $1e9 = 1 }'",
        Any,
    ),
    (
        "number: jq",
        "jq -n '99999999999999999999999 + 1, 1e1000, -1e1000, nan, (1e1000|floor|tostring), ([1]|.[1e300]), ([1]|.[-1e300:1e300])'",
        Any,
    ),
    (
        "number: jq index",
        "jq -n 'null | .[1e9] = 1'; jq -n '[] | .[9223372036854775807] = 1'; jq -n '[1] | .[-9223372036854775808] = 1'",
        Any,
    ),
    (
        "number: jq limit",
        "jq -n '[limit(-1; 1, 2)], [limit(1e300; 1, 2)], ([range(0; 10; -1)]|length), [nth(1e5; 1)]'; jq --indent 99999999999999999999 -n 1",
        Any,
    ),
    ("number: jq implode", "jq -n '[1114112, -1, 1e300] | implode'; jq -n '[55296]|implode'", Any),
    (
        "number: jq time",
        "jq -n '1e300 | todate'; jq -n '[1e300,0,0,0,0,0,0,0] | mktime'; jq -n '1e18 | gmtime'; jq -n '-1e18 | strftime(\"%Y\")'",
        Any,
    ),
    (
        "number: jq pow",
        "jq -n 'pow(10; 1e300), (1e300|exp10), ldexp(1; 99999999999), scalb(1; 1e300), (1e300|frexp), (5 % 1e300), (5 % 0.1)'",
        Any,
    ),
    ("number: time format", "TIMEFORMAT='%999999999999R %-1R %9R %lllR %'; time :", Any),
    ("number: read -t small", "read -t 0.0000000000000000001 x; read -t 1e-400 x; read -t -1 x", Any),
    (
        "number: ulimit",
        "ulimit -n 0; echo x >f; cat <(echo x); echo x | cat; exec 3>&1; ulimit -n 18446744073709551616; ulimit -S -n -1",
        Any,
    ),
    (
        "number: history",
        "HISTSIZE=99999999999999999999; set -o history; history -s a; history 99999999999999999999; history -d -9223372036854775808; fc -l -9223372036854775808 9223372036854775807; fc -s 99999999999999999999",
        Any,
    ),
    (
        "number: exported level",
        "SHLVL=9223372036854775807 bash -c 'echo $SHLVL'; FUNCNEST=-9223372036854775808; f() { :; }; f",
        Any,
    ),
    (
        "number: select",
        "COLUMNS=99999999999999999999; select x in a b; do echo $REPLY; break; done <<<99999999999999999999",
        Any,
    ),
    (
        "number: compgen",
        "compgen -W \"{1..3}\" -- 9; complete -o nosuch x; COMP_CWORD=9223372036854775807 compgen -F nope",
        Any,
    ),
    // Loops without end.
    ("loop: while", "while :; do :; done", Limit),
    ("loop: until", "until false; do :; done", Limit),
    ("loop: for", "for ((;;)); do :; done", Limit),
    ("loop: empty list", "for ((;;)) { :; }", Limit),
    ("loop: condition", "while while :; do :; done; do :; done", Limit),
    ("loop: continue", "while :; do continue; done", Limit),
    ("loop: arithmetic", "while (( 1 )); do (( x++ )); done", Limit),
    ("loop: select", "select x in a; do :; done < <(yes)", Limit),
    ("loop: in a subshell", "(while :; do :; done)", Limit),
    ("loop: in a substitution", "x=$(while :; do :; done)", Limit),
    ("loop: in the background", "while :; do :; done & wait", Limit),
    ("loop: background, script ends", "while :; do :; done & exit 3", Any),
    ("loop: true", "while /usr/bin/true; do :; done", Limit),
    ("loop: ignored signals", "trap '' INT TERM HUP; while :; do :; done", Limit),
    ("loop: under timeout", "timeout 0.1 bash -c 'trap \"\" TERM; while :; do :; done'", Any),
    ("loop: wait for itself", "wait $$; while :; do wait; done", Limit),
    ("loop: read from nothing", "while ! read x; do :; done", Limit),
    ("loop: exit trap", "trap 'while :; do :; done' EXIT", Limit),
    ("loop: fifo", "mkfifo p; cat p", Limit),
    ("loop: fifo to itself", "mkfifo p; cat < p > p", Limit),
    ("loop: bash in bash", "bash -c 'bash -c \"while :; do :; done\"'", Limit),
    ("loop: xargs", "yes | xargs -n 1 true", Limit),
    ("loop: find exec", "find / -exec sh -c 'while :; do :; done' ';'", Limit),
    ("loop: tail -f", "touch f; tail -f f", Any),
    ("loop: signals to itself", "trap 'kill -USR1 $$' USR1; kill -USR1 $$; while :; do :; done", Limit),
    ("loop: DEBUG trap", "trap : DEBUG; while :; do :; done", Limit),
    (
        "loop: coproc that feeds itself",
        "coproc cat; echo x >&${COPROC[1]}; cat <&${COPROC[0]} >&${COPROC[1]}",
        Limit,
    ),
    ("loop: coproc that talks", "coproc { while :; do echo x; done; }; cat <&${COPROC[0]} >/dev/null", Limit),
    ("loop: coproc that waits", "coproc cat; wait", Limit),
    ("loop: process substitutions", "while :; do : <(sleep 100) >(sleep 100); done", Limit),
    ("loop: getopts", "while getopts a x -a; do OPTIND=1; done", Limit),
    ("loop: wait -n", "while :; do : & wait -n; done", Limit),
    ("loop: wait -n for nothing", "sleep 100 & while wait -n; do :; done", Limit),
    ("loop: fifos in a ring", "mkfifo a b; echo x > a & cat a > b & cat b > a", Limit),
    ("loop: descriptor of a fifo", "mkfifo p; exec 3<>p; echo x >&3; cat <&3 >&3", Limit),
    ("loop: stop", "kill -STOP $$; kill -TSTP 0; suspend; while :; do :; done", Limit),
    ("loop: script from a pipe", "bash < <(yes :)", Limit),
    ("loop: source from a pipe", ". <(yes :)", Limit),
    ("loop: source from a device", ". /dev/zero", Any),
    ("loop: until a file is there", "until [ -e f ]; do wait; done", Limit),
    ("loop: case falls through", "while :; do case a in a) ;& b) ;;& *) ;; esac; done", Limit),
    ("loop: time", "time while :; do time :; done", Limit),
    ("loop: lastpipe", "shopt -s lastpipe; yes | while read x; do :; done", Limit),
    (
        "loop: trap of every signal",
        "for s in {1..64}; do trap ':' $s; done; while :; do kill -$((RANDOM % 64 + 1)) $$; done",
        Any,
    ),
    ("loop: trap DEBUG kills", "trap 'kill -USR1 $$' DEBUG; trap : USR1; while :; do :; done", Any),
    // Output without end.
    ("output: yes", "yes", Limit),
    ("output: yes to a file", "yes > f", Any),
    ("output: yes to null", "yes > /dev/null", Limit),
    ("output: echo", "while :; do echo x; done", Limit),
    ("output: errors", "while :; do nothing-here; done", Limit),
    ("output: xtrace", "set -x; while :; do :; done", Limit),
    ("output: verbose", "set -v; eval 'while :; do echo x >&2; done'", Limit),
    ("output: cat zero", "cat /dev/zero", Limit),
    ("output: cat random", "cat /dev/urandom", Limit),
    ("output: tee", "yes | tee a b c > d", Any),
    ("output: printf arguments", "printf %1000000s $(seq 1000)", Limit),
    ("output: seq", "seq 1000000000000", Limit),
    ("output: file to itself", "echo x > f; cat f >> f", Any),
    ("output: pipe to nobody", "yes | while :; do :; done", Limit),
    ("output: broken pipe ignored", "trap '' PIPE; while :; do echo x; done | true", Any),
    ("output: find", "while :; do find /; done", Limit),
    // Recursion without end.
    ("recursion: function", "f() { f; }; f", Limit),
    ("recursion: function with locals", "f() { local a=$1; f \"$1$1\"; }; f x", Limit),
    ("recursion: substitution", "f() { $(f); }; f", Limit),
    ("recursion: quoted substitution", "f() { echo \"$(f)\"; }; f", Limit),
    ("recursion: subshell", "f() { (f); }; f", Limit),
    ("recursion: pipe", "f() { f | f; }; f", Limit),
    ("recursion: process substitution", "f() { cat <(f); }; f", Limit),
    ("recursion: eval", "x='eval \"$x\"'; eval \"$x\"", Limit),
    ("recursion: source", "echo '. ./s' > s; . ./s", Limit),
    ("recursion: script", "echo 'bash ./s' > s; bash ./s", Limit),
    ("recursion: exec", "echo 'exec bash ./s' > s; bash ./s", Limit),
    ("recursion: shebang", "printf '#!./s\\n' > s; chmod +x s; ./s", Any),
    ("recursion: shebang to script", "printf '#!/bin/bash\\n./s\\n' > s; chmod +x s; ./s", Limit),
    ("recursion: DEBUG trap", "trap f DEBUG; f() { f; }; :", Any),
    ("recursion: ERR trap", "set -E; trap false ERR; f() { false; f; }; f", Limit),
    ("recursion: RETURN trap", "set -T; f() { :; }; trap f RETURN; f", Any),
    ("recursion: EXIT trap", "trap 'exit' EXIT; trap '(exit)' EXIT; exit", Any),
    ("recursion: trap with substitution", "trap 'x=$(exit)' EXIT; exit", Any),
    ("recursion: alias", "shopt -s expand_aliases\nalias a=a b=c c=b\na\nb", Any),
    ("recursion: nameref", "declare -n a=b b=a; echo $a; a=1", Any),
    ("recursion: indirect", "a=a; echo ${!a}", Status(0)),
    ("recursion: command not found", "command_not_found_handle() { nothing-here; }; nothing-here", Limit),
    ("recursion: mapfile callback", "f() { mapfile -c 1 -C f a <<< x; }; f", Limit),
    ("recursion: arithmetic", "x='x+x'; echo $((x))", Status(1)),
    (
        "recursion: arithmetic product",
        "a=1; b='a+a'; c='b+b'; d='c+c'; e='d+d'; f='e+e'; for i in {1..60}; do b=\"$b+$b\"; done; echo $((f))",
        Any,
    ),
    ("recursion: symbolic links", "ln -s a b; ln -s b a; cat a; cd a", Status(1)),
    ("recursion: env", "env env env env env true", Status(0)),
    ("recursion: xargs", "echo 'echo x | xargs ./s' > s; chmod +x s; ./s", Limit),
    ("recursion: find", "echo 'find s -exec ./s \";\"' > s; chmod +x s; ./s", Limit),
    ("recursion: prompt", "x='${x@P}'; echo \"${x@P}\"", Any),
    ("recursion: PS4", "PS4='$(f)'; f() { :; }; set -x; :", Any),
    ("recursion: coproc", "f() { coproc f; wait; }; f", Limit),
    ("recursion: DEBUG trap in functions", "set -T; f() { g; }; g() { :; }; trap f DEBUG; f; f", Any),
    (
        "recursion: RETURN trap of a script",
        "echo '. ./s' > s; set -T; trap '. ./s' RETURN; f() { :; }; f",
        Limit,
    ),
    (
        "recursion: trap in a trap",
        "trap 'trap \"kill -USR1 \\$\\$\" USR1; kill -USR1 $$' USR1; kill -USR1 $$; wait",
        Limit,
    ),
    ("recursion: EXIT trap of a subshell", "f() { (trap f EXIT); }; f", Limit),
    ("recursion: BASH_ENV", "echo 'bash -c :' > e; export BASH_ENV=./e; bash -c :", Limit),
    ("recursion: exported function", "f() { bash -c f; }; export -f f; f", Limit),
    ("recursion: compgen", "f() { compgen -F f; }; f", Limit),
    ("recursion: compgen words", "f() { compgen -W '$(f)'; }; f", Limit),
    ("recursion: mapfile inside", "f() { mapfile -t -c 1 -C f a < <(yes); }; f", Limit),
    (
        "recursion: nameref to its own element",
        "declare -n r='a[r]'; a=(1 2); echo $r; r=3; unset 'a[r]'",
        Any,
    ),
    (
        "recursion: nameref chain",
        "for i in {1..5000}; do declare -n \"n$i=n$((i - 1))\"; done; n0=x; echo $n5000; n5000=y; echo $n0",
        Any,
    ),
    ("recursion: nameref in functions", "f() { declare -n a=$1; f a; }; f a", Limit),
    (
        "recursion: quoted subscripts",
        "e='a[${a[$e]}]'; a=('a[${a[$e]}]'); echo ${!e}; echo $((e)); unset \"$e\"; read \"$e\" <<<1; printf -v \"$e\" 1",
        Any,
    ),
    (
        "recursion: deep quoted subscripts",
        "printf -v n '$((%.0s' {1..100000}; e=\"a[$n\"; echo ${!e}; unset \"$e\"; printf -v n '${a[%.0s' {1..100000}; e=\"a[$n\"; echo ${!e}",
        Any,
    ),
    (
        "recursion: indirect subscripts",
        "a=('a[0]' 'a[1]'); x='a[0]'; echo ${!x}; for i in {1..100}; do x=\"a[$x]\"; done; echo ${!x}",
        Any,
    ),
    (
        "recursion: values of values",
        "e0=0; for i in {1..100}; do declare \"e$i=e$((i - 1))+e$((i - 1))\"; done; echo $((e40))",
        Limit,
    ),
    (
        "recursion: elements of elements",
        "a=(0); e0='a[0]'; for i in {1..100}; do declare \"e$i=a[\\${a[\\$e$((i - 1))]}+\\${a[\\$e$((i - 1))]}]\"; done; echo ${!e31}",
        Any,
    ),
    ("recursion: call stack", "f() { : ${#FUNCNAME[@]} ${BASH_LINENO[*]} $(caller 0); f; }; f", Limit),
    (
        "recursion: aliases that double",
        "shopt -s expand_aliases; for i in {1..60}; do alias \"a$i=a$((i + 1)); a$((i + 1))\"; done",
        Any,
    ),
    (
        "recursion: aliases that double, used",
        "shopt -s expand_aliases; for i in {1..60}; do alias \"a$i=a$((i + 1)) ; a$((i + 1)) \"; done\na1",
        Limit,
    ),
    (
        "recursion: aliases with blanks",
        "shopt -s expand_aliases; for i in {1..60}; do alias \"b$i=b$((i + 1)) b$((i + 1)) \"; done\nb1 b1",
        Limit,
    ),
    ("recursion: prompt transform", "x='\\$(x)${x@P}${x@P}'; echo \"${x@P}\" | wc -c", Any),
    ("recursion: PS4 of PS4", "PS4='${PS4@P}'; set -x; :", Any),
    (
        "recursion: interactive prompt",
        "PROMPT_COMMAND='PROMPT_COMMAND+=\";$PROMPT_COMMAND\"' bash -i < <(yes :)",
        Limit,
    ),
    ("recursion: prompt substitution", "PS1='$(bash -ic :)' bash -ic 'x=${PS1@P}'", Any),
    ("recursion: command not found in a subshell", "command_not_found_handle() { (nope); }; nope", Limit),
    ("recursion: time utility", "f() { command time bash -c f; }; export -f f; f", Limit),
    ("recursion: here-documents", "f() { cat <<E\n$(f)\nE\n}; f", Limit),
    ("recursion: select", "f() { select x in a; do f; done < <(yes 1); }; f", Any),
    ("recursion: for in arithmetic", "f() { for ((i = 0; i < 1; f)); do f; done; }; f", Limit),
    ("recursion: case word", "f() { case $(f) in *) f;; esac; }; f", Limit),
    ("recursion: nameref to its own key", "declare -A h; declare -n r='h[$r]'; echo $r; r=1; unset r", Any),
    (
        "recursion: nameref to elements of itself",
        "declare -n r='a[r+r]' q='b[$q$q]'; declare -A b; a=(1); b[x]=1; echo $r $q",
        Any,
    ),
    (
        "recursion: nameref to many elements of itself",
        "declare -n q=\"b[$(printf '$q%.0s' {1..1000})]\" r=\"a[$(printf '${r}+%.0s' {1..1000})0]\"; declare -A b; a=(1); b[x]=1; echo $q; echo $r",
        Limit,
    ),
    // Fork bombs.
    ("fork: the classic", ":(){ :|:& };:", Any),
    ("fork: the classic, waiting", ":(){ :|:& };:; wait; while :; do :; done", Limit),
    ("fork: background", "f() { f & f & }; f", Any),
    ("fork: background, waiting", "f() { f & f & wait; }; f", Limit),
    ("fork: pipes of subshells", "f(){ (f) | (f); }; f", Limit),
    ("fork: loop", "while :; do sleep 100 & done", Limit),
    ("fork: loop that ends", "while :; do : & done", Limit),
    ("fork: coproc", "while :; do coproc sleep 100; done", Any),
    ("fork: wide pipeline", "eval \"$(printf 'cat |%.0s' {1..5000}) cat\"", Any),
    (
        "fork: process substitutions",
        "cat $(printf '<(:) %.0s' {1..3000}); eval \"cat $(printf '<(:) %.0s' {1..3000})\"",
        Any,
    ),
    ("fork: xargs -P", "yes | xargs -P 100000 -n 1 sleep 100", Limit),
    ("fork: wait -n", "f() { f & f & wait -n; }; f", Limit),
    ("fork: in a trap", "trap ': & : &' DEBUG; while :; do :; done", Limit),
    ("fork: subshells in the background", "while :; do (sleep 100 &) ; done", Limit),
    ("fork: fifos", "for i in {1..10000}; do mkfifo p$i; cat p$i & done; wait", Limit),
    ("fork: DEBUG in pipes", "set -T; f() { : | :; }; trap f DEBUG; :; :", Any),
    // Things that grow.
    ("grow: string", "s=x; while :; do s=$s$s; done", Limit),
    ("grow: string append", "s=xxxxxxxxxxxxxxxx; while :; do s+=$s; done", Limit),
    ("grow: quoted", "s=x; while :; do s=\"$s\\\\$s\"; s=${s@Q}; done", Limit),
    ("grow: replace", "s=x; while :; do s=${s//x/xxxxxxxxxxxxxxxx}; done", Limit),
    ("grow: case", "s=ß; while :; do s=${s^^}$s; done", Limit),
    ("grow: array", "a=(1); while :; do a+=(\"${a[@]}\"); done", Limit),
    ("grow: array one by one", "while :; do a+=(xxxxxxxxxxxxxxxx); done", Limit),
    ("grow: associative array", "declare -A a; while :; do a[$((i++))]=x; done", Limit),
    ("grow: sparse array", "while :; do a[i+=1000000]=x; done", Limit),
    ("grow: variables", "while :; do eval \"v$((i++))=x\"; done", Limit),
    ("grow: exported", "while :; do export \"v$((i++))=x\"; done", Limit),
    ("grow: functions", "while :; do eval \"f$((i++))() { :; }\"; done", Limit),
    ("grow: aliases", "while :; do alias \"a$((i++))=x\"; done", Limit),
    ("grow: positional", "set -- x; while :; do set -- \"$@\" \"$@\"; done", Limit),
    ("grow: words", "s='x x'; while :; do s=$(echo $s $s); done", Limit),
    ("grow: file", "echo x > f; while :; do cat f f > g; mv g f; done", Any),
    ("grow: file append", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >> f; done", Limit),
    ("grow: sparse file", "truncate -s 1T f; cat f", Any),
    ("grow: sparse copies", "truncate -s 200M f; while cp f g$((i++)); do :; done; x=$(< f)", Any),
    ("grow: files", "while :; do : > f$((i++)); done", Limit),
    ("grow: directories", "while :; do mkdir d; cd d; done", Limit),
    ("grow: deep path", "p=d; while mkdir -p $p; do p=$p/$p; done; rm -rf d", Any),
    (
        "grow: links",
        "ln -s . l; ls l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l",
        Any,
    ),
    ("grow: descriptors", "while :; do exec {x}< /dev/null; done", Any),
    ("grow: pushd", "while :; do pushd / > /dev/null; done", Limit),
    ("grow: printf -v", "while :; do printf -v s '%s%s' \"$s\" \"x$s\"; done", Limit),
    ("grow: printf -v width", "printf -v s %1000000000s x", Any),
    ("grow: read", "read -r x < /dev/zero", Any),
    ("grow: read -d", "read -r -d x y < <(yes)", Limit),
    ("grow: mapfile", "mapfile a < <(yes)", Limit),
    ("grow: substitution", "x=$(yes)", Limit),
    ("grow: substitution of a file", "x=$(< /dev/zero)", Any),
    ("grow: zeroes", "x=$(cat /dev/zero)", Limit),
    ("grow: here-string", "s=x; while :; do s=$(cat <<< $s$s); done", Limit),
    ("grow: here-document", "s=x\nwhile :; do s=$(cat <<E\n$s$s\nE\n); done", Limit),
    ("grow: here-documents", "while :; do cat <<E\nx\nE\ndone", Limit),
    ("grow: pipe", "yes | (sleep 100)", Limit),
    ("grow: environment", "x=x; export x; while true; do x=$x$x; /usr/bin/true; done", Limit),
    ("grow: trap text", "s=:; while :; do s=\"$s;$s\"; trap \"$s\" EXIT; done", Limit),
    ("grow: eval text", "s=:; while :; do s=\"$s;$s\"; eval \"$s\"; done", Limit),
    ("grow: history of hash", "while :; do hash -p /bin/true h$((i++)); done", Any),
    ("grow: local scopes", "f() { local a b c d e f g=$1; f \"x$1\"; }; f", Limit),
    ("grow: IFS split", "IFS=x; s=$(printf x%.0s {1..100000}); set -- $s; echo $#", Any),
    ("grow: transform", "s='a$(b)'; while :; do s=${s@Q}$s; done", Limit),
    (
        "grow: getopts letters",
        "set -- -$(printf 'a%.0s' {1..300000}); while getopts a x; do :; done; echo $OPTIND",
        Any,
    ),
    (
        "grow: nested functions",
        "while :; do s=\"f() { $s$s:; }; \"; eval \"$s\"; declare -f f >/dev/null; done",
        Limit,
    ),
    ("grow: history", "set -o history; while :; do history -s \"x$((i++))\"; done", Limit),
    ("grow: one line of history", "set -o history; s=x; while :; do s=$s$s; history -s \"$s\"; done", Limit),
    ("grow: history from a file", "set -o history; history -r /dev/zero; history -r <(yes)", Any),
    ("grow: history repeats itself", "set -o history; history -s 'fc -s'; fc -s", Limit),
    (
        "grow: history without end",
        "HISTSIZE=-1; set -o history; yes 'history -s \"$(history)\"' | head -n 100000 > s; . ./s",
        Any,
    ),
    ("grow: directory stack", "while :; do pushd -n /x$((i++)) > /dev/null; done", Limit),
    ("grow: completions", "while :; do complete -W \"$(printf 'x%.0s' {1..1000})\" c$((i++)); done", Limit),
    ("grow: completion words", "compgen -W \"$(printf '%s ' {1..300000})\" | wc -l", Any),
    (
        "grow: compgen pathnames",
        "mkdir -p {a..j}/{a..j}/{a..j}; compgen -G '*/*/*/../../../*/*/*' | wc -l",
        Any,
    ),
    (
        "grow: compgen prefix and suffix",
        "p=$(printf 'x%.0s' {1..100000}); compgen -P \"$p\" -S \"$p\" -W \"$(seq 100000)\" | wc -c",
        Any,
    ),
    ("grow: replace with itself", "s=x; while :; do s=${s//x/&&&&}; done", Limit),
    ("grow: replace the empty", "shopt -s extglob; s=xxxxxxxx; while :; do s=${s//*(y)/$s}; done", Limit),
    (
        "grow: keys and values",
        "for i in {1..20000}; do a[i]=x; done; while :; do a=(\"${a[@]@K}\" \"${a[@]@A}\"); done",
        Limit,
    ),
    (
        "grow: prefix of names",
        "for i in {1..100000}; do declare \"v$i=x\"; done; for i in {1..1000}; do echo ${!v*} ${!v@}; done | wc -c",
        Any,
    ),
    ("grow: declare -p", "s=$'\\x01'; while :; do s=$(declare -p s); done", Limit),
    ("grow: time format", "TIMEFORMAT=$(printf '%%R%.0s' {1..300000}); time :", Any),
    (
        "grow: time utility",
        "f=$(printf '%%C%.0s' {1..100000}); command time -f \"$f\" true $(printf 'x%.0s' {1..100000}) 2>&1 | wc -c",
        Limit,
    ),
    ("grow: format is used again", "printf \"$(printf '%%1000s%.0s' {1..1000})\" {1..10000} | wc -c", Any),
    ("grow: printf %b", "s='\\\\\\\\'; while :; do s=$(printf %b \"$s$s$s$s\"); s+=$s; done", Limit),
    ("grow: read -a", "read -a x -d '' < <(yes)", Limit),
    ("grow: read -N", "read -N 1000000000000 x < <(yes)", Limit),
    (
        "grow: BASH_REMATCH",
        "s=$(printf 'a%.0s' {1..20000}); while [[ $s =~ (.)(.*) ]]; do s=${BASH_REMATCH[2]}; done",
        Any,
    ),
    (
        "grow: subscripts of text",
        "printf -v v %1000000s; printf -v k '$v%.0s' {1..10000}; unset \"a[$k]\"; declare -A h; e=\"h[$k]\"; echo ${!e}",
        Any,
    ),
    ("grow: cd through links", "ln -s . l; p=l; while cd -L $p; do p=$p/l; done", Any),
    (
        "grow: chain of links",
        "touch l0; for i in {1..20000}; do ln -s l$((i - 1)) l$i; done; cat l20000; readlink -f l20000",
        Any,
    ),
    ("grow: fds of a loop", "for i in {3..3000}; do eval \"exec $i</dev/null\"; done", Any),
    ("grow: signals", "while :; do kill -CHLD $$; kill -USR1 $$ & done 2>/dev/null", Any),
    ("grow: here-documents of one line", "eval \"cat $(printf '<<E%d ' {1..5000})\"; echo", Any),
    // Products of braces and patterns.
    (
        "product: braces",
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        Limit,
    ),
    ("product: sequences", "echo {1..1000}{1..1000}{1..1000}", Limit),
    ("product: long sequence", "for i in {1..1000000000}; do :; done", Limit),
    ("product: big sequence", "echo {1..9223372036854775807}", Any),
    ("product: assignment", "a=({1..100000}{1..100000})", Limit),
    ("product: pathnames", "touch {a..z}{a..z}; echo */../*/../*/../*/../*", Any),
    (
        "product: directories",
        "mkdir -p {a..e}/{a..e}/{a..e}; echo */*/*/../../*/*/../../*/*/*/../../../*/*/*/../../../*/*/*",
        Any,
    ),
    (
        "product: globstar",
        "shopt -s globstar; mkdir -p a/b/c/d/e/f/g/h; echo **/**/**/**/**/**/**/**/** | wc -c",
        Any,
    ),
    (
        "product: stars in a pattern",
        "s=$(printf a%.0s {1..5000}); [[ $s == *a*a*a*a*a*a*a*a*a*a*b ]]",
        Status(1),
    ),
    ("product: extglob", "shopt -s extglob; s=$(printf a%.0s {1..500}); [[ $s == +(+(+(a)))b ]]", Any),
    (
        "product: extglob star",
        "shopt -s extglob; s=$(printf a%.0s {1..2000}); [[ $s == *(*(a)*(a)*(a))b ]]; echo ${s//*(*(a))b/}",
        Any,
    ),
    (
        "product: pattern removal",
        "s=$(printf a%.0s {1..20000}); echo ${s%%*a*a*a*b} | wc -c; echo ${s##*a*a*a*b} | wc -c; echo ${s//a*a*b/} | wc -c",
        Any,
    ),
    (
        "product: pattern case",
        "s=$(printf a%.0s {1..20000}); case $s in *a*a*a*a*a*a*a*b) echo no;; esac",
        Any,
    ),
    ("product: set difference", "s=$(seq 20000); echo ${s//[0-9]*[0-9]x/} | wc -c", Any),
    (
        "product: steps",
        "echo {1..9223372036854775807..4611686018427387904} {a..z..0} {9223372036854775807..1..9223372036854775806}",
        Any,
    ),
    (
        "product: padded sequence",
        "echo {00000000000000000000000000000000000000000000000000000001..100000000000} | wc -c",
        Limit,
    ),
    (
        "product: width of a sequence",
        "z=$(printf '0%.0s' {1..100000}); eval \"echo {${z}1..1000}\" | wc -c",
        Any,
    ),
    (
        "product: steps of letters",
        "echo {a..z..-1} {z..a..1000000000000} {A..z..9223372036854775807} | wc -c",
        Any,
    ),
    ("product: select", "select x in {1..300000}; do break; done <<<1", Any),
    (
        "product: globstar in a deep tree",
        "shopt -s globstar; p=$(printf 'd/%.0s' {1..400}); mkdir -p $p; for i in 1 2 3 4 5 6 7 8 9; do echo **/**/x **; done | wc -c",
        Any,
    ),
    (
        "product: globstar and links",
        "shopt -s globstar dotglob; mkdir -p a/b/c; ln -s .. a/b/l; ln -s . l; echo **/*/**/*/** | wc -c",
        Any,
    ),
    (
        "product: negated lists",
        "shopt -s extglob; s=$(printf 'a%.0s' {1..1000}); [[ $s == !(!(!(!(a)*)*)*)b ]]; echo ${s//!(a)/x} | wc -c",
        Any,
    ),
    (
        "product: lists in lists",
        "shopt -s extglob; s=$(printf 'ab%.0s' {1..500}); [[ $s == +(a|b|ab|+(a|b|ab|+(a|b|ab)))c ]]",
        Any,
    ),
    (
        "product: pathnames of lists",
        "shopt -s extglob\ntouch {a..z}{a..z}; for i in 1 2 3 4 5; do echo !(a*|*b)*(?)+(@(a|*)) | wc -c; done",
        Any,
    ),
    (
        "product: GLOBIGNORE",
        "touch {a..z}{a..z}; GLOBIGNORE=$(printf '*a*b*c*:%.0s' {1..5000}); echo * | wc -c",
        Any,
    ),
    (
        "product: matching names",
        "shopt -s nocasematch; s=$(printf 'aB%.0s' {1..20000}); [[ $s == *a*A*b*B*z ]]; case $s in *Z) ;; esac",
        Any,
    ),
    ("product: case arms", "eval \"case x in $(printf 'a%d) ;;& ' {1..20000}) *) echo x;; esac\"", Any),
    (
        "product: long words in braces",
        "printf -v x %1000000s; x=${x// /x}; eval \"echo {$x,b}{1..100} | wc -c\"",
        Limit,
    ),
    (
        "product: long words in many braces",
        "printf -v x %1000000s; x=${x// /x}; eval \"echo {$x,b}{1..100000} | wc -c\"",
        Limit,
    ),
    (
        "product: long words behind a sequence",
        "printf -v x %1000000s; x=${x// /x}; eval \"echo {1..100000}$x | wc -c\"",
        Limit,
    ),
    (
        "product: quoted words in braces",
        "printf -v x %1000000s; eval \"echo {a,'$x'}{1..500} | wc -c\"; eval \"a=({a,b}{1..500}'$x')\"",
        Any,
    ),
    // Regular expressions.
    (
        "regex: repeats of repeats",
        "[[ a =~ ((((((((a{100}){100}){100}){100}){100}){100}){100}){100}) ]]",
        Any,
    ),
    ("regex: grep repeats", "echo a | grep -E '(((a{1,255}){1,255}){1,255}){1,255}'", Any),
    ("regex: backtracking", "printf 'a%.0s' {1..5000} | grep -E '(a*)*(a*)*(a*)*b'", Any),
    ("regex: back-reference", "printf 'a%.0s' {1..3000} | grep '\\(a*\\)*\\1\\(a*\\)*\\2b'", Any),
    (
        "regex: many back-references",
        "printf 'a%.0s' {1..500} | grep -E '(a*)(a*)(a*)(a*)(a*)\\1\\2\\3\\4\\5b'",
        Any,
    ),
    ("regex: perl", "printf 'a%.0s' {1..5000} | grep -P '(a+)+$b'", Any),
    ("regex: big class", "printf 'x%.0s' {1..100000} | sed -E 's/([[:alpha:]]*)*y//' | wc -c", Any),
    ("regex: grep -f", "seq 100000 > p; seq 100000 | grep -c -F -f p", Any),
    ("regex: grep -f expressions", "seq 20000 > p; seq 20000 | grep -c -f p", Any),
    ("regex: bash", "s=$(printf a%.0s {1..10000}); [[ $s =~ (a*)*(a*)*b ]]", Any),
    (
        "regex: unclosed",
        "grep '[' <<< x; grep -E '(' <<< x; grep -E 'a{' <<< x; [[ x =~ [ ]]; sed 's/\\(/x/' <<< x",
        Any,
    ),
    ("regex: alternatives", "[[ $(printf 'a%.0s' {1..2000}) =~ ^(a|aa|aaa|aaaa)*(a|aa)*b$ ]]", Any),
    (
        "regex: repeats in the text",
        "s=$(printf 'a%.0s' {1..2000}); for i in {1..20}; do [[ $s =~ (a{1,50}){1,50}b ]]; done",
        Any,
    ),
    ("regex: pattern that grows", "p=a; for i in {1..30}; do p=\"($p|$p)*\"; [[ aaa =~ $p ]]; done", Any),
    // sed, sort, awk and their friends.
    ("sed: loop", "echo x | sed ':a;ba'", Limit),
    ("sed: growing", "echo x | sed ':a;s/x/xx/g;ba'", Limit),
    ("sed: growing hold", "yes | sed 'H;x;G;h'", Limit),
    ("sed: print loop", "echo x | sed ':a;p;ba'", Limit),
    ("sed: D loop", "echo x | sed 's/^/\\n/;s/$/\\na/;D'", Limit),
    ("sed: N", "yes | sed ':a;N;ba'", Limit),
    ("sed: append", "echo x | sed ':a;a\\x\nba'", Limit),
    ("sed: write", "echo x | sed ':a;w f\nba'", Any),
    (
        "sed: replace empty",
        "printf 'x%.0s' {1..100000} | sed 's/x*/y&y/g;s//&&&&&&&&&&&&&&&&&&/g;s/y/&&&&&&&&&&&&&&&&&&&&&&&&&&&&/g;s/y/&&&&&&&&&&&&&&&&&&&&&&&&&&&&/g;s/y/&&&&&&&&&&&&&&&&&&&&&&&&&&&&/g' | wc -c",
        Any,
    ),
    ("sort: endless", "yes | sort", Limit),
    ("sort: endless unique", "yes | sort -u", Limit),
    ("sort: zero", "sort /dev/zero", Limit),
    ("tac: endless", "yes | tac", Limit),
    ("tail: endless", "yes | tail -n 99999999999", Limit),
    ("tail: zero", "tail /dev/zero", Limit),
    ("wc: zero", "wc /dev/zero", Limit),
    ("uniq: zero", "uniq /dev/zero", Limit),
    ("shuf: endless", "yes | shuf", Limit),
    ("sha: zero", "sha256sum /dev/zero", Limit),
    ("base64: zero", "base64 -w 0 /dev/zero > /dev/null", Limit),
    ("od: random", "od /dev/urandom > /dev/null", Limit),
    ("tr: zero", "tr '\\0' x < /dev/zero | cat > /dev/null", Limit),
    ("cut: zero", "cut -c 1 /dev/zero", Limit),
    ("head: from the end", "yes | head -n -1000000000 > /dev/null", Limit),
    ("grep: zero", "grep x /dev/zero", Limit),
    ("grep: endless", "yes | grep -v y", Limit),
    ("grep: context", "yes | grep -B 1000000000 n", Limit),
    ("diff: big", "diff <(seq 20000) <(seq 20000 | sort -R)", Any),
    ("join: product", "yes a | head -n 100000 > a; join a a > /dev/null", Any),
    ("paste: endless", "paste <(yes) <(yes) > /dev/null", Limit),
    ("awk: loop", "awk 'BEGIN { while (1); }'", Any),
    ("awk: recursion", "awk 'function f(x) { return f(x) } BEGIN { f(1) }'", Any),
    ("awk: growing", "awk 'BEGIN { s = \"x\"; while (1) s = s s }'", Any),
    ("awk: array", "awk 'BEGIN { while (1) a[i++] = i }'", Any),
    ("find: many", "mkdir -p {a..j}/{a..j}/{a..j}/{a..e}; find . -exec true ';' > /dev/null", Any),
    ("tree: removal", "mkdir -p {a..j}/{a..j}/{a..j}; rm -rf {a..j}; ls | wc -l", Any),
    ("xargs: one argument", "cat /dev/zero | xargs echo", Any),
    ("tar and gzip", "head -c 10000000 /dev/zero | gzip | gunzip | gunzip", Any),
    // jq.
    ("jq: range array", "jq -n '[range(1e9)]'", Limit),
    ("jq: recursion in arrays", "jq -n 'def f: [f]; f'", Limit),
    ("jq: recursion", "jq -n 'def f: f; f'", Limit),
    ("jq: growing recursion", "jq -n 'def f: 1 + f; f'", Limit),
    ("jq: doubled recursion", "jq -n 'def f: f, f; f'", Limit),
    ("jq: string product", "jq -n '\"x\" * 1e9'", Any),
    ("jq: string product, bigger", "jq -n '\"xxxxxxxxxx\" * 1e18'", Any),
    ("jq: repeat", "jq -n 'repeat(1)'", Limit),
    ("jq: repeat to nothing", "jq -n 'last(repeat(1))'", Limit),
    ("jq: endless filter", "jq -n 'repeat(1) | empty'", Limit),
    ("jq: while", "jq -n '[while(true; . + 1)]'", Limit),
    ("jq: until", "jq -n 'until(false; .)'", Limit),
    ("jq: until growing", "jq -n '[0] | until(false; . + .)'", Limit),
    ("jq: string growing", "jq -n '\"x\" | until(false; . + .)'", Limit),
    ("jq: recurse", "jq -n 'recurse(.) | empty'", Limit),
    ("jq: nested arrays", "jq -n 'reduce range(1e6) as $i (0; [.])'", Any),
    ("jq: nested objects", "jq -n 'reduce range(100000) as $i (0; {a: .})'", Any),
    (
        "jq: nested, compared",
        "jq -n 'reduce range(100000) as $i (0; [.]) | . == ., tojson, (. | length)' | wc -c",
        Any,
    ),
    ("jq: nested, walked", "jq -n 'reduce range(50000) as $i (0; [.]) | [..] | length'", Any),
    ("jq: nested, flattened", "jq -n 'reduce range(50000) as $i (0; [.]) | flatten'", Any),
    ("jq: nested, paths", "jq -n 'reduce range(5000) as $i (0; [.]) | [paths] | length'", Any),
    ("jq: setpath", "jq -n '[range(100000)] as $p | null | setpath($p; 1) | length'", Any),
    ("jq: deep input", "printf '[%.0s' {1..200000} | jq .", Any),
    ("jq: deep closed input", "(printf '[%.0s' {1..100000}; printf ']%.0s' {1..100000}) | jq -c .", Any),
    ("jq: deep fromjson", "jq -n '\"[\" * 100000 | fromjson'", Any),
    ("jq: deep program", "jq -n \"$(printf '[%.0s' {1..100000})\"", Any),
    ("jq: deep parentheses", "jq -n \"$(printf '(%.0s' {1..50000})1$(printf ')%.0s' {1..50000})\"", Any),
    ("jq: long program", "jq -n \"1$(printf '+1%.0s' {1..50000})\"", Any),
    ("jq: long pipe", "jq -n \".$(printf '|.%.0s' {1..50000})\"", Any),
    ("jq: long else", "jq -n \"$(printf 'if 1 then 2 else %.0s' {1..50000}) 1\"", Any),
    ("jq: minus signs", "jq -n \"$(printf -- '-%.0s' {1..50000})1\"", Any),
    ("jq: combinations", "jq -n '[range(50)] | [combinations(6)] | length'", Any),
    ("jq: product", "jq -n '[range(1e5) as $i | range(1e5)]'", Limit),
    ("jq: group", "jq -n '[range(3e5)] | group_by(. % 10) | sort_by(-length) | unique | length'", Any),
    ("jq: join", "jq -n '[range(1e6)] | map(tostring) | join(\",\") | length'", Any),
    ("jq: regex", "jq -n '\"a\" * 5000 | test(\"(a*)*(a*)*b\")'", Any),
    ("jq: big regex", "jq -n '\"a\" | test(\"(((a{100}){100}){100}){100}\")'", Any),
    ("jq: gsub", "jq -n '\"a\" * 100000 | gsub(\"\";\"x\") | length'", Any),
    ("jq: indices", "jq -n '\"a\" * 100000 | indices(\"a\") | length'", Any),
    ("jq: split", "jq -n '\"a\" * 1000000 | split(\"\") | length'", Any),
    ("jq: explode", "jq -n '\"a\" * 10000000 | explode | implode | length'", Any),
    (
        "jq: padding",
        "jq -n '\"a\" * 100000 | ltrimstr(\"a\") | @base64 | @uri | @json | @html | length'",
        Any,
    ),
    ("jq: tojson", "jq -n '[limit(60; repeat(1))] | until(false; tojson)'", Limit),
    ("jq: input", "yes '{}' | jq -c . > /dev/null", Limit),
    ("jq: slurp", "yes '{}' | jq -s length", Limit),
    ("jq: raw slurp", "jq -Rs length /dev/zero", Limit),
    ("jq: inputs", "yes 1 | jq -n '[inputs]'", Limit),
    ("jq: limit", "jq -n '[limit(1e9; repeat(0))] | length'", Limit),
    ("jq: foreach", "jq -n 'foreach repeat(1) as $x ([]; . + [$x]; empty)'", Limit),
    ("jq: label", "jq -n 'label $f | repeat(1 | label $g | break $g), break $f'", Any),
    ("jq: try", "jq -n 'def f: try error(\"x\") catch f; f'", Limit),
    ("jq: env", "jq -n 'env | length, ($ENV | length)'", Exit),
    ("jq: halt", "jq -n 'halt_error(9999999999)'", Any),
    ("jq: transpose", "jq -n '[range(1e5) | [range(10)]] | transpose | length'", Any),
    ("jq: ascii table", "jq -n '[[1e9]] | implode'", Any),
    ("jq: limit of nothing", "jq -n 'first(range(1e18) | empty)'", Limit),
    ("jq: ltrimstr loop", "jq -n 'last(range(1e9))'", Limit),
    ("jq: add", "jq -n '[range(1e5) | [.]] | add | length'", Any),
    ("jq: splits", "jq -n '[\"a,b\" * 100000 | splits(\",\")] | length'", Any),
    ("jq: getpath", "jq -n 'path(..)' ; jq -n '[paths(..)]'", Any),
    ("jq: delete", "jq -n '[range(1e5)] | del(.[range(0; 1e5; 2)]) | length'", Any),
    ("jq: tostream", "jq -n '[range(1e5)] | [tostream] | fromstream(.[]) | length'", Any),
    ("jq: env variable", "export x=$(printf 'x%.0s' {1..100000}); jq -n '$ENV.x * 10000 | length'", Any),
];

/// Name, what opens, the middle, what closes: nested 10 to 1,000,000 deep.
const NESTED: &[(&str, &str, &str, &str)] = &[
    ("functions", "f() { ", ":", "; }"),
    ("subshells", "( ", ":", " )"),
    ("groups", "{ ", ":", "; }"),
    ("parentheses", "(", ":", ")"),
    ("if", "if ", ":", "; then :; fi"),
    ("while", "while ", "false", "; do :; done"),
    ("for", "for i in a; do ", ":", "; done"),
    ("case", "case a in a) ", ":", ";; esac"),
    ("substitutions", "$(", ":", ")"),
    ("quoted substitutions", "echo \"x$(", "echo x", ")\""),
    ("backquotes", "`", ":", "`"),
    ("process substitutions", "cat <(", ":", ")"),
    ("subscripts", "${a[", "0", "]}"),
    ("defaults", "${a:-", "b", "}"),
    ("quoted defaults", "\"${a:-", "b", "}\""),
    ("arithmetic", "$((", "1", "))"),
    ("arithmetic parentheses", ": $((1+(", "1", ")))"),
    ("not arithmetic", "(((", "a", ";b);b);b)"),
    ("arrays", "a=(", "b", ")"),
    ("braces", "{a,", "b", "}"),
    ("brackets", "[", "a", "]"),
    ("extended patterns", "@(", "a", ")"),
    ("conditions", "[[ ( ", "a", " ) ]]"),
    ("negation", "! ", ":", ""),
    ("time", "time ", ":", ""),
    ("and", ": && ", ":", ""),
    ("pipes", ": | ", ":", ""),
    ("commands", ":; ", ":", ""),
    ("assignments", "a=b ", ":", ""),
    ("redirections", ">a ", ":", ""),
    ("here-documents", "cat <<A\n", "x", "\nA\n"),
    ("eval", "eval ", ":", ""),
    ("coproc", "coproc { ", ":", "; }"),
    ("single quotes", "'\"", "a", "\"'"),
];

/// What is left open.
const UNTERMINATED: &[&str] = &[
    "'",
    "\"",
    "`",
    "$(",
    "${",
    "$((",
    "((",
    "[[",
    "(",
    "{",
    "$'",
    "$\"",
    "if",
    "if :",
    "if :; then",
    "while",
    "while :; do",
    "for",
    "for i",
    "for i in",
    "for ((",
    "for ((;;",
    "case",
    "case a",
    "case a in",
    "case a in a)",
    "case a in (",
    "select x in",
    "function",
    "function f",
    "f()",
    "f(",
    "a=(",
    "a[",
    "a[1",
    "${a[",
    "${a:",
    "${a/",
    "${a//x/",
    "${a:-",
    "${!",
    "${#",
    "$[",
    "<(",
    ">(",
    "cat <<",
    "cat <<E",
    "cat <<'E",
    "cat <<E\nx",
    "cat <<E\n$(",
    "cat <<E\n${",
    "cat <<<",
    ">",
    ">&",
    "&>",
    "<",
    "<>",
    "2>",
    "{x}>",
    "a |",
    "a ||",
    "a &&",
    "!",
    "time",
    "coproc",
    "\\",
    "[[ a",
    "[[ a =~",
    "[[ a ==",
    "[[ (",
    "@(",
    "{1..",
    "$(case a in a)",
    "\"$(\"",
    "\"${a:-'",
    "$(cat <<E\n",
    "\"`\"",
    "<<E cat $(",
    "a=([",
    "declare a=(",
    "((a[",
    "$((a[\"",
    "if :; then :; else",
    "if :; then :; elif",
    "{ :",
    "( :",
    "f() {",
    "\u{0}",
    "\u{feff}",
    "\u{0}\u{0}$(\u{0}",
];

/// Repeated to one megabyte, as a script.
const REPEATED: &[&str] = &[
    "a",
    " ",
    "\n",
    "\t",
    "'",
    "\"",
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "|",
    "&",
    ";",
    "!",
    "\\",
    "#",
    "*",
    "?",
    "~",
    "=",
    "-",
    "+",
    "/",
    ":",
    "^",
    "%",
    "@",
    ",",
    ".",
    "0",
    "9",
    "\u{0}",
    "\u{7f}",
    "é",
    "𝒳",
    "\r",
    "$(",
    "${",
    "$((",
    "<<",
    "<<a\n",
    "[[ ",
    "if ",
    "a=",
    "a|",
    "a;",
    "a&",
    "a\n",
    "a b ",
    "$a",
    "\"$a\"",
    "{a,",
    "*/",
    "a=b ",
    ">a ",
    "\\\n",
    "`a` ",
    "a() ",
    "case a in ",
    "{1..2}",
    "~a:",
    "$'",
    "?(",
    "+(",
    "<(",
    "!!",
    "&& ",
    "||",
    ";;",
    "${a-",
    "${a[",
];

/// Commands that get one megabyte of one character, `@`, as an argument or on standard input.
const FED: &[(&str, &str)] = &[
    ("argument to a pattern", "s=@; [[ $s == *a*a* ]]; case $s in ?*b) ;; esac"),
    ("pattern", "s=@; [[ $s == $s ]]; [[ a =~ \"$s\" ]]; echo ${s#$s}"),
    ("expansion", "s=@; echo ${s//a/b} ${s^^} ${#s} ${s%%a*} ${s: -1} ${s@Q} | wc -c"),
    ("arithmetic", "s=@; echo $((s)) $((${s}))"),
    ("name", "s=@; eval $s=1; declare $s=2; echo ${!s}"),
    ("command", "s=@; $s; type $s; cd $s; . $s; exec $s"),
    ("file", "s=@; echo x > $s; cat $s; mkdir -p $s; ls $s"),
    ("grep", "s=@; grep $s <<< $s; grep -E $s <<< a; grep -F $s <<< a"),
    ("sed", "s=@; sed $s <<< $s; sed -n $s <<< a; sed \"s/$s/$s/\" <<< $s | wc -c"),
    ("jq", "s=@; jq $s <<< 1; jq . <<< $s; jq -n --arg a $s '$a | length'"),
    ("awk", "s=@; awk $s <<< $s"),
    (
        "utilities",
        "s=@; sort <<< $s | uniq | tr a b | cut -c 5 | fold | wc; expr $s : $s; test $s = $s; printf $s | wc -c; date -d $s",
    ),
    ("find", "s=@; find . -name $s; find . -regex $s; find $s"),
    ("read", "s=@; read -r a b <<< $s; IFS=$s; set -- $s; echo $#"),
    ("date and seq", "s=@; seq $s; sleep $s; head -n $s; date +$s | wc -c"),
    (
        "xargs",
        "s=@; xargs echo <<< $s | wc -c; xargs -n 1 echo <<< $s | wc -c; base64 <<< $s | base64 -d | wc -c",
    ),
];

/// Cases that do not end cleanly yet, with the reason. They are not run.
const KNOWN: &[(&str, &str)] = &[];

struct Case {
    name: String,
    script: Box<dyn Fn() -> String + Sync>,
    want: Want,
}

impl Case {
    fn new(name: String, script: impl Fn() -> String + Sync + 'static, want: Want) -> Self {
        Self { name, script: Box::new(script), want }
    }
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = SCRIPTS
        .iter()
        .map(|&(name, script, want)| Case::new(name.to_owned(), move || script.to_owned(), want))
        .collect();
    for &(name, open, middle, close) in NESTED {
        let nest = move |depth: usize| [&open.repeat(depth), middle, &close.repeat(depth)].concat();
        for depth in [10, 350, 10_000, 100_000, 1_000_000] {
            cases.push(Case::new(format!("nested: {name} {depth}"), move || nest(depth), Any));
        }
        cases.push(Case::new(format!("nested: {name}, open"), move || open.repeat(10_000), Any));
        let eval = move || format!("eval '{}'", nest(10_000).replace('\'', "'\\''"));
        cases.push(Case::new(format!("nested: {name}, eval"), eval, Any));
    }
    for (index, &text) in UNTERMINATED.iter().enumerate() {
        for (place, before, after) in
            [("", "", ""), (" after a line", "echo\n", ""), (" before lines", "", "\necho\n")]
        {
            let name = format!("unterminated: {index}{place}");
            cases.push(Case::new(name, move || [before, text, after].concat(), Any));
        }
    }
    for (index, &text) in REPEATED.iter().enumerate() {
        let name = format!("repeated: {index} {}", text.escape_default());
        cases.push(Case::new(name, move || text.repeat((1 << 20) / text.len()), Any));
    }
    for &(name, script) in FED {
        for filling in ["a", "(", "[", "*", "\\\\", "9", ".", "\"", "{"] {
            let made = format!("\"$(printf -v x %1000000s; echo \"${{x// /'{filling}'}}\")\"");
            let make = move || script.replace('@', &made);
            cases.push(Case::new(format!("fed: {name} {filling}"), make, Any));
        }
    }
    cases
}

/// In a child: runs the named case and prints how it ended. Otherwise there is nothing to do.
#[test]
fn child() {
    let Ok(name) = std::env::var(CASE_VARIABLE) else { return };
    let mut limits = Limits::default_profile();
    limits.wall_time_ms = WALL_TIME_MS;
    for name in name.split('\x1f') {
        let case = cases().into_iter().find(|case| case.name == name).unwrap();
        println!("\nSTART {name}");
        let sandbox = Sandbox::builder().limits(limits.clone()).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let start = Instant::now();
        let output = runtime.block_on(sandbox.start(Script::command((case.script)().as_bytes())));
        drop(sandbox);
        let end = match output.end {
            End::Exited => format!("status {}", output.status),
            End::Limit(error) => format!("limit {}", error.limit),
        };
        println!("\nEND {} {end}", start.elapsed().as_millis());
    }
}

/// Runs cases in one child and returns what was wrong with each: a line per case that ended wrongly.
fn run(batch: &[&Case]) -> String {
    let names: Vec<&str> = batch.iter().map(|case| case.name.as_str()).collect();
    let mut child = Command::new("/bin/sh")
        .args(["-c", &format!("ulimit -v {ADDRESS_SPACE_KIB}; ulimit -c 0; exec \"$@\""), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(CASE_VARIABLE, names.join("\x1f"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let reader = |mut stream: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            stream.read_to_end(&mut text).ok();
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let stdout = reader(Box::new(child.stdout.take().unwrap()));
    let stderr = reader(Box::new(child.stderr.take().unwrap()));
    let deadline = Instant::now() + HANG + Duration::from_millis(WALL_TIME_MS) * batch.len() as u32;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if Instant::now() > deadline {
            child.kill().ok();
            child.wait().ok();
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    let mut wrong = String::new();
    let mut ends = stdout.lines().filter_map(|line| line.strip_prefix("END "));
    for case in batch {
        let Some((time, end)) = ends.next().and_then(|line| line.split_once(' ')) else {
            let how = status.map_or("killed: it hung".to_owned(), |status| status.to_string());
            let tail: String = stderr.chars().take(600).collect();
            let _ = writeln!(wrong, "{}: {how} {tail}", case.name);
            break;
        };
        if std::env::var_os("HOSTILE").is_some() {
            println!("{time:>6} ms  {end:<28} {}", case.name);
        }
        let fine = match case.want {
            Limit => end.starts_with("limit"),
            Status(status) => end == format!("status {status}"),
            Exit => end.starts_with("status"),
            Any => true,
        };
        if !fine {
            let _ = writeln!(wrong, "{}: want {:?}, got {end}", case.name, case.want);
        }
    }
    if wrong.is_empty() && !status.is_some_and(|status| status.success()) {
        let _ = writeln!(wrong, "{names:?}: {status:?} after the last case");
    }
    wrong
}

/// Classes that run by default.
const QUICK: &[&str] = &["number", "recursion", "fork", "product", "regex", "jq"];

#[test]
fn hostile_scripts_end_cleanly() {
    if std::env::var_os(CASE_VARIABLE).is_some() {
        return;
    }
    // The whole table takes minutes: `HOSTILE= cargo test --test hostile`. By default the classes that are quick.
    let filter = std::env::var("HOSTILE").ok();
    let chosen = |name: &str| match &filter {
        Some(filter) => name.contains(filter.as_str()),
        None => QUICK.iter().any(|class| name.starts_with(class)),
    };
    let cases = cases();
    let known = |case: &&Case| !KNOWN.iter().any(|(name, _)| case.name == *name);
    let (alone, together): (Vec<&Case>, Vec<&Case>) = cases
        .iter()
        .filter(|case| chosen(&case.name))
        .filter(known)
        .partition(|case| !case.name.starts_with("unterminated") && !case.name.starts_with("number"));
    // A child of its own for what may eat memory; small ones share.
    let batches: Vec<Vec<&Case>> =
        alone.iter().map(|case| vec![*case]).chain(together.chunks(20).map(<[_]>::to_vec)).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(String::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let text = run(batch);
                    wrong.lock().unwrap().push_str(&text);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} wrong of {}:\n{wrong}", wrong.lines().count(), cases.len());
}
