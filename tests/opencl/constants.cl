// Tables of the program, indexed by what every lane holds for itself and by what all share.
// launch: tables grid=300 block=64
//   u32[300]:rand u32[300] f64[300]
// launch: uniform_tables grid=300 block=50
//   u32[300]
// launch: constant_argument grid=300 block=64
//   u32[64]:rand u16[300]:rand u32[300]

__constant u32 primes[20] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71};
__constant u8 text[] = "the quick brown fox jumps over the lazy dog";
__constant f64 powers[5] = {1.0, 0.1, 1e10, -1e-300, 12345.678};
struct entry_of { u16 code; u8 length; i64 value; };
__constant struct entry_of entries_of[4] = {{1, 2, -3}, {40000, 255, 1l << 60}, {7, 0, 9}, {500, 100, -(1l << 40)}};
__constant i16 grid_of[3][4] = {{1, -2, 3, -4}, {500, 600, 700, 800}, {-32768, 32767, 0, 9}};

__kernel void tables(__global const u32 *in, __global u32 *out, __global f64 *real) {
    u32 i = global_id(0), x = in[i];
    i64 sum = primes[x % 20] + text[x >> 5 & 31] * 1000 + grid_of[x % 3][x >> 9 & 3];
    __constant struct entry_of *e = &entries_of[x >> 12 & 3];
    sum += e->code + e->length * 3 + (e->value >> 20);
    out[i] = (u32)sum;
    real[i] = powers[x % 5] * powers[i % 5];
}

__kernel void uniform_tables(__global u32 *out) {
    u32 g = group_id(0), sum = 0;
    for (u32 k = 0; text[k]; k++) sum = sum * 31 + text[k] + primes[(g + k) % 20];
    for (u32 k = 0; k < 4; k++) sum += entries_of[(g + k) & 3].code + (u32)grid_of[g % 3][k];
    out[global_id(0)] = sum + local_id(0);
}

__kernel void constant_argument(__constant u32 *table, __constant u16 *index, __global u32 *out) {
    u32 i = global_id(0);
    out[i] = table[index[i] & 63] ^ table[group_id(0)];
}
