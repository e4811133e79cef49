/* Large frames and deep recursion. */
#include <stdio.h>
#include <string.h>
static int f(int n){ char buf[1<<20]; int big[100000]; memset(buf,n,sizeof buf); for(int i=0;i<100000;i+=997) big[i]=i; int s=0; for(int i=0;i<(1<<20);i+=9973) s+=buf[i]; return s+big[997*50]; }
static int g(int n){ int v[8]={n}; return n ? g(n-1) + v[0]%3 : f(3); }
struct Big { int a[20000]; }; static struct Big h(struct Big b){ b.a[19999]+=b.a[0]; return b; }
int main(void){ struct Big b; memset(&b,1,sizeof b); b=h(h(b)); printf("%d %d %d\n", f(1)+f(2), g(50000), b.a[19999]); return 0; }
