"""The GitHub Action and the Dockerfile, as far as they can be tried without GitHub and without Docker: the Action against GitHub's
schema, its steps as the runner would run them, the Dockerfile's steps one by one, and what they make in a root that has nothing else."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(os.environ["WAVEPIPE_SOURCE"])
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def holds(schema, text, folder):
    file = folder / "checked.yml"
    file.write_text(text)
    run = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.github-{schema}", str(file)]
    return subprocess.run(run, capture_output=True, text=True).returncode == 0


def test_the_action_is_of_githubs_form(tmp_path):
    text = (ROOT / "action.yml").read_text()
    assert holds("actions", text, tmp_path)
    # A step of a composite action without a shell is none.
    assert not holds("actions", text.replace("      shell: bash\n", ""), tmp_path)


def test_the_workflow_in_the_documents_is_of_githubs_form(tmp_path):
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "library.md").read_text(), re.S)
    assert len(blocks) == 1 and holds("workflows", blocks[0], tmp_path)
    job, = yaml.safe_load(blocks[0])["jobs"].values()
    uses, = [step for step in job["steps"] if "wavepipe" in step["uses"]]
    assert set(uses.get("with", {})) <= set(ACTION["inputs"])
    assert len(blocks[0].strip().splitlines()) - blocks[0].strip().splitlines().index("jobs:") - 1 == 5


def test_inputs_are_declared_and_used():
    used = set(re.findall(r"inputs\.(\w+)", json.dumps(ACTION["runs"])))
    assert used == set(ACTION["inputs"])


def play(folder, inputs, program):
    """Runs the steps as GitHub's runner does; gives the exit status and how `program` was called."""
    for name, value in {**{name: row["default"] for name, row in ACTION["inputs"].items()}, **inputs}.items():
        inputs[name] = value
    calls = folder / "calls"
    env = {**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": str(folder / "action"), "CALLS": str(calls)}
    (folder / "action").mkdir(exist_ok=True)
    env["GITHUB_OUTPUT"] = str(folder / "output")
    for step in STEPS:
        if step.get("if"):
            condition = re.fullmatch(r"inputs\.(\w+) == ''", step["if"])
            assert condition, step["if"]
            if inputs[condition[1]] != "":
                continue
        if "run" not in step:
            continue
        value = lambda found: inputs[re.fullmatch(r"inputs\.(\w+)", found[1])[1]]
        own = {name: EXPRESSION.sub(value, text) for name, text in step.get("env", {}).items()}
        # Nothing that a user writes is put into a script.
        assert not EXPRESSION.search(step["run"])
        script = folder / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=folder, env={**env, **own})
        if done.returncode:
            return done.returncode, calls.read_text().splitlines()
    return 0, calls.read_text().splitlines()


def recorder(folder, status):
    program = folder / "recorder"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >>"$CALLS"\necho >>"$CALLS"\nexit {status}\n')
    program.chmod(0o755)
    return str(program)


def test_the_steps_call_the_program(tmp_path):
    program = recorder(tmp_path, 0)
    status, calls = play(tmp_path, {"program": program}, program)
    assert (status, calls) == (0, ["test|--format|github|.|"])
    (tmp_path / "calls").unlink()
    given = {"program": program, "paths": "a b", "arguments": "--check all", "partition": "hash:1/4", "junit": "out.xml"}
    status, calls = play(tmp_path, given, program)
    rest = "--check|all|--partition|hash:1/4|a|b|"
    assert (status, calls) == (0, ["test|--format|github|" + rest, "test|--format|junit|--output|out.xml|" + rest])


def test_a_failure_is_the_jobs(tmp_path):
    program = recorder(tmp_path, 1)
    status, calls = play(tmp_path, {"program": program, "junit": "out.xml"}, program)
    assert status == 1 and len(calls) == 2


def test_what_is_built_is_built_once(tmp_path):
    # What the cache has brought.
    there = tmp_path / "wavepipe" / "bin"
    there.mkdir(parents=True)
    shutil.move(recorder(tmp_path, 0), there / "wavepipe")
    assert play(tmp_path, {}, None) == (0, ["test|--format|github|.|"])
    assert re.fullmatch(r"hash=[0-9a-f]{32}\n", (tmp_path / "output").read_text())


def dockerfile():
    """Stages, a name and (instruction, rest) each."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    stages = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if line.startswith("#"):
            continue
        word, rest = line.split(None, 1)
        if word == "FROM":
            stages.append((rest.split(" AS ")[1] if " AS " in rest else "", []))
        else:
            stages[-1][1].append((word, rest))
    return stages


def test_the_dockerfile_builds_what_there_is():
    (name, build), (_, run) = dockerfile()
    commands = [rest for word, rest in build if word == "RUN"]
    told = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version=1"], cwd=ROOT, capture_output=True, text=True, check=True)
    members = {package["name"] for package in json.loads(told.stdout)["packages"]}
    wanted = set(re.findall(r"--package (\S+)", commands[0]))
    assert commands[0].startswith("cargo build --release --locked") and wanted == {"wavepipe-cli", "wavepipe-icd"} <= members
    copied = [rest.split() for word, rest in run if word == "COPY"]
    assert copied == [[f"--from={name}", "/package", "/usr/local"]] and commands[1] == "./scripts/package --tree /package"
    assert {"target", ".git"} <= set((ROOT / ".dockerignore").read_text().split())


@pytest.mark.skipif(os.getuid() != 0, reason="a root of its own needs root's rights")
def test_the_image_has_all_that_the_program_needs(tmp_path):
    subprocess.run([ROOT / "scripts" / "package", "--tree", tmp_path / "usr" / "local"], check=True)
    program, driver = tmp_path / "usr/local/bin/wavepipe", next((tmp_path / "usr/local/lib").glob("*/libvulkan_wavepipe.so"))
    # What debian:bookworm-slim has of the C library.
    for file in (program, driver):
        told = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"(/\S+)", told):
            if not library.startswith(str(tmp_path)):
                (tmp_path / library[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, tmp_path / library[1:])
    (_, instructions) = dockerfile()[1]
    entry, = [json.loads(rest) for word, rest in instructions if word == "ENTRYPOINT"]
    command, = [json.loads(rest) for word, rest in instructions if word == "CMD"]
    env = {"PATH": "/usr/local/bin", "HOME": "/", "WAVEPIPE_CACHE": "off"}
    inside = lambda *words: subprocess.run(["chroot", tmp_path, *words], capture_output=True, text=True, env={**env, "PATH": env["PATH"] + ":" + os.environ["PATH"]})
    helped = inside(*entry, *command)
    assert helped.returncode == 0 and "Usage: wavepipe" in helped.stdout, helped
    (tmp_path / "double.wgsl").write_text(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;"
        "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] *= 2; }"
    )
    ran = inside(*entry, "run", "/double.wgsl", "--buffer", "x:1,2,3,4", "--out", "x=-")
    assert ran.returncode == 0 and ran.stdout.split() == ["2", "4", "6", "8"], ran
    manifest, = (tmp_path / "usr/local/share/vulkan/icd.d").glob("*.json")
    library = json.loads(manifest.read_text())["ICD"]["library_path"]
    assert (manifest.parent / library).resolve() == driver
