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
        print(f"not installed: nothing calls reviewgate-gh in {place.folder}\n  install it: reviewgate-gh hook install")
        return 1
    print(f"{'installed' if place.installed else 'called from'}: {place.caller}")
    if place.installed and place.chained.exists():
        print(f"runs first: {place.chained}")
    wrong = _wrong(probe(git, world.env), place)
    print(wrong or "fires: a push to a throw-away repository reached it, and was refused as it asked")
    return 1 if wrong else Exit.OK


def _wrong(seen: Probe, place: Place) -> str:
    """What keeps the gate from stopping a push, or ""."""
    if not seen.reached:
        said = one_line(seen.words, 600) or "nothing"
        anew = "see that the file is executable; to write it anew: reviewgate-gh hook uninstall && reviewgate-gh hook install"
        return f"DOES NOT FIRE: a push to a throw-away repository went past it\n  git said: {said}\n  {anew}"
    instead = f"\n  in place of the call, at the top of {place.caller} below its #! line: {LINE}"
    if seen.refused is False:
        return f"DOES NOT STOP A PUSH: {place.caller} goes on when it refuses{instead}"
    if seen.refused is None or seen.passed is None:
        return f"NOT KNOWN whether it stops a push: {place.caller} takes too long to see{instead}"
    if not seen.passed:
        said = one_line(seen.words, 600) or "nothing"
        anew = "fix what else fails there, then run this again"
        return f"NOT KNOWN whether it stops a push: {place.caller} refuses one that it lets through, too\n  git said: {said}\n  {anew}"
    if not seen.listed:
        return f"SEES NO REFS: what runs before it in {place.caller} reads the list of them{instead}"
    return ""
