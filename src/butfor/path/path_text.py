"""A path as text that reads like C, for people who look at what was lifted."""

from __future__ import annotations

from butfor.logic.terms import FALSE, TRUE, Term, postorder
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.path.source_expressions import MAX_DECIMAL

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "udiv": "/u",
    "sdiv": "/",
    "urem": "%u",
    "srem": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "lshr": ">>u",
    "ashr": ">>",
    "eq": "==",
    "ult": "<u",
    "ule": "<=u",
    "slt": "<",
    "sle": "<=",
}
_TURNED = {"slt": ">", "sle": ">=", "ult": ">u", "ule": ">=u"}  # with the constant on the right
_NOT = {"eq": "!=", "slt": ">=", "sle": ">", "ult": ">=u", "ule": ">u"}
_TURNED_NOT = {"eq": "!=", "slt": "<=", "sle": "<", "ult": "<=u", "ule": "<u"}


def term_text(term: Term, cells: dict[str, Cell]) -> str:
    """A term as an expression; comparisons without a sign are marked with u."""
    known: dict[Term, str] = {}
    for t in postorder((term,)):
        known[t] = _text(t, [known[a] for a in t.args], cells)
    text = known[term]
    return text[1:-1] if text.startswith("(") and _closes(text) == len(text) - 1 else text


def _closes(text: str) -> int:
    deep = 0
    for k, c in enumerate(text):
        deep += (c == "(") - (c == ")")
        if not deep:
            return k
    return -1


def _text(t: Term, a: list[str], cells: dict[str, Cell]) -> str:
    match t.op:
        case "const":
            value = int(t.data or 0)
            if t.width == 1:
                return str(value)
            return (
                str(value - (1 << t.width) if value >> t.width - 1 and t.width <= 64 else value)
                if value < MAX_DECIMAL or t.width <= 32
                else hex(value)
            )
        case "var":
            cell = cells.get(str(t.data))
            return str(t.data) if cell is None or cell.name.startswith("?") else cell.name
        case "zext" | "sext":
            return a[0]
        case "extract":
            return f"{a[0]}{{{int(t.data or 0)}:{int(t.data or 0) + t.width}}}"
        case "concat":
            return f"({a[0]} ++ {a[1]})"
        case "ite":
            return f"({a[0]} ? {a[1]} : {a[2]})"
        case "not":
            inner = t.args[0]
            signs = _TURNED_NOT if inner.args and inner.args[0].op == "const" else _NOT
            parts = a[0][1:-1].split(" ")
            return f"({parts[0]} {signs[inner.op]} {parts[2]})" if inner.op in signs and len(parts) == 3 else f"!{a[0]}"
        case "all" | "any":
            if t is TRUE or t is FALSE:
                return "true" if t is TRUE else "false"
            return "(" + (" && " if t.op == "all" else " || ").join(a) + ")"
    if t.op in _TURNED and t.args[0].op == "const":
        return f"({a[1]} {_TURNED[t.op]} {a[0]})"
    return f"({a[0]} {_SIGNS[t.op]} {a[1]})"


def path_text(path: Path) -> str:
    """The whole path, one line for each instance, indented by scope."""
    cells = {c.name: c for c in path.cells}
    lines = [f"{name} starts with {_value(cells[name], value)}" for name, value in path.initial.items()]
    for k, instance in enumerate(path.instances):
        where = f"{instance.place.file}:{instance.place.line}"
        lines.append(f"{k:4} {where:18} {'  ' * min(len(instance.scope), 20)}{_line(instance, cells)}")
    at = f"{path.place.file}:{path.place.line}"
    lines.append(f"     {at:18} {'  ' * min(len(path.scope), 20)}check {term_text(path.check, cells)}")
    lines += [f"approximate: {text}" for text in path.approximate]
    return "\n".join(lines)


def _line(instance: Instance, cells: dict[str, Cell]) -> str:
    writes = "; ".join(_write(instance, cell, term, cells) for cell, term in instance.writes)
    condition = term_text(instance.condition, cells)
    rounds = f"  // round {', '.join(map(str, instance.rounds))}" if instance.rounds else ""
    match instance.kind:
        case Kind.BRANCH:
            frames = f"  frames {', '.join(c.name for c in instance.frames)}" if instance.frames else ""
            return f"branch {condition}  until {instance.end}{frames}{'  escapes' if instance.escapes else ''}{rounds}"
        case Kind.ASSUME:
            return f"assume {condition}{rounds}"
    return f"{instance.kind.value} {writes}{rounds}"


def _write(instance: Instance, cell: Cell, term: Term | None, cells: dict[str, Cell]) -> str:
    value = _value(cell, instance.recorded[cell.name]) if cell.name in instance.recorded else "?"
    source = instance.inputs.get(cell.name)
    told = f" from {source.source} {source.name}[{source.start}:{source.end}]" if source is not None else ""
    right = "any value" if term is None else term_text(term, cells)
    return f"{cell.name} := {right}" + (f" (= {value})" if right != value else "") + told


def _value(cell: Cell, value: int) -> str:
    if cell.signed and cell.sort and value >> cell.sort - 1:
        value -= 1 << cell.sort
    return str(value) if abs(value) < MAX_DECIMAL else hex(value)
