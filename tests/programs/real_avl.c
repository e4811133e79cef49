/*
 * what: a balanced tree with rotations and removal; a height is stale after a rotation
 * failure: assertion
 * message: t->height == 1 + max(l, r)
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
    int key, count;
    int height;
    struct tree *left, *right;
};

static int rotations, nodes;

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int height(const struct tree *t)
{
    return t ? t->height : 0;
}

static void update(struct tree *t)
{
    t->height = 1 + max(height(t->left), height(t->right)); /* @cause */
}

static struct tree *leaf(int key)
{
    struct tree *t = calloc(1, sizeof *t);
    t->key = key;
    t->count = 1;
    t->height = 1;
    nodes++; /* @clean */
    return t;
}

static struct tree *rotate_right(struct tree *t)
{
    struct tree *l = t->left;
    t->left = l->right;
    l->right = t;
    update(t);
    update(l);
    rotations++;
    return l;
}

static struct tree *rotate_left(struct tree *t)
{
    struct tree *r = t->right; /* @cause */
    t->right = r->left; /* @cause */
    r->left = t; /* @cause */
    update(r); /* the order of the two updates is wrong */
    update(t);
    rotations++; /* @clean */
    return r;
}

static struct tree *balance(struct tree *t)
{
    int d;
    update(t);
    d = height(t->left) - height(t->right);
    if (d > 1) {
        if (height(t->left->left) < height(t->left->right))
            t->left = rotate_left(t->left);
        return rotate_right(t);
    }
    if (d < -1) {
        if (height(t->right->right) < height(t->right->left))
            t->right = rotate_right(t->right);
        return rotate_left(t); /* @cause */
    }
    return t;
}

static struct tree *insert(struct tree *t, int key)
{
    if (!t)
        return leaf(key);
    if (key < t->key)
        t->left = insert(t->left, key);
    else if (key > t->key)
        t->right = insert(t->right, key); /* @cause */
    else
        t->count++;
    return balance(t); /* @cause */
}

static struct tree *take_min(struct tree *t, struct tree **min)
{
    if (!t->left) {
        *min = t;
        return t->right;
    }
    t->left = take_min(t->left, min);
    return balance(t);
}

static struct tree *delete(struct tree *t, int key)
{
    struct tree *l, *r, *min;
    if (!t)
        return NULL;
    if (key < t->key) {
        t->left = delete(t->left, key);
    } else if (key > t->key) {
        t->right = delete(t->right, key);
    } else {
        l = t->left;
        r = t->right;
        free(t);
        if (!r)
            return l;
        r = take_min(r, &min);
        min->left = l;
        min->right = r;
        return balance(min);
    }
    return balance(t);
}

static int check(const struct tree *t)
{
    int l, r;
    if (!t)
        return 0;
    l = check(t->left);  /* @cause */
    r = check(t->right); /* @cause */
    assert(t->height == 1 + max(l, r)); /* @fail */
    return t->height;
}

static void destroy(struct tree *t)
{
    if (t) {
        destroy(t->left);
        destroy(t->right);
        free(t);
    }
}

int main(void)
{
    static const int keys[] = {20, 10, 40, 50, 60};
    struct tree *root = NULL;
    int i;

    for (i = 0; i < 5; i++)
        root = insert(root, keys[i]); /* @cause */
    check(root); /* @cause */
    root = delete(root, 20);
    printf("%d nodes, %d rotations\n", nodes, rotations);
    check(root);
    destroy(root);
    return 0;
}
