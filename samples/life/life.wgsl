// One generation of Conway's game of life on a torus. A cell is a packed RGBA8 pixel: alive when its low byte is set;
// the dead fade.

struct Board {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@group(0) @binding(2) var<uniform> board: Board;

fn alive(x: u32, y: u32) -> u32 {
    return select(0u, 1u, (now[(y % board.height) * board.width + x % board.width] & 255u) == 255u);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= board.width || id.y >= board.height {
        return;
    }
    var neighbours = 0u;
    for (var dy = 0u; dy < 3u; dy++) {
        for (var dx = 0u; dx < 3u; dx++) {
            if dx == 1u && dy == 1u {
                continue;
            }
            neighbours += alive(id.x + board.width + dx - 1u, id.y + board.height + dy - 1u);
        }
    }
    let at = id.y * board.width + id.x;
    let lives = neighbours == 3u || (neighbours == 2u && alive(id.x, id.y) == 1u);
    // Green and blue of a dead cell halve each generation.
    let faded = (now[at] >> 1u) & 0x7f7f00u;
    next[at] = select(faded, 0xffffffu, lives) | 0xff000000u;
}
