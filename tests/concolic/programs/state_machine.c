/*
 * what: a state machine over characters that reaches a forbidden state
 * failure: reach-error
 */
#include <stdio.h>
extern void reach_error(void);

enum state { START, LETTER, DIGIT, DASH, DONE };

int main(void)
{
    enum state s = START;
    int c, dashes = 0;

    while ((c = getchar()) != EOF && s != DONE) {
        switch (s) {
        case START:
            s = c >= 'a' && c <= 'f' ? LETTER : START;
            break;
        case LETTER:
            if (c >= '5' && c <= '9')
                s = DIGIT;
            else
                s = START;
            break;
        case DIGIT:
            if (c == '-') {
                dashes++;
                s = DASH;
            } else {
                s = START;
            }
            break;
        case DASH:
            s = c == '.' ? DONE : c == 'a' ? LETTER : START;
            break;
        default:
            break;
        }
    }
    if (s == DONE && dashes >= 2)
        reach_error(); /* @fail */
    return 0;
}
