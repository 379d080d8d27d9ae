// What a kernel of this suite may use, on an AMD GPU: no library, only what the compiler knows. host.h is its twin.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef half f16;
#include "common.h"

// Of the processor that this is compiled for.
#if defined __GFX6__
#define GENERATION 6
#elif defined __GFX7__
#define GENERATION 7
#elif defined __GFX9__
#define GENERATION 9
#else
#define GENERATION 10
#endif

// A variable of the work-group, declared in a kernel.
#define SHARED __local

static inline u32 local_id(u32 d) {
    return d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y() : __builtin_amdgcn_workitem_id_z();
}
static inline u32 group_id(u32 d) {
    return d == 0 ? __builtin_amdgcn_workgroup_id_x() : d == 1 ? __builtin_amdgcn_workgroup_id_y() : __builtin_amdgcn_workgroup_id_z();
}
// Code object version 5: counts of complete groups, u32 each; sizes, u16 each at 12; the last group's sizes at 18.
static inline u32 local_size(u32 d) {
    __constant u8 *hidden = (__constant u8 *)__builtin_amdgcn_implicitarg_ptr();
    u32 complete = ((__constant u32 *)hidden)[d];
    return ((__constant u16 *)(hidden + (group_id(d) < complete ? 12 : 18)))[d];
}
static inline u32 group_count(u32 d) {
    __constant u8 *hidden = (__constant u8 *)__builtin_amdgcn_implicitarg_ptr();
    return ((__constant u32 *)hidden)[d] + (((__constant u16 *)(hidden + 18))[d] != 0);
}
// From the dispatch packet: sizes of a group, u16 each at 4; of the grid, u32 each at 12.
static inline u32 full_size(u32 d) { return ((__constant u16 *)__builtin_amdgcn_dispatch_ptr())[2 + d]; }
static inline u32 global_size(u32 d) { return ((__constant u32 *)__builtin_amdgcn_dispatch_ptr())[3 + d]; }
static inline u32 global_id(u32 d) { return group_id(d) * full_size(d) + local_id(d); }

static inline void barrier(void) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}

static inline f16 fma_f16(f16 a, f16 b, f16 c) { return __builtin_fmaf16(a, b, c); }

#define is_local(p) __builtin_amdgcn_is_shared((const void *)(p))
#define is_private(p) __builtin_amdgcn_is_private((const void *)(p))

// A wave's work. All lanes of the wave call these together.
#define wave_size() ((u32)__builtin_amdgcn_wavefrontsize())
#define lane_id() __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define wave_ballot(condition) ((u64)__builtin_amdgcn_uicmp((u32)(condition), 0u, 33))
#define lanes_below(mask, add) __builtin_amdgcn_mbcnt_hi((u32)((u64)(mask) >> 32), __builtin_amdgcn_mbcnt_lo((u32)(mask), add))
#define wave_first(value) ((u32)__builtin_amdgcn_readfirstlane((i32)(value)))
#define wave_lane(value, lane) ((u32)__builtin_amdgcn_readlane((i32)(value), (i32)(lane)))
// Within each 32 lanes: lane i gets the value of lane `from`, or gives its value to lane `to` (0 where none gives).
#define wave_pull(value, from) ((u32)__builtin_amdgcn_ds_bpermute((i32)((from) * 4), (i32)(value)))
#define wave_push(value, to) ((u32)__builtin_amdgcn_ds_permute((i32)((to) * 4), (i32)(value)))
#define wave_swizzle(value, pattern) ((u32)__builtin_amdgcn_ds_swizzle((i32)(value), pattern))
// Data-parallel primitives; a lane that reads from outside its row, or whose row or bank is masked, keeps `old`.
#define wave_dpp(old, value, control, rows, banks) \
    ((u32)__builtin_amdgcn_update_dpp((i32)(old), (i32)(value), control, rows, banks, 0))
#define wave_dpp_zero(value, control) ((u32)__builtin_amdgcn_mov_dpp((i32)(value), control, 15, 15, 1))
#define wave_dpp8(value, selectors) __builtin_amdgcn_mov_dpp8(value, selectors)
#define wave_permlane16(value, low, high) __builtin_amdgcn_permlane16(value, value, low, high, 0, 0)
#define wave_permlanex16(value, low, high) __builtin_amdgcn_permlanex16(value, value, low, high, 0, 0)
