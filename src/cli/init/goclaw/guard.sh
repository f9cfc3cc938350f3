#!/bin/bash
# Refuses to push by force. The event is JSON on standard input; exit status 2 blocks, standard error is the reason.
command=$(jq -r '.toolInput.cmd // empty')

case $command in
  *"git push"*--force*)
    printf 'refused: %s\n' "$command" >&2
    exit 2
    ;;
esac
