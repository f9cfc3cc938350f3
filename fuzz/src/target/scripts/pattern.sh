wrong() { printf '\x01wrong: %s\n' "$*"; }
text=$2
in_case() { case $text in $1) return 0;; esac; return 1; }
same() {
    in_case "$1"; local found=$?
    [[ $text == $1 ]]; [ $? -eq $found ] || wrong case and test
}
try() {
    local shorter=${text#$1} longer=${text##$1}
    [[ $text == *"$shorter" && $shorter == *"$longer" ]] || wrong "# leaves <$shorter>, ## <$longer>"
    shorter=${text%$1} longer=${text%%$1}
    [[ $text == "$shorter"* && $shorter == "$longer"* ]] || wrong "% leaves <$shorter>, %% <$longer>"
    if [ -n "$text" ] && in_case "$1"; then
        [ -z "${text##$1}${text%%$1}" ] || wrong "## leaves <${text##$1}>, %% <${text%%$1}>"
        [ -z "${text/#$1}${text/%$1}" ] || wrong "/# leaves <${text/#$1}>, /% <${text/%$1}>"
    elif [ -n "$text" ]; then
        [ -n "${text##$1}" ] && [ -n "${text%%$1}" ] || wrong nothing is left but it does not match
    fi
    [[ $text == "$text" ]] || wrong not itself
    : "${text/$1/x}" "${text//$1/<&>}" "${text^^$1}" "${text,$1}"
    compgen -W "$text" -X "$1" -- '' > /dev/null
}
shopt -s extglob; try "$1"; same "$1"
shopt -u extglob; try "$1"
shopt -s extglob nocasematch; same "$1"
shopt -s globstar dotglob nullglob extglob
cd /usr; echo $1 > /dev/null
find /bin -name "$1" -o -path "$1"