"""The installed wheel, as a user has it: arrays in and out, what fails and how it reads, sweeps, the program and the driver."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wavepipe

HERE = Path(__file__).parent

SAXPY = wavepipe.Shader.glsl("""#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { float a; uint n; };
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) y[i] = a * x[i] + y[i];
}""")

# Each work-group adds TILE numbers.
SUMS = wavepipe.Shader.wgsl("""
    override TILE: u32 = 64;
    @group(0) @binding(0) var<storage> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
    @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {
        var all = 0u;
        for (var i = 0u; i < TILE; i++) { all += x[g.x * TILE + i]; }
        sums[g.x] = all;
    }""")


def test_saxpy():
    x, y = np.linspace(0, 1, 1000, dtype=np.float32), np.ones(1000, np.float32)
    for wave in (32, 64):
        ran = SAXPY.run(x=x, y=y, push={"a": 2.5, "n": 1000}, wave=wave)
        ran.expect("y", np.float32(2.5) * x + y, ulp=1).expect("x", x)
        assert ran["y"].dtype == np.float32 and ran["y"].shape == (1000,)
        assert ran.kernels[0]["wave"] == wave and ran.kernels[0]["vgprs"] > 0 and ran.findings == []


def test_vectors_have_rows_and_padding_is_not_seen():
    shader = wavepipe.Shader.wgsl("""
        @group(0) @binding(0) var<storage, read_write> v: array<vec3f>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) { v[i.x] *= 2; }""")
    v = np.arange(24, dtype=np.float32).reshape(8, 3)
    ran = shader.run(v=v)
    np.testing.assert_array_equal(ran["v"], 2 * v)
    assert len(ran.memory("v")) == 8 * 16
    other = 2 * v
    other[2, 1] += 1
    with pytest.raises(wavepipe.CheckFailed, match=r"element 2.y, byte 36: got 14, wanted 15"):
        ran.expect("v", other)


def test_images():
    shader = wavepipe.Shader.wgsl("""
        @group(0) @binding(0) var photo: texture_2d<f32>;
        @group(0) @binding(1) var negative: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) i: vec3u) {
            let c = textureLoad(photo, i.xy, 0);
            textureStore(negative, i.xy, vec4(1 - c.rgb, c.a));
        }""")
    photo = np.random.default_rng(1).integers(0, 256, (16, 24, 4), np.uint8)
    ran = shader.run(photo=wavepipe.Image(photo), negative=wavepipe.Image(size=(24, 16)))
    wanted = np.concatenate([255 - photo[..., :3], photo[..., 3:]], axis=2)
    np.testing.assert_array_equal(ran["negative"], wanted)
    ran.expect("negative", wanted, picture=0)


def test_a_mismatch_is_a_report():
    ran = SAXPY.run(x=np.zeros(64, np.float32), y=np.arange(64, dtype=np.float32), push={"a": 1, "n": 64})
    wanted = np.arange(64, dtype=np.float32)
    wanted[7] += 1
    with pytest.raises(AssertionError) as told:
        ran.expect("y", wanted, ulp=2)
    text = str(told.value)
    assert text.startswith("y: 1 of 64 numbers is not as wanted (f32[64], within 2 ULP)\n  element 7, byte 28: got 7, wanted 8, ")
    assert "last written by work-group (0, 0, 0), wave 0, lane 7, invocation (7, 0, 0), shader.comp:8" in text
    assert re.search(r"again: (WAVEPIPE_\S+ )*python -m pytest tests/test_wheel.py::test_a_mismatch_is_a_report$", text)


def test_findings_raise_and_can_be_kept():
    racy = wavepipe.Shader.wgsl("""
        @group(0) @binding(0) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(64) fn main() { b[0] += 1; }""")
    with pytest.raises(wavepipe.CheckFailed, match="race"):
        racy.run(b=1, groups=1)
    assert racy.run(b=1, groups=1, keep_findings=True).findings[0]["check"] == "race"
    assert racy.run(b=1, groups=1, check=None).findings == []


@pytest.mark.parametrize(
    "error, why, given",
    [
        (ValueError, "no resource `z`", {"z": 4}),
        (ValueError, "type f32, and f8 is given|type f32, and f64 is given", {"x": np.ones(4)}),
        (ValueError, "there is no check `racing`", {"check": "racing"}),
        (ValueError, "a wave has 32 or 64 lanes", {"wave": 48}),
        (ValueError, "cannot read", {"x": "nowhere.npy"}),
        (ValueError, r'push constant a .*: add push=\{"a": VALUE\}', {"push": {}}),
    ],
)
def test_what_makes_no_sense_is_said(error, why, given):
    arguments = {"x": np.ones(4, np.float32), "y": 4, "push": {"a": 1, "n": 4}, **given}
    with pytest.raises(error, match=why):
        SAXPY.run(**arguments)


def sweeps(executor):
    x = np.arange(256, dtype=np.uint32)
    return wavepipe.sweep(
        SUMS, {"x": x, "sums": 4}, spec={"TILE": [16, 64]}, wave=[32, 64], machine=["rx5700xt", "rx5500xt"], outputs=["sums"], executor=executor
    )


def test_a_sweep_is_the_same_wherever_it_runs():
    here = sweeps(None)
    assert len(here) == 8 and all(row["failure"] is None for row in here), here
    for row in here:
        tile = row["spec"]["TILE"]
        np.testing.assert_array_equal(row["answers"]["sums"], np.arange(4 * tile, dtype=np.uint32).reshape(4, tile).sum(1))
        assert row["cycles"] > 0 and row["vgprs"] > 0
    assert here.best()["spec"]["TILE"] == 16
    lines = str(here).splitlines()
    assert len(lines) == 9 and lines[0].split()[:4] == ["TILE", "wave", "machine", "seed"]
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert str(sweeps(threads)) == str(here)
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        with client.get_executor(pure=False) as executor:
            assert str(sweeps(executor)) == str(here)
        assert len(client.scheduler_info()["workers"]) == 2


def test_a_combination_that_fails_is_a_row():
    table = wavepipe.sweep(SUMS, {"x": 64, "sums": 4}, spec={"TILE": [8, "many"]}, outputs=["sums"])
    assert [row["failure"] is None for row in table] == [True, False]
    assert "TILE" in table[1]["failure"] and table.best() is table[0] and "many" in str(table)


def test_the_program_finds_the_driver_of_the_package():
    run = [sys.executable, "-m", "wavepipe"]
    assert subprocess.run([*run, "--version"], capture_output=True, text=True, check=True).stdout.startswith("wavepipe ")
    shown = [*run, "exec", "--", sys.executable, "-c", "import os; print(os.environ['VK_DRIVER_FILES'])"]
    told = subprocess.run(shown, capture_output=True, text=True)
    assert told.stdout.strip() == os.path.realpath(wavepipe.manifest()), told
    library = Path(wavepipe.manifest()).parent / json.loads(Path(wavepipe.manifest()).read_text())["ICD"]["library_path"]
    assert library.resolve().read_bytes()[:4] == b"\x7fELF"


def test_pytest_shows_the_report(tmp_path):
    (tmp_path / "test_wrong.py").write_text(
        "import numpy as np, wavepipe\n"
        "def test_wrong():\n"
        "    shader = wavepipe.Shader.wgsl('@group(0) @binding(0) var<storage, read_write> y: array<u32>;"
        " @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) { y[i.x] = i.x; }')\n"
        "    ran = shader.run(y=4)\n"
        "    ran.expect('y', np.array([0, 1, 2, 4], np.uint32))\n"
    )
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_wrong.py"]
    told = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode == 1, told
    assert "test_wrong.py:5: ran.expect('y', np.array([0, 1, 2, 4], np.uint32))\n\ny: 1 of 4 numbers is not as wanted" in told.stdout
    assert "python -m pytest test_wrong.py::test_wrong\n" in told.stdout
    # Nothing of the library's own code.
    assert "_native" not in told.stdout, told.stdout


@pytest.mark.parametrize("document", ["library.md", "README.md"])
def test_documents_show_what_runs(document, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (HERE.parent / document).read_text(), re.S)
    assert blocks
    for n, block in enumerate(blocks):
        (tmp_path / f"test_{n}.py").write_text(block)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    told = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
