/* The elements of an array are summed, and one more. */
int sum(int *a, int n) {
    int i, s = 0;
    for (i = 0; i <= n; ++i)
        s += a[i];
    return s;
}

int main(void) {
    int a[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    return sum(a, 10) == 0;
}
