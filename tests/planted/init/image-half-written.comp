// The first dispatch stores to the left half of the image that the second one blurs.
// HOST image picture 16 8 r32f none
// HOST buffer result 512
// HOST push 0
// BUG HOST dispatch 1 1 1
// MENDED HOST dispatch 2 1 1
// HOST barrier
// HOST push 1
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Push { uint stage; };
layout(set = 0, binding = 0, r32f) uniform image2D picture;
layout(set = 0, binding = 1) buffer Out { float result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (stage == 0) {
        imageStore(picture, at, vec4(at.x));
        return;
    }
    float left = imageLoad(picture, max(at - ivec2(1, 0), ivec2(0))).x;
    float right = imageLoad(picture, at).x;              // PAIR
    result[at.y * 16 + at.x] = 0.5 * (left + right);     // FINDS init
}
