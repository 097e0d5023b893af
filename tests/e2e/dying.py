"""The command in a process that kills itself at the nth thing that it does to files of a folder, also in the middle of a write."""

# Counts opening, renaming, removing, making and changing the mode (Python tells of these), and half-done writing and syncing (it does
# not, so these are wrapped). Beyond the last one it ends as it would have, and says how many there were.
AT_FILE = """
import atexit, os, runpy, signal, sys
folder, left = sys.argv[1], int(sys.argv[2])
nth = left
atexit.register(lambda: print(nth - left, "operations"))
def count(*names):
    global left
    if any(folder in os.fsdecode(each) for each in names if isinstance(each, (str, bytes, os.PathLike))):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
def watch(event, args):
    if event in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate"):
        count(*args)
def name(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""
def sync(number, real=os.fsync):
    count(name(number))
    real(number)
def write(number, data, real=os.write):
    if folder in name(number):
        real(number, data[: len(data) // 2])
        count(name(number))
        data = data[len(data) // 2 :]
    return real(number, data)
class Halves:
    def __init__(self, file):
        self.file = file
    def __getattr__(self, word):
        return getattr(self.file, word)
    def __enter__(self):
        self.file.__enter__()
        return self
    def __exit__(self, *error):
        return self.file.__exit__(*error)
    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        count(name(self.file.fileno()))
        return self.file.write(data[len(data) // 2 :])
def opened(number, *args, real=os.fdopen, **more):
    file = real(number, *args, **more)
    return Halves(file) if folder in name(number) else file
sys.addaudithook(watch)
os.fsync, os.write, os.fdopen = sync, write, opened
sys.argv = ["reviewgate-gh", *sys.argv[3:]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
"""


def operations(said: str) -> int:
    """How many there were in a run that was not killed, by what it said."""
    return int(said.split()[-2])
