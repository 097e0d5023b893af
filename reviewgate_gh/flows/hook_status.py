"""Is the gate before every push? Not what the files say, but what a push does."""

from ..model.exits import Exit
from ..system.git import Git
from ..system.hook_probe import Probe, probe
from ..system.hooks import LINE, Place, find_place
from ..system.world import World
from ..text.escape import one_line


def hook_status(git: Git, world: World) -> int:
    """Print what is installed and whether it fires; 0 when it does, else 1."""
    place = find_place(git, world.env)
    if not place.caller:
        print(f"not installed: no hook in {place.folder} calls reviewgate-gh\n  to install it: reviewgate-gh hook install")
        return 1
    print(f"{'installed' if place.installed else 'called from'}: {place.caller}")
    if place.installed and place.chained.exists():
        print(f"runs first: {place.chained}")
    wrong = _wrong(probe(git, world.env), place)
    print(wrong or "fires: a test push to a throw-away repository reached the hook, which refused it as asked")
    return 1 if wrong else Exit.OK


def _wrong(seen: Probe, place: Place) -> str:
    """What keeps the gate from stopping a push, or ""."""
    if not seen.reached:
        said = one_line(seen.words, 600) or "nothing"
        anew = "check that the file is executable; to reinstall it: reviewgate-gh hook uninstall && reviewgate-gh hook install"
        return f"DOES NOT FIRE: a test push to a throw-away repository did not run it\n  git said: {said}\n  {anew}"
    instead = f"\n  instead of the call, put this at the top of {place.caller}, below its #! line: {LINE}"
    if seen.refused is False:
        return f"DOES NOT STOP A PUSH: {place.caller} continues after the gate refuses{instead}"
    if seen.refused is None or seen.passed is None:
        return f"UNKNOWN whether it stops a push: {place.caller} takes too long to tell{instead}"
    if not seen.passed:
        said = one_line(seen.words, 600) or "nothing"
        anew = "fix what else fails there, then run this again"
        return (
            f"UNKNOWN whether it stops a push: {place.caller} also refuses a push that the gate lets through\n  git said: {said}\n  {anew}"
        )
    if not seen.listed:
        return f"SEES NO REFS: a command before it in {place.caller} consumes the list of refs{instead}"
    return ""
