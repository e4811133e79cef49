// The conditional and what it reads have nothing to do with the failure.
// path: assign 6, assign 7, branch 8
procedure main(in: int) {
  var flag: int;
  var rest: int;
  flag := 0;
  rest := in - 42;
  if (rest < 0) { rest := 0; }
  assert flag != 0;
}
