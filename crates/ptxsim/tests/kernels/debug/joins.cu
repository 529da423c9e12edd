// Kernels for traces, in which branches join where no statement begins: the compiler copies the values of variables there,
// under the line of the statement before. Compiled as trace.cu is, without the functions of headers.

extern "C" __global__ void join_else(int* v) {
    int a = v[threadIdx.x];
    int total = 0;
    int i = 3;
    while (i != 0) {
        i--;
        if ((a + i) % 2 == 1) {
            total += a;
        } else {
            a += 2;
            total += 100;
        }
    }
    v[threadIdx.x] = total;
}

extern "C" __global__ void join_if(int* v) {
    int a = v[threadIdx.x];
    int total = 0;
    int i = 3;
    while (i != 0) {
        i--;
        if ((a + i) % 2 == 1) total += a;
    }
    v[threadIdx.x] = total;
}

extern "C" __global__ void join_break(int* v) {
    int j = 5;
    while (j) {
        --j;
        if (j == 2)
            break;
    }
    v[threadIdx.x] = 7;
}
