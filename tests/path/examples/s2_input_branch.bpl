// As s1_input_range.bpl, with the input as a havoc.
// path: havoc 5, assign 6, assign 7, branch 8, assign 8
procedure main() {
  var in, flag, rest: int;
  havoc in;
  flag := 1;
  rest := in - 42;
  if (rest < 0) { flag := 0; }
  assert flag != 0;
}
