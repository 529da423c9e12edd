import numpy as np
from numba import guvectorize


@guvectorize(["void(float32[:], float32[:])"], "(n)->()",           # (1)
             target="cuda")
def roughness(row, out):                                            # (2)
    total = np.float32(0)
    for i in range(1, row.shape[0]):
        total += abs(row[i] - row[i - 1])
    out[0] = total


table = np.tile(np.arange(50, dtype=np.float32), (100, 1))
print(roughness(table).shape)                                       # (3)
