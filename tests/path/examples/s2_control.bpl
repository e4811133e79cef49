// The other arm of the inner conditional never ends, so both conditions decide that the check is reached.
// path: branch 5, branch 6, assign 7
procedure main(a: int, c: int) {
  var b: int;
  if (a == 0) {
    if (c == 0) {
      b := 1;
    } else {
      while (true) { }
    }
    assert false;
  }
}
