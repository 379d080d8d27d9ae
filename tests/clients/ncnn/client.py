"""ncnn on Vulkan: small convolution nets beside ncnn's own CPU layers, in single and half precision and in int8.

Without VK_LAYER settings in the way ncnn opens the driver's library itself, so this is also the test without a loader.
"""

import os
import tempfile
from pathlib import Path

import ncnn
import numpy as np
from harness import Answer, case, main

rng = np.random.default_rng(1)
ncnn.create_gpu_instance()
assert ncnn.get_gpu_count() > 0, "ncnn finds no Vulkan device"


class Net:
    """A net's text and its weights, in the order in which ncnn reads them."""

    def __init__(self, *shape):
        self.lines, self.weights, self.blob = [], b"", "in"
        self.input = rng.standard_normal(shape).astype(np.float32)
        self.layer("Input", [], ["in"], "")

    def layer(self, kind, inputs, outputs, settings):
        name = f"{kind.lower()}{len(self.lines)}"
        names = " ".join([*inputs, *outputs])
        self.lines.append(f"{kind} {name} {len(inputs)} {len(outputs)} {names} {settings}")
        self.blob = outputs[-1]
        return self

    def then(self, kind, settings=""):
        return self.layer(kind, [self.blob], [f"b{len(self.lines)}"], settings)

    def weigh(self, count, scale):
        """Weights with ncnn's flag for plain floats before them."""
        self.weights += b"\0\0\0\0" + (rng.standard_normal(count) * scale).astype(np.float32).tobytes()
        return self

    def plain(self, values):
        self.weights += np.asarray(values, np.float32).tobytes()
        return self

    def convolve(self, before, after, kernel, settings="", group=1):
        kind = "Convolution" if group == 1 else "ConvolutionDepthWise"
        count = before // group * after * kernel * kernel
        grouped = "" if group == 1 else f" 7={group}"
        self.then(kind, f"0={after} 1={kernel} 5=1 6={count}{grouped} {settings}")
        return self.weigh(count, (before // group * kernel * kernel) ** -0.5).plain(rng.standard_normal(after) * 0.1)

    def run(self, gpu, **options):
        with tempfile.TemporaryDirectory() as folder:
            param, model = Path(folder, "net.param"), Path(folder, "net.bin")
            blobs = {name for line in self.lines for name in self.names(line)}
            param.write_text("\n".join(["7767517", f"{len(self.lines)} {len(blobs)}", *self.lines, ""]))
            model.write_bytes(self.weights)
            net = ncnn.Net()
            net.opt.use_vulkan_compute = gpu
            net.opt.num_threads = 1
            for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage", "use_bf16_packed"):
                setattr(net.opt, name, options.get(name, False))
            assert net.load_param(str(param)) == 0 and net.load_model(str(model)) == 0, "ncnn refuses the net"
            extractor = net.create_extractor()
            # A copy that ncnn counts references of: layers that work in place look at the count.
            extractor.input("in", ncnn.Mat(self.input).clone())
            status, out = extractor.extract(self.blob)
            assert status == 0, f"extract gives {status}"
            result = np.array(out)
            del extractor, net
            return result

    @staticmethod
    def names(line):
        words = line.split()
        return words[4 : 4 + int(words[2]) + int(words[3])]

    def answer(self, tolerance=1e-3, **options):
        return Answer(self.run(True, **options), lambda: self.run(False), rtol=tolerance, atol=tolerance)


def layers(net):
    """Convolutions of every shape that ncnn has a shader for: 3×3 with Winograd, 1×1, strided, dilated, by depth."""
    return (
        net.convolve(3, 16, 3, "4=1 9=1")
        .convolve(16, 16, 3, "4=1 9=1")
        .convolve(16, 32, 1, "9=1")
        .convolve(32, 32, 3, "4=1 3=2 9=1", group=32)
        .convolve(32, 24, 3, "4=2 2=2")
        .then("Pooling", "0=0 1=2 2=2")
    )


@case
def convolutions():
    return layers(Net(3, 40, 40)).answer(2e-3)


@case
def convolutions_half_storage():
    return layers(Net(3, 40, 40)).answer(2e-2, use_fp16_packed=True, use_fp16_storage=True)


@case
def convolutions_half_arithmetic():
    net = layers(Net(3, 40, 40))
    return net.answer(5e-2, use_fp16_packed=True, use_fp16_storage=True, use_fp16_arithmetic=True)


@case
def classifier():
    """Convolutions with a shortcut, batch normalisation, pooling over all, inner product, softmax."""
    net = Net(3, 32, 32).convolve(3, 16, 3, "4=1 3=2 9=1")
    net.layer("Split", [net.blob], ["left", "right"], "").convolve(16, 16, 3, "4=1 9=1").convolve(16, 16, 3, "4=1")
    net.then("BatchNorm", "0=16").plain(rng.random(16) + 0.5).plain(rng.standard_normal(16))
    net.plain(rng.random(16) + 0.5).plain(rng.standard_normal(16))
    net.layer("BinaryOp", ["left", net.blob], ["sum"], "0=0").then("ReLU")
    net.then("Pooling", "0=1 4=1").then("InnerProduct", "0=10 1=1 2=160").weigh(160, 0.5).plain(rng.standard_normal(10))
    return net.then("Softmax", "0=0").answer()


@case
def quantized():
    """Int8: weights and input are quantized by given scales, sums are integers, so the CPU agrees but for rounding at halves."""
    net = Net(16, 24, 24)
    net.then("Convolution", f"0=16 1=3 4=1 5=1 6={16 * 16 * 9} 8=2 9=1")
    weights = rng.integers(-127, 128, 16 * 16 * 9, dtype=np.int8)
    # The flag for int8 weights; bias; a scale for each output channel's weights; the input's scale.
    net.weights += b"\x38\x4b\x0d\x00" + weights.tobytes()
    net.plain(rng.standard_normal(16)).plain(np.full(16, 127.0)).plain([30.0])
    return net.answer(1e-2)


@case
def activations():
    net = Net(8, 20, 20)
    for kind, settings in (("HardSwish", "0=0.1666667 1=0.5"), ("Sigmoid", ""), ("TanH", ""), ("ELU", "0=0.5"), ("GELU", ""), ("Mish", "")):
        net.then(kind, settings)
    return net.answer()


@case
def shapes():
    """Padding, nearest and bilinear growth, permutation, shuffling of channels, reshaping, slices and concatenation."""
    net = Net(8, 12, 10).then("Padding", "0=1 1=2 2=3 3=1 4=0 5=0.5").then("Interp", "0=2 1=2.0 2=2.0").then("ShuffleChannel", "0=2")
    net.then("Permute", "0=3").then("Reshape", "0=-1 1=8").then("Permute", "0=1")
    net.layer("Slice", [net.blob], ["one", "two"], "-23300=2,-233,-233 1=0")
    net.layer("Concat", ["two", "one"], ["swapped"], "0=1")
    return net.answer()


@case
def attention():
    """Products of matrices, softmax by row and layer normalisation: a transformer's inner part."""
    net = Net(32, 64)
    net.layer("Split", ["in"], ["q", "k", "v"], "")
    net.layer("MatMul", ["q", "k"], ["scores"], "0=1").then("BinaryOp", "0=2 1=1 2=0.125").then("Softmax", "0=1 1=1")
    net.layer("MatMul", [net.blob, "v"], ["mixed"], "0=0")
    net.then("LayerNorm", "0=64 1=0.00001 2=1").plain(rng.random(64) + 0.5).plain(rng.standard_normal(64))
    return net.answer()


if __name__ == "__main__":
    main(lambda: ncnn.get_gpu_device(0).info().device_name())
    # The driver's library stays open until the process ends; the interpreter's own order of destruction is not ncnn's.
    os._exit(0)
