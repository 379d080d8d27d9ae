// What device.h and host.h share: types by width, vectors, and arithmetic that C alone can say.

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;
typedef float f32;
typedef double f64;

#define VECTORS(T)                                       \
    typedef T T##x2 __attribute__((ext_vector_type(2))); \
    typedef T T##x3 __attribute__((ext_vector_type(3))); \
    typedef T T##x4 __attribute__((ext_vector_type(4))); \
    typedef T T##x8 __attribute__((ext_vector_type(8))); \
    typedef T T##x16 __attribute__((ext_vector_type(16)));
VECTORS(i8)
VECTORS(u8)
VECTORS(i16)
VECTORS(u16)
VECTORS(i32)
VECTORS(u32)
VECTORS(i64)
VECTORS(u64)
VECTORS(f16)
VECTORS(f32)
VECTORS(f64)

#define NOINLINE __attribute__((noinline))

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

static inline u32 f32_bits(f32 x) { return __builtin_bit_cast(u32, x); }
static inline f32 bits_f32(u32 x) { return __builtin_bit_cast(f32, x); }
static inline u64 f64_bits(f64 x) { return __builtin_bit_cast(u64, x); }
static inline f64 bits_f64(u64 x) { return __builtin_bit_cast(f64, x); }
static inline u16 f16_bits(f16 x) { return __builtin_bit_cast(u16, x); }
static inline f16 bits_f16(u16 x) { return __builtin_bit_cast(f16, x); }

static inline u32 clz32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
static inline u32 ctz32(u32 x) { return x ? (u32)__builtin_ctz(x) : 32; }
static inline u32 clz64(u64 x) { return x ? (u32)__builtin_clzl(x) : 64; }
static inline u32 ctz64(u64 x) { return x ? (u32)__builtin_ctzl(x) : 64; }

// The upper half of a 128-bit product, from 32-bit parts.
static inline u64 mul_hi_u64(u64 a, u64 b) {
    u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
    u64 middle = ah * bl + (al * bl >> 32);
    u64 other = al * bh + (u32)middle;
    return ah * bh + (middle >> 32) + (other >> 32);
}
static inline i64 mul_hi_i64(i64 a, i64 b) {
    return (i64)(mul_hi_u64((u64)a, (u64)b) - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}

// A number from a counter, for kernels that need data without reading any.
static inline u32 mix(u32 x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// All operations on plain pointers, so that one spelling serves global, local and generic memory.
#define ATOMIC(operation, ...) __scoped_atomic_##operation(__VA_ARGS__, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define COMPARE_EXCHANGE(pointer, expected, desired)                                                          \
    __scoped_atomic_compare_exchange_n(pointer, expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                       __MEMORY_SCOPE_DEVICE)
