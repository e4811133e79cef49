// Both arms fail, so what comes before them is wrong.
procedure main(c: bool)
{
  var x: int;
  x := 0;
  if (c) { x := x + 2; } else { x := x + 3; }
  assert x <= 1;
}
