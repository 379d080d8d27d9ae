//! Tests of shaders with a failure of each kind, and what is to be said of them.

use super::Report;

pub const REPORTS: &[Report] = &[
    (
        "values",
        &[
            (
                "double.test.toml",
                r#"buffer = [{ name = "x", values = [1, 2, 3, 4] }, { name = "y", type = "[4]" }]
[[test]]
name = "good"
expect = [{ name = "y", values = [2, 4, 6, 8] }]
[[test]]
name = "values"
expect = [{ name = "y", values = [2, 4, 6.5, 8] }]
[[test]]
name = "ulp"
expect = [{ name = "y", values = [2.0000002, 4, 6.000002, 8], ulp = 2 }]
[[test]]
name = "relative"
expect = [{ name = "y", values = [2, 4.03, 6.05, 8], relative = 0.01 }, { name = "y", values = [2, 4.03, 6.3, 8], relative = 0.01 }]
[[test]]
name = "absolute"
expect = [{ binding = 1, values = [2.1, 4, 6, 8], absolute = 0.05 }]
[[test]]
name = "rmse"
expect = [{ name = "y", values = [2, 4, 6, 9], rmse = 0.6 }, { name = "y", values = [2, 4, 6, 9], rmse = 0.4 }]
[[test]]
name = "expression"
expect = [{ name = "y", cpu = "2.0 * x[i] + f32(i / 3u)" }]
[[test]]
name = "shader"
expect = [{ name = "y", cpu = { shader = "twice.wgsl" } }]
[[test]]
name = "other shader"
buffer = [{ name = "x", values = [1, 2, 3, -0.5] }]
expect = [{ name = "y", cpu = { glsl = "2 * max(x[i], 0)" } }]
[[test]]
name = "file"
expect = [{ name = "y", file = "wanted.csv" }]
[[test]]
name = "snapshot"
expect = [{ name = "y", file = "new.npy" }]
"#,
            ),
            (
                "wanted.csv",
                r#"2
4
6
7
"#,
            ),
        ],
        1,
        r#"pass  double.test.toml::good
FAIL  double.test.toml::values
      double.test.toml:7: y: 1 of 4 numbers is not as wanted (f32[4], exactly)
        element 2, byte 8: got 6, wanted 6.5, 1048576 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 2, invocation (2, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case values
FAIL  double.test.toml::ulp
      double.test.toml:10: y: 1 of 4 numbers is not as wanted (f32[4], within 2 ULP)
        element 2, byte 8: got 6, wanted 6.000002, 4 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 2, invocation (2, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case ulp
FAIL  double.test.toml::relative
      double.test.toml:13: y: 1 of 4 numbers is not as wanted (f32[4], within 0.01 of their size)
        element 2, byte 8: got 6, wanted 6.3, 629146 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 2, invocation (2, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case relative
FAIL  double.test.toml::absolute
      double.test.toml:16: y: 1 of 4 numbers is not as wanted (f32[4], within 0.05)
        element 0, byte 0: got 2, wanted 2.1, 419430 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 0, invocation (0, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case absolute
FAIL  double.test.toml::rmse
      double.test.toml:19: y: 1 of 4 numbers is not as wanted (f32[4], within 0.4 (RMSE))
        RMSE 0.5
        element 3, byte 12: got 8, wanted 9, 1048576 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (3, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case rmse
FAIL  double.test.toml::expression
      double.test.toml:22: y: 1 of 4 numbers is not as wanted (f32[4], exactly)
        element 3, byte 12: got 8, wanted 9, 1048576 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (3, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case expression
pass  double.test.toml::shader
FAIL  double.test.toml::other shader
      double.test.toml:29: y: 1 of 4 numbers is not as wanted (f32[4], exactly)
        element 3, byte 12: got -1, wanted 0, 1065353216 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (3, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case 'other shader'
FAIL  double.test.toml::file
      double.test.toml:32: y: 1 of 4 numbers is not as wanted (f32[4], exactly)
        element 3, byte 12: got 8, wanted 7, 2097152 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (3, 0, 0), double.wgsl:4, `buffer_store…`
        again: wavepipe test double.test.toml --case file
FAIL  double.test.toml::snapshot
      double.test.toml:35: y: there is no new.npy: `wavepipe test --update` makes it
2 passed, 9 failed
"#,
    ),
    (
        "structures",
        &[(
            "bodies.test.toml",
            r#"buffer = [{ name = "bodies", init = "iota", type = "[3]" }, { name = "settings", values = [2, 0.5, 0.25] }]
[[test]]
name = "members"
[[test.expect]]
name = "bodies"
cpu = """
var b = bodies[i];
b.id += 100u;
b.parts[1].mass *= settings.step;
b.parts[0].place += vec3(settings.shift, 0.0);
return b;"""
[[test]]
name = "constructed"
[[test.expect]]
name = "bodies"
cpu = """
let p = bodies[i].parts;
return Body(bodies[i].id + 100u, array(
    Part(p[0].place + vec3(settings.shift, 0.0), p[0].mass), Part(p[1].place, settings.step * p[1].mass)));"""
[[test]]
name = "glsl"
[[test.expect]]
name = "bodies"
[test.expect.cpu]
glsl = """
Body b = bodies[i];
b.id += 100;
b.parts[1].mass *= settings.step;
b.parts[0].place.xy += settings.shift;
return b;"""
[[test]]
name = "wrong"
[[test.expect]]
name = "bodies"
cpu = "var b = bodies[i]; b.id += 100u; b.parts[1].mass *= 3.0; b.parts[0].place.x += settings.shift.x; return b;"
[[test]]
name = "other"
expect = [{ name = "bodies", cpu = { shader = "still.wgsl", groups = [3, 1, 1] } }]
[[test]]
name = "settings"
expect = [{ name = "settings", values = [2, 0.5, 1] }]
[[test]]
name = "member"
expect = [{ name = "bodies", cpu = "bodies[i].id" }]
"#,
        )],
        2,
        r#"pass  bodies.test.toml::members
pass  bodies.test.toml::constructed
pass  bodies.test.toml::glsl
FAIL  bodies.test.toml::wrong
      bodies.test.toml:33: bodies: 6 of 27 numbers are not as wanted (Body[3], exactly)
        element 0.parts[0].place.y, byte 20: got 2.25, wanted 2, …
        element 0.parts[1].mass, byte 44: got 16, wanted 24, …
        element 1.parts[0].place.y, byte 68: got 11.25, wanted 11, …
        element 1.parts[1].mass, byte 92: got 34, wanted 51, …
        element 2.parts[0].place.y, byte 116: got 20.25, wanted 20, …
        ⋮
        last written by work-group (0, 0, 0), wave 0, lane 0, invocation (0, 0, 0), bodies.wgsl:10, `buffer_store…`
        again: wavepipe test bodies.test.toml --case wrong
FAIL  bodies.test.toml::other
      bodies.test.toml:38: bodies: 9 of 27 numbers are not as wanted (Body[3], exactly)
        element 0.parts[0].place.x, byte 16: got 1.5, wanted 1, …
        ⋮
        again: wavepipe test bodies.test.toml --case other
FAIL  bodies.test.toml::settings
      bodies.test.toml:41: settings: 1 of 3 numbers is not as wanted (3 numbers, exactly)
        shift.y, byte 12: got 0.25, wanted 1, …
        nobody has written it
        again: wavepipe test bodies.test.toml --case settings
WRONG bodies.test.toml::member
      bodies.test.toml:44:36: cpu: it is no Body, which an element is: convert it
3 passed, 3 failed, 1 wrong
"#,
    ),
    (
        "dispatches",
        &[(
            "add.test.toml",
            r#"buffer = [{ name = "n", values = [0, 10, 20, 30, 40] }]
expect = [{ name = "n", cpu = "n[i] + step" }]
[[test]]
name = "matrix"
matrix = { gpu = ["rx5700xt", "rx5500xt"], wave = [32, 64], spec.step = [1, 7] }
entry = "main"
[[test]]
name = "seeds"
matrix = { seed = "7..9" }
spec = { step = 1 }
entry = "main"
[[test]]
name = "indirect"
buffer = [{ name = "n", values = [0, 10, 20, 30, 40, 50, 60, 70, 80] }, { name = "args", type = "u32", values = [9, 2, 1, 1] }]
dispatch = [{ entry = "main", indirect = "args", offset = 4, spec = { step = 5 } }, { entry = "main", groups = [1, 1, 1], repeat = 2, spec = { step = 100 } }]
expect = [{ name = "n", values = [205, 215, 225, 235, 45, 55, 65, 75, 80] }]
"#,
        )],
        0,
        r#"pass  add.test.toml::matrix[gpu=rx5700xt,wave=32,step=1]
pass  add.test.toml::matrix[gpu=rx5700xt,wave=32,step=7]
pass  add.test.toml::matrix[gpu=rx5700xt,wave=64,step=1]
pass  add.test.toml::matrix[gpu=rx5700xt,wave=64,step=7]
pass  add.test.toml::matrix[gpu=rx5500xt,wave=32,step=1]
pass  add.test.toml::matrix[gpu=rx5500xt,wave=32,step=7]
pass  add.test.toml::matrix[gpu=rx5500xt,wave=64,step=1]
pass  add.test.toml::matrix[gpu=rx5500xt,wave=64,step=7]
pass  add.test.toml::seeds[seed=7]
pass  add.test.toml::seeds[seed=8]
pass  add.test.toml::indirect
11 passed
"#,
    ),
    (
        "push",
        &[(
            "axpy.test.toml",
            r#"push = { a = 0.5 }
buffer = [{ name = "x", values = [1, 2, 3, 4, 5, 6, 7, 8] }, { name = "y", init = "iota", type = "[2]" }]
groups = [1, 1, 1]
checks = "race,sync"
expect = [{ name = "y", cpu = "y[i] + a * x[i]" }, { name = "y", values = [0.5, 2, 3.5, 5, 6.5, 8, 9.5, 12] }]
"#,
        )],
        1,
        r#"FAIL  axpy.test.toml
      axpy.test.toml:5: y: 1 of 8 numbers is not as wanted (vec4[2], exactly)
        element 1.w, byte 28: got 11, wanted 12, 1048576 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 1, invocation (1, 0, 0), axpy.comp:6, `buffer_store…`
        again: wavepipe test axpy.test.toml
0 passed, 1 failed
"#,
    ),
    (
        "findings",
        &[
            (
                "race.test.toml",
                r#"buffer = [{ name = "sum", type = "[64]" }]
[[test]]
name = "found"
finding = [{ check = "race" }]
[[test]]
name = "not expected"
expect = [{ name = "sum", cpu = "63u - i" }]
[[test]]
name = "on another line"
finding = [{ check = "race", line = 3 }]
"#,
            ),
            (
                "clean.test.toml",
                r#"shader = "double.wgsl"
buffer = [{ name = "x", values = [1] }, { name = "y", type = "[1]" }]
finding = [{ check = "sync", kind = "lanes-absent", line = 5 }]
"#,
            ),
        ],
        1,
        r#"FAIL  clean.test.toml
      clean.test.toml:1: no finding of sync `lanes-absent` on line 5, and [[finding]] expects one
pass  race.test.toml::found
FAIL  race.test.toml::not expected
      race.test.toml:7: sum: 32 of 64 numbers are not as wanted (u32[64], exactly)
        element 0, byte 0: got 0, wanted 63, 63 ULP apart
        element 1, byte 4: got 0, wanted 62, 62 ULP apart
        element 2, byte 8: got 0, wanted 61, 61 ULP apart
        element 3, byte 12: got 0, wanted 60, 60 ULP apart
        element 4, byte 16: got 0, wanted 59, 59 ULP apart
        …
        last written by work-group (0, 0, 0), wave 0, lane 0, invocation (0, 0, 0), race.wgsl:5, `buffer_store…`
        again: wavepipe test race.test.toml --case 'not expected'
      race.wgsl:5: [race-read-write-… a write and a read of the same bytes of LDS by two waves of a work-group, in no order
        at race.wgsl:5, work-group (0, 0, 0), wave 0, lane 31: ds_read_b32 …
        other: race.wgsl:4, work-group (0, 0, 0), wave 1, lane 0: ds_write_b32 …
        again: wavepipe test race.test.toml --case 'not expected'
FAIL  race.test.toml::on another line
      race.wgsl:5: [race-read-write-… a write and a read of the same bytes of LDS by two waves of a work-group, in no order
        at race.wgsl:5, work-group (0, 0, 0), wave 0, lane 31: ds_read_b32 …
        other: race.wgsl:4, work-group (0, 0, 0), wave 1, lane 0: ds_write_b32 …
        again: wavepipe test race.test.toml --case 'on another line'
      race.test.toml:8: no finding of race on line 3, and [[finding]] expects one
1 passed, 3 failed
"#,
    ),
    (
        "faults",
        &[(
            "forever.test.toml",
            r#"buffer = [{ name = "n", values = [0] }]
timeout = "300ms"
groups = [1, 1, 1]
[[test]]
name = "hangs"
expect = [{ name = "n", values = [0] }]
[[test]]
name = "is to hang"
fault = { line = 4, message = "300 ms" }
[[test]]
name = "ends"
buffer = [{ name = "n", values = [1] }]
fault = {}
timeout = "300s"
"#,
        )],
        1,
        r#"FAIL  forever.test.toml::hangs
      forever.wgsl:4: device lost: GPU fault on front end queue 0, kernel `main`: still running after 300 ms; raise WAVEPIPE_TIMEOUT if it is meant to take so long
        work-group (0, 0, 0), wave 0, lane 0 (mask 0x1)
        ⋮
        at forever.wgsl:4
        ⋮
        again: wavepipe test forever.test.toml --case hangs
pass  forever.test.toml::is to hang
FAIL  forever.test.toml::ends
      forever.test.toml:10: it ended without a fault, and [fault] expects one
1 passed, 2 failed
"#,
    ),
    (
        "pictures",
        &[(
            "grey.test.toml",
            r#"image = [{ name = "photo", size = "2x2", format = "rgba8", values = [0, 0, 0, 1, 1, 0, 0, 1, 0.2, 0, 0, 1, 0.4, 0, 0, 1] }, { name = "grey", size = "2x2" }]
sampler = [{ name = "near", filter = "nearest" }]
[[test]]
name = "exact"
expect = [{ name = "grey", values = [0, 0, 0, 1, 1, 1, 1, 1, 0.2, 0.2, 0.2, 1, 0.6, 0.4, 0.4, 1] }]
[[test]]
name = "picture"
expect = [{ name = "grey", values = [0, 0, 0, 1, 1, 1, 1, 1, 0.2, 0.2, 0.2, 1, 0.41, 0.4, 0.4, 1], picture = { channel = 3 } }, { name = "grey", values = [0, 0, 0, 1, 1, 1, 1, 1, 0.2, 0.2, 0.2, 1, 0.41, 0.4, 0.4, 1], picture = { channel = 2 } }]
"#,
        )],
        1,
        r#"FAIL  grey.test.toml::exact
      grey.test.toml:5: grey: 1 of 16 numbers is not as wanted (rgba8[2x2], exactly)
        texel (1, 1).r, byte 12: got 0.4, wanted 0.6, 5033165 ULP apart
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (1, 1, 0), grey.wgsl:6, `image_store…`
        what differs, in red: pictures/grey.test.toml__exact.grey.png
        again: wavepipe test grey.test.toml --case exact
FAIL  grey.test.toml::picture
      grey.test.toml:8: grey: 1 of 4 pixels is not as wanted (rgba8[2x2], but for 0 pixels within 2 of 255 a channel)
        texel (1, 1), byte 12: got [102, 102, 102, 255], wanted [105, 102, 102, 255]
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (1, 1, 0), grey.wgsl:6, `image_store…`
        what differs, in red: pictures/grey.test.toml__picture.grey.png
        again: wavepipe test grey.test.toml --case picture
0 passed, 2 failed
"#,
    ),
    (
        "budgets",
        &[(
            "banks.test.toml",
            r#"buffer = [{ name = "n", init = "iota", type = "[32]" }]
expect = [{ name = "n", cpu = "31u - i" }]
[[test]]
name = "good"
budget = { max_vgprs = 64, min_occupancy = 1, max_cycles = 1000000, no_spills = true }
[[test]]
name = "over"
budget = { max_vgprs = 1, min_occupancy = 21, max_cycles = 10, no_spills = true, no_bank_conflicts = true, max_lds_bytes = 1, max_code = 1, max_instructions = 1, min_lanes = 33, max_lines = 1 }
"#,
        )],
        1,
        r#"pass  banks.test.toml::good
FAIL  banks.test.toml::over
      banks.test.toml:6: over budget: … VGPRs, max_vgprs = 1
      banks.test.toml:6: over budget: 4 waves per SIMD, min_occupancy = 21
      banks.test.toml:6: over budget: … bytes of LDS, max_lds_bytes = 1
      banks.test.toml:6: over budget: … machine instructions, max_code = 1
      banks.test.toml:6: over budget: … cycles, max_cycles = 10
      banks.test.toml:6: over budget: … instructions executed, max_instructions = 1
      banks.test.toml:6: over budget: … lanes on, min_lanes = 33
      banks.test.toml:6: over budget: … cache lines asked for, max_lines = 1
      banks.test.toml:6: over budget: 62 cycles of LDS bank conflicts, no_bank_conflicts = true
1 passed, 1 failed
"#,
    ),
];
