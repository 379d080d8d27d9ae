// Ends when the device's clock reaches a time.
#version 450
#extension GL_EXT_shader_realtime_clock : require

layout(local_size_x = 1) in;

layout(push_constant) uniform Push { uint until; };

layout(std430, binding = 0) writeonly buffer Ended { uint ended; };

void main() {
    uint now;
    do {
        now = clockRealtime2x32EXT().x;
    } while (int(now - until) < 0);
    ended = now;
}
