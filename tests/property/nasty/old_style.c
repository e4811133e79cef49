/* Old-style definitions called with too few and too many arguments. */
#include <stdio.h>
int foo(a,b,c) int a,b,c; { return a; }
int bar(); 
int few(x) char x; { return x; }
float kf(f) float f; { return f*2; }
int main(){ int r=0; r+=((int(*)())foo)(1); r+=foo(2,3); r+=bar(3,4); r+=few('a',9); float z=kf(1.5); printf("%d %f\n", r, z); return 0; }
int bar(x,y) long x; short y; { return x+y; }
