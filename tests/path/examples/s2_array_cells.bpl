// Two different elements: only the first is the one that is checked.
// path: assign 5, assign 6, assign 7
procedure main(k: int) {
  var a: [int]int; var n: int;
  n := k + 1;
  a[n] := 5;
  a[k] := 7;
  assert a[n] == 8;
}
