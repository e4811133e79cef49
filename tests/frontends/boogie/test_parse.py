"""What is no Boogie program, or none that can be followed, is refused at its place."""

from __future__ import annotations

import pytest

from butfor.errors import CompileError, UnsupportedError, UsageError
from tests.frontends.boogie.helpers import explored, unit_of


def in_main(body: str, before: str = "") -> str:
    """A program with these statements, the first in line 2."""
    variables = "var x, y: int; var b: bool; var r: real; var a: [int]int; var v: bv8;"
    return f"{before}procedure main(p: int) {{ {variables}\n{body}\n}}"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (in_main("x := 1 +;"), "2:9: syntax error at ';'"),
        (in_main("x := 1"), "3:1: syntax error at '}'"),
        ("procedure main() {", "1:19: syntax error: the file ends"),
        ("procedure main() { \xff }", "1:20: syntax error"),
        (in_main("x := + 1;"), "there is no unary +"),
        (in_main("x := z;"), "2:6: there is no variable z"),
        (in_main("x := bb;"), "there is no variable bb; did you mean 'b'?"),
        (in_main("z := 1;"), "2:1: there is no variable z"),
        (in_main("p := 1;"), "2:1: p is a parameter"),
        (in_main("c := 1;", "const c: int; "), "c is a constant"),
        (in_main("x := true;"), "2:6: a value of type bool is assigned to x of type int"),
        (in_main("x := x + r;"), "2:6: `+` is for int or real, not int and real"),
        (in_main("b := x && b;"), "`&&` is for bool"),
        (in_main("b := x == b;"), "two values of one type, not int and bool"),
        (in_main("assert x;"), "2:8: a condition is a bool, not int"),
        (in_main("if (x) { }"), "2:5: a condition is a bool, not int"),
        (in_main("x := a[b];"), "the index of [int]int is (int), not (bool)"),
        (in_main("x[1] := 2;"), "int is no map"),
        (in_main("a[1] := b;"), "assigned to a[1] of type int"),
        (in_main("a := a[1 := b];"), "has values of type int, not bool"),
        (in_main("x, x := 1, 2;"), "assigned twice"),
        (in_main("x, y := 1;"), "2 variables are assigned 1 values"),
        (in_main("v := 256bv8;"), "256 does not fit in 8 bits"),
        (in_main("v := v[9:1];"), "bits [9:1] of bv8"),
        (in_main("call q();"), "2:1: there is no procedure q"),
        (in_main("call q(1);", "procedure q(); "), "q takes 0 arguments, not 1"),
        (in_main("call q(b);", "procedure q(n: int); "), "argument 1 of q is of type int, not bool"),
        (in_main("call x := q();", "procedure q(); "), "q has 0 results, not 1"),
        (
            in_main("call b := q();", "procedure q() returns (n: int); "),
            "a result of type int is assigned to b of type bool",
        ),
        (in_main("x := f(1);"), "there is no function f"),
        (in_main("goto there;"), "there is no label there"),
        (in_main("L: L: x := 1;"), "the label L is declared twice"),
        (in_main("break;"), "2:1: break outside of a loop"),
        (in_main("while (b) { break M; }"), "no loop around this with the label M"),
        ("procedure main(x: int, x: bool) { }", "x is declared twice"),
        ("var g: int; const g: int;", "g is declared twice"),
        ("var g: T;", "there is no type T"),
        ("type T = U; type U = T; var g: T;", "is defined by itself"),
        ("procedure p() { } procedure p() { }", "the procedure p is declared twice"),
        ("implementation p() { }", "there is no procedure p to implement"),
        ("procedure p(n: int); implementation p() { }", "the parameters of p differ"),
        ("procedure main() requires old(true); { }", "old() is for"),
        ("function f(n: int): bool { n }", "the function f is of type bool, not int"),
        ("procedure main() modifies g; { }", "there is no global variable g"),
    ],
)
def test_errors_name_their_place(source: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        unit_of(source.encode("latin-1"))
    assert caught.value.message.startswith("prog.bpl:")
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (in_main("assume (forall i: int :: a[i] == 0);"), "prog.bpl:2:8: a quantifier (forall) is not supported"),
        (
            in_main("assert true ==> (exists i, j: int :: { a[i] } i < j);"),
            "prog.bpl:2:17: a quantifier (exists) is not supported",
        ),
        (in_main("a := (lambda i: int :: 0);"), "prog.bpl:2:6: a lambda expression is not supported"),
        (in_main("r := r ** r;"), "prog.bpl:2:6: the operator ** is not supported"),
        ("var g: int where g > 0;", "prog.bpl:1:12: a where clause is not supported"),
        ("type T a; ", "the type T, which has parameters, is not supported"),
        ("procedure p<T>(x: T) { }", "a type parameter is not supported"),
        ("var m: [[int]int]int;", "a map with maps as its index is not supported"),
        ("function f(n: int): int { g(n) } function g(n: int): int { f(n) }", "which uses itself, is not supported"),
    ],
)
def test_what_is_not_followed_is_named(source: str, message: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        unit_of(source)
    assert message in caught.value.message


def test_bytes_that_are_no_text_may_stand_in_comments() -> None:
    unit = unit_of(b"// \xff\xfe\nprocedure main() { /* \xc3 */ assert \r\n true; }")
    assert unit.entry(None).procedure.name == "main"


def test_columns_count_bytes() -> None:
    with pytest.raises(CompileError, match=r"prog\.bpl:1:29: there is no variable z"):
        unit_of("/* äöü */ procedure p(){ z := 1; }")


@pytest.mark.parametrize(
    ("source", "entry", "message"),
    [
        ("procedure p() { } procedure q() { }", None, "there are several procedures and none is called main"),
        ("procedure p();", None, "no procedure has a body"),
        ("procedure p(); procedure q() { }", "p", "the procedure p has no body"),
        ("procedure pp() { }", "p", "the procedure p does not exist; did you mean 'pp'?"),
    ],
)
def test_where_to_start_must_be_clear(source: str, entry: str | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        unit_of(source).entry(entry)
    assert message in caught.value.message


def test_long_expressions_and_deep_nesting_are_read() -> None:
    deep = "".join(f"if (x > {k}) {{ " for k in range(150)) + "x := 1;" + "}" * 150
    assert explored(in_main(f"x := {' + '.join(['1'] * 5000)}; assert x == 5000;")).complete
    assert explored(in_main(f"x := 0; {deep} assert x == 0;")).complete


def test_operators_bind_as_in_boogie() -> None:
    source = """
    procedure main() {
      assert 1 + 2 * 3 == 7 && 10 - 2 - 3 == 5;
      assert false ==> false ==> false;
      assert (false ==> true) <==> !false;
      assert -7 div 2 == -4 && -7 mod 2 == 1 && 7 div -2 == -3 && 7 mod -2 == 1;
      assert 7.0 / 2.0 == 3.5 && 1 / 2 == 0.5 && 1e2 == 100.0 && int(-0.5) == -1 && real(3) == 3.0;
      assert 1bv4 ++ 2bv4 == 18bv8 && 18bv8[8:4] == 1bv4 && 18bv8[4:0] == 2bv4;
      assert (if 1 < 2 then 3 else 4) == 3;
      assert true || false && false;
      assert false <== false;
    }"""
    found = explored(source)
    assert (found.failures, found.complete) == ((), True)


def test_a_type_may_be_called_map() -> None:
    unit = unit_of("type map; const c: map; procedure f() { var d: map; assert c == d; }")
    assert str(unit.program.constants["c"].type) == "map"
