/* Code before and after main: constructors in the order of their priorities, destructors in the opposite one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order, arguments;
static char *name;

__attribute__((constructor(301))) static void second(void) { order = order * 10 + 2; }
__attribute__((constructor(201))) static void first(void) { order = order * 10 + 1; }
__attribute__((constructor)) static void third(int argc, char **argv) {
    order = order * 10 + 3;
    arguments = argc;
    name = malloc(strlen(argv[0]) + 1);
    strcpy(name, argv[0]);
}
__attribute__((destructor)) static void last_but_one(void) { printf("last but one %d\n", order++); }
__attribute__((destructor(201))) static void last(void) {
    printf("last %d\n", order);
    free(name);
}

int main(int argc, char **argv) {
    for (int i = 0; i < 3; i++)
        order += i * argc;
    printf("%d %d %d\n", order, arguments == argc, strcmp(name, argv[0]));
    return 0;
}
