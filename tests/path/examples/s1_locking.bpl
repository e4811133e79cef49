// The cases at the end are incomplete: for in0 == 0 and a negative level nobody unlocks.
// path: assign 6, assign 7, branch 8, branch 9, branch 11, assign 11, branch 12, branch 15
procedure main(in0: int, in1: int) requires in0 == 0 && in1 == -1;
{
  var level, locked: int;
  level := 0;
  locked := 1;
  if (in0 == 0) {
    if (in1 == 0) { level := 1; }
  }
  if (in1 != 0) { level := in1; }
  if (in0 != 0) {
    level := 2;
    locked := 0;
  } else if (level > 0) {
    level := 3;
    locked := 0;
  }
  assert locked == 0;
}
