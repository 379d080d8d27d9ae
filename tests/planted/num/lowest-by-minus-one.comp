// The lowest integer divided by -1 is one more than there is.
// RUN --groups 1 --buffer 0=i32[4]:-2147483648,-1,7,8
// MENDED RUN --groups 1 --buffer 0=i32[4]:-2147483647,-1,7,8
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };

void main() {
    data[2] = data[0] / data[1]; // FINDS num
}
