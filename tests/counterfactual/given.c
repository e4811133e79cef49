/* What a run is given, and what it does with it: for the tests of the fork server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

static int sum_of_input(void)
{
    int n, sum = 0;
    while (scanf("%d", &n) == 1) {
        printf("%d ", n);
        sum += n;
    }
    return sum;
}

static int from_a_file(const char *name)
{
    char line[80];
    int sum = 0;
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file))
        sum = 10 * sum + atoi(line);
    if (file)
        fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    int sum;
    if (argc > 1 && !strcmp(argv[1], "where")) {
        printf("%p %p %p", (void *)argv, (void *)argv[argc - 1], (void *)getenv("GIVEN"));
        return 0;
    }
    sum = argc + __VERIFIER_nondet_int();
    if (argc > 1 && !strcmp(argv[1], "write")) {
        FILE *file = fopen("made", "w");
        fprintf(file, "%d", sum);
        fclose(file);
        sum += from_a_file("made");
    }
    for (int i = 1; i < argc; i++)
        sum += (int)strlen(argv[i]);
    printf("%s|", getenv("GIVEN") ? getenv("GIVEN") : "nothing");
    sum += sum_of_input() + from_a_file("numbers");
    printf("= %d\n", sum);
    return sum % 2;
}
