// No single assignment avoids the failure, both together do.
// path: assign 5, assign 6
procedure main() {
  var a, b: int;
  a := 5;
  b := 7;
  assert a != 5 && b != 7;
}
