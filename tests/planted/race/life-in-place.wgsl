// The next generation of cells is written over the one that is read.
// RUN --groups 4,4 --buffer 0=u32[1024]:rand --buffer 1=u32[1024]
@group(0) @binding(0) var<storage, read_write> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

fn cell(x: u32, y: u32) -> u32 {
    return now[(y % 32u) * 32u + x % 32u] & 1u; // FINDS race read-write
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3u) {
    var alive = 0u;
    for (var i = 0u; i < 9u; i++) {
        if i != 4u {
            alive += cell(at.x + 31u + i % 3u, at.y + 31u + i / 3u);
        }
    }
    let lives = select(0u, 1u, alive == 3u);
    now[at.y * 32u + at.x] = lives; // PAIR, BUG
    next[at.y * 32u + at.x] = lives;
}
