// The variance of equal numbers comes out a little below zero.
// RUN --groups 1 --buffer 0=f32[4]:0.1,0.1,0.1,-0.5
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { float data[4]; };

void main() {
    float sum = 0.0, squares = -0.5;
    for (uint i = 0; i < 3; i++) {
        sum += data[i];
        squares += data[i] * data[i];
    }
    float variance = squares - sum * sum / 3.0;
#ifdef MENDED
    variance = max(variance, 0.0);
#endif
    data[3] = sqrt(variance); // FINDS num
}
