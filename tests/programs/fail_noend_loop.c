/*
 * what: an infinite loop: binary search whose bounds stop moving
 * args: 35
 * steps: 20000
 * failure: no-end
 */
#include <stdio.h>
#include <stdlib.h>

static const int v[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static int started;

static int search(int key)
{
    int low = 0, high = 7; /* @cause */
    while (low < high) {   /* @cause */
        int mid = (low + high) / 2; /* @cause */
        if (v[mid] < key)  /* @cause */
            low = mid;     /* @cause */
        else
            high = mid;
    }
    return low;
}

int main(int argc, char **argv)
{
    int key = atoi(argv[1]); /* @cause */
    started = 2 + argc; /* @clean */
    printf("%d\n", search(key));
    return 0;
}
