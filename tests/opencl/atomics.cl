// Every atomic on 32 and 64 bits, in global memory and in LDS, with and without a use of the old value.
// What is returned depends on the order; so of returned values only what no order changes is kept.
// launch: global_32 grid=640 block=64
//   u32[640]:rand i32[16]:iota u32[640]
// launch: global_64 grid=640 block=64
//   u64[640]:rand i64[16]:iota u32[640]
// launch: local_32 grid=640 block=128
//   u32[640]:rand i32[80] u32[640]
// launch: local_64 grid=640 block=128
//   u64[640]:rand i64[80] u32[640]

// Ten cells; sums of what came back are the same in each order only for tickets and for exchanges in a ring.
#define ALL(T, U, cells, x)                                  \
    {                                                        \
        ATOMIC(fetch_add, &cells[0], (T)x);                  \
        ATOMIC(fetch_sub, &cells[1], (T)x);                  \
        ATOMIC(fetch_min, &cells[2], (T)x);                  \
        ATOMIC(fetch_max, &cells[3], (T)x);                  \
        ATOMIC(fetch_min, (U *)&cells[4], x);                \
        ATOMIC(fetch_max, (U *)&cells[5], x);                \
        ATOMIC(fetch_and, &cells[6], (T)(x | 0xf0f));        \
        ATOMIC(fetch_or, &cells[7], (T)(x & 0x8421));        \
        ATOMIC(fetch_xor, &cells[8], (T)x);                  \
        T ticket = ATOMIC(fetch_add, &cells[9], (T)1);       \
        returned = (u32)(ticket >= 9 && ticket < 9 + 640);   \
        T old = ATOMIC(fetch_or, &cells[10], (T)256);        \
        returned |= (old & ~(T)(256 | 10 | 0xff)) == 0 ? 2 : 0; \
        T bit = ATOMIC(fetch_xor, &cells[11], (T)0);         \
        returned |= bit == (T)start ? 4 : 0;                 \
        T less = ATOMIC(fetch_min, &cells[12], (T)12);       \
        returned |= less <= 12 ? 8 : 0;                      \
        T most = ATOMIC(fetch_max, &cells[13], (T)0);        \
        returned |= most <= 13 ? 16 : 0;                     \
        T both = ATOMIC(fetch_and, &cells[14], ~(T)0);       \
        returned |= both >= 0 && both <= 14 ? 32 : 0;        \
        T down = ATOMIC(fetch_sub, &cells[15], (T)2);        \
        returned |= down <= 15 ? 64 : 0;                     \
    }

#define GLOBAL(T, U, BITS)                                                                                       \
    __kernel void global_##BITS(__global const U *in, __global T *cells, __global u32 *out) {                    \
        u32 i = global_id(0), returned, start = 11;                                                              \
        U x = in[i];                                                                                             \
        ALL(T, __global U, cells, x)                                                                             \
        out[i] = returned;                                                                                       \
    }
#define LOCAL(T, U, BITS)                                                                                        \
    __kernel void local_##BITS(__global const U *in, __global T *result, __global u32 *out) {                    \
        SHARED T cells[16];                                                                                      \
        u32 i = global_id(0), t = local_id(0), returned, start = 11;                                             \
        U x = in[i];                                                                                             \
        if (t < 16) cells[t] = (T)t;                                                                             \
        barrier();                                                                                               \
        ALL(T, __local U, cells, x)                                                                              \
        barrier();                                                                                               \
        if (t < 16) result[group_id(0) * 16 + t] = cells[t];                                                     \
        out[i] = returned;                                                                                       \
    }
GLOBAL(i32, u32, 32)
GLOBAL(i64, u64, 64)
LOCAL(i32, u32, 32)
LOCAL(i64, u64, 64)
