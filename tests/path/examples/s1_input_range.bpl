// With in < 42 the difference is negative, so the flag is cleared.
// path: assign 7, assign 8, branch 9, assign 9
procedure main(in: int)
  requires in < 42;
{
  var flag, rest: int;
  flag := 1;
  rest := in - 42;
  if (rest < 0) { flag := 0; }
  assert flag != 0;
}
