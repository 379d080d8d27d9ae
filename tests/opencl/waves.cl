// What lanes of a wave tell each other; the host has these written out for a wave of either size.
// launch: ballots grid=300 block=128
//   u32[300]:rand u64[300] u32[900]
// launch: permutes grid=256 block=128 from=gfx900/absent
//   u32[256]:rand u32[1280]
// launch: swizzles grid=256 block=64
//   u32[256]:rand u32[1536]
// launch: data_parallel grid=256 block=128 from=gfx1010/absent
//   u32[256]:rand u32[4096]
// launch: wave_scan grid=256 block=64 from=gfx900/absent
//   u32[256]:rand u32[256] u32[256]

__kernel void ballots(__global const u32 *in, __global u64 *masks, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), x = in[i];
    u64 odd = wave_ballot(x & 1), big = wave_ballot(x > 0x80000000u);
    masks[i] = (odd & big) ^ (u64)wave_size() << 50;
    out[i] = lanes_below(odd, 5) | lane_id() << 16;
    out[n + i] = wave_first(x) + (u32)__builtin_popcountl(big);
    // The fifth lane, or the third of a wave with no fifth; there are always that many.
    out[2 * n + i] = wave_lane(x, odd & 1 ? 5 : 3) ^ x;
}

#if GENERATION >= 9
__kernel void permutes(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), x = in[i], lane = lane_id();
    out[i] = wave_pull(x, lane ^ 5);
    out[n + i] = wave_pull(x, x);
    out[2 * n + i] = wave_push(x, lane * 3 + 1);
    out[3 * n + i] = wave_push(x, lane & 7 ? lane : lane + 1);
    out[4 * n + i] = wave_pull(wave_pull(x, 31 - lane), in[(i + 1) % n]);
}
#endif

__kernel void swizzles(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), x = in[i];
    out[i] = wave_swizzle(x, 0x041f);
    out[n + i] = wave_swizzle(x, 0x7c1f);
    out[2 * n + i] = wave_swizzle(x, 0x0018);
    out[3 * n + i] = wave_swizzle(x, 0x80b1);
    out[4 * n + i] = wave_swizzle(x, 0x0c33);
    out[5 * n + i] = wave_swizzle(x, 0x801b);
}

#if GENERATION >= 10
__kernel void data_parallel(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), k = 0, x = in[i], y = ~x;
    out[n * k++ + i] = wave_dpp(y, x, 0x1b, 15, 15);
    out[n * k++ + i] = wave_dpp(y, x, 0xb1, 5, 15);
    out[n * k++ + i] = wave_dpp(y, x, 0x101, 15, 15);
    out[n * k++ + i] = wave_dpp(y, x, 0x113, 15, 15);
    out[n * k++ + i] = wave_dpp(y, x, 0x118, 10, 12);
    out[n * k++ + i] = wave_dpp(y, x, 0x12c, 15, 6);
    out[n * k++ + i] = wave_dpp(y, x, 0x140, 15, 15);
    out[n * k++ + i] = wave_dpp(y, x, 0x141, 3, 9);
    out[n * k++ + i] = wave_dpp(y, x, 0x157, 15, 15);
    out[n * k++ + i] = wave_dpp(y, x, 0x165, 15, 15);
    out[n * k++ + i] = wave_dpp_zero(x, 0x111);
    out[n * k++ + i] = wave_dpp_zero(x, 0x10f);
    out[n * k++ + i] = wave_dpp8(x, 0x53977);
    out[n * k++ + i] = wave_permlane16(x, 0x01234567, 0x89abcdef);
    out[n * k++ + i] = wave_permlanex16(x, 0xfedcba98, 0x33221100);
    out[n * k++ + i] = wave_permlane16(x, wave_first(x), wave_first(y));
}
#endif

#if GENERATION >= 9
// An inclusive sum of each row of 16 lanes by shifts, then of the wave by reading the rows' last lanes.
__kernel void wave_scan(__global const u32 *in, __global u32 *out, __global u32 *ranks) {
    u32 i = global_id(0), x = in[i], lane = lane_id();
    u32 sum = x;
    sum += wave_dpp_zero(sum, 0x111);
    sum += wave_dpp_zero(sum, 0x112);
    sum += wave_dpp_zero(sum, 0x114);
    sum += wave_dpp_zero(sum, 0x118);
    for (u32 row = 0; row < wave_size() / 16 - 1; row++) {
        u32 last = wave_lane(sum, 16 * row + 15);
        if (lane / 16 == row + 1) sum += last;
    }
    out[i] = sum;
    ranks[i] = lanes_below(wave_ballot(x & 4), 0);
}
#endif
