// Game of Life on a torus, a cell a work-item and 64 cells a word.
// launch: cells grid=32,32 block=32,32
//   u8[1024]:rand u32=9 u8[1024]
// launch: words grid=64 block=64
//   u64[64]:rand u32=16 u64[64]

#ifndef CL_HOST
__attribute__((reqd_work_group_size(32, 32, 1)))
#endif
__kernel void cells(__global const u8 *in, u32 generations, __global u8 *out) {
    SHARED u8 world[32][32];
    u32 x = local_id(0), y = local_id(1);
    world[y][x] = in[y * 32 + x] & 1;
    barrier();
    for (u32 g = 0; g < generations; g++) {
        u32 around = 0;
        for (u32 dy = 31; dy <= 33; dy++)
            for (u32 dx = 31; dx <= 33; dx++)
                if (dx != 32 || dy != 32) around += world[(y + dy) % 32][(x + dx) % 32];
        u8 next = around == 3 || (around == 2 && world[y][x]);
        barrier();
        world[y][x] = next;
        barrier();
    }
    out[y * 32 + x] = world[y][x];
}

// Neighbours are counted by adders, 64 at a time.
__kernel void words(__global const u64 *in, u32 generations, __global u64 *out) {
    SHARED u64 rows[64];
    u32 t = local_id(0);
    u64 here = in[t];
    for (u32 g = 0; g < generations; g++) {
        rows[t] = here;
        barrier();
        u64 ones = 0, twos = 0, fours = 0;
        for (u32 k = 0; k < 9; k++) {
            if (k == 4) continue;
            u64 row = rows[(t + 63 + k / 3) % 64];
            u64 bit = __builtin_rotateleft64(row, 63 + k % 3), carry = ones & bit, more = twos & carry;
            ones ^= bit, twos ^= carry, fours |= more;
        }
        barrier();
        here = twos & ~fours & (ones | here);
    }
    out[t] = here;
}
