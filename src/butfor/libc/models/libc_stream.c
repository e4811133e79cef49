/* Where input streams stand. Asking ftello each time would cost a system call for each character, so positions are followed here.
   On a pipe the bytes are counted from the start of the stream, until a call consumes a number of bytes that nobody knows. */
#include "libc_util.h"
#include <stdlib.h>
#include <sys/stat.h>

enum { FOLLOWED = 1, ASK, COUNTED, UNKNOWN };
static struct place { FILE *f; int fd, state; int64_t at; } places[64];

static struct place *place(FILE *f) {
    struct place *p = &places[((uintptr_t)f >> 4 ^ (uintptr_t)f >> 10) & 63];
    if (p->f == f) return p;
    int e = errno;
    struct stat st;
    int known = p->f != 0; /* a slot that two streams share: what was counted is forgotten */
    p->f = f;
    p->fd = f == stdin ? 0 : fileno(f);
    p->at = 0;
    if (p->fd < 0) p->state = UNKNOWN;
    else if (!fstat(f == stdin ? fileno(f) : p->fd, &st) && S_ISREG(st.st_mode)) p->state = ASK;
    else p->state = known ? UNKNOWN : COUNTED;
    errno = e;
    return p;
}

int bf_stream(FILE *f) {
    return f == stdin ? 0 : bf_wild(f) ? -1 : place(f)->fd;
}

int64_t bf_position(FILE *f) {
    if (bf_wild(f)) return -1;
    struct place *p = place(f);
    if (p->state == ASK) {
        int e = errno;
        p->at = ftello(f);
        if (p->at >= 0) p->state = FOLLOWED; /* else asked again: a character put back at the very start */
        errno = e;
    }
    return p->state == UNKNOWN ? -1 : p->at;
}

void bf_moved(FILE *f, int64_t by) {
    struct place *p = place(f);
    p->at += by;
    if (p->at < 0) bf_lost(f); /* a character put back before the first one */
}

void bf_lost(FILE *f) {
    if (bf_wild(f)) return;
    struct place *p = place(f);
    p->state = p->state == FOLLOWED || p->state == ASK ? ASK : UNKNOWN;
}

void bf_closed(FILE *f) {
    struct place *p = &places[((uintptr_t)f >> 4 ^ (uintptr_t)f >> 10) & 63];
    if (p->f == f) p->f = 0;
}

/* Streams into memory give their buffer to the program when they are flushed or closed. */
static struct memory { FILE *f; char **buffer; size_t *size; char *given; u32 object; } memories[8];

static void give(struct memory *m) {
    char *p = *m->buffer;
    if (!p) return;
    if (m->object && m->given != p && !bf_object_dead(m->object)) bf_died(m->object);
    if (!m->object || m->given != p || bf_object_size(m->object) < *m->size + 1) {
        if (m->object && m->given == p && !bf_object_dead(m->object)) bf_died(m->object);
        m->object = bf_born(p, *m->size + 1, 0);
        m->given = p;
    }
    bf_wrote(p, *m->size + 1);
    bf_wrote(m->buffer, sizeof *m->buffer);
    bf_wrote(m->size, sizeof *m->size);
}

void bf_memstream(FILE *f, char **buffer, size_t *size) {
    for (u32 i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (memories[i].f) continue;
        memories[i] = (struct memory){f, buffer, size, 0, 0};
        return;
    }
}

void bf_memstreams_written(FILE *f, int closing) {
    for (u32 i = 0; i < sizeof memories / sizeof *memories; i++) {
        struct memory *m = &memories[i];
        if (!m->f || (f && m->f != f)) continue;
        give(m);
        if (closing) m->f = 0;
    }
}
