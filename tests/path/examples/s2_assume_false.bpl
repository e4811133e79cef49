// Whoever gets past the assumption fails.
// path: assign 5, havoc 6, assume 7
procedure main() {
  var a, b: int;
  b := 42;
  havoc a;
  assume a >= 0 && b >= 23;
  assert false;
}
