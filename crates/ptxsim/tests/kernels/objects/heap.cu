#include <cstdlib>
// malloc and free in kernels; each incorrect kernel breaks one rule.

extern "C" __global__ void lists(int *out, int n) {
  struct Node {
    int value;
    Node *next;
  };
  Node *head = nullptr;
  for (int i = 0; i < n; ++i) {
    Node *node = (Node *)malloc(sizeof(Node));
    if (!node) break;
    node->value = i;
    node->next = head;
    head = node;
  }
  int sum = 0;
  while (head) {
    Node *next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
}

// allocates until the heap is full, frees everything, and allocates as much again
extern "C" __global__ void until_it_is_full(int *out, unsigned long long bytes) {
  void *got[512];
  for (int round = 0; round < 2; ++round) {
    int n = 0;
    while (n < 512 && (got[n] = malloc(bytes))) ++n;
    out[round] = n;
    for (int i = 0; i < n; ++i) free(got[i]);
  }
}

extern "C" __global__ void keep(int **where, int n) {
  int *p = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; ++i) p[i] = i * i;
  *where = p;
}
extern "C" __global__ void sum_up(int **where, int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (*where)[i];  // @sum_up
  *out = sum;
}
extern "C" __global__ void give_back(int **where) { free(*where); }

extern "C" __global__ void too_long(int *out, int n, int i) {
  int *p = (int *)malloc(n * sizeof(int));
  int *q = (int *)malloc(n * sizeof(int));
  if (!p || !q) return;
  q[0] = 5;
  p[i] = 7;  // @too_long
  out[0] = q[0];
  free(p);
  free(q);
}

extern "C" __global__ void not_written(int *out) {
  int *p = (int *)malloc(64);
  p[1] = 3;
  out[0] = p[threadIdx.x];  // @not_written
  free(p);
}

extern "C" __global__ void dangling(int *out, int i) {
  volatile int *p = (volatile int *)malloc(64);
  p[i] = 1;
  free((void *)p);  // @dangling_free
  out[0] = p[i];    // @dangling_read
}

extern "C" __global__ void wrong_free(int *out, int which) {
  int *p = (int *)malloc(64);
  if (which == 0) free(p + 4);  // @free_inside
  if (which == 1) free(out);    // @free_argument
  free(p);
  free(nullptr);
  if (which == 2) free(p);  // @free_twice
}

extern "C" __global__ void null_when_full(int *out) {
  int *p = (int *)malloc(1ull << 40);
  p[threadIdx.x] = 1;  // @null_when_full
  out[0] = 1;
}
