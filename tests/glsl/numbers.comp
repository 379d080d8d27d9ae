// run: --buffer f:1.5,-2.25,3.75,-0.5 --buffer n:7,-7,13,-1 --buffer o=f32[64] --buffer q=u32[28]
#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer F { float f[]; };
layout(std430, binding = 1) buffer N { int n[]; };
layout(std430, binding = 2) buffer O { float o[]; };
layout(std430, binding = 3) buffer Q { uint q[]; };
const float table[4] = float[](0.5, 0.25, 0.125, 2.0);
const int SIZE = (1 << 4) / 3 - 2 * 2;
const vec3 axis = normalize(vec3(3.0, 0.0, 4.0));
struct Ray { vec3 from; float length; mat2 turn; };
Ray ray(float x) { return Ray(vec3(x, 1, 2), abs(x), mat2(x, 1.0, 2.0, x)); }
void main() {
    uint i = gl_LocalInvocationIndex;
    float x = f[i];
    int k = n[i];
    Ray r = ray(x);
    r.turn[1].x += 4.0;
    mat2 inverted = inverse(r.turn) * 2.0 + mat2(1.0);
    mat3 m = mat3(r.turn);
    m[2] = cross(r.from, axis);
    o[i] = dot(r.from, axis) + length(r.from.xz) + determinant(r.turn);
    o[4 + i] = (transpose(m) * r.from).y + (r.from * m).z;
    o[8 + i] = inverted[0][1] + inverted[1][i & 1u];
    o[12 + i] = mix(x, 2.0, 0.25) + clamp(x, -1.0, 1.0) + step(0.0, x) + smoothstep(-3.0, 3.0, x);
    o[16 + i] = mod(x, 1.25) + fract(x) + floor(x) + ceil(x) + trunc(x) + roundEven(x) + sign(x);
    o[20 + i] = table[i] + table[3 - i] + float(table.length() + SIZE);
    vec4 v = vec4(x, r.from.yz, k);
    v.wx = v.yz;
    v.zyx *= 2.0;
    o[24 + i] = v.x + 10.0 * v.y + 100.0 * v.z + 1000.0 * v.w;
    o[28 + i] = pow(abs(x), 1.5) + exp2(x) + inversesqrt(abs(x)) + atan(x, 2.0) + fma(x, x, 1.0);
    o[32 + i] = ldexp(x, 3) + max(x, 0.25) + min(vec2(x, 1.0), 0.75).y + distance(vec2(x), vec2(1.0));
    float whole;
    float part = modf(x, whole);
    int exponent;
    float significand = frexp(x, exponent);
    o[36 + i] = whole + 10.0 * part + 100.0 * significand + 1000.0 * float(exponent);
    o[40 + i] = float(all(lessThan(vec3(-3.0), r.from)) ? 1 : 0) + (any(equal(ivec2(k, 1), ivec2(7, 2))) ? 2.0 : 0.0);
    o[44 + i] = reflect(r.from, axis).x + faceforward(r.from, axis, r.from).z + refract(normalize(r.from), axis, 0.5).y;
    o[48 + i] = outerProduct(vec2(x, 1.0), vec3(1.0, 2.0, 3.0))[2][0] + matrixCompMult(r.turn, r.turn)[1][0];
    o[52 + i] = r == ray(x) ? 1.0 : r.turn != ray(x).turn ? 2.0 : 3.0;
    o[56 + i] = float(k / 2) + float(k >> 1) + float(uint(k) >> 28) + float(~k) + float(k ^ 5) + float(abs(k) % 4);
    o[60 + i] = isnan(x) || isinf(x / 0.25) ? 1.0 : float(bool(k - 7)) + float(k == 7 ^^ x > 0.0);
    q[i] = bitfieldExtract(uint(k), 1, 3) + uint(bitfieldExtract(k, 0, 3)) + bitfieldInsert(0u, 7u, 4, 2);
    q[4 + i] = bitfieldReverse(uint(k)) + uint(bitCount(k)) + uint(findLSB(k)) + uint(findMSB(k));
    q[8 + i] = packHalf2x16(vec2(x, 2.0)) + packUnorm4x8(vec4(0.5, x, 1.0, 0.0));
    q[12 + i] = floatBitsToUint(x) + uint(floatBitsToInt(unpackHalf2x16(0x3c00c000u).y));
    uint carry, high, low;
    uint sum = uaddCarry(uint(k), 0xfffffff0u, carry);
    umulExtended(uint(k), 0x10001u, high, low);
    q[16 + i] = sum + carry * 3u;
    q[20 + i] = high ^ low;
    q[24 + i] = uint(mix(ivec2(k), ivec2(9), bvec2(i == 1u, true)).x) + 0x10u + 010u;
}
