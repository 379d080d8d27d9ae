"""VkFFT: its benchmark's transforms, beside numpy's; and how long they take on three cards of GCN, by the emulated cards' clocks.

    client.py --clock [MIB] [SIZE]...       a table of those, in Markdown; with CLIENT_PROGRAM and a driver as run.py gives them
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from harness import CASES, Answer, case, main, untimed

MIB = 1 << 20
# The first sizes of VkFFT's benchmark, one that needs all of a work-group's memory, and one that goes through memory twice.
SIZES = [8, 64, 512, 4096, 65536]
# In the order in which they came to be.
GCN = ["hd7950", "r9390", "vega64"]


class Done(NamedTuple):
    device: str
    nanoseconds: float
    uploads: int
    forward: np.ndarray
    around: np.ndarray

    def bandwidth(self, data):
        """VkFFT's estimate in GB/s: each upload of a transform reads and writes all data, and there is one each way."""
        return 4 * self.uploads * data.nbytes / self.nanoseconds


@cache
def numbers(mib):
    count = mib * MIB // 8
    random = np.random.default_rng(count)
    return (random.standard_normal(count) + 1j * random.standard_normal(count)).astype(np.complex64)


def transform(data, size, **environment):
    """Transforms by the program: `data` there, and there and back twice."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("input", "forward", "around")]
        data.tofile(files[0])
        command = [os.environ["CLIENT_PROGRAM"], str(size), *map(str, files)]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{size}: {done.stderr.strip().splitlines()[-1:]}"
        sys.stderr.write(done.stderr)
        said = json.loads(done.stdout.splitlines()[-1])
        return Done(said["device"], said["nanoseconds"], said["uploads"], *(np.fromfile(file, np.complex64) for file in files[1:]))


def answers(data, size, done):
    """Errors of a transform grow with the logarithm of its size; the largest number is a measure of all."""
    once = (4 + np.log2(size)) * 2**-23
    there = lambda: np.fft.fft(data.reshape(-1, size).astype(np.complex128)).ravel()
    parts = lambda numbers: np.stack([numbers.real, numbers.imag])
    bound = np.abs(there()).max() * once
    back = np.abs(data).max() * 4 * once
    return [
        Answer(parts(done.forward), lambda: parts(there()), atol=bound),
        Answer(parts(done.around / size**2), lambda: parts(data), atol=back),
    ]


def register(size):
    def c2c():
        data = numbers(1)
        done = transform(data, size)
        with untimed():
            return answers(data, size, done)

    c2c.__name__ = f"c2c_{size}"
    case(c2c)


for size in SIZES:
    register(size)


def on_clock(data, size, machine):
    return transform(data, size, WAVEPIPE_TIMING="1", WAVEPIPE_MACHINE=machine, WAVEPIPE_TIMEOUT="600000")


@case
def gcn():
    """Each card of GCN is faster than the one before: the article's order of the first two, and Vega's after them."""
    with untimed():
        data, found = numbers(1), []
        for size in (64, 1024):
            done = {machine: on_clock(data, size, machine) for machine in GCN}
            found += [answer for of in done.values() for answer in answers(data, size, of)]
            times = [of.nanoseconds for of in done.values()]
            assert sorted(times, reverse=True) == times and len(set(times)) == len(times), f"{size}: {times} ns on {GCN}"
        return found


def clock(mib=16, *sizes):
    data = numbers(mib)
    print(f"| size | {' | '.join(f'{machine}: µs, GB/s' for machine in GCN)} |")
    print("|---|" + "---|" * len(GCN))
    for size in sizes or (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
        cells = []
        for machine in GCN:
            done = on_clock(data, size, machine)
            for answer in answers(data, size, done):
                assert np.abs(answer.got - answer.want()).max() <= answer.atol, f"{machine}, {size}: differs from numpy's"
            cells.append(f"{done.nanoseconds / 1e3:.1f}, {done.bandwidth(data):.0f}")
        print(f"| {size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--clock"]:
        clock(*map(int, sys.argv[2:]))
    else:
        # The driver is in the program's process, not in this one; the loader has no other to give.
        main(lambda: transform(numbers(1)[:1024], 64).device, loaded=True)
