/* what: a case falls through
 * args: "b"
 * failure: assertion
 */
#include <assert.h>

int main(int argc, char **argv) {
    char c = argc > 1 ? argv[1][0] : 'a';
    int points = 0;
    switch (c) {
    case 'a':
        points = 4;
        break;
    case 'b':
        points = 3;
    case 'c':
        points = 2;
        break;
    }
    assert(c != 'b' || points == 3);
    return 0;
}
