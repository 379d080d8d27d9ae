// Runs a kernel's work-items on the host, one group at a time, each work-item a fiber that barriers can pause.
//
// The test generates a file that includes a kernel's source, has an array `calls` of functions, one for each launch
// in the source's header, that call a kernel with pointers to its arguments, and includes this.
//
//   PROGRAM LAUNCH WAVE GX GY GZ BX BY BZ ARGUMENT...
//     buffer=FILE      read before, written back after
//     scalar           one that the calling function holds
//     local=BYTES      memory of the group
//     value=HEX        bytes, in memory order

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 256 * 1024, MOST_ITEMS = 1024, MOST_ARGUMENTS = 32 };
enum state { READY, AT_BARRIER, AT_WAVE, ENDED };

struct fiber {
    struct item item;
    ucontext_t context;
    char *stack;
    enum state state;
    u32 exchanges;
};

struct item *item;
u32 host_wave_size;
static struct fiber fibers[MOST_ITEMS];
static struct fiber *running;
static ucontext_t scheduler;
static u64 posted[MOST_ITEMS / 32][2][64], lanes_of[MOST_ITEMS / 32];
static void (*call)(void **);
static void *arguments[MOST_ARGUMENTS];
static struct { char *from, *to; } locals[MOST_ARGUMENTS];
static int local_count;

static void fail(const char *what, const char *which) {
    fprintf(stderr, "host: %s %s\n", what, which);
    exit(2);
}

static void *allocate(size_t bytes) {
    void *memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    if (!memory) fail("no memory", "");
    memset(memory, 0, bytes);
    return memory;
}

static void pause_at(enum state state) {
    running->state = state;
    struct fiber *self = running;
    swapcontext(&self->context, &scheduler);
}

void barrier(void) { pause_at(AT_BARRIER); }

static u32 wave_of(const struct fiber *fiber) { return (u32)(fiber - fibers) / host_wave_size; }

u64 wave_exchange(u64 value, u64 all[64]) {
    // Two sets in turn: nobody can post the next but one before all have read this one.
    u64 *set = posted[wave_of(running)][running->exchanges++ & 1];
    set[item->lane] = value;
    pause_at(AT_WAVE);
    memcpy(all, set, 64 * sizeof(u64));
    return lanes_of[wave_of(running)];
}

_Bool host_is_local(const void *p) {
    extern char __bss_start[], end[];
    const char *at = p;
    for (int i = 0; i < local_count; i++)
        if (at >= locals[i].from && at < locals[i].to) return 1;
    return at >= __bss_start && at < end;
}

_Bool host_is_private(const void *p) {
    const char *at = p;
    return at >= running->stack && at < running->stack + STACK;
}

static void entry_point(void) {
    call(arguments);
    pause_at(ENDED);
}

static void run_fibers(u32 count) {
    u32 left = count;
    while (left) {
        u32 ran = 0, at_barrier = 0;
        for (u32 i = 0; i < count; i++) {
            // Both wave sizes must agree, so they also try both orders.
            struct fiber *fiber = &fibers[host_wave_size == 64 ? count - 1 - i : i];
            if (fiber->state == READY) {
                running = fiber, item = &fiber->item;
                swapcontext(&scheduler, &fiber->context);
                ran++;
                left -= fiber->state == ENDED;
            }
            at_barrier += fiber->state == AT_BARRIER;
        }
        if (left && at_barrier == left) {
            for (u32 i = 0; i < count; i++)
                if (fibers[i].state == AT_BARRIER) fibers[i].state = READY;
            ran = 1;
        }
        for (u32 first = 0; first < count; first += host_wave_size) {
            u32 last = min(first + host_wave_size, count), waiting = 0, alive = 0;
            for (u32 i = first; i < last; i++) waiting += fibers[i].state == AT_WAVE, alive += fibers[i].state != ENDED;
            if (waiting == 0 || waiting != alive) continue;
            lanes_of[first / host_wave_size] = 0;
            for (u32 i = first; i < last; i++)
                if (fibers[i].state == AT_WAVE) fibers[i].state = READY, lanes_of[first / host_wave_size] |= (u64)1 << (i - first);
            ran = 1;
        }
        if (left && !ran) fail("work-items wait for each other in different places", "");
    }
}

static void run_group(const struct item *shape) {
    u32 count = 0;
    for (u32 z = 0; z < shape->local_size[2]; z++)
        for (u32 y = 0; y < shape->local_size[1]; y++)
            for (u32 x = 0; x < shape->local_size[0]; x++) {
                struct fiber *fiber = &fibers[count];
                char *stack = fiber->stack ? fiber->stack : (fiber->stack = aligned_alloc(4096, STACK));
                if (!stack) fail("no memory", "");
                fiber->item = *shape, fiber->state = READY, fiber->exchanges = 0;
                u32 local[3] = {x, y, z};
                for (u32 d = 0; d < 3; d++) {
                    fiber->item.local[d] = local[d];
                    fiber->item.global[d] = shape->group[d] * shape->full_size[d] + local[d];
                }
                fiber->item.lane = count++ % host_wave_size;
                getcontext(&fiber->context);
                fiber->context.uc_stack.ss_sp = stack, fiber->context.uc_stack.ss_size = STACK;
                fiber->context.uc_link = 0;
                makecontext(&fiber->context, entry_point, 0);
            }
    run_fibers(count);
}

static void *load(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *memory = allocate(*bytes);
    if (fread(memory, 1, *bytes, file) != *bytes) fail("cannot read", path);
    fclose(file);
    return memory;
}

static void *parse_hex(const char *text) {
    u8 *memory = allocate(strlen(text) / 2);
    for (size_t i = 0; text[2 * i] && text[2 * i + 1]; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        memory[i] = (u8)strtoul(pair, 0, 16);
    }
    return memory;
}

int main(int argc, char **argv) {
    if (argc < 9) fail("too few arguments:", "LAUNCH WAVE GX GY GZ BX BY BZ ARGUMENT...");
    size_t number = (size_t)atoi(argv[1]);
    if (number >= sizeof calls / sizeof *calls) fail("no launch", argv[1]);
    call = calls[number];
    host_wave_size = (u32)atoi(argv[2]);
    struct item shape = {0};
    for (int d = 0; d < 3; d++) {
        shape.global_size[d] = (u32)atoi(argv[3 + d]), shape.full_size[d] = (u32)atoi(argv[6 + d]);
        shape.groups[d] = (shape.global_size[d] + shape.full_size[d] - 1) / shape.full_size[d];
    }
    if (shape.full_size[0] * shape.full_size[1] * shape.full_size[2] > MOST_ITEMS) fail("a group is too big", "");
    size_t sizes[MOST_ARGUMENTS] = {0};
    const char *files[MOST_ARGUMENTS] = {0};
    for (int i = 9; i < argc; i++) {
        int at = i - 9;
        if (at >= MOST_ARGUMENTS) fail("too many arguments", "");
        if (strncmp(argv[i], "buffer=", 7) == 0) {
            files[at] = argv[i] + 7;
            arguments[at] = load(files[at], &sizes[at]);
        } else if (strncmp(argv[i], "local=", 6) == 0) {
            size_t bytes = (size_t)atol(argv[i] + 6);
            char *memory = arguments[at] = allocate(bytes);
            locals[local_count].from = memory, locals[local_count++].to = memory + bytes;
        } else if (strncmp(argv[i], "value=", 6) == 0) {
            arguments[at] = parse_hex(argv[i] + 6);
        } else if (strcmp(argv[i], "scalar") != 0) {
            fail("unknown argument", argv[i]);
        }
    }
    for (shape.group[2] = 0; shape.group[2] < shape.groups[2]; shape.group[2]++)
        for (shape.group[1] = 0; shape.group[1] < shape.groups[1]; shape.group[1]++)
            for (shape.group[0] = 0; shape.group[0] < shape.groups[0]; shape.group[0]++) {
                for (int d = 0; d < 3; d++)
                    shape.local_size[d] = min(shape.full_size[d], shape.global_size[d] - shape.group[d] * shape.full_size[d]);
                run_group(&shape);
            }
    for (int at = 0; at < MOST_ARGUMENTS; at++) {
        if (!files[at]) continue;
        FILE *file = fopen(files[at], "wb");
        if (!file || fwrite(arguments[at], 1, sizes[at], file) != sizes[at] || fclose(file)) fail("cannot write", files[at]);
    }
    return 0;
}
