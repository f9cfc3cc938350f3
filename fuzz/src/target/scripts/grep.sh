wrong() { printf '\x01wrong: %s\n' "$*"; }
mode=$1
lines=$(awk 'END { print NR }' text)
selected=$(grep -a $mode -c -f pattern text); status=$?
if [ $status -lt 2 ]; then
    others=$(grep -a $mode -vc -f pattern text)
    [ $((selected + others)) -eq $lines ] || wrong $mode: $selected and $others of $lines
    [ $((selected > 0)) -ne $status ] || wrong $mode: status $status for $selected
    grep -a $mode -n -f pattern text > numbered
    [ $(awk 'END { print NR }' numbered) -eq $selected ] || wrong $mode: -n
    cut -d: -f2- numbered > cut
    grep -a $mode -f pattern text | cmp - cut || wrong $mode: cut
    whole=$(grep -a $mode -xc -f pattern text)
    [ $whole -le $selected ] || wrong $mode: -x selects $whole, all $selected
    grep -a $mode -o -f pattern text > parts
    grep -a $mode -w -i -b -H --color=always -A1 -f pattern text > shown
fi
set -f
grep $(cat options) -f pattern text
