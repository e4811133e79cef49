"""Failing inputs of the script language: statements that show one of its faults, among others that show none."""

from __future__ import annotations

from random import Random

from bench.triage.planted_program import PlantedProgram

_BUCKETS = 5  # of the table of variables
_NAMES = tuple("sum mean total count left right size width height depth speed price cost".split())
_TEXTS = ("apple", "Bread", "corn", "DATE", "eggs", "fig", "Grape")


def _bucket(name: str) -> int:
    value = 0
    for letter in name.encode():
        value = (value * 31 + letter) % (1 << 32)
    return value % _BUCKETS


def _apart(random: Random, count: int) -> list[str]:
    """So many names, each in a bucket of its own."""
    chosen: dict[int, str] = {}
    for name in random.sample(_NAMES, len(_NAMES)):
        chosen.setdefault(_bucket(name), name)
    return random.sample(sorted(chosen.values()), count)


def _harmless(random: Random, number: str, word: str) -> str:
    return random.choice(
        (
            f"let {number} = {random.randint(1, 99)} + {random.randint(1, 99)}\n",
            f"let {number} = {number} * 2\n",
            f"let {number} = ({random.randint(1, 9)} - 4) * 3\n",
            f"let {number} = 7 / 0\n",
            f"letters {word}\n",
            f"say {word}\n",
            "say nobody\n",
            "what now\n",
        )
    )


def _with_noise(random: Random, needed: list[str], number: str, word: str) -> str:
    """The statements that are needed in their order, and harmless ones between them."""
    lines = [f"let {number} = {random.randint(1, 50)}\n", f'word {word} = "{random.choice(_TEXTS)}"\n']
    for line in needed:
        lines += [_harmless(random, number, word) for _ in range(random.randint(0, 3))]
        lines.append(line)
    lines += [_harmless(random, number, word) for _ in range(random.randint(0, 2))]
    return "".join(lines)


def _printed(random: Random, expression: str) -> str:
    number, word, other = _apart(random, 3)
    text = expression.format(v=number)
    way = random.choice(([f"print {text}\n"], [f"let {other} = {text}\n", f"print {other} + 1\n"]))
    return _with_noise(random, way, number, word)


def _small(random: Random) -> int:
    return random.randint(2, 9)


def _lost_variable(random: Random) -> str:
    number, word, first = _apart(random, 3)
    longer = [name + "x" * k for name in _NAMES for k in range(1, 8 - len(name))]
    second = next(name for name in longer if _bucket(name) == _bucket(first))
    seen = random.choice((f"say {first}\n", f"letters {first}\n", f"join {word} {first}\n"))
    declared = [f'word {first} = "{random.choice(_TEXTS)}"\n', f'word {second} = "more"\n']
    return _with_noise(random, [*declared, seen], number, word)


def _long_name(random: Random) -> str:
    known = "letters"  # as long as names are; the rest of the long one is cut off
    number, word = [name for name in _apart(random, 3) if _bucket(name) != _bucket(known)][:2]
    long = known + "".join(random.choices("abcdefg", k=random.randint(22, 40)))
    return _with_noise(random, [f"let {known} = 4\n", f"print {random.choice(('', '2 * '))}{long}\n"], number, word)


def _missing_operand(random: Random) -> str:
    texts = ("{v} +", "3 * ", "{v} ^", "-", "{v} - ", "4 /")
    return _printed_alone(random, random.choice(texts))


def _printed_alone(random: Random, expression: str) -> str:
    number, word = _apart(random, 2)
    return _with_noise(random, [f"print {expression.format(v=number)}\n"], number, word)


def _powers(random: Random) -> str:
    return _printed(random, random.choice(("2 ^ 3 ^ 2", "3 ^ 2 ^ 2", "{v} + 2 ^ 2 ^ 3", "2 ^ 2 ^ 3 * 2")))


def _differences(random: Random) -> str:
    a, b, c = (_small(random) for _ in range(3))
    texts = (f"{a} - {b} - {c}", f"{a} - {b} + {c}", f"{{v}} - {b} - {c}", f"{a} * 2 - {b} + {c}")
    return _printed(random, random.choice(texts))


def _unknown(random: Random) -> str:
    return _printed_alone(random, random.choice(("nobody", "3 + nobody", "{v} * nobody", "(nobody + 2)")))


def _rest_of_zero(random: Random) -> str:
    return _printed_alone(random, random.choice(("{v} % 0", "7 % (3 - 3)", "{v} % ({v} - {v})", "1 + 5 % 0")))


def _many_prints(random: Random) -> str:
    number, word = _apart(random, 2)
    return _with_noise(random, [f"print {number} + {k}\n" for k in range(random.randint(5, 7))], number, word)


def _long_text(random: Random) -> str:
    number, word, other = _apart(random, 3)
    text = "".join(random.choices("abcdefg", k=random.randint(24, 50)))
    return _with_noise(random, [f'word {other} = "{text}"\n'], number, word)


def _joined_number(random: Random) -> str:
    number, word = _apart(random, 2)
    return _with_noise(random, [f"join {word} {number}\n"], number, word)


def _turned(random: Random) -> str:
    number, word, other = _apart(random, 3)
    text = "".join(random.sample("abcdefgh", random.choice((2, 4, 6))))
    needed = [f'word {other} = "{text}"\n', f"turn {other}\n", f"say {other}\n"]
    return _with_noise(random, needed, number, word)


def _letter_z(random: Random) -> str:
    number, word, other = _apart(random, 3)
    text = random.choice(("zoo", "maze", "Zz", "jazz", "size", "AzA"))
    return _with_noise(random, [f'word {other} = "{text}"\n', f"letters {other}\n"], number, word)


SCRIPT = PlantedProgram(
    "script",
    (
        _lost_variable,
        _long_name,
        _missing_operand,
        _powers,
        _differences,
        _unknown,
        _rest_of_zero,
        _many_prints,
        _long_text,
        _joined_number,
        _turned,
        _letter_z,
    ),
)
