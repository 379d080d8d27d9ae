// run: --buffer a:0,1,2,3,4,5,6,7 --buffer o=i32[40]
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer A { int a[]; };
layout(std430, binding = 1) buffer O { int o[]; };
int calls = 0;
bool costly(int x) { calls++; return x > 3; }
int fall(int x) {
    int r = 0;
    switch (x) {
        case 0: r += 1;
        case 1:
        case 2: r += 10; break;
        default: r += 1000;
        case 5: { r += 100; if (x == 6) break; r += 7; }
    }
    return r;
}
void twice(inout int x, out ivec2 both, const in int y) { x *= 2; both = ivec2(x, y); }
int early(int n) {
    for (int i = 0; ; i++) {
        if (i * i > n) return i;
        if (i == 2) continue;
        if (i > 100) break;
    }
    return -1;
}
int overloaded(int x) { return 1; }
int overloaded(float x) { return 2; }
int overloaded(vec2 x) { return 3; }
// Falling through, leaving early, what is passed back, what is not evaluated, and which function it is.
void main() {
    int i = int(gl_LocalInvocationIndex), x = a[i];
    o[i] = fall(x);
    ivec4 v = ivec4(0);
    twice(x, v.zx, i + 1);
    o[8 + i] = x + v.z * 10 + v.x * 100 + v.y;
    bool both = i > 2 && costly(i), either = i > 5 || costly(i);
    o[16 + i] = int(both) + 2 * int(either) + 4 * calls;
    int n = 0, sum = 0;
    do { if (n == 3) { n += 2; continue; } sum += n; } while (++n < i);
    while (sum > 20) sum -= a[1] + 6;
    o[24 + i] = early(i * i) + sum * 10;
    o[32 + i] = overloaded(i) + 10 * overloaded(1.0) + 100 * overloaded(vec2(i)) + (i > 4 ? fall(i) : costly(i) ? 5 : 6);
}
