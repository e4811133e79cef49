// The elements of an array are summed, and one more.
procedure main(a: [int]int) {
  var i, s, n: int;
  n := 10;
  s := 0;
  i := 0;
  while (i <= n) {
    assert 0 <= i && i < 10;
    s := s + a[i];
    i := i + 1;
  }
}
