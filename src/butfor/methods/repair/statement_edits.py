"""Edits of statements: deleted, inserted, guarded, moved."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from butfor.methods.repair.condition_edits import further_conditions, negated_text, plain_conditions
from butfor.methods.repair.ingredients import JUMPS, LOOPS, FunctionIngredients, Replacement, is_guard_clause

# how many statements are inserted beside one, by where they come from
MAX_NEAR_STATEMENTS, MAX_FAR_STATEMENTS, MAX_GUARD_CLAUSES = 16, 24, 12
MAX_UNDONE_STATEMENTS = 8  # what other functions count up or add, and this one may have to take back
MAX_GUARDS = 14  # conditions that a statement is put under
MAX_EXITS = 2  # ways to leave the function in a new check
MAX_CHECKED_CONDITIONS = 4  # of new checks before a statement
MAX_HEAD_CHARACTERS = 60  # of a statement, for people
GUARDED_JUMP_PENALTY = 1  # in weights: assignments and calls lack a guard more often than jumps
REMOVED_ELSE_PENALTY = 4  # in weights: an `else` is missing more often than it is too many
_PLAIN_RETURN = re.compile(rb"return\s*\(?\s*(?:-?\w+|NULL)?\s*\)?\s*;")
_SIMPLE = frozenset(("expression_statement", *JUMPS))
_OPPOSITES = {b"++": b"--", b"--": b"++", b"+=": b"-=", b"-=": b"+="}
_BLOCKS = frozenset(("compound_statement", "case_statement"))


def enclosing_statement(node: Node) -> Node | None:
    """The statement that a node is a part of, as it stands in a block."""
    here: Node | None = node
    while here is not None and here.parent is not None:
        is_one = here.type.endswith("_statement") or here.type == "declaration"
        if (
            is_one
            and here.type not in ("compound_statement", "case_statement")
            and not (here.type == "declaration" and here.parent.type == "for_statement")
        ):
            return here
        here = here.parent
    return None


def replacements(statement: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Replacements of a whole statement, and insertions beside it."""
    shown = code.file.shown(statement)
    parent = statement.parent
    in_block = parent is not None and parent.type in _BLOCKS
    if statement.type in _SIMPLE:
        yield code.replacement(
            statement,
            b"" if in_block and statement.type != "expression_statement" else b";",
            "delete",
            f"without `{shown}`",
            skips=True,
        )
        for text, words in list(further_conditions(statement, code))[:MAX_GUARDS]:
            if statement.type == "expression_statement" or in_block:
                weight = code.weight("guard") - (
                    0 if statement.type == "expression_statement" else GUARDED_JUMP_PENALTY
                )
                yield code.replacement(
                    statement,
                    b"if (" + text + b") " + code.text(statement),
                    "guard",
                    f"only if `{words}`",
                    weight,
                    skips=True,
                )
    if in_block:
        yield from _guarded_by_exit(statement, code)
        yield from _moved(statement, code)
        yield from _inserted(statement, code)
    if (
        statement.type == "if_statement"
        and in_block
        and statement.prev_named_sibling is not None
        and statement.prev_named_sibling.type == "if_statement"
    ):
        yield Replacement(
            statement.start_byte,
            statement.start_byte,
            b"else ",
            "else",
            code.weight("else"),
            "only if the `if` before it did not hold",
        )
    alternative = statement.child_by_field_name("alternative")
    if statement.type == "if_statement" and alternative is not None:
        keyword = next((c for c in alternative.children if c.type == "else"), None)
        if keyword is not None:
            yield code.replacement(keyword, b"", "else", "without the `else`", penalty=REMOVED_ELSE_PENALTY)


def _guarded_by_exit(statement: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Checks that may be missing before a statement: they leave the function or loop unless a condition holds."""
    if statement.type not in (*_SIMPLE, "declaration"):
        return
    exits = list(_exits(statement, code))
    for text in list(dict(plain_conditions(statement, code)))[:MAX_CHECKED_CONDITIONS] if exits else ():
        condition = negated_text(text)
        for leave in exits:
            new = b"if (" + condition + b") " + leave
            words = f"`{new.decode('utf-8', 'replace')}` before `{_head(statement, code)}`"
            yield Replacement(
                statement.start_byte,
                statement.start_byte,
                new + _indent(statement, code),
                "insert-check",
                code.weight("insert-check"),
                words,
            )


def _exits(statement: Node, code: FunctionIngredients) -> Iterator[bytes]:
    """Ways to leave the function or the loop around a statement."""
    header = code.data[code.extent.start : code.extent.open]
    if re.search(rb"\bvoid\b", header) and b"*" not in header:
        yield b"return;"
    else:
        plain = [
            code.text(n) for n in code.nodes if n.type == "return_statement" and _PLAIN_RETURN.fullmatch(code.text(n))
        ]
        yield from list(dict.fromkeys((*plain, b"return 0;")))[:MAX_EXITS]
    if _is_inside(statement, LOOPS):
        yield b"break;"


def _moved(statement: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """The statement swapped with the next one."""
    after = statement.next_named_sibling
    if (
        after is None
        or after.type == "comment"
        or statement.type == "declaration"
        or after.type in ("declaration", "case_statement")
    ):
        return
    between = code.data[statement.end_byte : after.start_byte]
    if b"#" in between:
        return
    new = code.text(after) + between + code.text(statement)
    words = f"`{_head(after, code)}` before `{_head(statement, code)}`"
    yield Replacement(statement.start_byte, after.end_byte, new, "move", code.weight("move"), words)


def _inserted(statement: Node, code: FunctionIngredients) -> Iterator[Replacement]:
    """Another statement before or after this one."""
    for text, kind, words in _missing(statement, code):
        if kind != "insert-jump" or not _has_code_behind(statement):
            yield from inserted_beside(statement, code, text, kind, words)


def _has_code_behind(statement: Node) -> bool:
    """Whether a jump after a statement would keep others from ever running: nobody forgot to write such a jump."""
    here = statement
    while here.parent is not None and here.parent.type not in ("compound_statement", "case_statement"):
        here = here.parent
    following = here.next_named_sibling
    while following is not None and following.type == "comment":
        following = following.next_named_sibling
    return following is not None and following.type not in ("case_statement", "labeled_statement")


def inserted_beside(
    statement: Node, code: FunctionIngredients, text: bytes, kind: str, words: str
) -> Iterator[Replacement]:
    """Insertions of a statement before and after another one, where it can stand."""
    indent = _indent(statement, code)
    if statement.type != "declaration" and kind != "insert-jump":
        yield Replacement(
            statement.start_byte,
            statement.start_byte,
            text + indent,
            kind,
            code.weight(kind),
            f"{words} before `{_head(statement, code)}`",
        )
    if statement.type not in JUMPS:
        yield Replacement(
            statement.end_byte,
            statement.end_byte,
            indent + text,
            kind,
            code.weight(kind),
            f"{words} after `{_head(statement, code)}`",
        )


def _missing(statement: Node, code: FunctionIngredients) -> Iterator[tuple[bytes, str, str]]:
    """Statements that may be missing here: jumps, statements near by and far away, guard clauses of the file."""
    own = code.text(statement)
    met = {own}
    loop, switch = _is_inside(statement, LOOPS), _is_inside(statement, frozenset(("switch_statement",)))
    for text, fits in ((b"break;", loop or switch), (b"continue;", loop)):
        if fits:
            yield text, "insert-jump", f"`{text.decode()}`"
    for node in code.nodes:
        if node.type == "return_statement" and code.text(node) not in met:
            met.add(code.text(node))
            yield code.text(node), "insert-jump", f"`{code.file.shown(node)}`"
    near = sorted(code.statements, key=lambda n: abs(n.start_byte - statement.start_byte))
    for k, node in enumerate(near):
        text = code.text(node)
        if text not in met and k < MAX_NEAR_STATEMENTS:
            met.add(text)
            yield text, "insert", f"`{code.file.shown(node)}`"
    far = [
        n
        for n in code.file.nodes
        if n.type == "expression_statement" and not code.extent.start <= n.start_byte < code.extent.end
    ]
    changing = dict.fromkeys(
        n
        for n in far
        if re.search(rb"=|\+\+|--", code.text(n)) and code.is_in_scope(code.text(n), statement.start_byte)
    )
    for node in list(changing)[:MAX_FAR_STATEMENTS]:
        text = code.text(node)
        if text not in met:
            met.add(text)
            yield text, "insert", f"`{code.file.shown(node)}`"
    undone = dict.fromkeys(text for n in changing for text in _undone(n, code))
    for text in [t for t in undone if t not in met][:MAX_UNDONE_STATEMENTS]:
        yield text, "insert", f"`{text.decode('utf-8', 'replace')}`"
    for node in [n for n in code.file.guard_clauses if is_guard_clause(n)][:MAX_GUARD_CLAUSES]:
        if code.text(node) not in met:
            met.add(code.text(node))
            yield code.text(node), "insert-check", f"`{code.file.shown(node)}`"


def _undone(statement: Node, code: FunctionIngredients) -> Iterator[bytes]:
    """The statement that takes back what one of another function counts or adds; none if this one changes it too."""
    change = statement.named_child(0)
    if change is None or change.type not in ("update_expression", "assignment_expression"):
        return
    target = change.child_by_field_name("argument") or change.child_by_field_name("left")
    operator = change.child_by_field_name("operator")
    opposite = _OPPOSITES.get(code.text(operator)) if operator is not None else None
    if target is None or opposite is None or code.text(target) in code.assigned:
        return
    value = change.child_by_field_name("right")
    yield code.text(target) + (opposite if value is None else b" " + opposite + b" " + code.text(value)) + b";"


def _is_inside(node: Node, kinds: frozenset[str]) -> bool:
    above = node.parent
    while above is not None:
        if above.type in kinds:
            return True
        above = above.parent
    return False


def _head(statement: Node, code: FunctionIngredients) -> str:
    """The statement for people, without its body."""
    text = code.file.shown(statement).partition(" {")[0]
    return text if len(text) <= MAX_HEAD_CHARACTERS else text[:MAX_HEAD_CHARACTERS].rstrip() + "..."


def _indent(statement: Node, code: FunctionIngredients) -> bytes:
    """The line end and the indentation before a statement; one blank if it is not the first of its line."""
    start = code.data.rfind(b"\n", 0, statement.start_byte) + 1
    blanks = code.data[start : statement.start_byte]
    if blanks.strip():
        return b" "
    end = code.data.find(b"\n", statement.end_byte)
    is_crlf = end > 0 and code.data[end - 1 : end] == b"\r"
    return (b"\r\n" if is_crlf else b"\n") + blanks
