// Whatever a is, b can still make the check fail.
// path: havoc 5, havoc 6
procedure main() {
  var a, b: int;
  havoc a;
  havoc b;
  assert a > 0 && b > 0;
}
