wrong() { printf '\x01wrong: %s\n' "$*"; }
for mode in -G -E; do
    grep -a $mode -f pattern text > by_grep; [ $? -lt 2 ] || continue
    flag=; [ $mode = -G ] || flag=-E
    sed $flag -n "/$(cat pattern)/p" text > by_sed || continue
    cmp by_grep by_sed || wrong sed $mode
done