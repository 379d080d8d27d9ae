// Searching: shortest ways by a heap, queens on a board by backtracking, a binary tree built and walked, knapsack.
// from: gfx701/refused
// launch: shortest_way grid=40 block=32
//   u8[2560]:rand u32[40] u32[40]
// launch: queens grid=64 block=64
//   u32[64]
// launch: tree grid=64 block=64
//   i32[2048]:rand i32[2048] u32[64]
// launch: knapsack grid=64 block=64
//   u8[1280]:rand u16[64]

// Dijkstra on a map of 8 x 8 costs, with a binary heap of (distance, cell).
enum { SIDE = 8, CELLS = SIDE * SIDE, HEAP = 4 * CELLS };
__kernel void shortest_way(__global const u8 *costs, __global u32 *out, __global u32 *visits) {
    u32 i = global_id(0), heap[HEAP], size = 0, seen = 0;
    u16 best[CELLS];
    for (u32 k = 0; k < CELLS; k++) best[k] = 65535;
    best[0] = 0, heap[size++] = 0;
    while (size) {
        u32 top = heap[0], last = heap[--size], at = 0;
        for (u32 child; (child = 2 * at + 1) < size; at = child) {
            if (child + 1 < size && heap[child + 1] < heap[child]) child++;
            if (heap[child] >= last) break;
            heap[at] = heap[child];
        }
        heap[at] = last;
        u32 cell = top & 255, distance = top >> 8;
        if (distance > best[cell]) continue;
        seen++;
        if (cell == CELLS - 1) break;
        for (u32 way = 0; way < 4; way++) {
            i32 x = (i32)(cell % SIDE) + (way == 0) - (way == 1), y = (i32)(cell / SIDE) + (way == 2) - (way == 3);
            if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) continue;
            u32 next = (u32)(y * SIDE + x), there = distance + 1 + costs[CELLS * i + next];
            if (there >= best[next]) continue;
            best[next] = (u16)there;
            u32 hole = size++, entry = there << 8 | next;
            for (; hole && heap[(hole - 1) / 2] > entry; hole = (hole - 1) / 2) heap[hole] = heap[(hole - 1) / 2];
            heap[hole] = entry;
        }
    }
    out[i] = best[CELLS - 1];
    visits[i] = seen;
}

// Ways to place 8 queens with the first two in given columns.
__kernel void queens(__global u32 *out) {
    u32 i = global_id(0), count = 0, row = 2;
    u32 columns[9], left[9], right[9], choice[9];
    u32 a = 1u << (i & 7), b = 1u << (i >> 3);
    columns[2] = a | b, left[2] = a << 2 | b << 1, right[2] = a >> 2 | b >> 1, choice[2] = 255 & ~(columns[2] | left[2] | right[2]);
    if (b & (a | a << 1 | a >> 1)) row = 0;
    while (row >= 2) {
        if (row == 8 || choice[row] == 0) {
            count += row == 8;
            row--;
            continue;
        }
        u32 bit = choice[row] & (0 - choice[row]);
        choice[row] ^= bit;
        columns[row + 1] = columns[row] | bit, left[row + 1] = (left[row] | bit) << 1, right[row + 1] = (right[row] | bit) >> 1;
        row++;
        choice[row] = 255 & ~(columns[row] | left[row] | right[row]);
    }
    out[i] = count;
}

struct node { i32 key; u8 left, right; };
__kernel void tree(__global const i32 *in, __global i32 *out, __global u32 *depths) {
    u32 i = global_id(0), deepest = 0;
    struct node nodes[32];
    for (u32 k = 0; k < 32; k++) {
        nodes[k].key = in[32 * i + k], nodes[k].left = nodes[k].right = 255;
        u32 at = 0, depth = 0;
        while (k) {
            u8 *link = nodes[k].key < nodes[at].key ? &nodes[at].left : &nodes[at].right;
            depth++;
            if (*link == 255) {
                *link = (u8)k;
                break;
            }
            at = *link;
        }
        deepest = max(deepest, depth);
    }
    u8 stack[32];
    u32 top = 0, at = 0, k = 0;
    while (top || at != 255) {
        for (; at != 255; at = nodes[at].left) stack[top++] = (u8)at;
        at = stack[--top];
        out[32 * i + k++] = nodes[at].key;
        at = nodes[at].right;
    }
    depths[i] = deepest;
}

__kernel void knapsack(__global const u8 *in, __global u16 *out) {
    u32 i = global_id(0);
    u16 best[101] = {0};
    for (u32 item_ = 0; item_ < 10; item_++) {
        u32 weight = in[20 * i + item_] % 40 + 1, value = in[20 * i + 10 + item_];
        for (u32 room = 100; room >= weight; room--) best[room] = (u16)max(best[room], best[room - weight] + value);
    }
    out[i] = best[100];
}
