"""Lines of a Compose or Kubernetes file that give a container control over its host."""

import re
from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture
from ._sources import CheckInput, added_lines, mentions_any

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_SUFFIXES = (".yml", ".yaml")
# Each is as good as root on the host: https://man7.org/linux/man-pages/man7/capabilities.7.html
_CAPABILITIES = (
    "ALL|SYS_ADMIN|SYS_MODULE|SYS_PTRACE|SYS_RAWIO|SYS_BOOT|DAC_READ_SEARCH|BPF|MAC_ADMIN"
)
_WORDS = (b"docker.sock", b"privileged", b"hostPID", b"hostNetwork", b"hostIPC", b"SYS_", b"ALL",
          b"DAC_", b"BPF", b"MAC_")  # fmt: skip
# https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
_RIGHTS = lazy_pattern(
    r"(?P<socket>/docker\.sock\s*:|path\s*:\s*[\"']?/(?:var/)?run/docker\.sock)"
    r"|^\s*(?:-\s*)?(?P<setting>privileged|host(?:PID|Network|IPC))\s*:\s*true\b"
    rf"|^\s*-\s*[\"']?(?:CAP_)?(?P<capability>(?!ALL){_CAPABILITIES})\b"
    rf"|\b(?:cap_)?add\s*:\s*\[[^\]]{{0,200}}?\b(?:CAP_)?(?P<listed>{_CAPABILITIES})\b"
)
_SOCKET = "the Docker socket gives this container control over its host"
_BODY = "Leave it out unless the container cannot work without it."


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line."""
    for file in sources.change.files:
        wanted = file.path.endswith(_SUFFIXES) and not file.binary and not is_fixture(file.path)
        if wanted and mentions_any(file, _WORDS):
            for number, line in added_lines(file):
                if (found := _RIGHTS.search(line)) and not line.lstrip().startswith("#"):
                    yield _finding(file.path, number, found)


def _finding(path: str, line: int, found: re.Match[str]) -> Finding:
    right = found["setting"] or found["capability"] or found["listed"]
    title = f"{right} gives this container rights on its host" if right else _SOCKET
    rule = "builtin/container-rights"
    return Finding(Priority.P3, "security", rule, path, line, line, title, _BODY)
