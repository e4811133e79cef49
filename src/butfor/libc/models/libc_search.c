/* Models of functions that call back: sorting and searching. The callback is recorded code, so each call of it gets its arguments' provenance. */
#include "libc_util.h"
#include <search.h>
#include <stdlib.h>

typedef int (*order)(const void *, const void *);

static void callback(u32 a, u32 b) {
    __bf_argp[0] = a;
    __bf_argp[1] = b;
    __bf_argp[2] = BF_LOOKUP;
    __bf_args_set = 1;
}

/* The whole array is read and written: which element went where is not told by the library. */
struct sorting { order plain; int (*with)(const void *, const void *, void *); void *data; const char *base; u64 size; u32 prov, data_prov; };
static u32 element(const struct sorting *s, const void *p) { /* the library may compare copies of its own */
    return (u64)((const char *)p - s->base) < s->size ? s->prov : BF_NOPROV;
}
static int compare(const void *a, const void *b, void *data) {
    struct sorting *s = data;
    callback(element(s, a), element(s, b));
    if (s->plain) return s->plain(a, b);
    __bf_argp[2] = s->data_prov;
    return s->with(a, b, s->data);
}
static void sort(struct sorting s, void *base, size_t n, size_t size) {
    KEEP_ERRNO;
    u64 all;
    s.base = base;
    if (__builtin_mul_overflow((u64)n, (u64)size, &all)) all = 0;
    if (all) bf_check(base, all, s.prov, 1);
    all = bf_sane(base, all, s.prov);
    s.size = all;
    if (all) bf_read(base, all);
    REAL_VOID(qsort_r(base, n, size, compare, &s)); /* glibc's qsort is qsort_r */
    if (all) bf_wrote(base, all);
}
void W(qsort)(void *base, size_t n, size_t size, order by) {
    sort((struct sorting){.plain = by, .prov = bf_arg(0, base)}, base, n, size);
}
void W(qsort_r)(void *base, size_t n, size_t size, int (*by)(const void *, const void *, void *), void *data) {
    u32 prov = bf_arg(0, base), data_prov = bf_arg(4, data);
    sort((struct sorting){.with = by, .data = data, .prov = prov, .data_prov = data_prov}, base, n, size);
}

/* The C library's own steps, so that the callback sees the same calls. */
void *W(bsearch)(const void *key, const void *base, size_t n, size_t size, order by) {
    u32 pk = bf_arg(0, key), pb = bf_arg(1, base);
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *p = (const char *)base + middle * size;
        callback(pk, pb);
        int r = by(key, p);
        if (r < 0) high = middle;
        else if (r > 0) low = middle + 1;
        else {
            __bf_retp = pb;
            return (void *)p;
        }
    }
    __bf_retp = BF_NOPROV;
    return 0;
}

static void *linear(const void *key, u32 pk, const void *base, u32 pb, size_t n, size_t size, order by) {
    const char *p = base;
    for (; n; n--, p += size) {
        callback(pk, pb);
        if (by(key, p) == 0) {
            __bf_retp = pb;
            return (void *)p;
        }
    }
    __bf_retp = BF_NOPROV;
    return 0;
}
void *W(lfind)(const void *key, const void *base, size_t *n, size_t size, order by) {
    u32 pk = bf_arg(0, key), pb = bf_arg(1, base);
    bf_reads(2, n, sizeof *n);
    return linear(key, pk, base, pb, *n, size, by);
}
void *W(lsearch)(const void *key, void *base, size_t *n, size_t size, order by) {
    u32 pk = bf_arg(0, key), pb = bf_arg(1, base);
    bf_reads(2, n, sizeof *n);
    void *r = linear(key, pk, base, pb, *n, size, by);
    if (r) return r;
    r = (char *)base + *n * size;
    bf_check(r, size, pb, 1);
    bf_check(key, size, pk, 0);
    bf_before_copy(r, key, size);
    memcpy(r, key, size);
    bf_copied(r, key, size);
    ++*n;
    bf_wrote(n, sizeof *n);
    __bf_retp = pb;
    return r;
}

/* Trees: nodes belong to the library; a node begins with the pointer to the key, which the program reads through the result. */
static order tree_order;
static int compare_keys(const void *a, const void *b) {
    __bf_args_set = 0;
    return tree_order(a, b);
}
static void *node(void *p) {
    __bf_retp = BF_NOPROV;
    return p;
}
void *W(tsearch)(const void *key, void **root, order by) {
    KEEP_ERRNO;
    order outer = tree_order;
    bf_will_write(1, root, sizeof *root);
    tree_order = by;
    void *before = bf_wild(root) ? 0 : *root, *r = REAL(tsearch(key, root, compare_keys));
    tree_order = outer;
    if (root && *root != before) bf_wrote(root, sizeof *root);
    if (r) bf_wrote(r, sizeof(void *));
    return node(r);
}
void *W(tfind)(const void *key, void *const *root, order by) {
    KEEP_ERRNO;
    order outer = tree_order;
    tree_order = by;
    void *r = REAL(tfind(key, root, compare_keys));
    tree_order = outer;
    return node(r);
}
void *W(tdelete)(const void *restrict key, void **restrict root, order by) {
    KEEP_ERRNO;
    order outer = tree_order;
    bf_will_write(1, root, sizeof *root);
    tree_order = by;
    void *before = bf_wild(root) ? 0 : *root, *r = REAL(tdelete(key, root, compare_keys));
    tree_order = outer;
    if (root && *root != before) bf_wrote(root, sizeof *root);
    return node(r);
}
static void (*tree_visit)(const void *, VISIT, int);
static void visit(const void *p, VISIT order, int depth) {
    __bf_args_set = 0;
    tree_visit(p, order, depth);
}
void W(twalk)(const void *root, void (*action)(const void *, VISIT, int)) {
    void (*outer)(const void *, VISIT, int) = tree_visit;
    tree_visit = action;
    twalk(root, visit);
    tree_visit = outer;
}
