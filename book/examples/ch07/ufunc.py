import numpy as np
from numba import vectorize


def brighten(pixel, exponent):
    return pixel ** exponent


signature = ["float32(float32, float32)"]
on_cpu = vectorize(signature, target="cpu")(brighten)               # (1)
on_gpu = vectorize(signature, target="cuda")(brighten)              # (2)

pixels = np.linspace(0, 1, 1_000_000, dtype=np.float32)
exponent = np.float32(0.5)
print(np.allclose(on_cpu(pixels, exponent), on_gpu(pixels, exponent)))  # (3)
