// Exchanges: tokens passed through cells are neither lost nor doubled; sums of floats and maxima of pairs by
// compare-and-exchange loops; a list linked by all work-items at once.
// launch: tokens grid=512 block=64
//   u32[8]:zero u32[512] u32[2]
// launch: float_sum grid=512 block=64
//   i32[512]:small f32[4] f64[4] f32[8]
// launch: best_pair grid=512 block=64
//   f32[512]:rand u64[3]
// launch: linked_list grid=512 block=64
//   i32[8]:minus i32[512] u32[8]

// Each work-item puts its number into a cell and takes what was there: sum and xor of all taken and left are fixed.
__kernel void tokens(__global u32 *cells, __global u32 *marks, __global u32 *check) {
    u32 i = global_id(0), mine = i + 1;
    u32 taken = ATOMIC(exchange_n, &cells[i % 4], mine);
    u32 empty = 0;
    marks[i] = COMPARE_EXCHANGE(&cells[4 + i % 4], &empty, 7) ? 7 : empty & 0xffff;
    ATOMIC(fetch_add, &check[0], taken);
    ATOMIC(fetch_xor, &check[1], taken);
    // What is left in the first four cells is whoever came last; take it into the sums once all have passed.
    u32 ticket = ATOMIC(fetch_add, &cells[4 + i % 4], 65536);
    if (ticket / 65536 == 127) {
        u32 last = ATOMIC(exchange_n, &cells[i % 4], 0);
        ATOMIC(fetch_add, &check[0], last);
        ATOMIC(fetch_xor, &check[1], last);
    }
}

static void add_f32(__global f32 *to, f32 x) {
    __global u32 *bits = (__global u32 *)to;
    u32 old = ATOMIC(load_n, bits);
    while (!COMPARE_EXCHANGE(bits, &old, f32_bits(bits_f32(old) + x))) {
    }
}
static void add_f64(__global f64 *to, f64 x) {
    __global u64 *bits = (__global u64 *)to;
    u64 old = ATOMIC(load_n, bits);
    while (!COMPARE_EXCHANGE(bits, &old, f64_bits(bits_f64(old) + x))) {
    }
}
// Whole numbers below 2^24: their sums are exact in each order.
__kernel void float_sum(__global const i32 *in, __global f32 *single, __global f64 *wide, __global f32 *groups) {
    SHARED u32 sum;
    u32 i = global_id(0);
    if (local_id(0) == 0) sum = 0;
    barrier();
    add_f32(&single[i % 4], (f32)in[i]);
    add_f64(&wide[i % 4], (f64)in[i] * 0.125);
    u32 old = ATOMIC(load_n, &sum);
    while (!COMPARE_EXCHANGE(&sum, &old, f32_bits(bits_f32(old) + (f32)in[i]))) {
    }
    barrier();
    if (local_id(0) == 0) groups[group_id(0)] = bits_f32(sum);
}

// The largest value and who has it, in one word of 64 bits.
__kernel void best_pair(__global const f32 *in, __global u64 *best) {
    u32 i = global_id(0), bits = f32_bits(in[i]);
    u32 order = bits & 0x80000000 ? ~bits : bits | 0x80000000;
    u64 pair = (u64)order << 32 | i, old = ATOMIC(load_n, &best[i % 3]);
    while (old < pair && !COMPARE_EXCHANGE(&best[i % 3], &old, pair)) {
    }
}

// heads[k] starts a list through next[]; the last to push counts its list's length and sum.
__kernel void linked_list(__global i32 *heads, __global i32 *next, __global u32 *totals) {
    i32 i = (i32)global_id(0);
    __global i32 *head = &heads[group_id(0)];
    i32 old = ATOMIC(load_n, head);
    do {
        ATOMIC(store_n, &next[i], old);
    } while (!COMPARE_EXCHANGE(head, &old, i));
    barrier();
    if (local_id(0) == 0) {
        u32 length = 0, sum = 0;
        for (i32 at = ATOMIC(load_n, head); at >= 0; at = ATOMIC(load_n, &next[at])) length++, sum += (u32)at;
        totals[group_id(0)] = length << 20 | sum;
    }
    barrier();
    // The order of the list is not fixed: only its members are.
    ATOMIC(store_n, &next[i], i);
    if (local_id(0) == 0) ATOMIC(store_n, head, 0);
}
