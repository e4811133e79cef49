/* String functions, overlapping moves, growing blocks, sorting inside a comparison. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <wchar.h>
static int cmpi(const void*a,const void*b){ int x=*(const int*)a,y=*(const int*)b; return (x>y)-(x<y); }
static int calls;
static int cmprec(const void*a,const void*b){ calls++; if (calls%5==0){ int t[3]={3,1,2}; qsort(t,3,sizeof(int),cmpi); calls+=t[0]; } return cmpi(a,b); }
struct K { char name[8]; int v; }; static int cmpk(const void*a,const void*b){ return strcmp(((struct K*)a)->name,((struct K*)b)->name); }
int main(void){ char b[64]="hello, world of overlapping regions!"; memmove(b+3,b,20); memmove(b,b+5,15); memmove(b+1,b,0); memmove(b,b,10); printf("%s %zu\n",b,strlen(b)); strcpy(b,"abc"); strcat(b,"def"); strncpy(b+10,"xyz",8); strncat(b,"12345",3); printf("%s %d %s\n",b,strncmp(b,"abcdeg",6)<0,strstr(b,"f1"));
 char *p=0; size_t n=0; for(int i=0;i<200;i++){ if(i>=(int)n){ n = n? n*2:1; p=realloc(p,n); } p[i]=i; } int s=0; for(int i=0;i<200;i++) s=s*3+p[i]; p=realloc(p,10); s+=p[9]; p=realloc(p,100000); memset(p+10,1,99990); s+=p[5]+p[99999]; free(p);
 int **rows=malloc(8*sizeof*rows); for(int i=0;i<8;i++){ rows[i]=calloc(i+1,sizeof(int)); rows[i][i]=i; } rows=realloc(rows,4096*sizeof*rows); for(int i=0;i<8;i++){ s+=rows[i][i]; free(rows[i]); } free(rows);
 int a[20]; for(int i=0;i<20;i++) a[i]=(i*37)%41; qsort(a,20,sizeof*a,cmprec); int key=a[7]; int *f=bsearch(&key,a,20,sizeof*a,cmpi); key=1000; void *nf=bsearch(&key,a,20,sizeof*a,cmpi); for(int i=0;i<20;i++) s=s*7+a[i];
 struct K k[6]={{"delta",1},{"alpha",2},{"echo",3},{"bravo",4},{"foxtrot",5},{"charlie",6}}; qsort(k,6,sizeof*k,cmpk); for(int i=0;i<6;i++) s=s*5+k[i].v;
 char t[]="a,b;;c d"; for(char*q=strtok(t,",; ");q;q=strtok(0,",; ")) s=s*3+*q; wchar_t w[10]=L"wide"; wcscat(w,L"xy"); s+=wcslen(w)+w[5]; char num[]="12 -7 0x1f 3.5e2zz"; char*e; s+=strtol(num,&e,10); s+=strtol(e,&e,0); s+=strtoul(e,&e,16); s+=(int)strtod(e,&e); s+=*e; char *d=strdup(b); s+=d[2]; free(d); char out[40]; s+=snprintf(out,10,"%d-%s",s,b); printf("%s\n",out); 
 printf("%d %d %d %d\n",s,(int)(f-a),nf==0,calls); return 0; }
