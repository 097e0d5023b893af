#!/usr/bin/env bash
# remediation.fixer and remediation.resume: hands the findings to a coding agent, and commits what it changed.
# The findings are on standard input as instructions, and in the file $REVIEWGATE_GH_FINDINGS as JSON.
set -euo pipefail
: "${AGENT:?set AGENT to the command of your coding agent}"
bash -c "$AGENT"
git add --all
git diff --cached --quiet || git commit --quiet --message "Fix what the review found"
