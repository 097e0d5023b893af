"""The command that it is given, in a process for which whatever GitHub asks to wait takes no time;
all else has the real clock."""

import runpy
import sys
import time

_monotonic, _epoch, _sleep = time.monotonic, time.time, time.sleep
_naps: list[float] = []
time.sleep = _naps.append
time.monotonic, time.time = lambda: _monotonic() + sum(_naps), lambda: _epoch() + sum(_naps)
import reviewgate_gh.github.sender  # noqa: E402, F401  # it takes the clock that it finds now

time.monotonic, time.time, time.sleep = _monotonic, _epoch, _sleep
sys.argv = ["reviewgate-gh", *sys.argv[sys.argv.index("reviewgate_gh") + 1 :]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
