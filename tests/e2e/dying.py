"""The command in a process that is stopped, or refused by the disk, at the nth thing that it does
to files of a folder."""

from pathlib import Path

# Kills its own process, or lets the call fail as on a full disk, at the nth operation on our files;
# notes in a file which there were. A write that fails has written the first half. Python tells of
# none of the last three by itself. With n below 0 nothing can be changed.
AT_FILE = """
import errno, os, runpy, signal, sys
folder, how, left, total = sys.argv[1], sys.argv[2], int(sys.argv[3]), 0
noted = os.open(sys.argv[4], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
real = {name: getattr(os, name) for name in ("write", "fsync", "fdopen")}
def operation(what, first=lambda: None, changes=True):
    global total
    total += 1
    real["write"](noted, what.replace("\\n", " ").encode() + b"\\n")
    if total == left or (left < 0 and changes):
        first()
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(getattr(errno, how), os.strerror(getattr(errno, how)), what.split()[1])
EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate")
def ours(name):
    return folder in os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else False
def watch(event, args):
    if event in EVENTS and any(map(ours, args)):
        changes = event != "open" or args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        operation(" ".join([event, *map(str, args)]), changes=changes)
def name_of(handle):
    return os.readlink(f"/proc/self/fd/{handle}")
def write(handle, data):
    if ours(name_of(handle)):
        operation(f"write {name_of(handle)}", lambda: real["write"](handle, data[: len(data) // 2]))
    return real["write"](handle, data)
def fsync(handle):
    if ours(name_of(handle)):
        operation(f"fsync {name_of(handle)}")
    return real["fsync"](handle)
class File:
    def __init__(self, file):
        self.file = file
    def __getattr__(self, name):
        return getattr(self.file, name)
    def __enter__(self):
        return self
    def __exit__(self, *why):
        return self.file.__exit__(*why)
    def half(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
    def write(self, data):
        operation(f"write {name_of(self.file.fileno())}", lambda: self.half(data))
        return self.file.write(data)
def fdopen(handle, *args, **options):
    file = real["fdopen"](handle, *args, **options)
    return File(file) if ours(name_of(handle)) else file
os.write, os.fsync, os.fdopen = write, fsync, fdopen
sys.addaudithook(watch)
sys.argv = ["reviewgate-gh", *sys.argv[5:]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
"""


def dying(folder: str, nth: int, noted: Path, how: str = "kill") -> tuple[str, ...]:
    """What stands in place of `-m reviewgate_gh`; which operations there were is noted in a file.

    The 0th is none.
    """
    return ("-c", AT_FILE, folder, how, str(nth), str(noted))


def operations(noted: Path) -> list[str]:
    """Which there were."""
    return noted.read_text().splitlines()
