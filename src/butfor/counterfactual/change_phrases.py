"""Phrases for a change at one site, such as `flip when equal`: one for each rule, and unambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from butfor.counterfactual.change_rules import Op, Rule, real_bits, real_of
from butfor.counterfactual.comparison_relations import OPERATORS
from butfor.counterfactual.variables_in_scope import VariableRule, VariablesInScope
from butfor.ir.change_sites import Site, SiteKind
from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import Kind, alloc_size, struct_layout
from butfor.trace.semantics.integers import signed

SIGNS = ("+", "-", "*", "/", "u/", "%", "u%", "&", "|", "^", "<<", ">>", "u>>")
_REAL_SIGNS = SIGNS[:4]
_OPS = {
    "flip": Op.FLIP,
    "flip when equal": Op.FLIP_EQUAL,
    "flip when less": Op.FLIP_LESS,
    "flip when greater": Op.FLIP_GREATER,
    "always true": Op.TRUE,
    "always false": Op.FALSE,
    "keep": Op.KEEP,
    "negate": Op.NEGATE,
    "not": Op.NOT,
    "only left": Op.ONLY_LEFT,
    "only right": Op.ONLY_RIGHT,
    "swap": Op.SWAP,
    "skip": Op.SKIP,
}
_PHRASES = {op: text for text, op in _OPS.items()}
_BRANCH = {Op.FLIP, Op.TRUE, Op.FALSE}
_RIGHT = {Op.RIGHT_LOCAL, Op.RIGHT_GLOBAL}
_VALUE = {Op.SET, Op.ADD, Op.NEGATE, Op.NOT, Op.LOCAL, Op.GLOBAL, Op.PLUS_LOCAL}
_TAKES: dict[SiteKind, set[Op]] = {
    **dict.fromkeys((SiteKind.LOAD, SiteKind.RESULT, SiteKind.SWITCH), _VALUE),
    SiteKind.CONSTANT: _VALUE | {Op.ADDRESS_LOCAL},
    SiteKind.STORE: _VALUE | {Op.KEEP, Op.COMPOUND},
    SiteKind.COMPARE: _BRANCH | _RIGHT | {Op.FLIP_EQUAL, Op.FLIP_LESS, Op.FLIP_GREATER, Op.SHIFT, Op.RELATION},
    SiteKind.BRANCH: _BRANCH,
    SiteKind.OPERATION: _VALUE | _RIGHT | {Op.OPERATOR, Op.RIGHT, Op.ONLY_LEFT, Op.ONLY_RIGHT, Op.SWAP},
    SiteKind.CALL: {Op.SKIP, Op.CALL},
    SiteKind.ADDRESS: {Op.SET, Op.ADD, Op.PLUS_LOCAL},
}
_OFFERS = {
    SiteKind.STORE: "set 0, add 1, keep, assign with +=, read NAME",
    SiteKind.COMPARE: "flip, flip when equal, compare with <=, right side +1, right side NAME",
    SiteKind.BRANCH: "flip, always true, always false",
    SiteKind.OPERATION: "operator +, right side +1, swap, set 0, add 1",
    SiteKind.CALL: "skip, call NAME",
    SiteKind.ADDRESS: "member 2, element +1",
}


class ChangePhrases:
    """Phrases for the rules of one program, without the position."""

    def __init__(self, variables: VariablesInScope) -> None:
        self.program = variables.program
        self.variables = variables

    def text_of(self, rule: Rule, site: Site) -> str:
        """The phrase for a rule."""
        op = rule.op
        if op in _PHRASES:
            return _PHRASES[op]
        if op is Op.RELATION:
            return f"compare with {OPERATORS[rule.a]}"
        if op is Op.OPERATOR:
            return f"operator {SIGNS[rule.a]}"
        if op is Op.COMPOUND:
            return f"assign with {SIGNS[rule.a]}="
        if op is Op.CALL:
            return f"call {rule.name}"
        if op in (Op.LOCAL, Op.GLOBAL):
            return f"read {_name_of(rule, self._variables(site))}"
        if op in _RIGHT:
            return f"right side {_name_of(rule, self._variables(site, right=True))}"
        if op in (Op.ADDRESS_LOCAL, Op.ADDRESS_GLOBAL):
            return f"read &{_name_of(rule, self._addresses(site))}"
        if op is Op.PLUS_LOCAL:
            if site.kind is SiteKind.ADDRESS:
                return f"element +{_name_of(rule, self._added(site, 1))}"
            return f"{'add' if rule.b > 0 else 'subtract'} {_name_of(rule, self._added(site, rule.b))}"
        number = _written(rule.a, site)
        if op in (Op.SHIFT, Op.RIGHT):
            return f"right side {number if number[0] in '-b' else '+' + number}"
        if op is Op.ADD and rule.name:
            return f"member {int(rule.name) + 1}"
        size = self._element_size(site) if op is Op.ADD else 0
        if size and rule.a % size == 0:
            return f"element {rule.a // size:+d}"
        return f"{'set' if op is Op.SET else 'add'} {number}"

    def rule_of(self, what: str, site: Site) -> Rule | None:
        """The rule that a phrase means at a site, if it fits there."""
        if what in _OPS:
            return Rule(site.number, _OPS[what]) if _OPS[what] in _TAKES[site.kind] else None
        verb, _, rest = what.rpartition(" ")
        is_number = rest[:1] in ("+", "-") or rest.startswith("bits:")
        signs = _REAL_SIGNS if site.is_real else SIGNS
        match verb:
            case "compare with":
                return _choice(site, Op.RELATION, OPERATORS, rest)
            case "operator":
                return _choice(site, Op.OPERATOR, signs, rest)
            case "assign with":
                return _choice(site, Op.COMPOUND, signs, rest.removesuffix("="))
            case "call":
                found = _choice(site, Op.CALL, self.program.function_table, rest)
                return found and Rule(found.site, found.op, found.a, name=rest)
            case "right side" if is_number:
                return _numbered(site, Op.SHIFT if site.kind is SiteKind.COMPARE else Op.RIGHT, rest)
            case "right side":
                return _named(rest, self._variables(site, right=True)) if Op.RIGHT_LOCAL in _TAKES[site.kind] else None
            case "read" if rest.startswith("&"):
                return _named(rest[1:], self._addresses(site)) if Op.ADDRESS_LOCAL in _TAKES[site.kind] else None
            case "read":
                return _named(rest, self._variables(site)) if Op.LOCAL in _TAKES[site.kind] else None
            case "set":
                return _numbered(site, Op.SET, rest)
            case "member" | "element" if site.kind is SiteKind.ADDRESS:
                return self._member(site, rest) if verb == "member" else self._element(site, rest)
            case "add" | "subtract":
                named = Op.PLUS_LOCAL in _TAKES[site.kind] and site.kind is not SiteKind.ADDRESS
                number = _numbered(site, Op.ADD, rest) if verb == "add" else None
                return number or (_named(rest, self._added(site, 1 if verb == "add" else -1)) if named else None)
        return None

    def _instr(self, site: Site) -> Instr:
        return self.program.function(site.function).instrs[site.instr]

    def _variables(self, site: Site, *, right: bool = False) -> Iterable[VariableRule]:
        return self.variables.readable(site, self.program.function(site.function), self._instr(site), right=right)

    def _added(self, site: Site, times: int) -> Iterable[VariableRule]:
        scale = self._element_size(site) if site.kind is SiteKind.ADDRESS else times
        return self.variables.addable(site, self.program.function(site.function), self._instr(site), scale)

    def _addresses(self, site: Site) -> Iterable[VariableRule]:
        instr = self._instr(site)
        return (
            self.variables.addressable(site, self.program.function(site.function), instr) if instr.op == "call" else ()
        )

    def _element_size(self, site: Site) -> int:
        """The size of the elements that an address steps over, 0 for the address of a member."""
        instr = self._instr(site)
        if site.kind is not SiteKind.ADDRESS:
            return 0
        source, indices = instr.detail[0], instr.args[1:]
        if source.kind is Kind.ARRAY and len(indices) == 2:
            return alloc_size(source.elem)
        return alloc_size(source) if len(indices) == 1 else 0

    def _element(self, site: Site, rest: str) -> Rule | None:
        amount, size = _number(rest, site), self._element_size(site)
        if amount is None:
            return _named(rest.removeprefix("+"), self._added(site, 1)) if size else None
        return Rule(site.number, Op.ADD, amount * size) if size else None

    def _member(self, site: Site, rest: str) -> Rule | None:
        number, instr = _number(rest, site), self._instr(site)
        source, indices = instr.detail[0], instr.args[1:]
        if number is None or source.kind is not Kind.STRUCT or len(indices) != 2 or not isinstance(indices[1], Const):
            return None
        offsets = struct_layout(source)[0]
        if not 1 <= number <= len(offsets):
            return None
        return Rule(site.number, Op.ADD, offsets[number - 1] - offsets[indices[1].value or 0], name=str(number - 1))


def example_changes(sites: Sequence[Site]) -> str:
    """Examples of changes that are possible at these sites."""
    kinds = dict.fromkeys(site.kind for site in sites)
    return "; ".join(f"{kind}: {_OFFERS.get(kind, 'set 0, add 1, negate, read NAME')}" for kind in kinds)


def _choice(site: Site, op: Op, choices: Sequence[str], text: str) -> Rule | None:
    return Rule(site.number, op, choices.index(text)) if op in _TAKES[site.kind] and text in choices else None


def _names(found: Iterable[VariableRule]) -> dict[str, Rule]:
    """Rules by variable: by its name if it is the nearest of that name, and by its name and line."""
    names: dict[str, Rule] = {}
    for _, v, rule in found:
        names.setdefault(v.name, rule)
        full, k = f"{v.name}@{v.line}", 1
        while (name := full if k == 1 else f"{full}.{k}") in names:
            k += 1
        names[name] = rule
    return names


def _named(name: str, found: Iterable[VariableRule]) -> Rule | None:
    return _names(found).get(name)


def _name_of(rule: Rule, found: Iterable[VariableRule]) -> str:
    return next(name for name, r in _names(found).items() if (r.op, r.a) == (rule.op, rule.a))


def _numbered(site: Site, op: Op, text: str) -> Rule | None:
    number = _number(text, site)
    return Rule(site.number, op, number) if number is not None and op in _TAKES[site.kind] else None


def _written(a: int, site: Site) -> str:
    """A number as text that parses to exactly the same number."""
    if not site.is_real:
        return str(a)
    text = repr(real_of(a))
    return text if _number(text, site) == a else f"bits:{a & (1 << 64) - 1:#x}"  # a NaN with another payload


def _number(text: str, site: Site) -> int | None:
    """The number that a text means at a site, if it fits; for a double its bits."""
    try:
        if site.is_real and not text.startswith("bits:"):
            return real_bits(float(text))
        if site.is_real:
            return signed(int(text.removeprefix("bits:"), 0), 64)
        if site.is_pointer and text == "NULL":
            return 0
        value = ord(text[1]) if re.fullmatch(r"'.'", text) else int(text, 0)
    except (ValueError, OverflowError):
        return None
    return value if abs(value) < 1 << 65 else None
