"""The hook that `hook install` writes, and the variable by which it is asked for its
presence alone."""

import os
import re
import site
from pathlib import Path
from shlex import quote

HOOK_MARK = "# reviewgate-gh hook v"
PROBE_VARIABLE = "REVIEWGATE_GH_PROBE"
CHAINED_NAME = "pre-push.reviewgate-gh-chained"

# The work tree, where git starts hooks, is no place to import or to run anything from, whatever the
# variables say: -I makes Python ignore all of its own (PYTHONPATH, PYTHONHOME ...) and the user's
# folder of packages, which is named where we lie in it. https://git-scm.com/docs/githooks
# https://docs.python.org/3/using/cmdline.html#cmdoption-I
_SCRIPT = """\
#!/bin/sh
# reviewgate-gh hook v1
# Written by "reviewgate-gh hook install"; "reviewgate-gh hook uninstall" removes it.
set -e
python=@PYTHON@
given=$PATH
absolute=
set -f
IFS=:
for folder in $given; do
    case $folder in
        /*) absolute=$absolute:$folder ;;
    esac
done
unset IFS
set +f
absolute=${absolute#:}
if [ "$absolute" != "$given" ]; then absolute=$absolute${absolute:+:}/usr/bin:/bin; fi
PATH=$absolute
export PATH
case $0 in
    /*) hook=$0 ;;
    *) hook=$PWD/$0 ;;
esac
chained=${hook%/*}/@CHAINED@
probe=${@PROBE@-}
if [ -x "$chained" ] && { [ -z "$probe" ] || [ ! -d "${probe%/*}" ]; }; then
    # Both hooks get the whole list of refs.
    if ! { refs=$(mktemp) && cat > "$refs"; }; then
        rm -f "$refs"
        echo 'reviewgate-gh: nothing was reviewed and the push was refused: no disk space' >&2
        echo '  set TMPDIR to a folder with free space, and push again' >&2
        exit 1
    fi
    exec 3< "$refs" 4< "$refs"
    rm -f "$refs"
    PATH=$given "$chained" "$@" <&3 3<&- 4<&-
    exec <&4 3<&- 4<&-
fi
code=0
"$python" @START@ hook run "$@" || code=$?
if [ "$code" -ne 0 ] && ! "$python" @TRY@ 2> /dev/null; then
    if [ -e "$chained" ]; then
        remove="mv '$chained' '$hook'"
    else
        remove="rm '$hook'"
    fi
    cat >&2 << END
reviewgate-gh: nothing was reviewed and the push was refused: $python cannot run reviewgate-gh.
  to repair the hook: pip install reviewgate-gh && reviewgate-gh hook install
  to remove the hook: $remove
END
fi
exit "$code"
"""


def hook_text(python: str) -> str:
    """The hook, run by this Python (an absolute path)."""
    packages = _users_packages()
    first = f"import site; site.addsitedir({packages!r}); " if packages else ""
    start = (
        f"-I -c {quote(f'{first}from reviewgate_gh.__main__ import main; main()')}"
        if packages
        else "-I -m reviewgate_gh"
    )
    words = {
        "PYTHON": quote(python),
        "CHAINED": CHAINED_NAME,
        "PROBE": PROBE_VARIABLE,
        "START": start,
    }
    words["TRY"] = f"-I -c {quote(f'{first}import reviewgate_gh.cli')}"
    return re.sub("@([A-Z]+)@", lambda found: words[found[1]], _SCRIPT)


def _users_packages() -> str:
    """The user's own folder of packages, where this one was installed with `pip install --user`;
    else ""."""
    folder = site.getusersitepackages()
    return folder if os.path.isabs(folder) and Path(__file__).is_relative_to(folder) else ""
