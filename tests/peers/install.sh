#!/usr/bin/env bash
# Install the programs that tests marked `peer` run against, beside this script, where git ignores them.
# Idempotent: what is there in the pinned version stays. Without npm its part is left out, and those tests say so.
set -euo pipefail
cd "$(dirname "$0")"

# fresh FOLDER FILE...: the folder was made from these very files.
fresh() { [ "$(cat "$1/.made-from" 2>/dev/null)" = "$(made_from "${@:2}")" ]; }
made_from() { cat "$@" | git hash-object --stdin; }
bd=v1.0.3  # of beads

if fresh venv requirements.txt; then
  echo "peers: Python programs are there"
else
  rm -rf venv
  "${PYTHON:-python3}" -m venv venv
  venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
  made_from requirements.txt > venv/.made-from
fi

if ! command -v npm > /dev/null; then
  echo "peers: no npm here, so the tests that need Node are skipped"
elif fresh node_modules package.json package-lock.json github/cut.mjs; then
  echo "peers: Node programs are there"
else
  npm ci --ignore-scripts --prefer-offline --no-progress --loglevel=error
  node github/cut.mjs node_modules > node_modules/.github-api.json
  made_from package.json package-lock.json github/cut.mjs > node_modules/.made-from
fi

if [ -x bin/bd ] && bin/bd --version | grep -q "${bd#v}"; then
  echo "peers: bd is there"
elif ! command -v go > /dev/null; then
  echo "peers: no Go here to build bd with, so the tests with the real one are skipped"
else
  GOBIN=$PWD/bin go install -tags gms_pure_go "github.com/steveyegge/beads/cmd/bd@$bd" || echo "peers: bd cannot be had, so the tests with the real one are skipped"
fi
