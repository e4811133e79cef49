// b is never negative.
// path: assign 5, havoc 6
procedure main() {
  var a, b: int;
  b := 7;
  havoc a;
  assert a >= 0 && b >= 0;
}
