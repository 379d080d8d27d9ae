"""IREE: tensor programs in MLIR, compiled to SPIR-V for three targets and run by its Vulkan runtime.

The baseline asks for little, `rdna1` is this very GPU and takes subgroups of 32 lanes for given, `rdna2` has dot products of bytes.
"""

import hashlib
import os
from importlib.metadata import version
from pathlib import Path

import numpy as np
from harness import Answer, case, main, untimed
from iree import compiler, runtime

rng = np.random.default_rng(1)
config = runtime.Config("vulkan")

BASELINE, RDNA = "vp_android_baseline_2022", "rdna1"


def compiled(text, target):
    """The module's bytecode, kept by the digest of what it is made from: IREE's compiler is not what is tested."""
    digest = hashlib.sha256(f"{version('iree-base-compiler')} {target} {text}".encode()).hexdigest()[:16]
    kept = Path(os.environ["CLIENT_CACHE"], f"{digest}.vmfb") if "CLIENT_CACHE" in os.environ else None
    if kept and kept.exists():
        return kept.read_bytes()
    made = compiler.compile_str(text, target_backends=["vulkan-spirv"], extra_args=[f"--iree-vulkan-target={target}"])
    if kept:
        kept.write_bytes(made)
    return made


def run(text, *inputs, target=BASELINE):
    """Compiles the module's `main` for a Vulkan target and calls it."""
    with untimed():
        made = compiled(text, target)
    module = runtime.VmModule.copy_buffer(config.vm_instance, made)
    loaded = runtime.load_vm_modules(module, config=config)[-1]
    return fetch(loaded.main(*inputs))


def fetch(array):
    """The array through a staging buffer. `to_host` imports numpy's memory, which is not aligned as Vulkan wants it."""
    source = array._buffer_view.get_buffer()
    staging = config.device.allocator.allocate_buffer(
        memory_type=int(runtime.MemoryType.HOST_LOCAL | runtime.MemoryType.DEVICE_VISIBLE),
        allowed_usage=int(runtime.BufferUsage.TRANSFER_TARGET | runtime.BufferUsage.MAPPING_SCOPED),
        allocation_size=source.byte_length(),
    )
    done = config.device.create_semaphore(0)
    before, after = runtime.HalFence.create_at(done, 0), runtime.HalFence.create_at(done, 1)
    config.device.queue_copy(source, staging, wait_semaphores=before, signal_semaphores=after)
    after.wait()
    return staging.map().asarray(array.shape, array.dtype).copy()


def normal(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


MATMUL = """
func.func @main(%a: tensor<MxKxE>, %b: tensor<KxNxE>) -> tensor<MxNxS> {
  %zero = arith.constant ZERO : S
  %empty = tensor.empty() : tensor<MxNxS>
  %clear = linalg.fill ins(%zero : S) outs(%empty : tensor<MxNxS>) -> tensor<MxNxS>
  %product = linalg.matmul ins(%a, %b : tensor<MxKxE>, tensor<KxNxE>) outs(%clear : tensor<MxNxS>) -> tensor<MxNxS>
  return %product : tensor<MxNxS>
}"""


def matmul(m, n, k, element, total, zero):
    text = MATMUL
    for word, value in (("MxK", f"{m}x{k}"), ("KxN", f"{k}x{n}"), ("MxN", f"{m}x{n}"), ("ZERO", zero)):
        text = text.replace(word, value)
    return text.replace("xE>", f"x{element}>").replace("xS>", f"x{total}>").replace(": S", f": {total}")


def float_matmul(target):
    a, b = normal(128, 256), normal(256, 64)
    got = run(matmul(128, 64, 256, "f32", "f32", "0.0"), a, b, target=target)
    return Answer(got, lambda: a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)


@case
def matmul_baseline():
    return float_matmul(BASELINE)


@case
def matmul_rdna():
    return float_matmul(RDNA)


@case
def matmul_bytes():
    """By `rdna2`, whose dot products of bytes IREE uses; its code for bytes without them is wrong on every driver."""
    a, b = rng.integers(-100, 100, (64, 128), dtype=np.int8), rng.integers(-100, 100, (128, 32), dtype=np.int8)
    got = run(matmul(64, 32, 128, "i8", "i32", "0"), a, b, target="rdna2")
    return Answer(got, lambda: a.astype(np.int32) @ b)


@case
def matmul_half():
    a, b = normal(64, 128, dtype=np.float16), normal(128, 32, dtype=np.float16)
    got = run(matmul(64, 32, 128, "f16", "f32", "0.0"), a, b, target=RDNA)
    return Answer(got, lambda: a.astype(np.float64) @ b, rtol=1e-3, atol=1e-3)


def softmax(target):
    x = normal(64, 512) * 3
    text = """
        func.func @main(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
          %empty = tensor.empty() : tensor<64x512xf32>
          %y = linalg.softmax dimension(1) ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) -> tensor<64x512xf32>
          return %y : tensor<64x512xf32>
        }"""

    def want():
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    return Answer(run(text, x, target=target), want, rtol=1e-4, atol=1e-6)


@case
def softmax_baseline():
    return softmax(BASELINE)


@case
def softmax_rdna():
    """A row's maximum and sum across a subgroup."""
    return softmax(RDNA)


def reduce(target):
    x = normal(32, 4096)
    text = """
        func.func @main(%x: tensor<32x4096xf32>) -> tensor<32xf32> {
          %zero = arith.constant 0.0 : f32
          %empty = tensor.empty() : tensor<32xf32>
          %clear = linalg.fill ins(%zero : f32) outs(%empty : tensor<32xf32>) -> tensor<32xf32>
          %sum = linalg.reduce ins(%x : tensor<32x4096xf32>) outs(%clear : tensor<32xf32>) dimensions = [1]
            (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
          return %sum : tensor<32xf32>
        }"""
    return Answer(run(text, x, target=target), lambda: x.sum(1, dtype=np.float64), rtol=1e-4, atol=1e-3)


@case
def reduce_baseline():
    return reduce(BASELINE)


@case
def reduce_rdna():
    return reduce(RDNA)


@case
def convolution():
    image, kernel = normal(1, 18, 18, 8), normal(3, 3, 8, 16)
    got = run("""
        func.func @main(%x: tensor<1x18x18x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x16x16x16xf32> {
          %zero = arith.constant 0.0 : f32
          %empty = tensor.empty() : tensor<1x16x16x16xf32>
          %clear = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
          %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
            ins(%x, %w : tensor<1x18x18x8xf32>, tensor<3x3x8x16xf32>) outs(%clear : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
          return %y : tensor<1x16x16x16xf32>
        }""", image, kernel)

    def want():
        windows = np.lib.stride_tricks.sliding_window_view(image[0].astype(np.float64), (3, 3), axis=(0, 1))
        return np.einsum("yxcij,ijcf->yxf", windows, kernel)[None]

    return Answer(got, want, rtol=1e-4, atol=1e-4)


@case
def elementwise():
    """Broadcast, transposition and a row of math functions fused into one dispatch."""
    x, bias = normal(64, 96), normal(64)
    got = run("""
        #same = affine_map<(d0, d1) -> (d0, d1)>
        #turned = affine_map<(d0, d1) -> (d1, d0)>
        #row = affine_map<(d0, d1) -> (d1)>
        func.func @main(%x: tensor<64x96xf32>, %bias: tensor<64xf32>) -> tensor<96x64xf32> {
          %empty = tensor.empty() : tensor<96x64xf32>
          %y = linalg.generic {indexing_maps = [#turned, #row, #same], iterator_types = ["parallel", "parallel"]}
              ins(%x, %bias : tensor<64x96xf32>, tensor<64xf32>) outs(%empty : tensor<96x64xf32>) {
            ^bb0(%a: f32, %b: f32, %old: f32):
              %sum = arith.addf %a, %b : f32
              %e = math.exp %sum : f32
              %t = math.tanh %e : f32
              %s = math.sin %t : f32
              linalg.yield %s : f32
          } -> tensor<96x64xf32>
          return %y : tensor<96x64xf32>
        }""", x, bias)
    want = lambda: np.sin(np.tanh(np.exp(x.T.astype(np.float64) + bias)))  # noqa: E731
    return Answer(got, want, rtol=1e-3, atol=2.0**-11)


if __name__ == "__main__":
    main(lambda: str(config.device))
