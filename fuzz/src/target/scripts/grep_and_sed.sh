wrong() { printf '\x01wrong: %s\n' "$*"; }
mode=$1
grep -a $mode -f pattern text > by_grep
[ $? -lt 2 ] || exit
flag=
[ $mode = -G ] || flag=-E
sed $flag -n "/$(cat pattern)/p" text > by_sed || exit
cmp by_grep by_sed || wrong sed $mode
