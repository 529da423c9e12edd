import numpy as np
from numba import cuda


@cuda.jit(device=True)                                              # (1)
def wind_chill(celsius, km_h):
    if celsius > 10 or km_h < 5:
        return celsius
    v = km_h ** 0.16
    return 13.12 + 0.6215 * celsius - 11.37 * v + 0.3965 * celsius * v


@cuda.jit
def chill(celsius, km_h, felt):
    idx = cuda.grid(1)                                              # (2)
    if idx < felt.size:
        felt[idx] = wind_chill(celsius[idx], km_h[idx])


celsius = np.array([-5, 20], dtype=np.float32)
km_h = np.array([32, 10], dtype=np.float32)
felt = np.empty_like(celsius)
chill[1, 32](celsius, km_h, felt)                                   # (3)
print(felt)
