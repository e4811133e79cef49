// Unknown start values; both sums matter, the one of b comes too late.
// path: assign 5, assign 6, assign 7
var a, b, c: int;
procedure main() modifies a, b; {
  a := a + b;
  a := a + c;
  b := b + c;
  assert a >= 0;
}
