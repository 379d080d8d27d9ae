// A stack machine: every work-item interprets a program of its own, so that lanes diverge at every step.
// launch: interpreter grid=320 block=64
//   u8[10240]:rand i32[320] u32[320]

enum { LENGTH = 32, DEPTH = 8, STEPS = 200 };

__kernel void interpreter(__global const u8 *programs, __global i32 *out, __global u32 *steps) {
    u32 i = global_id(0), pc = 0, top = 0, done = 0;
    __global const u8 *program = programs + i * LENGTH;
    i32 stack[DEPTH] = {0};
    u32 accumulator = i + 1;
    while (pc < LENGTH && done < STEPS) {
        u8 code = program[pc++];
        u32 operand = code >> 4;
        done++;
        switch (code & 15) {
        case 0: case 1: stack[top++ % DEPTH] = (i32)operand - 8; break;
        case 2: stack[top++ % DEPTH] = (i32)accumulator; break;
        case 3: accumulator += (u32)stack[--top % DEPTH]; break;
        case 4: accumulator *= (u32)stack[operand % DEPTH] | 1; break;
        case 5: accumulator ^= (u32)stack[(top - 1) % DEPTH] << (operand & 7); break;
        case 6: if ((i32)accumulator < 0) pc += operand & 3; break;
        case 7: if (accumulator & 1 && pc > operand) pc -= operand; break;
        case 8: { i32 swap = stack[0]; stack[0] = stack[operand % DEPTH]; stack[operand % DEPTH] = swap; } break;
        case 9: accumulator = __builtin_rotateleft32(accumulator, operand); break;
        case 10: if (operand == 15) pc = LENGTH; break;
        case 11: for (u32 k = 0; k < operand; k++) accumulator += (u32)stack[k % DEPTH]; break;
        case 12: accumulator /= operand + 1; break;
        case 13: accumulator = mix(accumulator); break;
        default: accumulator++;
        }
    }
    i32 sum = (i32)accumulator;
    for (u32 k = 0; k < DEPTH; k++) sum = (i32)((u32)sum * 31u + (u32)stack[k]);
    out[i] = sum;
    steps[i] = done;
}
