// The check fails wherever it is reached: what matters is why it is.
// path: assign 5, branch 6
procedure main() {
  var n: int;
  n := 1;
  if (n < 10) { assert false; }
}
