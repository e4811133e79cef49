// Binary search tree with subtree sizes.
// Arguments: +K insert, -K remove, ?K look up, @I the I-th smallest (from 0), <K how many keys are below K.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    int key;
    int size;
    struct node *left, *right;
} node;

static int size_of(const node *t) { return t ? t->size : 0; }

static void update(node *t) { t->size = 1 + size_of(t->left) + size_of(t->right); }

static node *new_node(int key)
{
    node *t = malloc(sizeof *t);
    if (!t) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    t->key = key;
    t->size = 1;
    t->left = t->right = NULL;
    return t;
}

static node *insert(node *t, int key)
{
    if (!t)
        return new_node(key);
    if (key < t->key)
        t->left = insert(t->left, key);
    else if (key > t->key)
        t->right = insert(t->right, key);
    update(t);
    return t;
}

static node *leftmost(node *t)
{
    while (t->left)
        t = t->left;
    return t;
}

static node *delete(node *t, int key)
{
    if (!t)
        return NULL;
    if (key < t->key) {
        t->left = delete(t->left, key);
    } else if (key > t->key) {
        t->right = delete(t->right, key);
    } else if (t->left && t->right) {
        node *next = leftmost(t->right);
        t->key = next->key;
        t->right = delete(t->right, next->key);
    } else {
        node *child = t->left ? t->left : t->right;
        free(t);
        return child;
    }
    update(t);
    return t;
}

static bool contains(const node *t, int key)
{
    while (t) {
        if (key == t->key)
            return true;
        t = key < t->key ? t->left : t->right;
    }
    return false;
}

static const node *select_nth(const node *t, int index)
{
    while (t) {
        int before = size_of(t->left);
        if (index == before)
            return t;
        if (index < before) {
            t = t->left;
        } else {
            index -= before + 1;
            t = t->right;
        }
    }
    return NULL;
}

static int rank_of(const node *t, int key)
{
    int below = 0;
    while (t) {
        if (key <= t->key) {
            t = t->left;
        } else {
            below += size_of(t->left) + 1;
            t = t->right;
        }
    }
    return below;
}

static int height(const node *t)
{
    if (!t)
        return 0;
    int l = height(t->left);
    int r = height(t->right);
    return 1 + (l > r ? l : r);
}

static void check(const node *t, long low, long high)
{
    if (!t)
        return;
    assert(low < t->key && t->key < high);
    assert(t->size == 1 + size_of(t->left) + size_of(t->right));
    check(t->left, low, t->key);
    check(t->right, t->key, high);
}

static void print_in_order(const node *t)
{
    if (!t)
        return;
    print_in_order(t->left);
    printf(" %d", t->key);
    print_in_order(t->right);
}

static void release(node *t)
{
    if (!t)
        return;
    release(t->left);
    release(t->right);
    free(t);
}

int main(int argc, char *argv[])
{
    node *root = NULL;

    for (int i = 1; i < argc; i++) {
        int value = atoi(argv[i] + 1);
        switch (argv[i][0]) {
        case '+':
            root = insert(root, value);
            break;
        case '-':
            root = delete(root, value);
            break;
        case '?':
            printf("%d: %s\n", value, contains(root, value) ? "yes" : "no");
            break;
        case '<':
            printf("below %d: %d\n", value, rank_of(root, value));
            break;
        case '@': {
            const node *t = select_nth(root, value);
            if (t)
                printf("at %d: %d\n", value, t->key);
            else
                printf("at %d: none\n", value);
            break;
        }
        default:
            fprintf(stderr, "unknown command %s\n", argv[i]);
            release(root);
            return 1;
        }
        check(root, -1000000000L, 1000000000L);
    }
    printf("%d keys, height %d:", size_of(root), height(root));
    print_in_order(root);
    printf("\n");
    release(root);
    return 0;
}
