/* A file says how many numbers follow; it lies.
   file: numbers.txt "5 1 2\n"
   args: numbers.txt
   security: input-controlled file numbers.txt
*/
#include <assert.h>
#include <stdio.h>

int main(int argc, char **argv) {
    FILE *f = fopen(argc > 1 ? argv[1] : "", "r");
    int count = 0, found = 0, n;
    if (f == NULL)
        return 1;
    if (fscanf(f, "%d", &count) != 1)
        return 1;
    while (fscanf(f, "%d", &n) == 1)
        found++;
    fclose(f);
    assert(found == count);
    return 0;
}
