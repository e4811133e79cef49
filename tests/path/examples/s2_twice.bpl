// The same assignment twice: the first is overwritten.
// path: assign 5, assign 6
procedure main() {
  var a: int;
  a := 7;
  a := 7;
  assert a > 10;
}
