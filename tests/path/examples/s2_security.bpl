// The input 2 leads to the failure, others do not.
// path: assign 6, assign 7, branch 8, assign 8
procedure main(in: int) requires in < 3;
{
  var a, b: int;
  a := 1;
  b := in;
  if (b == 2) { b := b + 1; }
  assert b != 3;
}
