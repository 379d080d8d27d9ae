"""vulkaninfo: its text, its JSON in the Vulkan Profiles schema, and whether what it says is a device that Vulkan 1.3 allows."""

import json
import subprocess
import tempfile
from pathlib import Path

from harness import Answer, case, main

# Features that every Vulkan 1.3 implementation has, by the specification's chapter "Features", section "Feature Requirements".
REQUIRED_FEATURES = {
    "VkPhysicalDeviceFeatures": ["robustBufferAccess"],
    "VkPhysicalDeviceVulkan11Features": ["multiview"],
    "VkPhysicalDeviceVulkan12Features": [
        "bufferDeviceAddress", "hostQueryReset", "imagelessFramebuffer", "separateDepthStencilLayouts",
        "shaderSubgroupExtendedTypes", "subgroupBroadcastDynamicId", "timelineSemaphore",
        "uniformBufferStandardLayout", "vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
    ],
    "VkPhysicalDeviceVulkan13Features": [
        "computeFullSubgroups", "dynamicRendering", "inlineUniformBlock", "maintenance4", "pipelineCreationCacheControl",
        "privateData", "robustImageAccess", "shaderDemoteToHelperInvocation", "shaderIntegerDotProduct",
        "shaderTerminateInvocation", "shaderZeroInitializeWorkgroupMemory", "subgroupSizeControl", "synchronization2",
    ],
}  # fmt: skip

# Limits that matter to compute and the least they may be, from the table "Required Limits".
LEAST = {
    "maxImageDimension1D": 4096, "maxImageDimension2D": 4096, "maxImageDimension3D": 256, "maxImageDimensionCube": 4096,
    "maxImageArrayLayers": 256, "maxTexelBufferElements": 65536, "maxUniformBufferRange": 16384,
    "maxStorageBufferRange": 1 << 27, "maxPushConstantsSize": 128, "maxMemoryAllocationCount": 4096,
    "maxSamplerAllocationCount": 4000, "maxBoundDescriptorSets": 4, "maxPerStageDescriptorSamplers": 16,
    "maxPerStageDescriptorUniformBuffers": 12, "maxPerStageDescriptorStorageBuffers": 4,
    "maxPerStageDescriptorSampledImages": 16, "maxPerStageDescriptorStorageImages": 4, "maxPerStageResources": 128,
    "maxComputeSharedMemorySize": 16384, "maxComputeWorkGroupInvocations": 128, "subTexelPrecisionBits": 4,
    "mipmapPrecisionBits": 4, "maxSamplerLodBias": 2,
}  # fmt: skip
MOST = {
    "bufferImageGranularity": 131072, "minTexelBufferOffsetAlignment": 256, "minUniformBufferOffsetAlignment": 256,
    "minStorageBufferOffsetAlignment": 256, "nonCoherentAtomSize": 256,
}  # fmt: skip


def vulkaninfo(*options):
    done = subprocess.run(["vulkaninfo", *options], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"vulkaninfo {' '.join(options)} ends with {done.returncode}: {done.stderr[-200:]}"
    errors = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith("ERROR")]
    assert not errors, errors[0]
    return done.stdout


def device():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "profile.json")
        vulkaninfo("--json", "-o", str(file))
        return json.loads(file.read_text())["capabilities"]["device"]


def properties():
    return device()["properties"]["VkPhysicalDeviceProperties"]


def holds(found):
    """An answer that is right when nothing was found wrong."""
    assert not found, "; ".join(found)[:190]
    return Answer(0, lambda: 0)


@case
def text():
    said = vulkaninfo()
    wanted = ("VkPhysicalDeviceProperties", "VkQueueFamilyProperties", "VkPhysicalDeviceMemoryProperties", "VkPhysicalDeviceFeatures")
    return holds([word for word in wanted if word not in said])


@case
def formats():
    said = vulkaninfo("--show-formats")
    return holds([name for name in ("FORMAT_R8G8B8A8_UNORM", "FORMAT_R32_SFLOAT", "FORMAT_R32_UINT") if name not in said])


@case
def summary():
    return holds([] if "apiVersion         = 1.3" in vulkaninfo("--summary") else ["the device is not one of Vulkan 1.3"])


@case
def profile():
    """The JSON in the profile schema names extensions that the text names too."""
    said = vulkaninfo()
    return holds([name for name in device()["extensions"] if name not in said])


@case
def required_features():
    features = device()["features"]
    return holds([name for group, names in REQUIRED_FEATURES.items() for name in names if not features.get(group, {}).get(name)])


@case
def required_limits():
    limits = properties()["limits"]
    found = [f"{name} is {limits[name]}" for name, least in LEAST.items() if limits[name] < least]
    found += [f"{name} is {limits[name]}" for name, most in MOST.items() if limits[name] > most]
    axes = zip("xyz", limits["maxComputeWorkGroupSize"], (128, 128, 64))
    found += [f"maxComputeWorkGroupSize.{axis} is {size}" for axis, size, least in axes if size < least]
    return holds(found + [f"maxComputeWorkGroupCount is {count}" for count in limits["maxComputeWorkGroupCount"] if count < 65535])


@case
def queues():
    """The first family does all that the programs here ask of their first."""
    flags = device()["queueFamiliesProperties"][0]["VkQueueFamilyProperties"]["queueFlags"]
    return holds([bit for bit in ("VK_QUEUE_GRAPHICS_BIT", "VK_QUEUE_COMPUTE_BIT", "VK_QUEUE_TRANSFER_BIT") if bit not in flags])


if __name__ == "__main__":
    # The driver is in vulkaninfo's process, not in this one; the loader has no other to give.
    main(lambda: properties()["deviceName"], loaded=True)
