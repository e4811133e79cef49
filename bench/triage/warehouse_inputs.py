"""Failing inputs of the warehouse: commands that show one of its faults, among others that show none."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bench.triage.planted_program import PlantedProgram

_NAMES = ("bolt", "nut", "screw", "nail", "hook", "ring", "pin", "cap", "gear", "rod")
_WORDS = ("red", "old", "small", "sale", "new", "heavy")


def _harmless(random: Random, known: list[str]) -> str:
    """A command that shows no fault; items that exist have different prices below 1,000."""
    choices = [
        "show nothing\n",
        f"sum {random.randint(1, 99)} {random.randint(1, 99)} {random.choice('+-*')}\n",
        f"order {random.randint(1, 9)} {random.randint(1, 50)}\n",
        f"order {random.randint(11, 30)} {random.randint(1, 50)}\n",
        f"due {random.randint(1, 28)} {random.randint(1, 12)} {random.randint(2001, 2090)} 5\n",
        f"fill {random.randint(0, 3)} {random.randint(1, 4)}\n",
        "bins\n",
        "hello\n",
    ]
    if known:
        name = random.choice(known)
        choices += ["average\n", "cheapest\n", "list\n", "worth\n", f"show {name}\n", f"tags {name}\n"]
        choices += [f"label {name} {random.choice(_WORDS)}\n", f"sell {name} {random.randint(1, 9)}\n"]
    return random.choice(choices)


def _with_noise(random: Random, needed: Callable[[list[str]], list[str]], items: tuple[int, int] = (1, 3)) -> str:
    """An input with some items, the commands that are needed in their order, and harmless ones between them."""
    known: list[str] = []
    lines: list[str] = []
    for place, name in enumerate(random.sample(_NAMES, random.randint(*items))):
        lines.append(f"add {name} {random.randint(10, 40)} {100 * (place + 1) + random.randint(0, 99)}\n")
        known.append(name)
    for line in needed(known):
        lines += [_harmless(random, known) for _ in range(random.randint(0, 3))]
        lines.append(line)
    lines += [_harmless(random, known) for _ in range(random.randint(0, 2))]
    return "".join(lines)


def _long_label(random: Random) -> str:
    text = "".join(random.choices("abcdefgh", k=random.randint(25, 45)))
    return _with_noise(random, lambda known: [f"label {random.choice(known)} {text}\n"])


def _too_many(random: Random) -> str:
    def needed(known: list[str]) -> list[str]:
        new = [name for name in _NAMES if name not in known][: 7 - len(known)]
        return [f"add {name} {random.randint(1, 9)} {500 + 10 * k}\n" for k, name in enumerate(new)]

    return _with_noise(random, needed)


def _unknown(random: Random) -> str:
    return _with_noise(random, lambda _: [f"sell {random.choice(('x', 'wheel', 'lamp'))} {random.randint(1, 9)}\n"])


def _no_average(random: Random) -> str:
    return _with_noise(random, lambda _: ["average\n"], (0, 0))


def _ten(random: Random) -> str:
    return _with_noise(random, lambda _: [f"order 10 {random.randint(1, 90)}\n"])


def _restocked(random: Random) -> str:
    def needed(known: list[str]) -> list[str]:
        name = random.choice(known)
        seen = random.choice((f"show {name}\n", "worth\n", f"sell {name} 60\n"))
        return [f"restock {name} {random.randint(41, 59)}\n", seen]

    return _with_noise(random, needed)


def _bad_sum(random: Random) -> str:
    sums = ("sum {a} +\n", "sum *\n", "sum {a} {b} + -\n", "sum {a} {b} * + {a}\n", "sum - {a}\n")
    text = random.choice(sums).format(a=random.randint(1, 50), b=random.randint(1, 50))
    return _with_noise(random, lambda _: [text])


def _unlabelled(random: Random) -> str:
    def needed(known: list[str]) -> list[str]:
        name = known[0]
        after = random.choice((f"tags {name}\n", f"unlabel {name} other\n"))
        return [f"label {name} last\nunlabel {name} last\n", after]

    return _with_noise(random, needed)


def _ties(random: Random) -> str:
    def needed(known: list[str]) -> list[str]:
        a, b = random.sample(("axle", "belt", "cog", "disk"), 2)
        price = random.randint(400, 800)
        return [f"add {a} 5 {price}\n", f"add {b} 6 {price}\n", "list\n"]

    return _with_noise(random, needed)


def _overfull(random: Random) -> str:
    def needed(_: list[str]) -> list[str]:
        a, b = random.sample(range(4), 2)
        return [
            f"fill {a} {random.randint(31, 35)}\n",
            f"fill {b} {random.randint(31, 35)}\n",
            f"move {a} {b} 30\n",
            "bins\n",
        ]

    return _with_noise(random, needed)


def _century(random: Random) -> str:
    year = random.choice((1900, 2100, 2200, 1800))
    days = random.choice(
        (f"28 2 {year} {random.randint(1, 40)}", f"{random.randint(1, 31)} 1 {year} {random.randint(60, 90)}")
    )
    return _with_noise(random, lambda _: [f"due {days}\n"])


def _dear(random: Random) -> str:
    def needed(known: list[str]) -> list[str]:
        return ["cheapest\n"]

    names = random.sample(_NAMES, random.randint(1, 3))
    dear = [
        f"add {name} {random.randint(10, 30)} {random.randint(1, 9) * 1000 + 100 + k}\n" for k, name in enumerate(names)
    ]
    return "".join(dear) + _with_noise(random, needed, (0, 0))


WAREHOUSE = PlantedProgram(
    "warehouse",
    (
        _long_label,
        _too_many,
        _unknown,
        _no_average,
        _ten,
        _restocked,
        _bad_sum,
        _unlabelled,
        _ties,
        _overfull,
        _century,
        _dear,
    ),
)
