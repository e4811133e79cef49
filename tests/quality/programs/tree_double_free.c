/* A binary search tree whose deletion of a node with one child leaves the parent pointing to the freed node.
 *
 * args: 5 3 8 9 -8
 * at: tree_free
 * says: after it was freed
 * says: `child == NULL` was false
 * says: first freed here|freed here
 * says: `tree`
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct tree {
    int key;
    struct tree *left;
    struct tree *right;
} tree;

static tree *make(int key)
{
    tree *t = calloc(1, sizeof(tree));
    if (!t)
        abort();
    t->key = key;
    return t;
}

static tree *insert(tree *t, int key)
{
    if (!t)
        return make(key);
    if (key < t->key)
        t->left = insert(t->left, key);
    else if (key > t->key)
        t->right = insert(t->right, key);
    return t;
}

static void drop(tree *root, int key)
{
    tree *parent = NULL, *t = root;
    while (t && t->key != key) {
        parent = t;
        t = key < t->key ? t->left : t->right;
    }
    if (!t || !parent)
        return;
    tree *child = t->left ? t->left : t->right;
    if (parent->left == t)
        parent->left = child;
    else if (child == NULL)
        parent->right = child;
    free(t);
}

static int sum(const tree *t)
{
    return t ? t->key + sum(t->left) + sum(t->right) : 0;
}

static void tree_free(tree *t)
{
    if (!t)
        return;
    tree_free(t->left);
    tree_free(t->right);
    free(t);
}

int main(int argc, char **argv)
{
    tree *root = NULL;
    int before = 0;
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        if (n >= 0)
            root = insert(root, n);
        else {
            before = sum(root);
            drop(root, -n);
        }
    }
    printf("%d\n", before);
    tree_free(root);
    return 0;
}
