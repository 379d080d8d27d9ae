// What a kernel of this suite may use, on the host: device.h's twin, in plain C. Work-items are fibers of host.c.

#define CL_HOST 1
typedef _Float16 f16;
// By f32, which rounds the same; the C library has none of f16.
#define __builtin_sqrtf16(x) ((f16)__builtin_sqrtf(x))
#include "common.h"

// It has all that any processor has.
#define GENERATION 10

#define __kernel
#define __global
#define __local
#define __private
#define __generic
#define __constant const
// One group runs at a time, so what is shared within a group can be static.
#define SHARED static

struct item {
    u32 global[3], local[3], group[3], local_size[3], full_size[3], global_size[3], groups[3];
    u32 lane;
};
extern struct item *item;
extern u32 host_wave_size;

static inline u32 local_id(u32 d) { return item->local[d]; }
static inline u32 group_id(u32 d) { return item->group[d]; }
static inline u32 local_size(u32 d) { return item->local_size[d]; }
static inline u32 group_count(u32 d) { return item->groups[d]; }
static inline u32 full_size(u32 d) { return item->full_size[d]; }
static inline u32 global_size(u32 d) { return item->global_size[d]; }
static inline u32 global_id(u32 d) { return item->global[d]; }

// Returns when every work-item of the group that has not ended is here.
void barrier(void);

// Rounded once: a product of two f16 is exact in f64; the sum is rounded to odd in f64, so the last rounding is right.
static inline f16 fma_f16(f16 a, f16 b, f16 c) {
    f64 product = (f64)a * (f64)b, add = (f64)c, sum = product + add;
    if (__builtin_isnan(sum) || __builtin_isinf(sum)) return (f16)sum;
    f64 back = sum - product, error = (product - (sum - back)) + (add - back);
    u64 bits = f64_bits(sum);
    if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
    return (f16)bits_f64(bits);
}

#define is_local(p) host_is_local((const void *)(p))
#define is_private(p) host_is_private((const void *)(p))
_Bool host_is_local(const void *p);
_Bool host_is_private(const void *p);

// Posts a value, waits for the wave, and gives every lane's value; the mask of lanes that there are.
u64 wave_exchange(u64 value, u64 all[64]);

#define wave_size() host_wave_size
#define lane_id() (item->lane)
static inline u64 wave_ballot(u32 condition) {
    u64 all[64], mask = 0, lanes = wave_exchange(condition != 0, all);
    for (u32 i = 0; i < 64; i++) mask |= (lanes >> i & 1 & all[i]) << i;
    return mask;
}
static inline u32 lanes_below(u64 mask, u32 add) {
    return add + (u32)__builtin_popcountl(mask & (((u64)1 << lane_id()) - 1));
}
static inline u32 wave_first(u32 value) {
    u64 all[64], lanes = wave_exchange(value, all);
    return (u32)all[ctz64(lanes)];
}
static inline u32 wave_lane(u32 value, u32 lane) {
    u64 all[64];
    wave_exchange(value, all);
    return (u32)all[lane];
}
static inline u32 wave_pull(u32 value, u32 from) {
    u64 all[64], lanes = wave_exchange(value, all);
    from = (lane_id() & 32) | (from & 31);
    return lanes >> from & 1 ? (u32)all[from] : 0;
}
static inline u32 wave_push(u32 value, u32 to) {
    u64 values[64], targets[64], lanes = wave_exchange(value, values);
    u32 got = 0;
    wave_exchange((lane_id() & 32) | (to & 31), targets);
    for (u32 i = 0; i < 64; i++)
        if (lanes >> i & 1 && targets[i] == lane_id()) got = (u32)values[i];
    return got;
}
// Lane masks within 32 lanes: new = ((lane & and) | or) ^ xor; or, with bit 15, four 2-bit selectors of each four lanes.
static inline u32 wave_swizzle(u32 value, u32 pattern) {
    u64 all[64], lanes = wave_exchange(value, all);
    u32 lane = lane_id(), within = lane & 31, from;
    if (pattern & 0x8000)
        from = (within & ~3u) | (pattern >> 2 * (within & 3) & 3);
    else
        from = ((within & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    from = (lane & 32) | (from & 31);
    return lanes >> from & 1 ? (u32)all[from] : 0;
}
// The lane of the same row of 16 that a DPP16 control reads, or -1.
static inline i32 dpp_source(u32 lane, u32 control) {
    u32 row = lane & ~15u, within = lane & 15, count = control & 15;
    if (control < 0x100) return (i32)((lane & ~3u) | (control >> 2 * (lane & 3) & 3));
    switch (control & ~15u) {
    case 0x100: return within + count < 16 ? (i32)(lane + count) : -1;
    case 0x110: return within >= count ? (i32)(lane - count) : -1;
    case 0x120: return (i32)(row | ((within - count) & 15));
    case 0x140: return (i32)(count == 0 ? row | (15 - within) : (lane & ~7u) | (7 - (lane & 7)));
    case 0x150: return (i32)(row | count);
    case 0x160: return (i32)(row | (within ^ count));
    }
    return -1;
}
static inline u32 wave_dpp(u32 old, u32 value, u32 control, u32 rows, u32 banks) {
    u64 all[64], lanes = wave_exchange(value, all);
    u32 lane = lane_id();
    i32 from = dpp_source(lane, control);
    _Bool writes = rows >> (lane / 16 & 3) & banks >> (lane / 4 & 3) & 1;
    return writes && from >= 0 && lanes >> from & 1 ? (u32)all[from] : old;
}
static inline u32 wave_dpp_zero(u32 value, u32 control) {
    u64 all[64], lanes = wave_exchange(value, all);
    i32 from = dpp_source(lane_id(), control);
    return from >= 0 && lanes >> from & 1 ? (u32)all[from] : 0;
}
static inline u32 wave_dpp8(u32 value, u32 selectors) {
    u64 all[64];
    wave_exchange(value, all);
    return (u32)all[(lane_id() & ~7u) | (selectors >> 3 * (lane_id() & 7) & 7)];
}
static inline u32 permlane16_source(u32 row, u32 low, u32 high) {
    u32 lane = lane_id();
    return (row & ~15u) | (u32)((((u64)high << 32) | low) >> 4 * (lane & 15) & 15);
}
static inline u32 wave_permlane16(u32 value, u32 low, u32 high) {
    u64 all[64];
    wave_exchange(value, all);
    return (u32)all[permlane16_source(lane_id(), low, high)];
}
static inline u32 wave_permlanex16(u32 value, u32 low, u32 high) {
    u64 all[64];
    wave_exchange(value, all);
    return (u32)all[permlane16_source(lane_id() ^ 16, low, high)];
}
