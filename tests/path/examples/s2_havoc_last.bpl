// Only the last value of c counts, and that comes from outside.
// path: assign 5, assign 6, assign 7, havoc 8
procedure main() {
  var a, b, c: int;
  a := 1;
  b := 2;
  c := 3;
  havoc c;
  assert c > 10;
}
