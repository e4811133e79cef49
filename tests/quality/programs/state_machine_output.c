/* A vending machine as a table of states; one entry of the table leads to the wrong state.
 *
 * args: c c s
 * expect: sold\n
 * at: run
 * says: printed "empty" where "sold" was expected|printed .*refused
 * says: state
 * says: `?table
 */
#include <stdio.h>

enum state { IDLE, ONE_COIN, TWO_COINS, SOLD, REFUSED };
enum event { COIN, SELECT, BACK };

static const enum state table[5][3] = {
    /* COIN       SELECT   BACK */
    {ONE_COIN, REFUSED, IDLE},
    {ONE_COIN, REFUSED, IDLE}, /* a second coin should lead on to TWO_COINS */
    {TWO_COINS, SOLD, IDLE},
    {IDLE, IDLE, IDLE},
    {IDLE, IDLE, IDLE},
};

static enum event event_of(char c)
{
    switch (c) {
    case 'c':
        return COIN;
    case 's':
        return SELECT;
    default:
        return BACK;
    }
}

static const char *name_of(enum state s)
{
    switch (s) {
    case SOLD:
        return "sold";
    case REFUSED:
        return "refused";
    default:
        return "waiting";
    }
}

static void run(int argc, char **argv)
{
    enum state state = IDLE;
    for (int i = 1; i < argc; i++)
        state = table[state][event_of(argv[i][0])];
    puts(name_of(state));
}

int main(int argc, char **argv)
{
    run(argc, argv);
    return 0;
}
