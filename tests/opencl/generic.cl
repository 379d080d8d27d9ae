// Pointers that may be to global memory, LDS or scratch, known only when they are used.
// Where no register has the apertures, LLVM 19 reads them of the hidden arguments, and in a function that is called it
// takes these to be at zero (lowerKernArgParameterPtr has a kernel's arguments only).
// from: gfx701/refused
// launch: three_memories grid=300 block=64
//   u32[300]:rand u32[300]:rand u32[300] u32[300]
// launch: functions grid=300 block=64 from=gfx900/stopped
//   u64[300]:rand u64[300] u32[300]
// launch: generic_atomics grid=256 block=64
//   u32[256]:rand u32[4] u32[4] u32[256]

__kernel void three_memories(__global const u32 *in, __global u32 *scratch, __global u32 *out, __global u32 *kinds) {
    SHARED u32 box[64];
    u32 i = global_id(0), t = local_id(0), x = in[i], mine[8];
    for (u32 k = 0; k < 8; k++) mine[k] = x >> k;
    box[t] = x * 3;
    u32 *p = x % 3 == 0 ? (u32 *)&box[t] : x % 3 == 1 ? (u32 *)&mine[x >> 4 & 7] : (u32 *)&scratch[i];
    u32 before = *p;
    *p = before * 5 + t;
    // The compiler may move a private array into LDS.
    kinds[i] = is_local(p) || is_private(p);
    u32 sum = before;
    for (u32 k = 0; k < 8; k++) sum = sum * 7 + mine[k];
    out[i] = sum + box[t];
}

// The same function on all three; every width, and parts of a word.
NOINLINE static u64 touch(u8 *bytes, u32 x) {
    u64 sum = (u64)is_local(bytes) << 40 | (u64)is_private(bytes) << 41;
    for (u32 k = 0; k < 8; k++) sum = sum * 3 + bytes[(x + k) & 7];
    bytes[x & 7] ^= 0x5a;
    u16 *shorts = (u16 *)bytes;
    shorts[x >> 3 & 3] += 999;
    u32 *words = (u32 *)bytes;
    words[x >> 5 & 1] *= 7;
    u64 *wide = (u64 *)bytes;
    *wide += sum;
    return sum ^ *wide;
}
__kernel void functions(__global const u64 *in, __global u64 *out, __global u32 *check) {
    SHARED u64 box[64];
    u32 i = global_id(0), t = local_id(0);
    u64 mine[2] = {in[i], ~in[i]};
    box[t] = in[i] * 3;
    out[i] = in[i] + 1;
    u64 a = touch((u8 *)&box[t], (u32)in[i]);
    u64 b = touch((u8 *)&mine[i & 1], (u32)in[i] >> 3);
    u64 c = touch((u8 *)&out[i], i);
    check[i] = (u32)((a ^ b * 3 ^ c * 5 ^ box[t] ^ mine[0] * 7 ^ mine[1] * 9) >> 7);
}

__kernel void generic_atomics(__global const u32 *in, __global u32 *cells, __global u32 *sums, __global u32 *flags) {
    SHARED u32 box[4];
    u32 i = global_id(0), t = local_id(0), x = in[i];
    if (t < 4) box[t] = 0;
    barrier();
    u32 *p = x & 1 ? &box[x >> 1 & 3] : (u32 *)&cells[x >> 1 & 3];
    ATOMIC(fetch_add, p, x >> 3);
    flags[i] = is_local(p);
    barrier();
    if (t < 4) ATOMIC(fetch_add, &sums[t], box[t]);
}
