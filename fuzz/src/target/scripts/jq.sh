set -f
jq $(cat options) -f filter input
if jq -c -f filter input > out; then
    # A number that was computed is read as a text of its own: 1e+76 is printed as 1E+76, once.
    jq -c . out > again
    jq -c . again | cmp - again || printf '\x01wrong: not the same again\n'
    jq -en --slurpfile a out --slurpfile b again '$a == $b' > same || printf '\x01wrong: not equal\n'
    jq -S . out > sorted && jq -c . sorted > compact && jq -cS . out | cmp - compact ||
        printf '\x01wrong: not the same when laid out and sorted\n'
fi