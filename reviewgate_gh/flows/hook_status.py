"""Is the gate before every push? Not what the files say, but what a push does."""

from ..model.exits import Exit
from ..system.git import Git
from ..system.hook_probe import fires
from ..system.hooks import find_place
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
    reached, words = fires(git, world.env)
    if reached:
        print("fires: a push to a throw-away repository reached it")
        return Exit.OK
    print(f"DOES NOT FIRE: a push to a throw-away repository went past it\n  git said: {one_line(words, 600) or 'nothing'}")
    print("  see that the file is executable; to write it anew: reviewgate-gh hook uninstall && reviewgate-gh hook install")
    return 1
