#!/bin/bash
# Refuses to push by force. The event is JSON on standard input, the decision goes to standard output.
command=$(jq -r '.data.toolInput.command // empty')

case $command in
  *"git push"*--force*)
    jq -nc --arg command "$command" '{blockingError: "refused: \($command)"}'
    ;;
esac
