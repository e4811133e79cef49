"""Other variables that a value is replaced by are of its type; pointers lead to objects of the same kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.ir.change_sites import SiteKind
from tests.counterfactual.builds import build_of
from tests.small import written

BODY = """
struct node { struct node *next; int n; };
static int taken(struct node *a, char *b) { return a != 0 && b != 0; }
int main(int argc, char **argv) {
    struct node first = {0, 1}, *node = &first;
    char *name = argv[1], **list = argv;
    void *any = argv;
    struct node *next = node->next; /* next */
    char *word = argv[argc]; /* word */
    return taken(0, word); /* call */
}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [("next", {"any", "next", "node"}), ("word", {"any", "name", "word"}), ("call", {"any", "next", "node"})],
)
def test_a_pointer_is_replaced_by_pointers_to_the_same_type_only(line: str, expected: set[str], tmp_path: Path) -> None:
    source = written(tmp_path, BODY)
    wanted = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if f"/* {line} */" in text)
    build, program = build_of(source)
    variables = VariablesInScope(program)
    found = set()
    for site in build.sites:
        fn = program.function(site.function) if site.function else None
        instr = fn.instrs[site.instr] if fn is not None else None
        if fn is None or instr is None or not site.is_pointer or site.kind not in (SiteKind.LOAD, SiteKind.CONSTANT):
            continue
        where = program.source.location(instr)
        if where is not None and where.line == wanted and fn.name == "main":
            address = instr.args[0] if instr.op == "load" else None
            if isinstance(address, int) and fn.instrs[fn.definer[address]].op == "alloca":
                continue  # a variable by its name: others of its type are listed
            found |= {rule.name for rule in variables.replacements(site, fn, instr, address)}
    assert found == expected
