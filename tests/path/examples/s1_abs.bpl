// The arm for negative numbers assigns the sign where it should assign the result.
// path: assign 5, branch 6, branch 7, assign 7, branch 8, assign 8
procedure absolute(in: int) returns (out: int) requires in == -1; {
  var sign: int;
  out := in;
  if (in == 0) { return; }
  if (in < 0) { sign := -1; } else { sign := 1; }
  if (sign == -1) { sign := in * -1; } else { out := in; }
  assert out >= 0;
}
