/*
 * what: a process scheduler with three priority queues driven by commands; a block is requeued at the wrong level
 * stdin: "new 1 a\nnew 2 b\nnew 2 c\nrun\nblock\nnew 3 d\nrun\nquantum\nunblock\nrun\nfinish\nrun\nfinish\nrun\nfinish\nrun\nfinish\n"
 * failure: output
 * expect-stdout: "run b\nblock b\nrun d\nquantum d\nunblock b\nrun d\nfinish d\nrun c\nfinish c\nrun b\nfinish b\nrun a\nfinish a\n"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 3

enum status { READY, RUNNING, BLOCKED, DONE };

struct process {
    char name[8];
    int priority;
    enum status status;
    int ticks;
    struct process *next;
};

struct queue {
    struct process *head, *tail;
    int length;
};

static struct queue ready[LEVELS + 1];
static struct queue blocked;
static struct process *current;
static long clock_;
static int created;

static void append(struct queue *q, struct process *p)
{
    p->next = NULL;
    if (q->tail)
        q->tail->next = p; /* @cause */
    else
        q->head = p;
    q->tail = p;
    q->length++;
}

static struct process *take(struct queue *q)
{
    struct process *p = q->head; /* @cause */
    if (!p)
        return NULL;
    q->head = p->next; /* @cause */
    if (!q->head)
        q->tail = NULL;
    q->length--;
    p->next = NULL;
    return p;
}

static struct process *new_process(int priority, const char *name)
{
    struct process *p = calloc(1, sizeof *p);
    if (!p)
        exit(1);
    strncpy(p->name, name, sizeof p->name - 1);
    p->priority = priority;
    p->status = READY;
    created++; /* @clean */
    append(&ready[priority], p);
    return p;
}

static int level_of(const struct process *p, int ticks)
{
    int level = p->priority;
    if (ticks > 0)        /* @cause */
        level = LEVELS;   /* @cause */
    return level;
}

static struct process *pick(void)
{
    int level;
    for (level = LEVELS; level >= 1; level--) { /* @cause */
        struct process *p = take(&ready[level]); /* @cause */
        if (p)
            return p; /* @cause */
    }
    return NULL;
}

static void do_run(void)
{
    if (current)
        return;
    current = pick(); /* @cause */
    if (!current) {
        printf("idle\n");
        return;
    }
    current->status = RUNNING;
    printf("run %s\n", current->name); /* @fail */
}

static void do_quantum(void)
{
    if (!current)
        return;
    printf("quantum %s\n", current->name);
    current->ticks++;
    current->status = READY;
    append(&ready[level_of(current, 0)], current);
    current = NULL;
}

static void do_block(void)
{
    if (!current)
        return;
    printf("block %s\n", current->name);
    current->status = BLOCKED;
    current->ticks++; /* @cause */
    append(&blocked, current);
    current = NULL;
}

static void do_unblock(void)
{
    struct process *p = take(&blocked); /* @cause */
    if (!p)
        return;
    printf("unblock %s\n", p->name);
    p->status = READY;
    append(&ready[level_of(p, p->ticks)], p); /* @cause */
}

static void do_finish(void)
{
    if (!current)
        return;
    printf("finish %s\n", current->name);
    current->status = DONE;
    free(current);
    current = NULL;
}

static const struct command {
    const char *name;
    void (*action)(void);
} commands[] = {
    {"run", do_run},
    {"quantum", do_quantum},
    {"block", do_block},
    {"unblock", do_unblock},
    {"finish", do_finish},
};

static int execute(char *line)
{
    char word[16], name[16];
    int priority;
    size_t i;

    if (sscanf(line, "%15s", word) != 1)
        return 0;
    if (strcmp(word, "new") == 0) {
        if (sscanf(line, "new %d %15s", &priority, name) == 2 && priority >= 1 && priority <= LEVELS)
            new_process(priority, name);
        return 1;
    }
    for (i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, word) == 0) {
            commands[i].action();
            return 1;
        }
    return 0;
}

int main(void)
{
    char line[80];
    while (fgets(line, sizeof line, stdin)) {
        execute(line);
        clock_ += 5; /* @clean */
    }
    while ((current = pick()) != NULL)
        free(current);
    return 0;
}
