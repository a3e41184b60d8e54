"""`python -m reverie` is `dream`."""

from reverie.surfaces.cli import main

main()
