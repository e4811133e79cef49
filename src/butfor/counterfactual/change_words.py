"""Changes described as conditional clauses: "had `i < n` been true whenever its sides are equal"."""

from __future__ import annotations

import re
from typing import Any

from butfor.counterfactual.change_candidates import ChangeCandidate
from butfor.counterfactual.change_phrases import SIGNS
from butfor.counterfactual.change_rules import Op, real_of
from butfor.counterfactual.comparison_relations import EQUAL, GREATER, LESS, OPERATORS, TRUE_FOR
from butfor.ir.change_sites import Site, SiteKind
from butfor.ir.debug_types import CType
from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import Type, store_size
from butfor.libc.library import lookup
from butfor.trace.semantics.integers import signed
from butfor.trace.view.declared_types import DeclaredTypes
from butfor.trace.view.heap_blocks import ordinal
from butfor.trace.view.object_parts import scalars_at
from butfor.trace.view.source_places import Places

_WHEN = {
    Op.FLIP_EQUAL: (EQUAL, "its sides are equal"),
    Op.FLIP_LESS: (LESS, "its left side is less"),
    Op.FLIP_GREATER: (GREATER, "its left side is greater"),
}
_UNWRITTEN = "..."  # stands for an expression whose source is not known


UNSPOKEN_CHANGE = "a change of what it does here avoids the failure"  # for changes that nobody could have meant
_WITHOUT_REASON = frozenset(("value", "case", "once"))  # families of numbers that nothing in the source suggests
_NOT_FOR_SENTENCES = frozenset((Op.NOT, Op.ADDRESS_LOCAL, Op.ADDRESS_GLOBAL))
_ARITHMETIC = frozenset((Op.ADD, Op.NEGATE, Op.PLUS_LOCAL))
_OTHER_VARIABLE = frozenset((Op.LOCAL, Op.GLOBAL))
_ON_SIDES = frozenset(
    (
        Op.OPERATOR,
        Op.ONLY_LEFT,
        Op.ONLY_RIGHT,
        Op.SWAP,
        Op.RIGHT,
        Op.RIGHT_LOCAL,
        Op.RIGHT_GLOBAL,
        Op.SHIFT,
        Op.RELATION,
    )
)
_STEPS_BY_ONE = re.compile(r"\+\+|--")
_IS_STEP = re.compile(r"(?:\+\+|--)[^=;]*|[^=;]*(?:\+\+|--)")
_QUALIFIER = re.compile(r"\b(?:const|volatile|restrict) ?")
_HAS_SIDES = re.compile(r"[-+*/%<>=!&|^]")  # an operator with two sides; the call of a macro has none
_MISTAKEN_OPERATORS = frozenset(map(frozenset, ("+-", "*/", "/%", "&|", "|^", "&^", ("<<", ">>"))))
_GIVEN = re.compile(r"arg[cv]\b")  # what the system passes in is not what a programmer mistyped


class ChangeWords:
    """Describes the change candidates of one program."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.types = DeclaredTypes(places.recording.program)

    def clause(self, c: ChangeCandidate) -> str:
        """The conditional clause of a sentence that says what would have happened."""
        kind = c.site.kind
        if kind in (SiteKind.COMPARE, SiteKind.BRANCH):
            return self._condition(c)
        if kind is SiteKind.OPERATION:
            return self._operation(c)
        if kind is SiteKind.CALL:
            name = self._instr(c.site).callee
            return (
                f"had `{name}` not been called here"
                if c.rule.op is Op.SKIP
                else f"had `{c.rule.name}` been called here instead of `{name}`"
            )
        if kind is SiteKind.INITIAL:
            return f"had this initial value of `{c.rule.name}` been {_difference(c)}"
        if kind is SiteKind.ADDRESS and c.rule.op is not Op.PLUS_LOCAL:
            return self._other_part(c)
        return self._value(c)

    def is_sensible(self, c: ChangeCandidate) -> bool:
        """Whether a programmer could have meant the change, so that it may be said; else it only counts as evidence."""
        if c.site.kind is SiteKind.INITIAL:
            return True
        op, kind, text = c.rule.op, c.site.kind, self._text(c.site)
        if op in _NOT_FOR_SENTENCES or text == _UNWRITTEN or _GIVEN.match(text) or _GIVEN.match(c.rule.name):
            return False
        if kind is SiteKind.ADDRESS and op is not Op.PLUS_LOCAL:  # another member, or an element of something else
            is_fixed = isinstance(self._instr(c.site).args[-1], Const)
            return op is Op.ADD and not c.rule.name.isdigit() and not is_fixed
        if op is Op.COMPOUND:
            place = self.places.of_instr(self.places.recording.program.function(c.site.function), self._instr(c.site))
            is_sum = place is not None and bool(place.target) and place.role == "expression"
            return is_sum and SIGNS[c.rule.a] == "+" and not isinstance(self._instr(c.site).args[0], Const)
        if op in _ARITHMETIC and (kind is SiteKind.SWITCH or self._is_enumeration(c.site)):
            return False
        if op in _ARITHMETIC and ((c.site.is_pointer and op is Op.PLUS_LOCAL) or self._is_answer_of_library(c.site)):
            return False
        if op not in (Op.ADD, Op.KEEP, Op.SKIP) and _IS_STEP.fullmatch(text):
            return False  # nobody writes `i++` for something else
        if op in _OTHER_VARIABLE and not self._has_type_of(c.site, c.rule.name):
            return False
        if kind is SiteKind.CALL and op is Op.SKIP:
            return self._is_statement(c.site) and not self._manages_resources(c.site)
        if c.family in ("reversed", "outcome") and (self._compares_with_constant(c.site) or self._decides_loop(c.site)):
            return False  # people reverse a comparison of two variables, hardly ever one with 0 or that of a loop
        if op in _ON_SIDES and (_STEPS_BY_ONE.search(text) or not _HAS_SIDES.search(text)):
            return False
        if op is Op.OPERATOR:
            return frozenset((SIGNS[c.rule.a].lstrip("u"), SIGNS[c.site.operator].lstrip("u"))) in _MISTAKEN_OPERATORS
        if op is Op.SHIFT and not c.site.is_real and abs(c.rule.a) > (1 if c.family == "literal" else 2):
            return False  # by so much nobody is off
        if op is Op.PLUS_LOCAL and text.endswith(";"):
            return False  # the text is that of a statement: its value is not written by itself
        if op is Op.NEGATE and self._is_character(c.site):
            return False
        if kind is SiteKind.CONSTANT and text.endswith(")"):
            return False  # the text is that of the call that the constant is an argument of
        return not (op is Op.SET and c.family in _WITHOUT_REASON)

    def _is_statement(self, site: Site) -> bool:
        """Whether a call is a statement of its own: without it, what uses its result would have nothing to use."""
        instr = self._instr(site)
        place = self.places.of_instr(self.places.recording.program.function(site.function), instr)
        return (
            place is not None
            and re.match(rf"(?:\(void\)\s*)?{re.escape(instr.callee or '')}\b", place.text) is not None
        )

    def _is_enumeration(self, site: Site) -> bool:
        """Whether a load or a store is of a variable of an enumeration: nobody adds to those by mistake."""
        found = self._accessed_type(site)
        return found is not None and found.kind == "enum"

    def _is_character(self, site: Site) -> bool:
        found = self._accessed_type(site)
        return found is not None and found.kind in ("char", "uchar")

    def _accessed_type(self, site: Site) -> CType | None:
        """The declared type of what a load or a store accesses; None where that is not known."""
        instr = self._instr(site)
        if not instr.accesses_memory:
            return None
        found = self.types.of(self.places.recording.program.function(site.function), instr.address)
        return next((p.type for p in scalars_at(*found, store_size(_accessed(instr)))), None) if found else None

    def _has_type_of(self, site: Site, name: str) -> bool:
        """Whether a variable could stand where a load or a store is: enumerations and pointers must be the same."""
        wanted, source = self._accessed_type(site), self.places.recording.source
        fn = self.places.recording.program.function(site.function)
        known = [v for v in (*source.variables(fn).values(), *source.global_declarations().values()) if v.name == name]
        if wanted is None or not known:
            return True
        is_own_kind = {wanted.kind, known[0].type.kind} & {"enum", "pointer", "float", "bool"}
        return _unqualified(known[0].type.text) == _unqualified(wanted.text) if is_own_kind else True

    def _is_answer_of_library(self, site: Site) -> bool:
        """Whether a value is what a library function answered; only to a length is 1 forgotten to be added."""
        instr = self._instr(site)
        known = lookup(instr.callee) if site.kind is SiteKind.RESULT and instr.op == "call" else None
        return known is not None and not known.returns_text_length

    def _manages_resources(self, site: Site) -> bool:
        """Whether a call allocates, frees, prints or ends the program: without it, the failure is only put off."""
        known = lookup(self._instr(site).callee)
        return known is not None and bool(known.frees or known.allocates or known.prints or known.control)

    def _decides_loop(self, site: Site) -> bool:
        """Whether a comparison decides about the next round of a loop."""
        place = self.places.of_instr(self.places.recording.program.function(site.function), self._branch(site))
        return place is not None and place.keyword in ("for", "while", "do")

    def _branch(self, site: Site) -> Instr:
        fn = self.places.recording.program.function(site.function)
        return fn.terminator(self._instr(site).block)

    def _compares_with_constant(self, site: Site) -> bool:
        """Whether a comparison is one with a constant, as in `left > 0` and `open(...) < 0`."""
        return any(isinstance(operand, Const) for operand in self._instr(site).args)

    def edit(self, c: ChangeCandidate) -> str:
        """The edit of the source that the change amounts to, empty if there is no simple one."""
        if c.operator is not None:
            return f"`{OPERATORS[c.operator]}` instead of `{OPERATORS[c.site.operator]}`"
        if c.rule.op is Op.OPERATOR:
            return f"`{SIGNS[c.rule.a].lstrip('u')}` instead of `{SIGNS[c.site.operator].lstrip('u')}`"
        return ""

    def _instr(self, site: Site) -> Any:
        return self.places.recording.program.function(site.function).instrs[site.instr]

    def _text(self, site: Site) -> str:
        """The expression at a site, as written."""
        instr = self._instr(site)
        where = self.places.location(instr)
        tree = self.places.tree(where.file) if where is not None else None
        if where is None or tree is None:
            return _UNWRITTEN
        found = tree.expression_at(where.line, where.column)
        if found is not None:
            return found.text
        statement = tree.statement_at(where.line, where.column)
        return statement.text if statement is not None else _UNWRITTEN

    def _other_part(self, c: ChangeCandidate) -> str:
        """The clause for another member of a struct or another element."""
        text, rule = f"`{self._text(c.site)}`", c.rule
        if rule.op is not Op.ADD:
            return f"had another member or element been meant by {text}"
        if rule.name.isdigit():
            return f"had {text} been member {int(rule.name) + 1} of its struct"
        return f"had {text} been one element further {'on' if rule.a > 0 else 'back'}"

    def _condition(self, c: ChangeCandidate) -> str:
        text = f"`{self._text(c.site)}`"
        op = c.rule.op
        if op in _WHEN:
            relation, when = _WHEN[op]
            value = "false" if TRUE_FOR[c.site.operator] & relation else "true"
            if c.operator is not None and not c.is_total:
                return (
                    f"had {text} been written with `{OPERATORS[c.operator]}` instead of `{OPERATORS[c.site.operator]}`"
                )
            is_truth = not _HAS_SIDES.search(text.replace("->", "."))  # a pointer or a flag as a condition
            return f"had {text} been {value}{'' if c.is_total or is_truth else f' whenever {when}'}"
        if op is Op.RELATION:
            return f"had {text} been decided by `{OPERATORS[c.rule.a]}`"
        if op is Op.FLIP:
            return f"had {text} gone the other way {f'the {ordinal(c.rule.only)} time' if c.rule.only else 'each time'}"
        if op in (Op.TRUE, Op.FALSE):
            return f"had {text} always been {'true' if op is Op.TRUE else 'false'}"
        if op is Op.SHIFT:
            right = self._instr(c.site).args[1]
            if isinstance(right, Const) and right.kind == "int":
                bits = right.type.bits
                old = right.value - (1 << bits) if not c.site.is_unsigned and right.value >> (bits - 1) else right.value
                return f"had {text} compared with {old + c.rule.a} instead of {old}"
            if isinstance(right, Const) and right.kind == "float":
                old_real = real_of(signed(right.value, 64))
                return f"had {text} compared with {old_real + real_of(c.rule.a):g} instead of {old_real:g}"
            return f"had the right side of {text} been {_difference(c)}"
        return f"had the right side of {text} been `{c.rule.name}`"

    def _operation(self, c: ChangeCandidate) -> str:
        text, op = f"`{self._text(c.site)}`", c.rule.op
        if op is Op.OPERATOR:
            return f"had {text} used `{SIGNS[c.rule.a].lstrip('u')}`"
        if op in (Op.ONLY_LEFT, Op.ONLY_RIGHT):
            return f"had {text} been its {'left' if op is Op.ONLY_LEFT else 'right'} side alone"
        if op is Op.SWAP:
            return f"had the sides of {text} been swapped"
        if op is Op.RIGHT:
            return f"had the right side of {text} been {_difference(c)}"
        if op in (Op.RIGHT_LOCAL, Op.RIGHT_GLOBAL):
            return f"had the right side of {text} been `{c.rule.name}`"
        return self._value(c)

    def _value(self, c: ChangeCandidate) -> str:
        text, op = f"`{self._text(c.site)}`", c.rule.op
        if c.site.kind is SiteKind.STORE:
            place = self.places.of_instr(self.places.recording.program.function(c.site.function), self._instr(c.site))
            if place is not None and place.target:
                text = f"`{place.target}`"
            if op is Op.KEEP:
                return f"had {text} kept its old value{f' the {ordinal(c.rule.only)} time' if c.rule.only else ''}"
        if op is Op.COMPOUND:
            return f"had {text} been changed by `{SIGNS[c.rule.a]}=`"
        if op in (Op.ADDRESS_LOCAL, Op.ADDRESS_GLOBAL):
            return f"had the address of `{c.rule.name}` been passed here"
        if op is Op.PLUS_LOCAL:
            return f"had `{c.rule.name}` been {'added to' if c.rule.b > 0 else 'subtracted from'} {text}"
        returns = text.startswith("`return ") and text.endswith(";`")
        if returns and op in (Op.LOCAL, Op.GLOBAL, Op.SET):
            return f"had {text} given {_number(c) if op is Op.SET else f'`{c.rule.name}`'}"
        if op in (Op.LOCAL, Op.GLOBAL):
            verb = "been assigned" if c.site.kind is SiteKind.STORE else "been"
            return f"had {text} {verb} `{c.rule.name}`"
        if op is Op.SET:
            return f"had {text} been {_number(c)}{', a multiple of what it was' if c.family == 'size' else ''}"
        if op is Op.NOT:
            return f"had {text} been 1 where it was 0, and 0 otherwise"
        if returns:
            return f"had the value that {text} gives been {_difference(c)}"
        return f"had {text} been {_difference(c)}"


def _unqualified(type_text: str) -> str:
    """A type without its qualifiers: a `const char *` may stand where a `char *` is read."""
    return _QUALIFIER.sub("", type_text)


def _difference(c: ChangeCandidate) -> str:
    amount = _number(c)
    if c.rule.op is Op.NEGATE:
        return "negated"
    return f"{amount[1:]} less" if amount.startswith("-") else f"{amount} more"


def _number(c: ChangeCandidate) -> str:
    if c.site.is_real:
        return f"{real_of(c.rule.a):g}"
    return "NULL" if c.site.is_pointer and not c.rule.a else str(c.rule.a)


def _accessed(instr: Instr) -> Type:
    """The type of what a load or a store moves."""
    found: Type = instr.detail if instr.op == "store" else instr.type
    return found
