/* what: a door that is opened twice counts as closed
 * failure: assertion
 */
#include <assert.h>

enum state { CLOSED, OPEN };

static enum state door = CLOSED;
static int opened;

static void press(void) {
    if (door == CLOSED) {
        door = OPEN;
        opened++;
    } else {
        door = CLOSED;
    }
}

int main(void) {
    press();
    press();
    assert(door == OPEN);
    return opened;
}
