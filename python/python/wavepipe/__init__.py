"""Compute shaders under test without a GPU.

A shader runs as AMD RDNA machine code on an emulated Radeon, in this process. What it is given are NumPy's arrays, by the
shader's names; what the checks find raises CheckFailed, and so does a comparison that does not hold, with the report as its text.
"""

import json
import os
from pathlib import Path

import numpy as np

from . import _native
from ._native import DEFAULT_CHECKS, CheckFailed
from ._sweep import Table, sweep

__all__ = ["CheckFailed", "DEFAULT_CHECKS", "Image", "Ran", "Shader", "Table", "manifest", "program", "sweep"]

_HERE = Path(__file__).parent / "_program"


def program():
    """The path of the program `wavepipe`."""
    return str(_HERE / "bin" / "wavepipe")


def manifest():
    """The path of the driver's manifest, as VK_DRIVER_FILES takes it."""
    return str(next((_HERE / "share" / "vulkan" / "icd.d").glob("*.json")))


def _numbers(array):
    """NumPy's code without the byte order, the shape and the bytes, in the order of C."""
    array = np.asarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return array.dtype.str[1:], list(array.shape), np.ascontiguousarray(array).tobytes()


def _text(value):
    """A constant as it is written on a command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if np.ndim(value):
        return ",".join(_text(part) for part in np.asarray(value).ravel())
    return repr(value.item() if isinstance(value, np.generic) else value)


class Image:
    """An image: its texels as an array of rows, or a size (column, row, slice or layer) of zeroes, or a file."""

    def __init__(self, texels=None, *, size=None, format=None, file=None):
        if sum(what is not None for what in (texels, size, file)) != 1:
            raise ValueError("an image has texels, or a size, or a file")
        self.texels = None if texels is None else np.asarray(texels)
        self.size, self.format, self.file = size, format, file

    def _give(self, test, key):
        if self.file is not None:
            test.picture(key, os.fspath(self.file))
        elif self.texels is None:
            test.image(key, self.format, list(self.size), None)
        else:
            test.image(key, self.format, None, _numbers(self.texels))


class Shader:
    """A compute shader in GLSL, WGSL or SPIR-V."""

    def __init__(self, language, source):
        self._made_of = (language, source)
        make = {"glsl": _native.Shader.glsl, "wgsl": _native.Shader.wgsl, "spirv": _native.Shader.spirv, "file": _native.Shader.open}
        self._native = make[language](source)

    def __reduce__(self):
        return Shader, self._made_of

    @staticmethod
    def glsl(text):
        return Shader("glsl", text)

    @staticmethod
    def wgsl(text):
        return Shader("wgsl", text)

    @staticmethod
    def spirv(module):
        """The module's bytes, or its words."""
        words = np.frombuffer(module, "<u4") if isinstance(module, (bytes, bytearray)) else np.asarray(module)
        return Shader("spirv", [int(word) for word in words])

    @staticmethod
    def open(path):
        """A file: .comp, .glsl, .wgsl or .spv."""
        return Shader("file", os.path.abspath(path))

    def run(
        self, buffers=None, /, *, push=None, spec=None, samplers=None, entry=None, groups=None, wave=None, seed=None,
        check=DEFAULT_CHECKS, machine=None, timing=False, timeout=None, artifacts=None, keep_findings=False, **named,
    ):
        """Runs the shader, and gives what it left.

        Resources go by the shader's names, as keywords or in a dictionary, where "SET.BINDING" is a name, too. An array is a buffer
        of these numbers, each where the shader's layout has it; bytes are memory; an int is a number of elements, all zero; a
        string is "iota", "rand" or a file; and an Image is an image. `push` and `spec` are constants by name, `groups` follows from
        what is written, where it is not given, and `check` names what is looked for.
        """
        test = self._native.test()
        for key, what in {**(buffers or {}), **named}.items():
            if isinstance(what, Image):
                what._give(test, key)
            elif isinstance(what, (bytes, bytearray)):
                test.memory(key, bytes(what))
            elif isinstance(what, (int, np.integer)):
                test.zeroed(key, int(what))
            elif isinstance(what, str):
                test.buffer_of(key, what)
            else:
                test.buffer(key, _numbers(what))
        for key, how in (samplers or {}).items():
            test.sampler(key, how.split(","))
        for name, value in (push or {}).items():
            test.push(name, _text(value))
        for name, value in (spec or {}).items():
            test.spec(str(name), _text(value))
        if groups is not None:
            groups = [groups] if isinstance(groups, int) else list(groups)
            test.groups(groups + [1] * (3 - len(groups)))
        for set_, value in ((test.entry, entry), (test.wave, wave), (test.seed, seed), (test.machine, machine), (test.timeout, timeout)):
            if value is not None:
                set_(value)
        if artifacts is not None:
            test.artifacts(os.fspath(artifacts))
        if timing:
            test.timing()
        if keep_findings:
            test.keep_findings()
        test.check(check.split(",") if isinstance(check, str) else list(check or ()))
        return Ran(test.run())


class Ran:
    """What a run left."""

    def __init__(self, native):
        self._native = native

    def __getitem__(self, key):
        """The numbers of a buffer, without the padding between them; of an image its texels, a row for each row."""
        code, shape, data = self._native.read(key)
        return np.frombuffer(data, "<" + code).reshape(shape)

    def memory(self, key):
        """A buffer's bytes as they are."""
        return self._native.memory(key)

    def expect(self, key, wanted, *, ulp=None, relative=None, absolute=None, rmse=None, picture=None, shape=None):
        """Raises CheckFailed with the report, unless it is as wanted: exactly, or within one tolerance.

        `picture` is how far channels may be apart, of 255, and, in a pair, how many pixels may be further; `shape` is the width and
        height of a buffer that is a picture.
        """
        picture = (picture, 0) if isinstance(picture, int) else picture
        self._native.expect(key, _numbers(wanted), ulp, relative, absolute, rmse, picture, shape)
        return self

    @property
    def findings(self):
        """What the checks found, a dictionary each."""
        return json.loads(self._native.findings())

    @property
    def kernels(self):
        """Registers and memory of each dispatch's machine code, a dictionary each."""
        return json.loads(self._native.kernels())

    @property
    def cycles(self):
        """Cycles of the card's clock, with timing."""
        return self._native.cycles()

    @property
    def instructions(self):
        """Instructions that waves executed."""
        return self._native.instructions()
