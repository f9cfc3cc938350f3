wrong() { printf '\x01wrong: %s\n' "$*"; }
format=$1 one=$2 two=$3
printf -- "$format" "$one" "$two"
printf -v value -- "$format" "$two" "$one"
command printf -- "$format" "$one" "$two"
env printf -- "$format" "$one"
for text in "$format" "$one" "$two"; do
    printf -v quoted %q "$text"; eval "back=$quoted"; [[ $back == "$text" ]] || wrong "%q: $quoted"
    eval "back=${text@Q}"; [[ $back == "$text" ]] || wrong "@Q: ${text@Q}"
    eval "$(declare -p text | sed '1s/text/back/')"; [[ $back == "$text" ]] || wrong declare -p
    declare -A map=([$text]=$text) 2> /dev/null
    printf '%b' "$text" > /dev/null; echo -e "$text" > /dev/null; : "${text@E}" "${text@P}" "${text@K}" "${map[@]@A}"
done
date "+$format"; date -d "$one" "+$two"; TZ=$two date -d "@$one" "+$format"
printf "%($format)T %($two)T" "$one" -1
touch -d "$two" file; stat -c "$format" file; stat --printf "$format" file; find file -printf "$format"
seq -f "$format" "$one" 3; numfmt --to=iec --format="$format" "$one"; numfmt --from=auto "$one"
F=$format A=$one awk 'BEGIN { printf ENVIRON["F"], ENVIRON["A"], 7; print strftime(ENVIRON["F"], 1); x = sprintf("%" ENVIRON["F"], 1) }'
jq -n --arg f "$format" --arg t "$one" '(1 | strftime($f)), ($t | strptime($f) | mktime)'
sleep "$two"