/* Insertion sort of records by score, ties by name; the inner loop stops one element too early.
 *
 * stdin: ann 5\nbob 3\ncid 1\n
 * expect: cid 1\nbob 3\nann 5\n
 * at: main
 * says: printed "ann"|printed "bob"
 * says: `?(players|p)
 */
#include <stdio.h>
#include <string.h>

struct player {
    char name[16];
    int score;
};

static int before(const struct player *a, const struct player *b)
{
    if (a->score != b->score)
        return a->score < b->score;
    return strcmp(a->name, b->name) < 0;
}

static void sort(struct player *players, int count)
{
    for (int i = 1; i < count; i++) {
        struct player moving = players[i];
        int j = i;
        while (j > 1 && before(&moving, &players[j - 1])) {
            players[j] = players[j - 1];
            j--;
        }
        players[j] = moving;
    }
}

static int read_players(struct player *players, int room)
{
    int count = 0;
    while (count < room && scanf("%15s %d", players[count].name, &players[count].score) == 2)
        count++;
    return count;
}

int main(void)
{
    struct player players[10];
    int count = read_players(players, 10);
    sort(players, count);
    for (int i = 0; i < count; i++)
        printf("%s %d\n", players[i].name, players[i].score);
    return 0;
}
