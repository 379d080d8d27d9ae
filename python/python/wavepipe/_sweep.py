"""One shader under every combination of constants, wave sizes, cards and seeds: what it answers, takes and costs."""

import itertools

COLUMNS = ("wave", "machine", "seed", "cycles", "vgprs", "sgprs", "spilled", "lds_bytes", "scratch_bytes", "code_bytes")


def _one(job):
    """Runs one combination; a failure is a row, too."""
    shader, buffers, outputs, given, point = job
    row = dict(point)
    try:
        ran = shader.run(buffers, **given, spec=point["spec"], wave=point["wave"], machine=point["machine"], seed=point["seed"])
    except Exception as failure:  # Whatever a combination does wrong, the others are wanted.
        return {**row, "failure": str(failure)}
    kernels = ran.kernels
    most = {key: max(kernel[key] for kernel in kernels) for key in ("vgprs", "sgprs", "lds_bytes", "scratch_bytes")}
    sums = {key: sum(kernel[key] for kernel in kernels) for key in ("spilled", "code_bytes")}
    answers = {key: ran[key] for key in outputs}
    return {**row, **most, **sums, "wave": kernels[0]["wave"], "cycles": ran.cycles, "answers": answers, "failure": None}


class Table(list):
    """Rows, a dictionary each: `spec`, `wave`, `machine`, `seed`, `cycles`, registers and memory, `answers`, and `failure` where
    there are none. Printed, it is a table."""

    def best(self, by="cycles"):
        """The row of the least."""
        good = [row for row in self if row["failure"] is None]
        if not good:
            raise ValueError("every combination failed: " + "; ".join(sorted({row["failure"] for row in self})))
        return min(good, key=lambda row: row[by])

    def __str__(self):
        names = list(dict.fromkeys(name for row in self for name in row["spec"]))
        lines = [[*names, *COLUMNS]]
        for row in self:
            cells = [row["spec"].get(name, "") for name in names] + [row.get(column, "") for column in COLUMNS]
            lines.append(["-" if cell is None else str(cell) for cell in cells])
        wide = [max(map(len, column)) for column in zip(*lines)]
        out = ["  ".join(cell.rjust(width) for cell, width in zip(line, wide)).rstrip() for line in lines]
        failed = [f"  {(row['failure'].splitlines() or ['failed'])[0]}" if row["failure"] else "" for row in self]
        return "\n".join(line + why for line, why in zip(out, ["", *failed]))


def sweep(
    shader, buffers=None, /, *, spec=None, wave=(None,), machine=(None,), seed=(None,), outputs=(), executor=None, timing=True, check=(),
    **given,
):
    """Runs `shader` under every combination, and gives the Table, its rows in the order of the combinations.

    `spec` has a list of values for each constant. `outputs` names what is kept of each run. `executor` is any of
    `concurrent.futures`' kind, of threads, processes or other machines; without one they run here, one after the other. The rest is what
    `Shader.run` takes.
    """
    spec = {name: list(values) for name, values in (spec or {}).items()}
    points = [
        {"spec": dict(zip(spec, values)), "wave": lanes, "machine": card, "seed": number}
        for *values, lanes, card, number in itertools.product(*spec.values(), wave, machine, seed)
    ]
    given = {**given, "timing": timing, "check": check}
    jobs = [(shader, buffers, tuple(outputs), given, point) for point in points]
    if executor is None:
        return Table(map(_one, jobs))
    # Submitted one by one: what is asked of an executor beyond that is not the same for all.
    return Table(future.result() for future in [executor.submit(_one, job) for job in jobs])
