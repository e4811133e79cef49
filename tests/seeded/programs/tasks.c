/*
 * tasks.c - non-preemptive scheduling with a priority queue
 *
 * Input lines: "arrival duration priority name". The task with the highest
 * priority that has arrived runs next; ties go to the one that came first in
 * the input. Prints the order of execution and waiting times.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_TASKS 64

struct task {
    int arrival;
    int duration;
    int priority;
    int serial;
    char name[16];
};

struct queue {
    struct task *item[MAX_TASKS + 1]; /* a heap, from 1 on */
    int count;
};

static int before(const struct task *a, const struct task *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->serial < b->serial;
}

static void swap(struct queue *q, int i, int j)
{
    struct task *t = q->item[i];
    q->item[i] = q->item[j];
    q->item[j] = t;
}

static void sift_up(struct queue *q, int i)
{
    while (i > 1 && before(q->item[i], q->item[i / 2])) {
        swap(q, i, i / 2);
        i /= 2;
    }
}

static void sift_down(struct queue *q, int i)
{
    for (;;) {
        int best = i;
        int child = 2 * i;
        if (child <= q->count && before(q->item[child], q->item[best]))
            best = child;
        if (child + 1 <= q->count && before(q->item[child + 1], q->item[best]))
            best = child + 1;
        if (best == i)
            return;
        swap(q, i, best);
        i = best;
    }
}

static void push(struct queue *q, struct task *t)
{
    assert(q->count < MAX_TASKS);
    q->item[++q->count] = t;
    sift_up(q, q->count);
}

static struct task *pop(struct queue *q)
{
    struct task *top;

    assert(q->count > 0);
    top = q->item[1];
    q->item[1] = q->item[q->count];
    q->count--;
    sift_down(q, 1);
    return top;
}

static int by_arrival(const void *x, const void *y)
{
    const struct task *a = x;
    const struct task *b = y;

    if (a->arrival != b->arrival)
        return a->arrival < b->arrival ? -1 : 1;
    return a->serial - b->serial;
}

static int read_tasks(struct task *tasks)
{
    int n = 0;

    while (n < MAX_TASKS) {
        struct task *t = &tasks[n];
        if (scanf("%d %d %d %15s", &t->arrival, &t->duration, &t->priority, t->name) != 4)
            break;
        if (t->duration <= 0) {
            fprintf(stderr, "%s: no duration\n", t->name);
            continue;
        }
        t->serial = n;
        n++;
    }
    return n;
}

static void simulate(struct task *tasks, int n)
{
    struct queue ready = { .count = 0 };
    int clock = 0, next = 0, idle = 0, done = 0;
    int total_wait = 0, longest = 0;

    while (done < n) {
        while (next < n && tasks[next].arrival <= clock)
            push(&ready, &tasks[next++]);
        if (ready.count == 0) {
            idle += tasks[next].arrival - clock;
            clock = tasks[next].arrival;
            continue;
        }
        struct task *t = pop(&ready);
        int wait = clock - t->arrival;
        assert(wait >= 0);
        printf("%4d  %-8s waited %d\n", clock, t->name, wait);
        total_wait += wait;
        if (wait > longest)
            longest = wait;
        clock += t->duration;
        done++;
    }
    printf("end %d, idle %d, longest wait %d", clock, idle, longest);
    if (n > 0)
        printf(", mean wait %.2f", (double)total_wait / n);
    printf("\n");
}

int main(void)
{
    static struct task tasks[MAX_TASKS];
    int n = read_tasks(tasks);

    qsort(tasks, n, sizeof tasks[0], by_arrival);
    simulate(tasks, n);
    return 0;
}
