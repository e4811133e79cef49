/* sorts: sort numbers with one of several methods
   usage: sorts method n1 n2 ...      method: i(nsertion) s(hell) q(uick) m(erge) h(eap) */
#include <stdio.h>
#include <stdlib.h>

#define MAXN 50

int v[MAXN], tmp[MAXN];
int n;
long compares, moves;

int less(int a, int b)
{
	compares++;
	return a < b;
}

void swap(int v[], int i, int j)
{
	int t;

	t = v[i];
	v[i] = v[j];
	v[j] = t;
	moves += 3;
}

void insertion(int v[], int n)
{
	int i, j, x;

	for (i = 1; i < n; i++) {
		x = v[i];
		for (j = i - 1; j >= 0 && less(x, v[j]); j--) {
			v[j+1] = v[j];
			moves++;
		}
		v[j+1] = x;
	}
}

void shell(int v[], int n)
{
	int gap, i, j;

	for (gap = n / 2; gap > 0; gap /= 2)
		for (i = gap; i < n; i++)
			for (j = i - gap; j >= 0 && less(v[j+gap], v[j]); j -= gap)
				swap(v, j, j + gap);
}

void quick(int v[], int left, int right)
{
	int i, last;

	if (left >= right)
		return;
	swap(v, left, (left + right) / 2);
	last = left;
	for (i = left + 1; i <= right; i++)
		if (less(v[i], v[left]))
			swap(v, ++last, i);
	swap(v, left, last);
	quick(v, left, last - 1);
	quick(v, last + 1, right);
}

void merge(int v[], int lo, int mid, int hi)
{
	int i = lo, j = mid, k = 0;

	while (i < mid && j < hi)
		tmp[k++] = less(v[j], v[i]) ? v[j++] : v[i++];
	while (i < mid)
		tmp[k++] = v[i++];
	while (j < hi)
		tmp[k++] = v[j++];
	for (i = 0; i < k; i++)
		v[lo + i] = tmp[i];
	moves += k;
}

void merge_sort(int v[], int lo, int hi)
{
	int mid;

	if (hi - lo < 2)
		return;
	mid = (lo + hi) / 2;
	merge_sort(v, lo, mid);
	merge_sort(v, mid, hi);
	merge(v, lo, mid, hi);
}

void sink(int v[], int i, int n)
{
	int c;

	while ((c = 2 * i + 1) < n) {
		if (c + 1 < n && less(v[c], v[c+1]))
			c++;
		if (!less(v[i], v[c]))
			break;
		swap(v, i, c);
		i = c;
	}
}

void heap(int v[], int n)
{
	int i;

	for (i = n / 2 - 1; i >= 0; i--)
		sink(v, i, n);
	for (i = n - 1; i > 0; i--) {
		swap(v, 0, i);
		sink(v, 0, i);
	}
}

/* the first value that does not fit, or -1 */
int unsorted(int v[], int n)
{
	int i;

	for (i = 1; i < n; i++)
		if (v[i] < v[i-1])
			return i;
	return -1;
}

/* how often x occurs, by binary search for both ends */
int bound(int v[], int n, int x)
{
	int low = 0, high = n;

	while (low < high) {
		int mid = low + (high - low) / 2;
		if (v[mid] < x)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int count(int v[], int n, int x)
{
	return bound(v, n, x + 1) - bound(v, n, x);
}

int main(int argc, char *argv[])
{
	int i, bad, best, mode;

	if (argc < 2) {
		printf("usage: sorts i|s|q|m|h numbers\n");
		return 2;
	}
	for (i = 2; i < argc && n < MAXN; i++) {
		v[n] = atoi(argv[i]);
		n++;
	}
	switch (argv[1][0]) {
	case 'i': insertion(v, n); break;
	case 's': shell(v, n); break;
	case 'q': quick(v, 0, n - 1); break;
	case 'm': merge_sort(v, 0, n); break;
	case 'h': heap(v, n); break;
	default:
		printf("no method %s\n", argv[1]);
		return 2;
	}
	for (i = 0; i < n; i++)
		printf("%d%c", v[i], i < n - 1 ? ' ' : '\n');
	bad = unsorted(v, n);
	if (bad >= 0) {
		printf("not sorted at %d\n", bad);
		return 1;
	}
	best = 0;
	mode = 0;
	for (i = 0; i < n; i += count(v, n, v[i]))
		if (count(v, n, v[i]) > best) {
			best = count(v, n, v[i]);
			mode = v[i];
		}
	if (n > 0)
		printf("mode %d (%d)\n", mode, best);
	printf("%ld compares, %ld moves\n", compares, moves);
	return 0;
}
