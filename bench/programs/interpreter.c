/* An interpreter of bytecode with a stack, variables, calls and an array. What it runs sieves the primes below 101 and adds them up, as often as the
   argument says. The bytecode is right; the interpreter compares with the wrong operator. */
#include <assert.h>
#include <stdlib.h>

enum opcode { PUSH, GET, SET, ADD, MUL, LESS, UNLESS, JUMP, LOAD, STORE, CALL, RETURN, HALT };

struct instruction {
    enum opcode op;
    int operand;
};

enum variable { I, J, SUM, ROUND, ROUNDS, SIZE, VARIABLES };
enum label { MAIN = 0, END = 11, CLEAR = 12, CLEAR_NEXT = 16, CLEARED = 28, SIEVE = 29, SIEVE_NEXT = 31, FOLLOWING = 47, SIEVED = 52, STRIKE = 53, STRUCK = 65 };

static const struct instruction primes[] = {
    [MAIN] = {CALL, CLEAR}, {CALL, SIEVE}, {GET, ROUND}, {PUSH, 1}, {ADD, 0}, {SET, ROUND}, {GET, ROUND}, {GET, ROUNDS}, {LESS, 0}, {UNLESS, END}, {JUMP, MAIN},
    [END] = {HALT, 0},
    [CLEAR] = {PUSH, 0}, {SET, SUM}, {PUSH, 2}, {SET, I},
    [CLEAR_NEXT] = {GET, I}, {GET, SIZE}, {LESS, 0}, {UNLESS, CLEARED}, {PUSH, 1}, {GET, I}, {STORE, 0}, {GET, I}, {PUSH, 1}, {ADD, 0}, {SET, I}, {JUMP, CLEAR_NEXT},
    [CLEARED] = {RETURN, 0},
    [SIEVE] = {PUSH, 2}, {SET, I},
    [SIEVE_NEXT] = {GET, I}, {GET, SIZE}, {LESS, 0}, {UNLESS, SIEVED}, {GET, I}, {LOAD, 0}, {UNLESS, FOLLOWING},
    {GET, SUM}, {GET, I}, {ADD, 0}, {SET, SUM}, {GET, I}, {GET, I}, {MUL, 0}, {SET, J}, {CALL, STRIKE},
    [FOLLOWING] = {GET, I}, {PUSH, 1}, {ADD, 0}, {SET, I}, {JUMP, SIEVE_NEXT},
    [SIEVED] = {RETURN, 0},
    [STRIKE] = {GET, J}, {GET, SIZE}, {LESS, 0}, {UNLESS, STRUCK}, {PUSH, 0}, {GET, J}, {STORE, 0}, {GET, J}, {GET, I}, {ADD, 0}, {SET, J}, {JUMP, STRIKE},
    [STRUCK] = {RETURN, 0},
};

struct machine {
    const struct instruction *code;
    int at, depth, calls;
    int stack[64], back[16], variables[VARIABLES], cells[128];
};

static void push(struct machine *m, int value)
{
    m->stack[m->depth++] = value;
}

static int pop(struct machine *m)
{
    return m->stack[--m->depth];
}

static int is_less(int a, int b)
{
    return a <= b; /* the fault: it is < */
}

static void step(struct machine *m, struct instruction now)
{
    int right;
    switch (now.op) {
    case PUSH: push(m, now.operand); break;
    case GET: push(m, m->variables[now.operand]); break;
    case SET: m->variables[now.operand] = pop(m); break;
    case ADD: right = pop(m), push(m, pop(m) + right); break;
    case MUL: right = pop(m), push(m, pop(m) * right); break;
    case LESS: right = pop(m), push(m, is_less(pop(m), right)); break;
    case UNLESS: m->at = pop(m) ? m->at : now.operand; break;
    case JUMP: m->at = now.operand; break;
    case LOAD: push(m, m->cells[pop(m)]); break;
    case STORE: right = pop(m), m->cells[right] = pop(m); break;
    case CALL: m->back[m->calls++] = m->at, m->at = now.operand; break;
    case RETURN: m->at = m->back[--m->calls]; break;
    case HALT: break;
    }
}

static void run(struct machine *m)
{
    while (m->code[m->at].op != HALT) {
        m->at++;
        step(m, m->code[m->at - 1]);
    }
}

int main(int argc, char **argv)
{
    struct machine *m = calloc(1, sizeof *m);
    m->code = primes;
    m->variables[ROUNDS] = argc > 1 ? atoi(argv[1]) : 1;
    m->variables[SIZE] = 101;
    run(m);
    assert(m->variables[SUM] == 1060);
    free(m);
    return 0;
}
