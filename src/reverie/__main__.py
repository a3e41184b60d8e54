"""`python -m reverie` is `dream`."""

import sys
from contextlib import suppress
from pathlib import Path

# `-m` puts the present folder first among the places of modules, and that may be a stranger's workspace.
with suppress(OSError):  # where that folder is gone, nothing can be found in it
    _ours = str(Path(__file__).absolute().parents[1])
    sys.path[:] = [place for place in sys.path if place == _ours or Path(place).resolve() != Path.cwd()]

from reverie.surfaces.cli import main

main()
