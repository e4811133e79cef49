/* An event hub whose subscriber list keeps a pointer to a widget that was destroyed: destroying does not unsubscribe.
 *
 * args: 3
 * at: notify
 * says: freed here.*destroy
 * says: `hub->subscribers\[.*\]` got the pointer here.*subscribe
 * says: struct widget
 * not: heap block
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct widget {
    char name[16];
    int clicks;
};

struct hub {
    struct widget *subscribers[8];
    int count;
};

static void *checked_malloc(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static struct widget *create(const char *name)
{
    struct widget *w = checked_malloc(sizeof(struct widget));
    strcpy(w->name, name);
    w->clicks = 0;
    return w;
}

static void destroy(struct widget *w)
{
    w->name[0] = '\0';
    free(w);
}

static void subscribe(struct hub *hub, struct widget *w)
{
    hub->subscribers[hub->count] = w;
    hub->count++;
}

static void notify(struct hub *hub, int amount)
{
    int i;
    for (i = 0; i < hub->count; i++) {
        hub->subscribers[i]->clicks += amount;
        printf("%s: %d\n", hub->subscribers[i]->name, hub->subscribers[i]->clicks);
    }
}

int main(int argc, char **argv)
{
    struct hub hub = {{NULL}, 0};
    struct widget *ok = create("ok"), *cancel = create("cancel"), *help = create("help");
    int amount = argc > 1 ? atoi(argv[1]) : 1;

    subscribe(&hub, ok);
    subscribe(&hub, cancel);
    subscribe(&hub, help);
    notify(&hub, amount);
    destroy(cancel);
    notify(&hub, amount);
    destroy(ok);
    destroy(help);
    return 0;
}
