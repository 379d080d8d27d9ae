//! The rows: shaders and job files, then a line of arguments each with what comes of it.

/// Files that the rows name; none needs a program to be compiled.
pub const SHADERS: &[(&str, &str)] = &[
    (
        "double.wgsl",
        "@group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&y) { y[id.x] = 2.0 * x[id.x]; }
        }",
    ),
    (
        "count.wgsl",
        "@group(0) @binding(0) var<storage, read_write> n: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&n) { n[id.x] = n[id.x] + 1u; }
        }",
    ),
    (
        "padded.wgsl",
        "struct Light { place: vec3<f32>, power: f32, colour: vec3<f32>, on: u32 }
        struct Settings { width: u32, height: u32, gain: f32, offset: vec3<f32> }
        @group(0) @binding(0) var<uniform> settings: Settings;
        @group(0) @binding(1) var<storage, read> points: array<vec3<f32>>;
        @group(0) @binding(2) var<storage, read_write> sums: array<f32>;
        @group(0) @binding(3) var<storage, read> lights: array<Light>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let p = points[id.x] + settings.offset;
            sums[id.x] = (p.x + p.y + p.z) * settings.gain + f32(lights[0].on) * f32(settings.height);
        }",
    ),
    (
        "push.comp",
        "#version 450
        layout(local_size_x = 1) in;
        layout(push_constant) uniform Push { float a; vec3 b; };
        layout(std430, binding = 0) writeonly buffer Out { vec4 v[]; };
        void main() { v[gl_GlobalInvocationID.x] = vec4(b, a); }",
    ),
    (
        "special.comp",
        "#version 450
        layout(constant_id = 3) const uint N = 2;
        layout(constant_id = 4) const float SCALE = 0.5;
        layout(local_size_x_id = 3) in;
        shared float tile[N];
        layout(std430, binding = 0) buffer Data { float data[]; };
        void main() {
            tile[gl_LocalInvocationID.x] = data[gl_GlobalInvocationID.x];
            barrier();
            data[gl_GlobalInvocationID.x] = SCALE * tile[N - 1u - gl_LocalInvocationID.x];
        }",
    ),
    (
        "special.wgsl",
        "override N: u32 = 2u;
        @id(7) override scale: f32;
        @group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(N) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.x] = data[id.x] * scale + f32(N);
        }",
    ),
    (
        "steps.wgsl",
        "@group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sink: array<u32>;
        @compute @workgroup_size(4) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
            sink[id.x] = 2u * source[id.x];
        }
        @compute @workgroup_size(4) fn next(@builtin(global_invocation_id) id: vec3<u32>) {
            sink[id.x] = source[id.x] + 1u;
        }",
    ),
    (
        "steps.toml",
        "[[buffer]]
        name = 'ping'
        values = [1, 2, 3, 4]
        [[buffer]]
        name = 'pong'
        type = '[4]'
        [output]
        name = 'ping'
        [[dispatch]]
        entry = 'twice'
        bind = { source = 'ping', sink = 'pong' }
        [[dispatch]]
        entry = 'next'
        groups = [1, 1, 1]
        bind = { source = 'pong', 1 = 'ping' }",
    ),
    ("typo.toml", "buffers = []"),
    ("zero.toml", "groups = [0, 1, 1]"),
    ("twice.toml", "[[buffer]]\nname = 'n'\nvalues = [1]\n[[buffer]]\nname = 'n'\nvalues = [2]"),
    ("nowhere.toml", "[output]\nname = 'nowhere'\nfile = 'n.csv'\n[[buffer]]\nbinding = 0\ntype = 'u32[1]'"),
    ("written.toml", "[output]\nname = 'n'\nfile = 'written.csv'\n[[buffer]]\nname = 'n'\nvalues = [6, 7]"),
    ("set.toml", "[spec]\nN = 2\n4 = 10.0\n[[buffer]]\nbinding = 0\nvalues = [[1], [2]]"),
    ("never.toml", "[[buffer]]\nname = 'n'\nvalues = [1, 2]\n[[dispatch]]\nrepeat = 0"),
    ("again.toml", "[[buffer]]\nname = 'n'\nvalues = [1, 2]\n[[dispatch]]\nrepeat = 5"),
    (
        "indirect.toml",
        "[[buffer]]\nname = 'n'\ntype = '[66]'\n[[buffer]]\nname = 'args'\nvalues = [9, 1, 1, 1]\n[[dispatch]]\nindirect = 'args'\noffset = 4",
    ),
    ("past.toml", "[[buffer]]\nname = 'n'\nvalues = [1, 1]\n[[dispatch]]\nindirect = 'n'"),
    (
        "blur.wgsl",
        "@group(0) @binding(0) var photo: texture_2d<f32>;
        @group(0) @binding(1) var smooth_: sampler;
        @group(0) @binding(2) var out: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(3) var<storage, read_write> seen: array<vec4<f32>>;
        @compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let size = vec2<f32>(textureDimensions(out));
            let c = textureSampleLevel(photo, smooth_, (vec2<f32>(id.xy) + 0.5) / size, 0.0);
            textureStore(out, id.xy, c);
            seen[id.y * u32(size.x) + id.x] = c;
        }",
    ),
    (
        "texels.wgsl",
        "@group(0) @binding(0) var counts: texture_storage_2d<r32uint, read_write>;
        @group(0) @binding(1) var volume: texture_3d<f32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let n = textureLoad(counts, id.xy).x;
            textureStore(counts, id.xy, vec4<u32>(n + u32(textureLoad(volume, vec3<u32>(1, 0, 1), 0).x)));
        }",
    ),
    (
        "large.wgsl",
        "var<workgroup> tile: array<u32, 20000>;
        @group(0) @binding(0) var<storage, read_write> n: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            tile[i * 300u] = i;
            workgroupBarrier();
            n[i] = tile[(63u - i) * 300u];
        }",
    ),
    (
        "rays.wgsl",
        "enable wgpu_ray_query;
        @group(0) @binding(0) var scene: acceleration_structure;
        @group(0) @binding(1) var<storage, read_write> hits: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var query: ray_query;
            let ray = RayDesc(0u, 255u, 0.1, 9.0, vec3<f32>(0.0), vec3<f32>(0.0, 1.0, 0.0));
            rayQueryInitialize(&query, scene, ray);
            hits[0] = u32(rayQueryProceed(&query));
        }",
    ),
    (
        "square.wgsl",
        "@group(0) @binding(0) var<storage, read_write> n: array<u32>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { n[id.y * 16u + id.x] = id.y; }",
    ),
    (
        "array.wgsl",
        "enable wgpu_binding_array;
        struct Numbers { v: array<f32> }
        @group(0) @binding(0) var<storage, read_write> arr: binding_array<Numbers, 2>;
        @compute @workgroup_size(1) fn main() { arr[1].v[0] = arr[0].v[0]; }",
    ),
    (
        "other.toml",
        "[push]\na = 5\nb = [6, 7, 8]
        [[buffer]]
        name = 'v'
        type = '[1]'
        [[dispatch]]
        [[dispatch]]
        shader = 'swap.comp'
        push = []
        bind = { w = 'v' }",
    ),
    (
        "swap.comp",
        "#version 450
        layout(local_size_x = 1) in;
        layout(std430, binding = 3) buffer W { vec4 w[]; };
        void main() { w[0] = w[0].wzyx; }",
    ),
    ("broken.wgsl", "@compute @workgroup_size(1) fn main() { let x: u32 = 1.0; }"),
    (
        "bytes.comp",
        "#version 450
        #extension GL_EXT_shader_8bit_storage : require
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer B { uint8_t b[]; } n[2];
        void main() { n[1].b[0] = n[0].b[1] + uint8_t(1); }",
    ),
    (
        "rays.comp",
        "#version 460
        #extension GL_EXT_ray_query : require
        layout(binding = 0) uniform accelerationStructureEXT scene;
        void main() {}",
    ),
    (
        "pair.comp",
        "#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer A { float data[]; } a;
        layout(binding = 1) buffer B { float data[]; } b;
        void main() { b.data[0] = a.data[0]; }",
    ),
];

/// Arguments, exit code, and what the message says.
pub const REFUSED: &[(&str, i32, &[&str])] = &[
    ("count.wgsl --job past.toml", 2, &["indirect: three u32 at byte 0 of `n`, which has 8 bytes"]),
    // Sizes.
    ("padded.wgsl --buffer 0=u32[1] --buffer 1=vec3[4] --buffer 2=f32[4] --buffer 3=[1]", 2, &["settings"]),
    (
        "padded.wgsl --buffer settings:1,2,3 --buffer 1=vec3[4] --buffer 2=f32[4] --buffer 3=[1]",
        2,
        &["3 numbers", "takes 6"],
    ),
    (
        "padded.wgsl --buffer 0=u8[4] --buffer 1=vec3[4] --buffer 2=f32[4] --buffer 3=[1]",
        2,
        &["settings", "28 bytes at least", "u8[4] has 4"],
    ),
    (
        "padded.wgsl --buffer 0:1,2,3,4,5,6 --buffer 1=vec2[8] --buffer 2=f32[4] --buffer 3=[1]",
        2,
        &["points", "vec3[], each 16 bytes from the last", "vec2[8]"],
    ),
    (
        "padded.wgsl --buffer 0:1,2,3,4,5,6 --buffer 1=f32[7] --buffer 2=f32[4] --buffer 3=[1]",
        2,
        &["points", "1 whole elements and 12 bytes"],
    ),
    ("double.wgsl --buffer x:1,2 --buffer y=u8[3]", 2, &["`y`", "4 bytes at least", "u8[3] has 3"]),
    ("double.wgsl --buffer x:1,2 --buffer y", 2, &["`y`", "how many are there?", "KEY=[64]"]),
    ("double.wgsl --buffer x:1,2 --buffer y=f32[0]", 2, &["f32[0]"]),
    // Types.
    (
        "double.wgsl --buffer x=u32[4]:1,2,3,4 --buffer y=f32[4]",
        2,
        &["--buffer x=u32[4]", "f32[]", "bits of f32", "leave the type out"],
    ),
    ("double.wgsl --buffer x=f64[4]:1,2,3,4 --buffer y=f32[4]", 2, &["bits of f32"]),
    ("double.wgsl --buffer x:0x10 --buffer y=[1]", 2, &["`0x10` is no f32"]),
    ("count.wgsl --buffer n:1.5", 2, &["`1.5` is no u32"]),
    ("count.wgsl --buffer n=f32[4]", 2, &["bits of u32"]),
    ("count.wgsl --buffer n=u33[4]", 2, &["u33", "element type"]),
    // Inputs.
    ("double.wgsl --buffer x=f32[4]:three.bin --buffer y=[4]", 2, &["three.bin has 12 bytes", "f32[4] takes 16"]),
    ("double.wgsl --buffer x=f32[3]:four.bin --buffer y=[4]", 2, &["four.bin has 16 bytes", "f32[3] takes 12"]),
    ("double.wgsl --buffer x=f32[8]:four.json --buffer y=[4]", 2, &["four.json has 4 numbers", "f32[8] takes 8"]),
    ("double.wgsl --buffer x=f32[8]:four.csv --buffer y=[4]", 2, &["four.csv has 4 numbers", "f32[8] takes 8"]),
    ("double.wgsl --buffer x=f32[8]:1,2,3 --buffer y=[4]", 2, &["3 numbers", "f32[8] takes 8"]),
    ("double.wgsl --buffer x:bad.csv --buffer y=[4]", 2, &["bad.csv:2: `x` is no number"]),
    ("double.wgsl --buffer x:one.txt --buffer y=[4]", 2, &["one.txt", ".csv, .npy or .png"]),
    ("double.wgsl --buffer x:1,2,three --buffer y=[4]", 2, &["`three` is no number"]),
    ("double.wgsl --buffer x:none.bin --buffer y=[4]", 2, &["cannot read ./none.bin"]),
    ("double.wgsl --buffer x:big.npy --buffer y=[4]", 2, &["big.npy: big-endian"]),
    ("double.wgsl --buffer x:grey.png --buffer y=[4]", 2, &["grey.png", "vec4 from 0 to 1", "--image"]),
    ("count.wgsl --buffer n=u32[5]:grey.png", 2, &["2x2 = 4 pixels", "u32[5]"]),
    ("count.wgsl --buffer n:four.npy", 2, &["four.npy", "1.0 is a float"]),
    // Resources.
    ("double.wgsl --buffer x:1,2", 2, &["binding 1 (`y`)", "nothing is given", "--buffer y=[N]"]),
    (
        "double.wgsl --buffer x:1,2 --buffer y=[2] --buffer z=[2]",
        2,
        &["--buffer z=[2]", "no resource `z`", "0 (`x`), 1 (`y`)"],
    ),
    ("double.wgsl --buffer x:1,2 --buffer y=[2] --buffer 0.7=f32[2]", 2, &["no binding 7", "0 (`x`), 1 (`y`)"]),
    (
        "double.wgsl --buffer x:1,2 --buffer 0:1,2 --buffer y=[2]",
        2,
        &["given twice", "--buffer x:1,2 and --buffer 0:1,2"],
    ),
    ("double.wgsl --buffer x:1,2 --buffer x:1,3 --buffer y=[2]", 2, &["--buffer x:1,3 is given twice"]),
    ("double.wgsl --image x=[2x2] --buffer y=[2]", 2, &["`x`", "a buffer: add --buffer", "an image is given"]),
    (
        "blur.wgsl --buffer photo:1,2 --image out=[2x2] --buffer seen=[4]",
        2,
        &["`photo`", "an image", "a buffer is given"],
    ),
    ("count.wgsl --buffer n[1]:1", 2, &["`n`", "is no array"]),
    ("array.wgsl --buffer arr[0]:3", 2, &["binding 0[1] (`arr`)", "nothing is given", "--buffer arr[1]=[N]"]),
    ("array.wgsl --buffer arr:3", 2, &["arr is an array of 2", "arr[0]=… to arr[1]=…"]),
    ("array.wgsl --buffer arr[2]:3", 2, &["an array of 2, from 0 on"]),
    ("pair.comp --buffer data:1 --buffer 1=[1]", 2, &["binding 0 (`a`)", "--buffer a=[N]"]),
    ("--buffer", 2, &["--buffer"]),
    ("count.wgsl --buffer =u32[4]", 2, &["is no binding"]),
    // Push constants.
    ("push.comp --buffer 0=[1]", 2, &["no value for push constant a", "vec3 b at byte 16"]),
    ("push.comp --buffer 0=[1] --push f32=1", 2, &["push constant b (vec3 at byte 16)"]),
    ("push.comp --buffer 0=[1] --push f32=1 --push f32=2", 2, &["f32=2", "the next member is vec3 b"]),
    ("push.comp --buffer 0=[1] --push f32=1 --push vec3=2,3,4 --push f32=5", 2, &["f32=5 is one too many"]),
    ("push.comp --buffer 0=[1] --push u32=1 --push vec3=2,3,4", 2, &["the next member is f32 a"]),
    ("push.comp --buffer 0=[1] --push a=1 --push c=2", 2, &["there is no c"]),
    ("push.comp --buffer 0=[1] --push a=1 --push b=2,3", 2, &["2 numbers are too few"]),
    ("push.comp --buffer 0=[1] --push a=1 --push a=2", 2, &["a has a value already"]),
    ("push.comp --buffer 0=[1] --push 1", 2, &["write TYPE=VALUE or NAME=VALUE"]),
    ("count.wgsl --buffer n:1 --push u32=1", 2, &["has no push constants"]),
    // Specialization.
    ("special.comp --buffer data:1,2 --spec M=1", 2, &["no specialization constant M", "3 (`N`), 4 (`SCALE`)"]),
    ("special.comp --buffer data:1,2 --spec N=1.5", 2, &["`1.5` is no u32"]),
    ("special.comp --buffer data:1,2 --spec N=f32=1", 2, &["it is a u32"]),
    ("special.comp --buffer data:1,2 --spec N", 2, &["write KEY=VALUE"]),
    ("special.wgsl --buffer data:1,2", 2, &["override 7 (`scale`) has no value", "--spec scale=f32"]),
    ("count.wgsl --buffer n:1 --spec 0=1", 2, &["no specialization constant 0; it has none"]),
    // Images.
    ("blur.wgsl --image photo:grey.png --image out --buffer seen=[4]", 2, &["`out`", "how large is it?", "[64x64]"]),
    (
        "blur.wgsl --image photo=[3x3]:grey.png --image out=[2x2] --buffer seen=[4]",
        2,
        &["3x3 is given, the picture has 2x2"],
    ),
    ("blur.wgsl --image photo:grey.png --image out=r32f[2x2] --buffer seen=[4]", 2, &["of rgba8", "r32f is given"]),
    ("blur.wgsl --image photo=rgba8ui:grey.png --image out=[2x2] --buffer seen=[4]", 2, &["rgba8ui is seen as u32"]),
    ("blur.wgsl --image photo:grey.png --image out=[2x2x2] --buffer seen=[4]", 2, &["it has 2 sides, 3 are given"]),
    ("blur.wgsl --image photo=rgb8[2x2] --image out=[2x2] --buffer seen=[4]", 2, &["`rgb8` is no format"]),
    ("blur.wgsl --image photo=[2x2]:1,2,3 --image out=[2x2] --buffer seen=[4]", 2, &["3 numbers", "takes 16"]),
    (
        "blur.wgsl --image photo:grey.png --image out=[2x2] --buffer seen=[4] --sampler smooth_=soft",
        2,
        &["`soft`", "nearest or linear"],
    ),
    (
        "blur.wgsl --image photo:grey.png --image out=[2x2] --buffer seen=[4] --sampler photo=nearest",
        2,
        &["has no sampler"],
    ),
    // Outputs.
    ("count.wgsl --buffer n:1 --out m=-", 2, &["output m", "no resource `m`"]),
    ("count.wgsl --buffer n:1 --out n=n.txt", 2, &["n.txt", ".csv"]),
    ("count.wgsl --buffer n:1 --out n", 2, &["write KEY=FILE"]),
    ("count.wgsl --buffer n:1 --out n=- --json", 2, &["standard output is for one thing"]),
    (
        "blur.wgsl --image photo:grey.png --image out=[2x2] --buffer seen=[4] -o a.png",
        2,
        &["2 that the shader writes", "--out KEY=FILE"],
    ),
    ("count.wgsl --job nowhere.toml", 2, &["output nowhere", "0 (`n`)"]),
    // Groups.
    ("count.wgsl --buffer n:1 --groups 0", 2, &["--groups", "`0`", "1 or more"]),
    ("count.wgsl --buffer n:1 --groups 1,0,1", 2, &["1 or more"]),
    ("count.wgsl --buffer n:1 --groups 1,70000", 2, &["65535"]),
    ("square.wgsl --buffer n=[256]", 2, &["8x8x1", "--groups X,Y,Z"]),
    // Job files.
    ("count.wgsl --job typo.toml", 2, &["typo.toml", "buffers"]),
    ("count.wgsl --job zero.toml --buffer n:1", 2, &["zero.toml", "[0, 1, 1]"]),
    ("count.wgsl --job twice.toml", 2, &["twice.toml", "given twice"]),
    ("count.wgsl --job never.toml", 2, &["never.toml", "repeat = 0"]),
    ("special.comp --buffer data:1,2 --spec N=1 --spec 3=1", 2, &["3 (`N`) is given twice"]),
    ("count.wgsl --buffer n=[4000000000000000000]", 2, &["over 4 GiB"]),
    ("texels.wgsl --image counts=[4000000000x4000000000] --image volume=[1x1x1]", 2, &["over 4 GiB"]),
    ("steps.wgsl --groups 2", 2, &["--groups is for one dispatch"]),
    // Shaders.
    ("steps.wgsl --job typo2.toml", 2, &["typo2.toml"]),
    ("none.wgsl", 2, &["none.wgsl"]),
    ("broken.wgsl", 2, &["broken.wgsl:1"]),
    ("one.csv", 2, &["one.csv", ".wgsl"]),
    ("large.wgsl --groups 1 --buffer n=[64]", 2, &["large.wgsl", "80000 bytes of shared memory", "65536"]),
    ("rays.wgsl --buffer hits=[1]", 4, &["rays.wgsl", "`scene`", "ray queries"]),
    ("rays.comp", 4, &["rays.comp:2: the extension GL_EXT_ray_query is not known", "apt-get install glslc"]),
    ("steps.wgsl --job zero.toml", 2, &["zero.toml"]),
    // The environment.
    ("count.wgsl --buffer n:1 WAVEPIPE_WAVE=48", 2, &["WAVEPIPE_WAVE=48", "use 32 or 64, as the machine has them"]),
    ("count.wgsl --buffer n:1 WAVEPIPE_CHECK=weight", 2, &["WAVEPIPE_CHECK=weight", "unknown flag `weight`"]),
    ("count.wgsl --buffer n:1 WAVEPIPE_MACHINE=rx9999", 2, &["WAVEPIPE_MACHINE=rx9999"]),
];

/// Arguments, and what is said on standard output or error.
pub const GOOD: &[(&str, &[&str])] = &[
    // Names, numbers, and a count that follows from them.
    (
        "double.wgsl --buffer x:1,2,3,4 --buffer y=[4] --out y=-",
        &["2\n4\n6\n8\n", "--groups 1,1,1 of 4x1x1, for f32[4] of `y`"],
    ),
    ("double.wgsl --buffer 0:1,2,3,4 --buffer 0.1=[4] --out 1=-", &["2\n4\n6\n8\n"]),
    ("double.wgsl --buffer x=[4]:iota --buffer y=f32[4] -o -", &["0\n2\n4\n6\n"]),
    ("double.wgsl --buffer x:-1,2.5,1e3 --buffer y=[3] -o -", &["-2\n5\n2000\n"]),
    // One work-group of 64, as the buffer says.
    ("count.wgsl --job indirect.toml --out n=-", &["1\n1\n0\n0\n"]),
    // Files.
    ("double.wgsl --buffer x:four.bin --buffer y=[4] -o -", &["2\n4\n6\n8\n"]),
    ("double.wgsl --buffer x:four.csv --buffer y=[4] -o -", &["2\n4\n6\n8\n"]),
    ("double.wgsl --buffer x:four.json --buffer y=[4] -o -", &["2\n4\n6\n8\n"]),
    ("double.wgsl --buffer x:four.npy --buffer y=[4] -o -", &["2\n4\n6\n8\n"]),
    ("count.wgsl --buffer n:one.csv -o -", &["138\n"]),
    ("count.wgsl --buffer n=u32[4]:grey.png -o -", &["4278190081\n", "4283782486\n"]),
    // What is written is read back.
    ("double.wgsl --buffer x:1,2,3 --buffer y=[3] --out y=back.npy --quiet", &["wrote back.npy"]),
    ("double.wgsl --buffer x:back.npy --buffer y=[3] -o -", &["4\n8\n12\n"]),
    (
        "double.wgsl --buffer x:1,2,3 --buffer y=[3] --out y=back.bin --out y=back.json --out y=back.csv --quiet",
        &["wrote back.csv"],
    ),
    ("double.wgsl --buffer x:back.bin --buffer y=[3] -o -", &["4\n8\n12\n"]),
    ("double.wgsl --buffer x:back.json --buffer y=[3] -o -", &["4\n8\n12\n"]),
    ("double.wgsl --buffer x:back.csv --buffer y=[3] -o -", &["4\n8\n12\n"]),
    // Strides and members are the shader's: offset at byte 16, each point 16 bytes from the last.
    (
        "padded.wgsl --buffer settings:2,3,0.5,1,10,100 --buffer points=vec3[4]:1,2,3,4,5,6,7,8,9,10,11,12 --buffer sums=[4] \
         --buffer lights:0,0,0,1,0,0,0,1 -o -",
        &["61.5\n66\n70.5\n75\n"],
    ),
    // GLSL puts the vec3 at byte 16.
    ("push.comp --buffer v=[1] --push f32=1 --push vec3=2,3,4 -o -", &["2,3,4,1\n"]),
    ("push.comp --buffer v=[1] --push b=2,3,4 --push a=1 -o -", &["2,3,4,1\n"]),
    ("push.comp --buffer Out=[1] --push b=2,3,4 --push f32=1 -o -", &["2,3,4,1\n"]),
    // Specialization by id and by name, in either language without a compiler.
    // 8 bits, and an array of blocks.
    ("bytes.comp --buffer n[0]:1,255 --buffer n[1]=[1] --out n[1]=-", &["0\n"]),
    ("special.comp --buffer data:1,2,3,4 -o -", &["1\n0.5\n2\n1.5\n", "--groups 2,1,1 of 2x1x1"]),
    ("special.comp --buffer data:1,2,3,4 --spec N=4 --spec 4=2 -o -", &["8\n6\n4\n2\n", "--groups 1,1,1 of 4x1x1"]),
    ("special.wgsl --buffer data:1,2,3,4 --spec scale=10 -o -", &["12\n22\n32\n42\n"]),
    ("special.wgsl --buffer data:1,2,3,4 --spec 7=10 --spec N=4 -o -", &["14\n24\n34\n44\n"]),
    // Several dispatches: 1 2 3 4, twice that, and one more.
    ("steps.wgsl -o -", &["3\n5\n7\n9\n"]),
    ("steps.wgsl --json", &["\"dispatches\":[{", "\"values\":[2,4,6,8]", "\"values\":[3,5,7,9]"]),
    ("count.wgsl --job again.toml -o -", &["6\n7\n"]),
    // Two shaders on one buffer: 6 7 8 5, turned round.
    ("push.comp --job other.toml -o -", &["5,8,7,6\n"]),
    // The command line wins, by whatever key.
    ("count.wgsl --job again.toml --buffer 0:7,8 -o -", &["12\n13\n"]),
    ("special.comp --job set.toml --spec 3=4 --spec SCALE=2 --buffer data:1,2,3,4 -o -", &["8\n6\n4\n2\n"]),
    ("special.comp --job set.toml -o -", &["20\n10\n"]),
    // [output] is written.
    ("count.wgsl --job written.toml --quiet", &["wrote written.csv"]),
    ("count.wgsl --buffer n:written.csv -o -", &["8\n9\n"]),
    // Images: 0, 85, 170, 255.
    (
        "blur.wgsl --image photo:grey.png --image out=[2x2] --buffer seen=[4] --out out=seen.png --quiet",
        &["wrote seen.png"],
    ),
    (
        "blur.wgsl --image photo:seen.png --image out=[2x2] --buffer seen=[4] --out out=- ",
        &["0,0,0,1\n0.33333334,0.33333334,0.33333334,1\n"],
    ),
    (
        "blur.wgsl --image photo=[2x1]:0,0,0,0,1,1,1,1 --image out=[1x1] --buffer seen=[1] --out seen=-",
        &["0.5,0.5,0.5,0.5\n"],
    ),
    (
        "blur.wgsl --image photo=[2x1]:0,0,0,0,1,1,1,1 --image out=[1x1] --buffer seen=[1] --sampler smooth_=nearest,repeat --out seen=-",
        &["1,1,1,1\n"],
    ),
    (
        "blur.wgsl --image photo:bytes.npy --image out=[2x2] --buffer seen=[4] --out out=out.npy --quiet",
        &["wrote out.npy"],
    ),
    (
        "blur.wgsl --image photo:out.npy --image out=[2x2] --buffer seen=[4] --out out=-",
        &["0,0.003921569,0.007843138,0.011764706\n"],
    ),
    (
        "texels.wgsl --image counts=[2x1]:5,6 --image volume=r32f[2x1x2]:0,1,2,3 --out counts=-",
        &["8\n9\n", "--groups 2,1,1"],
    ),
    ("count.wgsl --buffer n:0x10,0xff -o -", &["17\n256\n"]),
    ("pair.comp --buffer a:5 --buffer B=[1] --out b=-", &["5\n"]),
    ("array.wgsl --buffer arr[0]:3 --buffer arr[1]=[1] --out arr[1]=-", &["3\n"]),
    // A table with names.
    ("count.wgsl --buffer n:1,2", &["0 n  u32[2]  2  3"]),
];
