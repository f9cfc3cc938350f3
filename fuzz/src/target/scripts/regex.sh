wrong() { printf '\x01wrong: %s\n' "$*"; }
re=$1 text=$2
if [[ $text =~ $re ]]; then
    for part in "${BASH_REMATCH[@]}"; do
        [[ $text == *"$part"* ]] || wrong "no part of the text: $part"
    done
    [[ $text =~ ($re) ]] || [[ $re == *['\*+?{()']* ]] || wrong in parentheses
fi
shopt -s nocasematch; [[ $text =~ $re ]]; shopt -u nocasematch
expr "$text" : "$re"
expr "$text" : "\($re\)"
RE=$re TEXT=$text awk 'BEGIN {
    re = ENVIRON["RE"]; text = ENVIRON["TEXT"]
    at = match(text, re)
    if ((at > 0) != (text ~ re)) print "\001wrong: match and ~"
    if (at && substr(text, RSTART, RLENGTH) "" !~ re && re !~ /[\\^$]/) print "\001wrong: its own match"
    copy = text; n = gsub(re, "&", copy)
    if (copy != text) print "\001wrong: & is not what was matched"
    if ((n > 0) != (at > 0)) print "\001wrong: gsub and match"
    print split(text, parts, re), gensub(re, "<\\0|\\1>", "g", text)
}'
jq -cn --arg re "$re" --arg text "$text" '
    ($text | test($re)) as $found
    | ($text | [match($re; "g")]) as $all
    | if $found != ($all | length > 0) then "\u0001wrong: test and match" else empty end,
      ($all[] | select(.string != $text[.offset : .offset + .length]) | "\u0001wrong: offset \(.)"),
      ($text | [splits($re)] | length), ($text | sub($re; "x")), ($text | ascii_downcase | [scan($re; "i")] | length)'
jq -cn --arg re "$re" --arg text "$text" '$text | capture($re; "gx"), gsub($re; "<\(.)>"; "ns")'
printf %s "$text" | grep -P -o -e "$re"
find / -maxdepth 1 -regex "$re" -o -regextype posix-extended -iregex "$re"
printf %s "$text" | sed -E "s/$re/[&]/2g"