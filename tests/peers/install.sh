#!/usr/bin/env bash
# Install the programs that tests marked `peer` run against, beside this script, where git ignores them.
# Idempotent: what is there in the pinned version stays. Without npm its part is left out, and those tests say so.
set -euo pipefail
cd "$(dirname "$0")"

# fresh FOLDER FILE...: the folder was made from these very files.
fresh() { [ "$(cat "$1/.made-from" 2>/dev/null)" = "$(made_from "${@:2}")" ]; }
made_from() { cat "$@" | git hash-object --stdin; }

# python_programs FOLDER FILE: a virtual environment with what the file lists.
python_programs() {
  if fresh "$1" "$2"; then
    echo "peers: the Python programs of $2 are there"
  else
    rm -rf "$1"
    "${PYTHON:-python3}" -m venv "$1"
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$2"
    made_from "$2" > "$1/.made-from"
  fi
}

# Debian's own, on a machine of CI's that is root's: nobody else's machine is changed unasked.
debian_programs() {
  local package wanted=()
  for package in chromium lua-check libperl-critic-perl php-cli rubocop; do
    dpkg-query --show --showformat '${db:Status-Abbrev}' "$package" 2> /dev/null | grep -q '^ii' || wanted+=("$package")
  done
  [ "${#wanted[@]}" -gt 0 ] || return 0
  # With only what they need, half a minute
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${wanted[@]}"; } \
    > /dev/null 2>&1 || echo "peers: apt-get cannot install ${wanted[*]}, so the tests with the real ones are skipped"
}

# Nothing needs these but their own tests: debug builds take half as long.
build() { # NAME VERSION PACKAGE [OPTION...]: what no package index has, from source; without Go or the modules its tests are skipped
  local name=$1 version=$2 package=$3
  shift 3
  if [ "$(cat "bin/.$name" 2>/dev/null)" = "$version" ] && [ -x "bin/$name" ]; then
    echo "peers: $name is there"
  elif ! command -v go > /dev/null; then
    echo "peers: no Go here to build $name with, so the tests with the real one are skipped"
  elif GOBIN=$PWD/bin go install -gcflags='all=-N -l' -ldflags='-s -w' "$@" "$package@$version"; then
    echo "$version" > "bin/.$name"
  else
    echo "peers: $name cannot be had, so the tests with the real one are skipped"
  fi
}

node_programs() {
  if ! command -v npm > /dev/null; then
    echo "peers: no npm here, so the tests that need Node are skipped"
    return
  fi
  if fresh node_modules package.json package-lock.json github/cut.mjs; then
    echo "peers: Node programs are there"
  else
    npm ci --ignore-scripts --prefer-offline --no-progress --loglevel=error
    node github/cut.mjs node_modules > node_modules/.github-api.json
    made_from package.json package-lock.json github/cut.mjs > node_modules/.made-from
  fi
  # apart: what they depend on would change the versions of the others
  if ! fresh more/node_modules more/package.json more/package-lock.json; then
    npm --prefix more ci --ignore-scripts --prefer-offline --no-progress --loglevel=error
    made_from more/package.json more/package-lock.json > more/node_modules/.made-from
  fi
}

go_programs() {
  build actionlint v1.7.7 github.com/rhysd/actionlint/cmd/actionlint
  if [ -n "${REVIEWGATE_GH_FULL-}" ]; then # minutes
    build gitleaks v8.28.0 github.com/zricethezav/gitleaks/v8
    build golangci-lint v2.5.0 github.com/golangci/golangci-lint/v2/cmd/golangci-lint
    build staticcheck v0.8.2 honnef.co/go/tools/cmd/staticcheck
    build tflint v0.64.0 github.com/terraform-linters/tflint
  fi
  build bd v1.0.3 github.com/steveyegge/beads/cmd/bd -tags gms_pure_go
}

all_python_programs() {
  python_programs venv requirements.txt
  python_programs venv-mcp requirements-mcp.txt # apart: claude-agent-sdk needs an older mcp
}

# Side by side: each waits for another server, and compiles or unpacks on one core at a time
installing=()
if [ "${CI-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  debian_programs & installing+=("$!")
fi
go_programs & installing+=("$!")
node_programs & installing+=("$!")
all_python_programs & installing+=("$!")
code=0
for each in "${installing[@]}"; do wait "$each" || code=$?; done
exit "$code"
