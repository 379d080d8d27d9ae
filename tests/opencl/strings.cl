// Strings: search by Knuth, Morris and Pratt and by Horspool, edit distance, numbers to decimal text and back.
// launch: search grid=64 block=64
//   u8[4096]:rand u32[64] u32[64]
// launch: edit_distance grid=48 block=48
//   u8[1024]:rand u32[48]
// launch: decimal grid=300 block=64
//   i64[300]:edge u8[6300] i64[300]

enum { TEXT = 64, MOST = 6 };
__kernel void search(__global const u8 *in, __global u32 *first, __global u32 *count) {
    u32 i = global_id(0), length = 2 + i % (MOST - 1), found = 0;
    u8 text[TEXT], pattern[MOST];
    // An alphabet of two letters, so that matches and false starts are many.
    for (u32 k = 0; k < TEXT; k++) text[k] = in[TEXT * i + k] & 1;
    for (u32 k = 0; k < MOST; k++) pattern[k] = in[TEXT * i + k] >> 3 & 1;
    u32 fail[MOST + 1] = {0};
    for (u32 k = 1, j = 0; k < length; k++) {
        while (j && pattern[k] != pattern[j]) j = fail[j - 1];
        if (pattern[k] == pattern[j]) j++;
        fail[k] = j;
    }
    for (u32 k = 0, j = 0; k < TEXT; k++) {
        while (j && text[k] != pattern[j]) j = fail[j - 1];
        if (text[k] == pattern[j]) j++;
        if (j == length) found++, j = fail[j - 1];
    }
    u32 shift[2] = {length, length}, at = 0;
    for (u32 k = 0; k + 1 < length; k++) shift[pattern[k]] = length - 1 - k;
    while (at + length <= TEXT) {
        u32 k = length;
        while (k && text[at + k - 1] == pattern[k - 1]) k--;
        if (k == 0) break;
        at += shift[text[at + length - 1]];
    }
    first[i] = at + length <= TEXT ? at : TEXT;
    count[i] = found;
}

__kernel void edit_distance(__global const u8 *in, __global u32 *out) {
    u32 i = global_id(0), row[24];
    u32 n = 8 + i % 15, m = 5 + i % 17;
    for (u32 k = 0; k <= n; k++) row[k] = k;
    for (u32 j = 1; j <= m; j++) {
        u32 diagonal = row[0];
        row[0] = j;
        for (u32 k = 1; k <= n; k++) {
            u32 cost = diagonal + ((in[i * 3 + j] & 3) != (in[500 + i * 5 + k] & 3));
            diagonal = row[k];
            row[k] = min(cost, min(row[k], row[k - 1]) + 1);
        }
    }
    out[i] = row[n];
}

__kernel void decimal(__global const i64 *in, __global u8 *out, __global i64 *back) {
    u32 i = global_id(0), at = 0;
    u8 digits[20];
    u64 left = in[i] < 0 ? 0 - (u64)in[i] : (u64)in[i];
    do {
        digits[at++] = (u8)('0' + left % 10);
        left /= 10;
    } while (left);
    if (in[i] < 0) digits[at++] = '-';
    for (u32 k = 0; k < 21; k++) out[21 * i + k] = k < at ? digits[at - 1 - k] : 0;
    u64 value = 0;
    u32 negative = out[21 * i] == '-';
    for (u32 k = negative; k < at; k++) value = value * 10 + (out[21 * i + k] - '0');
    back[i] = (i64)(negative ? 0 - value : value);
}
