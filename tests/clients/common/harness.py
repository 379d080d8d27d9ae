"""What a client program says to the runner: JSON objects on stdout, one a line.

    {"device": NAME, "loaded": BOOL}                                        once, after the last case
    {"case": NAME, "seconds": S, "off": X, "ok": BOOL, "why": TEXT}         per case

`off` is the worst difference from the CPU's answer as a multiple of what is allowed, so 1.0 is the bound; it is null where a
case ended with an error. `loaded` says whether the driver that the runner named is in this process, as a program may fall back
to another in silence. `seconds` is the client's own time: pipelines, transfers and dispatches, not the CPU's answer.
"""

import json
import os
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np


class Answer(NamedTuple):
    """What the device gave, and how to compute the same on the CPU. Tolerances are numpy's; without any, bits must agree."""

    got: np.ndarray
    want: Callable[[], np.ndarray]
    rtol: float = 0.0
    atol: float = 0.0


CASES: dict[str, Callable] = {}


def case(function):
    """Registers a case: a function that drives the device and returns an `Answer` or a list of them."""
    CASES[function.__name__] = function
    return function


def off(answer):
    """Worst difference as a multiple of the tolerance; infinite where shapes, NaNs or infinities disagree."""
    got, want = np.asarray(answer.got), np.asarray(answer.want())
    if got.shape != want.shape:
        return float("inf")
    if answer.rtol == 0.0 and answer.atol == 0.0:
        return 0.0 if np.array_equal(got, want) else float("inf")
    got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        worst = np.where(same, 0.0, np.abs(got - want) / (answer.atol + answer.rtol * np.abs(want)))
    worst = np.nan_to_num(worst, nan=np.inf, posinf=np.inf)
    return float(worst.max(initial=0.0))


def say(**fields):
    print(json.dumps(fields), flush=True)


untimed_seconds = 0.0


@contextmanager
def untimed():
    """What is done within is no part of the case's time."""
    global untimed_seconds
    start = time.perf_counter()
    try:
        yield
    finally:
        untimed_seconds += time.perf_counter() - start


def report(name, function):
    start, untimed_before = time.perf_counter(), untimed_seconds
    elapsed = lambda: time.perf_counter() - start - (untimed_seconds - untimed_before)
    try:
        answers = function()
        seconds = elapsed()
        answers = answers if isinstance(answers, list) else [answers]
        worst = max(off(answer) for answer in answers)
        why = "" if worst <= 1.0 else "differs from the CPU"
        say(case=name, seconds=seconds, off=worst if worst < 1e300 else None, ok=worst <= 1.0, why=why)
    except Exception as error:  # the next case still runs
        traceback.print_exc()
        why = (str(error) or type(error).__name__).strip().splitlines()[-1]
        say(case=name, seconds=elapsed(), off=None, ok=False, why=why[:200])


def main(device, loaded=None):
    """Runs the cases named on the command line, or all; `device` gives the name of the device in use."""
    if sys.argv[1:] == ["--list"]:
        return print("\n".join(CASES))
    for name in sys.argv[1:] or CASES:
        report(name, CASES[name])
    if loaded is None:
        loaded = os.environ.get("CLIENT_DRIVER", "") in Path("/proc/self/maps").read_text()
    say(device=device(), loaded=loaded)
