"""The hook that `hook install` writes, and what it does when nothing but its presence is asked for."""

from collections.abc import Mapping
from pathlib import Path

from ..model.exits import Exit

MARK = "# reviewgate-gh hook v"
PROBE = "REVIEWGATE_GH_PROBE"
CHAINED = "pre-push.reviewgate-gh-chained"

# -P: the work tree, where git starts hooks, is no place to import from.
_SCRIPT = """\
#!/bin/sh
# reviewgate-gh hook v1
# Written by "reviewgate-gh hook install"; "reviewgate-gh hook uninstall" takes it away.
set -e
python=@PYTHON@
case $0 in
    /*) hook=$0 ;;
    *) hook=$PWD/$0 ;;
esac
chained=${hook%/*}/@CHAINED@
if [ -x "$chained" ] && [ -z "${@PROBE@-}" ]; then
    # Both hooks get the whole list of refs.
    if ! { refs=$(mktemp) && cat > "$refs"; }; then
        rm -f "$refs"
        echo 'reviewgate-gh: nothing was reviewed and the push is refused: no room to keep the refs for your own hook.' >&2
        echo '  set TMPDIR to a folder with room, and push again' >&2
        exit 1
    fi
    exec 3< "$refs" 4< "$refs"
    rm -f "$refs"
    "$chained" "$@" <&3 3<&- 4<&-
    exec <&4 3<&- 4<&-
fi
code=0
"$python" -P -m reviewgate_gh hook run "$@" || code=$?
if [ "$code" -ne 0 ] && ! "$python" -P -c 'import reviewgate_gh.cli' 2> /dev/null; then
    if [ -e "$chained" ]; then
        remove="mv '$chained' '$hook'"
    else
        remove="rm '$hook'"
    fi
    cat >&2 << END
reviewgate-gh: nothing was reviewed and the push is refused: $python cannot run reviewgate-gh.
  to repair the hook: pip install reviewgate-gh && reviewgate-gh hook install
  to remove the hook: $remove
END
fi
exit "$code"
"""


def script(python: str) -> str:
    """The hook, run by this Python (an absolute path)."""
    import shlex

    return _SCRIPT.replace("@PYTHON@", shlex.quote(python)).replace("@CHAINED@", CHAINED).replace("@PROBE@", PROBE)


def answer_probe(env: Mapping[str, str], listed: bool) -> Exit | None:
    """What a probe is to be told (its push names a file); then the gate has shown that it was reached, and whether with refs.

    It refuses the first of a probe's pushes, and lets the second one through.
    """
    if not env.get(PROBE):
        return None
    file = Path(env[PROBE])
    second = file.exists()
    file.write_text("refs" * listed)
    return Exit.OK if second else Exit.BLOCK
