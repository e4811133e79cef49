// b decides that a is changed.
// path: assign 5, assign 6, branch 7, assign 7
procedure main() {
  var a, b: int;
  a := 0;
  b := 0;
  if (b == 0) { a := 1; }
  assert a == 0;
}
