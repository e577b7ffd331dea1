"""Writes one table in the formats that sfg reads: python3 tools/try_data.py TABLE.csv FOLDER."""

import bz2
import gzip
import lzma
import sys
from pathlib import Path

import h5py
import numpy as np
import scipy.io
import scipy.sparse

source, folder = sys.argv[1], Path(sys.argv[2])
lines = Path(source).read_text().splitlines()
names = lines[0].split(",")[1:]
values = np.array([[float(cell) for cell in line.split(",")[1:]] for line in lines[1:]])

# The same features have the same names everywhere: those that a format without names gives.
text = "\n".join(",".join(repr(float(value)) for value in row) for row in values) + "\n"
header = ",".join(f"f{k}" for k in range(len(names)))
packed = (header + "\n" + text).encode()
(folder / "table.csv").write_bytes(packed)
(folder / "table.csv.gz").write_bytes(gzip.compress(packed))
(folder / "table.csv.bz2").write_bytes(bz2.compress(packed))
(folder / "table.csv.xz").write_bytes(lzma.compress(packed))
kinds = ["class"] + ["warm" if row[0] > np.median(values[:, 0]) else "cold" for row in values]
rows = [header, *text.splitlines()]
(folder / "labelled.csv").write_text("".join(f"{row},{kind}\n" for row, kind in zip(rows, kinds)))
np.save(folder / "table.npy", values)
scipy.io.savemat(folder / "table.mat", {"X": values})
# Version 7.3 is HDF5 behind 512 bytes of text.
with h5py.File(folder / "table.v73.mat", "w", userblock_size=512) as file:
    file.create_dataset("X", data=values.T).attrs["MATLAB_class"] = np.bytes_("double")
with open(folder / "table.v73.mat", "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
with h5py.File(folder / "table.h5ad", "w") as file:
    file.create_dataset("X", data=values, compression="lzf", chunks=(50, 4))
    for axis, count in (("obs", values.shape[0]), ("var", values.shape[1])):
        frame = file.create_group(axis)
        frame.attrs["_index"] = "_index"
        letter = "f" if axis == "var" else "s"
        frame.create_dataset("_index", data=[f"{letter}{k}" for k in range(count)])
