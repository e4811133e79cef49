/* what: a withdrawal is not refused, because the limit is added with the wrong sign
 * args: "100" "250"
 * failure: assertion
 */
#include <assert.h>
#include <stdlib.h>

struct account {
    int balance;
    int limit;
};

static int withdraw(struct account *a, int amount) {
    if (amount <= a->balance + a->limit) {
        a->balance -= amount;
        return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    struct account a = {0, 200};
    if (argc < 3)
        return 1;
    a.balance = atoi(argv[1]);
    withdraw(&a, atoi(argv[2]));
    assert(a.balance >= 0);
    return 0;
}
