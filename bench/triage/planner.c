/* A planner: roads and routes, a queue of jobs, tables, and text that is set in lines. One command in each line. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOWNS 8
#define FAR 1000000
#define JOBS 10
#define RING 4

struct job {
    int urgency;
    int number;
};

struct table {
    int rows, columns;
    int *cells;
};

static int road[TOWNS][TOWNS];
static int distance[TOWNS], came_from[TOWNS], is_done[TOWNS];
static struct job heap[JOBS];
static int waiting;
static int ring[RING], ring_at, ring_count;
static struct table tables[2];

/* ---- roads ---- */

static void add_road(int a, int b, int length)
{
    if (a < 0 || a >= TOWNS || b < 0 || b >= TOWNS || length <= 0) //@1
    //!1 if (a < 0 || a >= TOWNS || b < 0 || b > TOWNS || length <= 0)
        return;
    road[a][b] = length;
    road[b][a] = length;
}

static int nearest_open(void)
{
    int best = -1;
    for (int k = 0; k < TOWNS; k++) {
        if (is_done[k] || distance[k] >= FAR)
            continue;
        if (best < 0 || distance[k] < distance[best])
            best = k;
    }
    return best;
}

static void measure_from(int start)
{
    for (int k = 0; k < TOWNS; k++) {
        distance[k] = FAR;
        came_from[k] = -1;
        is_done[k] = 0;
    }
    distance[start] = 0;
    for (int here = start; here >= 0; here = nearest_open()) {
        is_done[here] = 1;
        for (int next = 0; next < TOWNS; next++) {
            if (road[here][next] == 0)
                continue;
            if (distance[here] + road[here][next] < distance[next]) { //@2
            //!2 if (distance[next] == FAR) {
                distance[next] = distance[here] + road[here][next];
                came_from[next] = here;
            }
        }
    }
}

static int stops_between(int to)
{
    int stops = 0;
    while (came_from[to] >= 0) {
        to = came_from[to];
        stops++;
    }
    return stops - 1;
}

static void route(int from, int to)
{
    if (from < 0 || from >= TOWNS || to < 0 || to >= TOWNS)
        return;
    measure_from(from);
    if (distance[to] >= FAR) {
        printf("no way\n");
        return;
    }
    if (from == to) { //@3
        printf("here\n"); //@3
        return; //@3
    } //@3
    printf("%d, a stop every %d\n", distance[to], distance[to] / (stops_between(to) + 1));
}

/* ---- jobs: the most urgent first ---- */

static void swap(struct job *a, struct job *b)
{
    struct job kept = *a;
    *a = *b;
    *b = kept;
}

static void put_job(int number, int urgency)
{
    int at = waiting;
    if (waiting == JOBS) //@4
        return; //@4
    heap[waiting].urgency = urgency;
    heap[waiting].number = number;
    waiting++;
    while (at > 0 && heap[(at - 1) / 2].urgency < heap[at].urgency) {
        swap(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

static void take_job(void)
{
    int at = 0;
    if (waiting == 0) {
        printf("no job\n");
        return;
    }
    printf("job %d\n", heap[0].number);
    heap[0] = heap[--waiting];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= waiting)
            return;
        if (child + 1 < waiting && heap[child + 1].urgency > heap[child].urgency) //@5
        //!5 if (child + 1 < waiting && heap[child + 1].urgency < heap[child].urgency)
            child++;
        if (heap[at].urgency >= heap[child].urgency)
            return;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

/* ---- the last messages ---- */

static void note(int number)
{
    ring[(ring_at + ring_count) % RING] = number;
    if (ring_count < RING)
        ring_count++;
    else
        ring_at = (ring_at + 1) % RING; //@6
        //!6 ring_at = ring_at + 1;
}

static void show_notes(void)
{
    assert(ring_at < RING);
    for (int k = 0; k < ring_count; k++)
        printf("<%d>", ring[(ring_at + k) % RING]);
    printf("\n");
}

/* ---- tables ---- */

static void new_table(int which, int rows, int columns)
{
    struct table *t = &tables[which & 1];
    if (rows < 1 || rows > 5 || columns < 1 || columns > 5)
        return;
    free(t->cells);
    t->cells = calloc((size_t)(rows * columns), sizeof *t->cells);
    if (t->cells == NULL)
        exit(3);
    t->rows = rows;
    t->columns = columns;
    for (int k = 0; k < rows * columns; k++)
        t->cells[k] = k + 1;
}

static void sum_of_rows(int which)
{
    const struct table *t = &tables[which & 1];
    for (int row = 0; row < t->rows; row++) {
        int sum = 0;
        for (int column = 0; column < t->columns; column++)
            sum += t->cells[row * t->columns + column]; //@7
            //!7 sum += t->cells[row * t->rows + column];
        printf("%d ", sum);
    }
    printf("\n");
}

static void turn_table(int which)
{
    struct table *t = &tables[which & 1];
    int *turned;
    if (t->cells == NULL)
        return;
    turned = malloc((size_t)(t->rows * t->columns) * sizeof *turned);
    if (turned == NULL)
        exit(3);
    for (int row = 0; row < t->rows; row++)
        for (int column = 0; column < t->columns; column++)
            turned[column * t->rows + row] = t->cells[row * t->columns + column];
    free(t->cells);
    t->cells = turned; //@8
    int kept = t->rows;
    t->rows = t->columns;
    t->columns = kept;
}

/* ---- text ---- */

static void roman(int number)
{
    static const int values[] = {100, 90, 50, 40, 10, 9, 5, 4, 1};
    static const char *const signs[] = {"C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"};
    char text[32] = "";
    if (number < 1 || number > 399)
        return;
    for (int k = 0; number > 0; k++) {
        while (number >= values[k]) { //@9
        //!9 while (number > values[k] || (number == values[k] && k != 5)) {
            strcat(text, signs[k]);
            number -= values[k];
        }
    }
    printf("%s\n", text);
}

static void lines(int width, char *text)
{
    int used = 0;
    for (char *word = strtok(text, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        int length = (int)strlen(word);
        if (used > 0 && used + 1 + length > width) { //@10
        //!10 if (used > 0 && used + length > width) {
            printf("|\n");
            used = 0;
        }
        if (used > 0) {
            printf(" ");
            used++;
        }
        printf("%s", word);
        used += length;
    }
    printf("|\n");
}

static void packed(const char *text)
{
    char out[64];
    size_t used = 0;
    for (size_t k = 0; text[k] != '\0' && text[k] != '\n';) {
        int count = 1;
        while (text[k + (size_t)count] == text[k])
            count++;
        if (used + 4 > sizeof out) //@11
            break; //@11
        out[used++] = text[k];
        used += (size_t)sprintf(out + used, "%d", count);
        k += (size_t)count;
    }
    out[used] = '\0';
    printf("%s\n", out);
}

static int position_of(int wanted, const int *numbers, int count)
{
    int low = 0, high = count - 1;
    while (low <= high) { //@12
    //!12 while (low < high) {
        int middle = (low + high) / 2;
        if (numbers[middle] == wanted)
            return middle;
        if (numbers[middle] < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

static void prime(int number)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
    int at = position_of(number, primes, (int)(sizeof primes / sizeof *primes));
    if (at >= 0)
        printf("prime number %d\n", at + 1);
    else
        printf("not a prime\n");
}

static void execute(char *line)
{
    int a, b, c, used = 0;
    if (sscanf(line, "road %d %d %d", &a, &b, &c) == 3)
        add_road(a, b, c);
    else if (sscanf(line, "route %d %d", &a, &b) == 2)
        route(a, b);
    else if (sscanf(line, "put %d %d", &a, &b) == 2)
        put_job(a, b);
    else if (strcmp(line, "take\n") == 0)
        take_job();
    else if (sscanf(line, "note %d", &a) == 1)
        note(a);
    else if (strcmp(line, "notes\n") == 0)
        show_notes();
    else if (sscanf(line, "table %d %d %d", &a, &b, &c) == 3)
        new_table(a, b, c);
    else if (sscanf(line, "rows %d", &a) == 1)
        sum_of_rows(a);
    else if (sscanf(line, "turn %d", &a) == 1)
        turn_table(a);
    else if (sscanf(line, "roman %d", &a) == 1)
        roman(a);
    else if (sscanf(line, "lines %d %n", &a, &used) == 1 && used > 0)
        lines(a, line + used);
    else if (strncmp(line, "pack ", 5) == 0)
        packed(line + 5);
    else if (sscanf(line, "prime %d", &a) == 1)
        prime(a);
}

int main(void)
{
    char line[200];
    while (fgets(line, sizeof line, stdin) != NULL)
        execute(line);
    return 0;
}
