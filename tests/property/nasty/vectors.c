/* Vector types, also of three elements, in structs and as arguments. */
#include <stdio.h>
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef unsigned char b8 __attribute__((vector_size(8)));
typedef short s3 __attribute__((ext_vector_type(3)));
typedef long long l2 __attribute__((vector_size(16)));
static v4 add(v4 a, v4 b){ return a*b + (a<b); }
static d4 dd(d4 a){ return a*a - 1.0; }
static v4 gv = {1,2,3,4};
struct S { char c; v4 v; b8 b; };
static struct S st(struct S s){ s.v += gv; s.b[3] ^= 0x55; return s; }
int main(void){ v4 a={1,-2,3,-4}, b; for(int i=0;i<4;i++) b[i]=i*i; v4 c=add(a,b); gv += c; c[2] <<= 3;
 f4 f = {1.5f,2,3,4}; f = f/2.0f + f; f4 g = __builtin_convertvector(c, f4); v4 cmp = f > g; v4 sel = (cmp & a) | (~cmp & b);
 d4 d={1,2,3,4}; d=dd(d); b8 x={250,251,252,253,254,255,0,1}; x += 7; x >>= 1; s3 s={1,2,3}; s = s*s; s.x = 9; s3 arr[3] = {s,s+1,s-1}; arr[1].z = 77;
 v4 sh = __builtin_shufflevector(a,b,3,4,1,6); struct S q={3,a,x}; q=st(q); int sum=0; for(int i=0;i<4;i++) sum = sum*31 + c[i]+sel[i]*3+sh[i]*5+q.v[i]+(int)f[i]+(int)d[i]; for (int i=0;i<8;i++) sum=sum*7+x[i]+q.b[i];
 l2 L = {1LL<<40, -5}; L = L*L; L = -L; L = ~L; L = L / (l2){3,4}; L %= (l2){1000,7};
 int k = sum & 3; c[k] = 42; sum += c[k];
 printf("%d %d %d %d %lld %lld %d\n", sum, arr[0].x, arr[1].z, arr[2].y, L[0], L[1], (int)sizeof arr); return 0; }
