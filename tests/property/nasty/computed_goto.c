/* Labels as values. */
#include <stdio.h>
static int run(const unsigned char *code){ static const void *const t[]={&&halt,&&inc,&&dbl,&&jmp,&&dec}; static const int rel[] = {0, (char*)0 - (char*)0}; int acc=1, pc=0, fuel=60; 
#define NEXT if(!fuel--) goto halt; goto *t[code[pc++]]
 NEXT; inc: acc++; NEXT; dbl: acc*=2; acc&=0xffff; NEXT; dec: acc-=3; NEXT; jmp: pc=code[pc]; NEXT; halt: return acc; }
static int two(int x){ const void *p = x&1 ? &&odd : &&even; int y = x ? 3 : 4; goto *p; odd: y+=10; even: y+=100; return y; }
int main(void){ unsigned char c[]={1,2,1,4,2,3,1,0}; void *l = &&end; int s=0; for(int i=0;i<4;i++) s=s*7+two(i); goto *l; s=0; end: printf("%d %d\n", run(c), s); return 0; }
