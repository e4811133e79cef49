// b takes no part.
// path: assign 5, havoc 6
procedure main() {
  var a, b: int;
  b := 10;
  havoc a;
  assert !(a > 0);
}
