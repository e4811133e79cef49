/* Functions used before they are declared. */
int main(){ int x=helper(3,4); printf("%d\n",x); return 0; }
int helper(a,b) { return a*b; }
