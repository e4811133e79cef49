/* Atomic operations on integers, structs, doubles, pointers. */
#include <stdio.h>
#include <stdatomic.h>
static _Atomic int c; static _Atomic(long long) q=5; static atomic_flag fl=ATOMIC_FLAG_INIT; struct P { int a,b; }; static _Atomic struct P ap; static _Atomic double ad = 1.5; static _Atomic(int*) apt; static _Atomic unsigned char ub=250; static _Atomic _Bool ab; struct B16 { long a,b; };
int main(void){ int arr[4]={1,2,3,4}; for(int i=0;i<5;i++){ c++; c+=i; atomic_fetch_sub(&q,3); q ^= i; } int e=15; int ok=atomic_compare_exchange_strong(&c,&e,99); e=98; int ok2=atomic_compare_exchange_weak(&c,&e,7);
 struct P p={1,2}; ap=p; p=ap; p.b=9; struct P old=atomic_exchange(&ap,p); ad = ad*2; ad += 0.25; apt=arr; apt++; *apt += 5; int *z=atomic_fetch_add(&apt,1); ub += 10; ub--; ab = 5; ab ^= 1; _Bool was=atomic_flag_test_and_set(&fl); was += atomic_flag_test_and_set(&fl)*2; atomic_flag_clear(&fl); atomic_thread_fence(memory_order_seq_cst); 
 printf("%d %lld %d %d %d %d %d %f %d %d %d %d\n", (int)c,(long long)q,ok,ok2,e,old.a,p.b,(double)ad,*z,*apt,(int)ub,was+ab); __sync_fetch_and_add(&arr[1],4); __sync_bool_compare_and_swap(&arr[2],3,8); __sync_lock_test_and_set(&arr[3],1); __atomic_fetch_nand(&arr[0],6,5); __atomic_min_fetch(&arr[0],-4,5); printf("%d %d %d %d\n",arr[0],arr[1],arr[2],arr[3]); return 0; }
