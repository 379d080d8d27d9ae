// VkFFT's own benchmark on one size: batched complex transforms of single precision along one axis, in place.
//
//     vkfft SIZE INPUT FORWARD AROUND
//
// INPUT's complex numbers are transformed, SIZE at a time, and written to FORWARD. Then they go there and back twice, and are written to
// AROUND; as VkFFT's benchmark does, nothing is divided by SIZE. The second time there and back is timed by the queue's timestamps, the first
// has filled the caches. A line of JSON says on which device, how long, and how often VkFFT reads and writes the data for a transform.

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>

// VkFFT 1.2.26 lists limits for a glslang that had fewer of them than Debian's has; glslang's own are taken instead.
struct Limits {
    int numbers[93];
    glslang_limits_t can;
    const glslang_resource_t* operator&() const { return glslang_default_resource(); }
};
#define glslang_resource_t Limits
#define VKFFT_BACKEND 0
#include <vkFFT.h>

static void check(int result, const char* what) {
    if (result != 0) {
        fprintf(stderr, "%s: %d\n", what, result);
        exit(1);
    }
}
#define CHECK(call) check((int)(call), #call)

static VkPhysicalDevice physical;
static VkDevice device;

typedef struct {
    VkBuffer buffer;
    VkDeviceMemory memory;
} Block;

static Block allocate(VkDeviceSize bytes, VkMemoryPropertyFlags wanted) {
    Block block;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes};
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    CHECK(vkCreateBuffer(device, &info, NULL, &block.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, block.buffer, &needs);
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(physical, &all);
    uint32_t type = 0;
    while (type < all.memoryTypeCount &&
           (!(needs.memoryTypeBits >> type & 1) || (all.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    check(type == all.memoryTypeCount, "no such memory");
    VkMemoryAllocateInfo memory = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs.size, type};
    CHECK(vkAllocateMemory(device, &memory, NULL, &block.memory));
    CHECK(vkBindBufferMemory(device, block.buffer, block.memory, 0));
    return block;
}

static void release(Block block) {
    vkDestroyBuffer(device, block.buffer, NULL);
    vkFreeMemory(device, block.memory, NULL);
}

static void save(const char* path, const void* data, size_t bytes) {
    FILE* file = fopen(path, "wb");
    check(!file || fwrite(data, 1, bytes, file) != bytes || fclose(file), path);
}

int main(int count, char** words) {
    check(count != 5, "SIZE INPUT FORWARD AROUND");
    uint64_t size = strtoull(words[1], NULL, 10);
    FILE* input = fopen(words[2], "rb");
    check(!input || fseek(input, 0, SEEK_END), words[2]);
    uint64_t bytes = (uint64_t)ftell(input);
    rewind(input);

    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    uint32_t one = 1;
    VkResult listed = vkEnumeratePhysicalDevices(instance, &one, &physical);
    check(one == 0 || (listed != VK_SUCCESS && listed != VK_INCOMPLETE), "no device");
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);

    // The first family computes, as all clients take for given.
    float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkFence fence;
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkCommandPool pool;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkQueryPool queries;
    VkQueryPoolCreateInfo queries_info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    CHECK(vkCreateQueryPool(device, &queries_info, NULL, &queries));

    Block data = allocate(bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    Block mapped = allocate(bytes, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    void* host;
    CHECK(vkMapMemory(device, mapped.memory, 0, VK_WHOLE_SIZE, 0, &host));
    check(fread(host, 1, bytes, input) != bytes, words[2]);
    fclose(input);
    void* original = malloc(bytes);
    memcpy(original, host, bytes);

    VkFFTConfiguration configuration = {};
    configuration.FFTdim = 1;
    configuration.size[0] = size;
    configuration.numberBatches = bytes / 8 / size;
    configuration.physicalDevice = &physical;
    configuration.device = &device;
    configuration.queue = &queue;
    configuration.fence = &fence;
    configuration.commandPool = &pool;
    configuration.buffer = &data.buffer;
    configuration.bufferSize = &bytes;
    VkFFTApplication fft = {};
    CHECK(initializeVkFFT(&fft, configuration));

    VkCommandBuffer commands;
    VkCommandBufferAllocateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    CHECK(vkAllocateCommandBuffers(device, &commands_info, &commands));
    VkBufferCopy whole = {0, 0, bytes};
    VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    VkFFTLaunchParams launch = {};
    launch.commandBuffer = &commands;
    for (int around = 0; around < 2; around++) {
        memcpy(host, original, bytes);
        VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        CHECK(vkBeginCommandBuffer(commands, &begin));
#define BARRIER() vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL)
        vkCmdCopyBuffer(commands, mapped.buffer, data.buffer, 1, &whole);
        BARRIER();
        if (around) {
            vkCmdResetQueryPool(commands, queries, 0, 2);
            for (uint32_t time = 0; time < 2; time++) {
                CHECK(VkFFTAppend(&fft, -1, &launch));
                CHECK(VkFFTAppend(&fft, 1, &launch));
                BARRIER();
                vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries, time);
            }
        } else {
            CHECK(VkFFTAppend(&fft, -1, &launch));
        }
        BARRIER();
        vkCmdCopyBuffer(commands, data.buffer, mapped.buffer, 1, &whole);
        VkMemoryBarrier read = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &read, 0, NULL, 0, NULL);
        CHECK(vkEndCommandBuffer(commands));
        VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
        CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
        CHECK(vkQueueWaitIdle(queue));
        save(words[3 + around], host, bytes);
    }

    uint64_t ticks[2];
    CHECK(vkGetQueryPoolResults(device, queries, 0, 2, sizeof ticks, ticks, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    double nanoseconds = (double)(ticks[1] - ticks[0]) * properties.limits.timestampPeriod;
    printf("{\"device\": \"%s\", \"nanoseconds\": %.1f, \"uploads\": %" PRIu64 "}\n", properties.deviceName, nanoseconds,
           fft.localFFTPlan->numAxisUploads[0]);

    deleteVkFFT(&fft);
    release(data);
    release(mapped);
    vkDestroyQueryPool(device, queries, NULL);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyFence(device, fence, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    free(original);
}
