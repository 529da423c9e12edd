// Moves cars along a road, with two layouts of the same data.
#include <cstdio>
#include <vector>

// ANCHOR: aos
struct Car {
    float position, speed, length;
};

__global__ void drive(Car* cars, float seconds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float speed = cars[i].speed;                    // (1)
        cars[i].position += seconds * speed;
    }
}
// ANCHOR_END: aos

// ANCHOR: soa
struct Cars {
    float *position, *speed, *length;                   // (1)
};

__global__ void drive_arrays(Cars cars, float seconds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float speed = cars.speed[i];                    // (2)
        cars.position[i] += seconds * speed;
    }
}
// ANCHOR_END: soa

int main() {
    const int n = 4096;
    std::vector<Car> cars(n);
    for (int i = 0; i < n; ++i) {
        cars[i] = {10.0f * i, 20.0f + i % 5, 4.0f};
    }

    Car* d_cars;
    cudaMalloc(&d_cars, n * sizeof(Car));
    cudaMemcpy(d_cars, cars.data(), n * sizeof(Car),
               cudaMemcpyHostToDevice);
    drive<<<(n + 255) / 256, 256>>>(d_cars, 0.5f, n);

    // ANCHOR: host
    Cars d_fields;
    cudaMalloc(&d_fields.position, n * sizeof(float));
    cudaMalloc(&d_fields.speed, n * sizeof(float));
    cudaMalloc(&d_fields.length, n * sizeof(float));
    std::vector<float> position(n), speed(n), length(n);
    for (int i = 0; i < n; ++i) {
        position[i] = cars[i].position;
        speed[i] = cars[i].speed;
        length[i] = cars[i].length;
    }
    // ANCHOR_END: host
    size_t bytes = n * sizeof(float);
    cudaMemcpy(d_fields.position, position.data(), bytes,
               cudaMemcpyHostToDevice);
    cudaMemcpy(d_fields.speed, speed.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_fields.length, length.data(), bytes,
               cudaMemcpyHostToDevice);
    drive_arrays<<<(n + 255) / 256, 256>>>(d_fields, 0.5f, n);

    cudaMemcpy(cars.data(), d_cars, n * sizeof(Car),
               cudaMemcpyDeviceToHost);
    cudaMemcpy(position.data(), d_fields.position, bytes,
               cudaMemcpyDeviceToHost);
    int same = 0;
    for (int i = 0; i < n; ++i) {
        same += cars[i].position == position[i];
    }
    printf("%d of %d positions are the same\n", same, n);
    cudaFree(d_cars);
    cudaFree(d_fields.position);
    cudaFree(d_fields.speed);
    cudaFree(d_fields.length);
}
