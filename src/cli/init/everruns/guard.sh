#!/bin/bash
# Refuses to push by force. The event is JSON on standard input, the decision goes to standard output.
command=$(jq -r '.data.arguments.command // empty')

case $command in
  *"git push"*--force*)
    jq -nc --arg command "$command" '{decision: "block", reason: "refused: \($command)"}'
    ;;
esac
