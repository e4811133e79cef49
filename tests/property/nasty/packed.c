/* Packed structs, unaligned members and accesses. */
#include <stdio.h>
#include <string.h>
#pragma pack(push,1)
struct P { char c; int i; short s; double d; long double ld; void *p; long long q; unsigned b:5, b2:17; char t; };
#pragma pack(pop)
struct __attribute__((packed)) Q { char a; struct P p[3]; };
static struct Q g = { 1, { {2,3,4,5.5,6.25L,0,7,8,9,10} } };
static long get(const struct Q *q, int k){ return q->p[k].i + q->p[k].q + (long)q->p[k].d + (long)q->p[k].ld + q->p[k].b2; }
static struct P ret(struct P p){ p.i++; p.p = &g; p.b2 = p.b2*3; return p; }
int main(void){
  struct Q l = g; int x = 7;
  l.p[1] = ret(l.p[0]); l.p[2] = ret(ret(l.p[1]));
  l.p[1].p = &x; *(int*)l.p[1].p = 99;
  struct Q m; memcpy(&m,&l,sizeof m);
  int *ip = (int*)m.p[1].p; *ip += 1;
  char buf[64]; for(int i=0;i<64;i++) buf[i]=i*7;
  unsigned long long u; memcpy(&u, buf+3, 8); unsigned v; memcpy(&v, buf+13, 4);
  struct __attribute__((packed)) U { unsigned long long u; } *up = (void*)(buf+5);
  up->u += 0x1234567; 
  printf("%ld %ld %ld %d %llx %x %llx %zu %Lf\n", get(&l,0), get(&m,1), get(&m,2), x, u, v, up->u, sizeof l, m.p[2].ld);
  return 0; }
