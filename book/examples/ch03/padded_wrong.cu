// A car has 12 bytes on the host, and 16 bytes on the device.
#include <cstdio>

// ANCHOR: structs
struct Car {
    float position, speed, length;
};

struct alignas(16) WideCar {
    float position, speed, length;
};
// ANCHOR_END: structs

__global__ void drive(WideCar* cars, float seconds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cars[i].position += seconds * cars[i].speed;
    }
}

int main() {
    const int n = 4;
    Car cars[n] = {{0, 10, 4}, {100, 20, 4}, {200, 30, 5}, {300, 40, 12}};

    // ANCHOR: host
    WideCar* d_cars;
    cudaMalloc(&d_cars, n * sizeof(WideCar));
    cudaMemcpy(d_cars, cars, n * sizeof(Car),
               cudaMemcpyHostToDevice);  // 12 bytes for each car
    drive<<<1, 32>>>(d_cars, 1.0f, n);
    cudaMemcpy(cars, d_cars, n * sizeof(Car), cudaMemcpyDeviceToHost);
    // ANCHOR_END: host

    for (const Car& car : cars) {
        printf("position %4g  speed %4g  length %4g\n", car.position,
               car.speed, car.length);
    }
    cudaFree(d_cars);
}
