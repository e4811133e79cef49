// The inner conditional changes c, which the check does not read.
// path: assign 5, assign 6, branch 7, assign 8, branch 9, assign 9
procedure main() {
  var a, b, c: int;
  b := 0;
  c := 0;
  if (b == 0) {
    a := 1;
    if (c == 0) { c := 1; }
  } else {
    b := 2;
  }
  assert a == 0;
}
