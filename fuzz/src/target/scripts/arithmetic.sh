e=$1
value() { echo $(( $1 )); }
plain=$(a=(1 2 3); b=7; value "$e") && again=$(a=(1 2 3); b=7; value "($e)") && [[ $again != "$plain" && $e != *[A-Z_]* ]] &&
    printf '\x01wrong: %s, in parentheses %s\n' "$plain" "$again"
a=(1 2 3) b=7
(( $e )); let "$e"; x=$e; echo $(( x )) ${a[e]} ${b:e} ${a[@]:e:e}
[[ $e -eq 0 ]]; [ "$e" -eq 0 ]; declare -i i=$e; a[$e]=1; for ((k = 0; k < 2 && (e); k++)); do :; done
printf '%d %i %u %x\n' "$e" "$e" "$e" "$e"; expr $e; eval "echo \$(( $e ))"; echo $[ $e ]; test -v "a[$e]"