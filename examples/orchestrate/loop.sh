#!/usr/bin/env bash
# Lets a coding agent work on issues one after another, and reviews each session, each epic that is complete, and the run.
#
#   AGENT='claude -p --permission-mode acceptEdits' AGENT_ADDRESS=agent@bots.example loop.sh 7 8 9
#
# AGENT is a command that gets its task on standard input, changes the work tree and commits with "bd-ISSUE: ..." as subject.
# AGENT_ADDRESS is the address of its commits, where it has one of its own.
set -euo pipefail
: "${AGENT:?set AGENT to the command of your coding agent}"
[ "$#" -gt 0 ] || { echo 'usage: loop.sh ISSUE...' >&2; exit 64; }

issues=$(IFS=,; printf '%s' "$*")
reviewgate-gh orchestrate start --issues "$issues" ${AGENT_ADDRESS:+--agents "$AGENT_ADDRESS"}

succeeded=0 failed=0
for issue in "$@"; do
  code=0
  printf 'Work on issue %s. Commit with the subject "bd-%s: WHAT".\n' "$issue" "$issue" | bash -c "$AGENT" || code=1
  [ "$code" != 0 ] || reviewgate-gh orchestrate trigger session_end --issue "$issue" || code=$?
  case $code in
    0) succeeded=$((succeeded + 1)) ;;
    1 | 2 | 3) failed=$((failed + 1)) ;; # this issue is not done; the next one may be
    *) exit "$code" ;;                   # no reviewer, or the configuration is wrong: no other issue would fare better
  esac
done
reviewgate-gh orchestrate end --succeeded "$succeeded" --failed "$failed"
