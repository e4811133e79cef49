/* The loop takes its bound from the size of another buffer.
   args:
   fault: 15 */
#include <stdio.h>

#define LINE_SIZE 12
#define FIELD_SIZE 5

int main(void)
{
    char line[LINE_SIZE] = "abcdefghijk";
    char field[FIELD_SIZE];
    int i;

    for (i = 0; i < LINE_SIZE - 1 && line[i] != '\0'; i++)
        field[i] = line[i];
    printf("%c%c\n", field[0], line[0]);
    return 0;
}
