"""Exploration: loops, recursion, gotos, calls, maps, numbers, bounds."""

from __future__ import annotations

import pytest

from butfor.path.path_model import Kind
from tests.frontends.boogie.helpers import explored, shape


def messages(source: str, bound: int = 8) -> list[str]:
    """What can fail, shortest path first."""
    return [f.message for f in explored(source, bound=bound).failures]


def test_a_loop_that_needs_some_rounds() -> None:
    source = """procedure main(n: int) {
      var i: int; i := 0;
      while (i < n) { i := i + 1; }
      assert i != 3;
    }"""
    found = explored(source)
    path = found.failures[0].path
    assert path.start["n"] == 3
    assert [i.rounds for i in path.instances if i.kind is Kind.BRANCH] == [(1,), (2,), (3,), (4,)]
    assert [i.scope for i in path.instances] == [(), (), (1,), (), (3,), (), (5,), ()]
    assert [i.end for i in path.instances if i.kind is Kind.BRANCH] == [3, 5, 7, 8]
    assert not found.complete
    assert (explored(source, bound=2).failures, explored(source, bound=2).bound) == ((), 2)


def test_rounds_without_choice_need_no_bound() -> None:
    source = """procedure main() {
      var i, s: int; var a: [int]int; i := 0; s := 0;
      while (i < 100) { a[i] := i; i := i + 1; }
      while (i > 0) { i := i - 1; s := s + a[i]; }
      assert s == 4950;
    }"""
    found = explored(source, bound=1)
    assert (found.failures, found.complete) == ((), True)
    assert messages(source.replace("4950", "4951"), bound=1) == ["assertion failed: s == 4951"]


def test_an_endless_loop_is_no_failure_and_cuts_nothing() -> None:
    found = explored("procedure main(x: int) { if (x > 0) { while (true) { } } else { L: goto L; } assert false; }")
    assert (found.failures, found.complete) == ((), True)
    assert not explored("procedure main() { var x: int; while (true) { x := x + 1; } }").complete


def test_invariants_are_checked_where_the_loop_begins_and_after_its_body() -> None:
    source = """procedure main(n: int) requires n >= 0; {
      var i: int; i := START;
      while (i < n) invariant i <= n; { i := i + STEP; }
    }"""
    assert messages(source.replace("START", "0").replace("STEP", "1")) == []
    assert messages(source.replace("START", "1").replace("STEP", "1")) == [
        "the invariant does not hold when the loop is entered: i <= n"
    ]
    assert messages(source.replace("START", "0").replace("STEP", "2")) == [
        "the invariant is not preserved by the loop body: i <= n"
    ]


def test_calls_are_followed() -> None:
    source = """var g: int;
procedure bump(by: int) returns (was: int)
  requires by > 0;
  modifies g;
  ensures g == old(g) + by;
{
  was := g;
  g := g + by;
}
procedure main() modifies g; {
  var r: int;
  g := 1;
  call r := bump(2);
  assert r == 1;
  assert g == 4;
}"""
    found = explored(source)
    assert [f.message for f in found.failures] == ["assertion failed: g == 4"]
    path = found.failures[0].path
    assert shape(path) == "assign 12, assume 13, assign 13, assign 7, assign 8, assume 5, assign 13, assume 14"
    assert [i.frame for i in path.instances] == [0, 0, 0, 1, 1, 1, 0, 0]
    assert [i.place.function for i in path.instances[2:4]] == ["main", "bump"]
    assert messages(source.replace("bump(2)", "bump(0)"))[0] == "precondition of bump violated: by > 0"
    assert "postcondition of bump violated: g == old(g) + by" in messages(source.replace("g + by;\n}", "g - by;\n}"))


def test_a_procedure_without_a_body_is_what_its_contract_says() -> None:
    source = """var g, h: int;
procedure any(n: int) returns (r: int); requires n > 0; modifies g; ensures r > n && g == old(g) + 1;
procedure main(n: int) modifies g; {
  var r: int;
  assume n > 5;
  call r := any(n);
  assert CHECK;
}"""
    for holds in ("r > 5", "g == old(g) + 1", "h == old(h)", "r >= n + 1"):
        found = explored(source.replace("CHECK", holds))
        assert (found.failures, found.complete) == ((), True), holds
    for fails in ("r == n + 1", "g == old(g)"):
        found = explored(source.replace("CHECK", fails))
        assert [f.message for f in found.failures] == [f"assertion failed: {fails}"]
        havoc = next(i for i in found.failures[0].path.instances if i.kind is Kind.HAVOC)
        assert ([c.shown for c, _ in havoc.writes], havoc.place.line) == (["r", "g"], 6)
    assert messages(source.replace("CHECK", "true").replace("n > 5", "n < 5")) == [
        "precondition of any violated: n > 0"
    ]


def test_recursion_is_bounded() -> None:
    source = """procedure fact(n: int) returns (r: int) {
      if (n <= 1) { r := 1; } else { call r := fact(n - 1); r := r * n; }
    }
    procedure main(n: int) { var r: int; call r := fact(n); assert r != 24; }"""
    found = explored(source)
    assert [f.path.start["n"] for f in found.failures] == [4]
    assert not found.complete
    assert explored(source, bound=1).failures == ()
    assert explored("procedure main() { call main(); }", bound=2).complete is False


def test_gotos_and_their_assumptions_are_decisions() -> None:
    source = """procedure main(n: int) {
  var i: int;
  entry: i := 0;
  goto head;
  head: goto body, done;
  body: assume i < n; i := i + 1; goto head;
  done: assume i >= n;
  assert i != 2;
}"""
    path = explored(source).failures[0].path
    assert shape(path) == "assign 3, branch 6, assign 6, branch 6, assign 6, branch 7"
    assert [i.scope for i in path.instances] == [(), (), (1,), (), (3,), ()]
    assert [c.shown for c in path.instances[-1].frames] == ["i"]


def test_gotos_without_assumptions_are_choices() -> None:
    source = """procedure main() {
  var i: int;
  goto a, b, c;
  a: i := 1; goto end;
  b: i := 2; goto end;
  c: i := 3;
  end: assert i != 2;
}"""
    path = explored(source).failures[0].path
    assert shape(path) == "havoc 3, branch 3, assign 5"
    assert path.instances[1].end == 3
    assert [c.shown for c in path.instances[1].frames] == ["i"]


def test_choices_are_inputs() -> None:
    path = (
        explored(
            "procedure main() { var x: int; x := 0;\nwhile (*) { x := x + 1; }\nif (*) { x := 7; }\nassert x != 8; }",
            bound=8,
        )
        .failures[0]
        .path
    )
    kinds = [i.kind for i in path.instances]
    assert kinds.count(Kind.HAVOC) == kinds.count(Kind.BRANCH) == 10
    assert {source.source for i in path.instances for source in i.inputs.values()} == {"nondet"}


def test_break_leaves_the_loop_that_is_named() -> None:
    source = """procedure main() {
      var x: int; x := 0;
      outer: while (true) {
        while (true) { x := x + 1; if (x == 3) { break; } if (x == 5) { break outer; } }
        x := x + 1;
      }
      assert x == WHAT;
    }"""
    assert messages(source.replace("WHAT", "5"), bound=1) == []
    assert explored(source.replace("WHAT", "5"), bound=1).complete


@pytest.mark.parametrize(
    ("declarations", "holds", "fails"),
    [
        ("x, y: int", "x * x >= 0", "x mod 3 != 1"),
        ("x, y: int", "y != 0 ==> (x div y) * y + x mod y == x", "x div y * y + x mod y == x"),
        ("x, y: int", "x div y == x div y", "x div 0 == 0"),
        ("x, y: real", "x / 2.0 + x / 2.0 == x", "x + 0.5 != y || x > 0.25"),
        ("a, b: [int]int", "a[1 := 2][1] == 2", "a[1] == b[1] ==> a == b"),
        ("m: [int][int]int, k: int", "m[k][2] == m[k][1 + 1]", "m[k][k] != 4"),
        ("m: [int, bool]int, k: int", "m[k, true := 3][k, true] == 3", "m[k, true := 3][k, false] == 3"),
        ("v, w: bv8", "(v ++ w)[8:0] == w", "v[8:4] != 5bv4"),
        ("s: [int]bool, i: int", "s[i] || !s[i]", "s[i] || s[i + 1]"),
        ("m: [bv4]bool, k: bv4", "m[k := true][k]", "m[k]"),
    ],
)
def test_types(declarations: str, holds: str, fails: str) -> None:
    found = explored(f"procedure main({declarations}) {{ assert {holds}; }}")
    assert (found.failures, found.complete, found.unknown) == ((), True, ())
    assert messages(f"procedure main({declarations}) {{ assert {fails}; }}") == [f"assertion failed: {fails}"]


def test_functions_constants_and_axioms() -> None:
    source = """type Node; type Set = [Node]bool;
    const unique first, last: Node; const limit: int; axiom limit > 10;
    function {:inline} double(n: int) returns (int) { n + n }
    function quad(n: int): int { double(double(n)) }
    function open(n: int): int;
    function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8) returns (bv8);
    function {:bvbuiltin "bvult"} below(x: bv8, y: bv8) returns (bool);
    procedure main(n: int, s: Set) { assert CHECK; }"""
    holds = [
        "quad(n) == 4 * n",
        "first != last",
        "limit > 5",
        "open(n) == open(n + 0)",
        "add(255bv8, 2bv8) == 1bv8",
        "below(1bv8, 255bv8)",
    ]
    for check in holds:
        assert messages(source.replace("CHECK", check)) == [], check
    for check in ("limit > 11", "open(n) == open(n + 1)", "s[first] == s[last]"):
        assert messages(source.replace("CHECK", check)) == [f"assertion failed: {check}"]


def test_each_violated_check_is_found_with_its_shortest_path() -> None:
    source = """procedure main(x: int) {
      if (x > 10) { assert x < 20; assert x != 15; }
      assert x != 5;
      assert x != 5;
      assert x >= 0 || x < 0;
    }"""
    found = explored(source)
    assert [f.message for f in found.failures] == [
        "assertion failed: x < 20",
        "assertion failed: x != 5",
        "assertion failed: x != 15",
    ]
    assert [f.path.start["x"] for f in found.failures[1:]] == [5, 15]
    assert [len(f.path.instances) for f in found.failures] == [1, 1, 2]


def test_the_other_arm_escapes_when_it_cannot_come_back() -> None:
    source = """procedure stop() { assume false; }
procedure main(x: int) {
  if (x == 0) { return; }
  if (x == 1) { call stop(); }
  if (x == 2) { assume false; }
  if (x == 3) { while (true) { } }
  if (x == 4) { goto end; }
  if (x == 5) { assume x > 0; }
  assert x != 7;
  end:
}"""
    path = explored(source, "main").failures[0].path
    assert [i.escapes for i in path.instances] == [True, True, True, True, True, False]


def test_shadowed_names_are_kept_apart() -> None:
    source = """var x: int;
procedure set(x: int) returns (y: int) { y := x; }
procedure main() modifies x; { var y: int; x := 1; call y := set(2); assert x == 1 && y == 2; }"""
    assert messages(source) == []


def test_free_clauses_are_assumed() -> None:
    source = (
        "procedure p(n: int); free requires n > 0; free ensures false; procedure main() { call p(-1); assert false; }"
    )
    assert messages(source) == []
    assert messages("procedure main(n: int) free requires n > 0; free ensures false; { assert n > 0; }") == []


def test_implementations_are_followed() -> None:
    assert messages("procedure main(n: int); requires n > 3; implementation main(n: int) { assert n > 4; }") == [
        "assertion failed: n > 4"
    ]


def test_a_parallel_assignment_reads_before_it_writes() -> None:
    assert (
        messages(
            "procedure main(x: int, y: int) { var a, b: int; a, b := x, y; a, b := b, a; assert a == y && b == x; }"
        )
        == []
    )


def test_an_assumption_told_by_a_goto_counts_again_when_it_is_reached_otherwise() -> None:
    source = """procedure main(n: int) {
  var i: int;
  i := 0;
  goto low, high;
  low: assume n < 5; i := i + 1; if (i == 1) { goto more; } assert false;
  high: assume n >= 5; assert i != 10; return;
  more: i := 10; goto NEXT;
}"""
    assert messages(source.replace("NEXT", "low")) == ["assertion failed: false"]
    assert messages(source.replace("NEXT", "high")) == []


def test_preconditions_that_nothing_meets_are_told() -> None:
    found = explored("procedure main(x: int) requires x > 0; requires x < 0; { assert false; }")
    assert (found.failures, found.complete, found.vacuous) == ((), True, True)
    assert not explored("procedure main(x: int) requires x > 0; { assert x > 0; }").vacuous
