"""`butfor cache`: how large the cache of compiled programs is; and clearing it."""

from __future__ import annotations

from collections import defaultdict

import click

from butfor.native import build_cache

_HELP = f"""\b
Examples:
  butfor cache
  butfor cache --clear

Shows where the programs are that butfor has compiled, and how much room they take. Those not used for longest are
removed when the cache becomes larger than {build_cache.SIZE_VARIABLE} (megabytes) says; {build_cache.CACHE_VARIABLE}
names another folder for it.
"""


@click.command("cache", help=_HELP)
@click.option("--clear", is_flag=True, help="Remove everything in it.")
def command(clear: bool) -> int:
    """The exit status; what is in the cache, or was, is printed."""
    if clear:
        print(f"{_megabytes(build_cache.clear())} removed from {build_cache.cache_dir()}")
        return 0
    sizes: dict[str, list[int]] = defaultdict(list)
    for one in build_cache.entries():
        sizes[one.kind].append(one.size)
    print(build_cache.cache_dir())
    for kind, all_of_kind in sorted(sizes.items()):
        print(f"  {kind:<12}{len(all_of_kind):>6,}  {_megabytes(sum(all_of_kind)):>12}")
    total = sum(sum(all_of_kind) for all_of_kind in sizes.values())
    print(f"{_megabytes(total)} of {_megabytes(build_cache.most_bytes())}")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"
