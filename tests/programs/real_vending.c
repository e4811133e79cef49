/*
 * what: a vending machine as a table driven state machine with events from a string; credit survives a refund
 * args: "5 5 A / 2 2 R / 5 B 1 1 C / 5 A"
 * failure: assertion
 * message: m->paid_in - m->paid_out - m->credit == m->sales
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { IDLE, HAS_COINS, VENDING, CHANGE, NSTATES };
enum event { COIN, SELECT, REFUND, TICK, NEVENTS };

struct machine {
    enum state state;
    int credit;
    int selected;
    int paid_in, paid_out, sales;
    int stock[3];
    int refused;
    unsigned steps;
};

struct input {
    enum event event;
    int arg;
};

typedef enum state (*handler)(struct machine *, int);

static const int prices[3] = {8, 5, 6};
static const char *const state_names[NSTATES] = {"idle", "coins", "vending", "change"};

static enum state on_coin(struct machine *m, int value)
{
    m->credit += value; /* @cause */
    m->paid_in += value;
    return HAS_COINS;
}

static enum state on_select(struct machine *m, int item)
{
    if (m->stock[item] == 0 || m->credit < prices[item]) {
        m->refused++;
        return m->state;
    }
    m->selected = item;
    return VENDING;
}

static enum state on_refund(struct machine *m, int unused)
{
    (void)unused;
    m->paid_out += m->credit; /* @cause */
    return IDLE; /* the credit is not cleared */
}

static enum state on_vend(struct machine *m, int unused)
{
    (void)unused;
    m->stock[m->selected]--;
    m->credit -= prices[m->selected];
    m->sales += prices[m->selected];
    m->selected = -1;
    return m->credit > 0 ? CHANGE : IDLE;
}

static enum state on_change(struct machine *m, int unused)
{
    (void)unused;
    m->paid_out += m->credit;
    m->credit = 0;
    return IDLE;
}

static enum state ignore(struct machine *m, int arg)
{
    (void)arg;
    return m->state;
}

static const handler table[NSTATES][NEVENTS] = {
    [IDLE] = {on_coin, ignore, ignore, ignore},
    [HAS_COINS] = {on_coin, on_select, on_refund, ignore},
    [VENDING] = {ignore, ignore, ignore, on_vend},
    [CHANGE] = {ignore, ignore, ignore, on_change},
};

static void audit(const struct machine *m)
{
    assert(m->credit >= 0);
    assert(m->paid_in - m->paid_out - m->credit == m->sales); /* @fail */
}

static void feed(struct machine *m, struct input in)
{
    enum state old = m->state;
    m->state = table[m->state][in.event](m, in.arg); /* @cause */
    m->steps++;                                      /* @clean */
    if (old != m->state)
        printf("%s -> %s\n", state_names[old], state_names[m->state]);
    audit(m); /* @cause */
}

static int parse(const char *text, struct input *out, int max)
{
    int n = 0;
    for (; *text && n < max; text++) {
        struct input in;
        if (isdigit((unsigned char)*text)) {
            in.event = COIN;
            in.arg = *text - '0'; /* @cause */
        } else if (*text >= 'A' && *text <= 'C') {
            in.event = SELECT;
            in.arg = *text - 'A';
        } else if (*text == 'R') {
            in.event = REFUND; /* @cause */
            in.arg = 0;
        } else if (*text == '/') {
            in.event = TICK;
            in.arg = 0;
        } else {
            continue;
        }
        out[n++] = in; /* @cause */
    }
    return n;
}

int main(int argc, char **argv)
{
    struct input inputs[64];
    struct machine m;
    int n, i;

    if (argc != 2)
        return 2;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 3; i++)
        m.stock[i] = 2;
    n = parse(argv[1], inputs, 64); /* @cause */
    for (i = 0; i < n; i++) {
        feed(&m, inputs[i]); /* @cause */
        if (m.state == VENDING || m.state == CHANGE) {
            struct input tick = {TICK, 0};
            feed(&m, tick);
            feed(&m, tick);
        }
    }
    printf("sales %d refused %d steps %u\n", m.sales, m.refused, m.steps);
    return 0;
}
