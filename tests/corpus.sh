#!/usr/bin/env bash
# Checks all hook configs below a folder and prints what was found, rule by rule, for a reader who judges each finding: how often the
# linter is right on configs that people wrote. It fetches nothing and writes nothing.
#
#   tests/corpus.sh FOLDER            # HOOKBOX=target/release/hookbox for another binary than the debug build's
set -euo pipefail

folder=${1:?usage: tests/corpus.sh FOLDER}
hookbox=${HOOKBOX:-$(dirname "$0")/../target/debug/hookbox}

configs() {
    {
        # Settings and plug-ins: an object of events; manifests that name files or hold hooks; YAML of other platforms.
        grep -rlE '"hooks"[[:space:]]*:[[:space:]]*[{["]' "$folder" --include='*.json' || true
        grep -rlE '^[[:space:]]*hooks:' "$folder" --include='*.yaml' --include='*.yml' || true
        # Frontmatter of agents and skills.
        grep -rlE '^hooks:' "$folder" --include='*.md' | grep -E '/(agents|skills)/' || true
    } | grep -vE '/(package|package-lock|tsconfig)\.json$|/node_modules/' | sort -u
}

configs | while IFS= read -r config; do
    "$hookbox" check --json --notes "$config" 2>/dev/null || true
done | jq -rs '
    map(.files[]) as $files
    | ($files | length) as $all
    | ($files | map(select(.error))) as $refused
    | "\($all) configs: \($files | map(select(.dialect)) | group_by(.dialect) | map("\(length) \(.[0].dialect)") | join(", ")), \($refused | length) refused",
      ($refused[] | "refused\t\(.file)\t\(.error)"),
      ($files | map(.findings // [] | .[]) | group_by(.severity, .rule)[]
       | "\n\(.[0].rule) (\(.[0].severity)): \(length)",
         (.[] | "  \(.file):\(.line // 0):\(.column // 0)\t\(.hook // "-")\t\(.message)"))'
