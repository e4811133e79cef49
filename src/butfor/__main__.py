"""`python -m butfor`: the same as the `butfor` command."""

from butfor.cli.main import main

main()
