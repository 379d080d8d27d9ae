// What the OpenCL C of this folder needs of a library, over clang's builtins for AMD GPUs. Other compilers have their own.
#ifdef __AMDGCN__
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef uint uint4 __attribute__((ext_vector_type(4)));
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define HERE static inline __attribute__((always_inline, overloadable))

HERE size_t get_local_id(uint d) {
    return d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y() : __builtin_amdgcn_workitem_id_z();
}
HERE size_t get_group_id(uint d) {
    return d == 0 ? __builtin_amdgcn_workgroup_id_x() : d == 1 ? __builtin_amdgcn_workgroup_id_y() : __builtin_amdgcn_workgroup_id_z();
}
// From the dispatch packet: sizes of a group, u16 each at 4; of the grid, u32 each at 12.
HERE size_t get_local_size(uint d) { return ((__constant ushort *)__builtin_amdgcn_dispatch_ptr())[2 + d]; }
HERE size_t get_global_size(uint d) { return ((__constant uint *)__builtin_amdgcn_dispatch_ptr())[3 + d]; }
HERE size_t get_num_groups(uint d) { return (get_global_size(d) + get_local_size(d) - 1) / get_local_size(d); }
HERE size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
HERE void barrier(uint memory) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
HERE void mem_fence(uint memory) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
#define ATOMIC(name, op, space, type) \
    HERE type name(volatile space type *p, type value) { return op((volatile space type *)p, value, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE); }
#define ATOMICS(space, type) \
    ATOMIC(atomic_add, __scoped_add, space, type) ATOMIC(atomic_max, __scoped_max, space, type) \
    ATOMIC(atomic_min, __scoped_min, space, type) ATOMIC(atomic_or, __scoped_or, space, type) \
    ATOMIC(atomic_xchg, __scoped_xchg, space, type)
#define __scoped_add(p, v, o, s) __scoped_atomic_fetch_add(p, v, o, __MEMORY_SCOPE_DEVICE)
#define __scoped_max(p, v, o, s) __scoped_atomic_fetch_max(p, v, o, __MEMORY_SCOPE_DEVICE)
#define __scoped_min(p, v, o, s) __scoped_atomic_fetch_min(p, v, o, __MEMORY_SCOPE_DEVICE)
#define __scoped_or(p, v, o, s) __scoped_atomic_fetch_or(p, v, o, __MEMORY_SCOPE_DEVICE)
#define __scoped_xchg(p, v, o, s) __scoped_atomic_exchange_n(p, v, o, __MEMORY_SCOPE_DEVICE)
ATOMICS(__global, uint)
ATOMICS(__local, uint)
ATOMICS(__global, int)
ATOMICS(__local, int)
#define atomic_inc(p) atomic_add(p, 1)
HERE float sqrt(float x) { return __builtin_sqrtf(x); }
HERE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
HERE float log2(float x) { return __builtin_amdgcn_logf(x); }
HERE float fmax(float a, float b) { return __builtin_fmaxf(a, b); }
HERE float fmin(float a, float b) { return __builtin_fminf(a, b); }
HERE uint min(uint a, uint b) { return a < b ? a : b; }
HERE uint max(uint a, uint b) { return a > b ? a : b; }
#endif
