set -f
jq $(cat options) -f filter input
if jq -c -f filter input > out; then
    jq -c . out | cmp - out || printf '\x01wrong: not the same again\n'
    jq -S . out > sorted && jq -c . sorted > compact && jq -cS . out | cmp - compact ||
        printf '\x01wrong: not the same when laid out and sorted\n'
fi