// Lanes that part ways: nested loops, break and continue, switch with fall-through, early return, short circuits, goto.
// launch: nested grid=700 block=96
//   u32[700]:rand u32[700]
// launch: cases grid=700 block=96
//   u32[700]:rand i32[700]
// launch: early grid=700 block=96
//   i32[700]:small i32[700]:iota
// launch: circuits grid=700 block=96
//   u32[700]:rand u32[700] u32[700]
// launch: jumps grid=700 block=96
//   u32[700]:rand u32[700]
// launch: collatz_and_gcd grid=700 block=96
//   u32[700]:rand u32[1400]

__kernel void nested(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), x = in[i], sum = 0;
    for (u32 a = 0; a < (x & 15); a++) {
        if (a == (x >> 4 & 15)) continue;
        for (u32 b = a; b < (x >> 8 & 15); b++) {
            if (b == (x >> 12 & 15)) break;
            u32 c = b;
            while (1) {
                sum = sum * 3 + (c ^ a);
                if (c++ > (x >> 16 & 7)) break;
                if ((sum & 7) == 3) continue;
                if ((sum & 31) == 9) goto out_of_two;
                sum += b;
            }
        }
        sum ^= a << 7;
        continue;
    out_of_two:
        sum += 1000003;
    }
    do {
        sum = mix(sum);
    } while (sum & 3);
    out[i] = sum;
}

__kernel void cases(__global const u32 *in, __global i32 *out) {
    u32 i = global_id(0), x = in[i];
    i32 r = 1;
    for (u32 step = 0; step < 9; step++, x >>= 3) {
        switch (x & 7) {
        case 0: r += 17;
        case 1: r ^= 0x55; break;
        case 2:
            if (r & 1) break;
            r += 3;
            // Falls through.
        case 3: r = (i32)((u32)r * 7u); break;
        case 4: continue;
        case 5: r -= (i32)step; break;
        case 6: {
            switch (r & 3) {
            case 0: r += 100; break;
            case 1: r -= 100; break;
            default: r = ~r;
            }
            break;
        }
        default: r = (i32)((u32)r << 1);
        }
        switch (r) {
        case -5000000 ... -1: r &= 0xffff; break;
        case 1000: case 10000: case 100000: r /= 10; break;
        }
    }
    out[i] = r;
}

static i32 classify(i32 x) {
    if (x < 200) return x * 2;
    for (i32 p = 2; p * p <= x; p++) {
        if (x % p == 0) return -p;
    }
    if (x > 900) return 1;
    return x;
}

__kernel void early(__global const i32 *in, __global i32 *out) {
    u32 i = global_id(0);
    if (i % 5 == 3) return;
    i32 x = in[i];
    if (x > 990) return;
    out[i] = classify(x);
    if (out[i] < 0) return;
    out[i] += classify(x / 2) * 4096;
}

static u32 bump(__private u32 *count, u32 value) {
    *count += 1;
    return value;
}

__kernel void circuits(__global const u32 *in, __global u32 *out, __global u32 *counts) {
    u32 i = global_id(0), x = in[i], calls = 0, r = 0;
    if (bump(&calls, x & 1) && bump(&calls, x & 2) && bump(&calls, x & 4)) r |= 1;
    if (bump(&calls, x & 8) || bump(&calls, x & 16) || bump(&calls, x & 32)) r |= 2;
    if ((bump(&calls, x & 64) && bump(&calls, x & 128)) || (bump(&calls, x & 256) && !bump(&calls, x & 512))) r |= 4;
    r |= (x & 1024 ? bump(&calls, 1) : x & 2048 ? 0 : bump(&calls, 0)) ? 8 : 16;
    for (u32 k = 0; k < 8 && (bump(&calls, x >> k & 1) || k < 3); k++) r += 32;
    out[i] = r;
    counts[i] = calls;
}

// Two loops with two entries, the control flow of no structured program.
__kernel void jumps(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), x = in[i], n = 0;
    if (x & 1) goto second;
first:
    x = mix(x), n += 3;
    if (n > 200) goto done;
    if (x & 4) goto first;
second:
    x ^= n << 9, n += 5;
    if (x & 16) goto first;
    if (n < 150) {
        x = x * 5 + 1;
        goto second;
    }
done:
    out[i] = x + n;
}

__kernel void collatz_and_gcd(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), x = in[i] % 5000 + 1, steps = 0;
    while (x != 1) x = x & 1 ? 3 * x + 1 : x / 2, steps++;
    u32 a = in[i], b = in[(i + 1) % n] | 1;
    while (b) {
        u32 t = a % b;
        a = b, b = t;
    }
    out[i] = steps;
    out[n + i] = a;
}
