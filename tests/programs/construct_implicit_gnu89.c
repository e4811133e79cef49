/*
 * what: implicit declarations, implicit int main without a return statement
 * cflags: -std=gnu89
 * stdin: "7 5\n"
 * failure: output
 * expect-stdout: "diff 2\n"
 */
static total;

static swap_if(pa, pb)
int *pa, *pb;
{
    int t;
    if (*pa > *pb) { /* @cause */
        t = *pa;
        *pa = *pb;   /* @cause */
        *pb = t;     /* @cause */
    }
}

main()
{
    int a, b, d;

    scanf("%d %d", &a, &b); /* @cause */
    total = a + b;          /* @clean */
    swap_if(&a, &b);        /* @cause */
    d = a - b;              /* @cause */
    printf("diff %d\n", d); /* @fail */
}
