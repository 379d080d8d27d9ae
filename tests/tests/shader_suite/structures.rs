//! AmberScript with structures, written for these tests.

use super::Report;

/// Two bodies in a buffer that a shader moves: what the last line of the wanted ones is, and what is expected.
macro_rules! bodies {
    ($last:literal, $expectations:literal) => {
        concat!(
            r#"#!amber
STRUCT part
  vec2<float> place
  float mass
END
STRUCT body # as std430 has it: 56 bytes
  uint32 kind
  part parts[2]
  mat2x2<float> turn
END
STRUCT settings
  float scale
  vec3<float> shift
END
STRUCT pushed STRIDE 16
  float factor OFFSET 4
  int32 more OFFSET 12
END

SHADER compute move GLSL
#version 450
struct Part { vec2 place; float mass; };
struct Body { uint kind; Part parts[2]; mat2 turn; };
layout(set = 0, binding = 0) buffer Bodies { Body bodies[]; };
layout(set = 0, binding = 1, std140) uniform Settings { float scale; vec3 shift; };
layout(push_constant) uniform Pushed { layout(offset = 4) float factor; layout(offset = 12) int more; };
void main() {
    uint i = gl_WorkGroupID.x;
    bodies[i].kind += more;
    bodies[i].parts[0].place += shift.yz;
    bodies[i].parts[1].mass *= scale * factor;
    bodies[i].turn[1] *= 2.0;
}
END

BUFFER bodies DATA_TYPE body DATA
  1  1 2 3  4 5 6  7 8 9 10
  10  11 12 13  14 15 16  17 18 19 20
END
BUFFER set DATA_TYPE settings STD140 DATA 2.0 100.0 0.5 0.25 END
BUFFER push DATA_TYPE pushed DATA 3.0 5 END
BUFFER wanted DATA_TYPE body DATA
  6  1.5 2.25 3  4 5 36  7 8 18 20
"#,
            $last,
            r#"
END
BUFFER ones DATA_TYPE body SIZE 2 FILL 1

PIPELINE compute p
  ATTACH move
  BIND BUFFER bodies AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER set AS uniform DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER push AS push_constant
END
RUN p 2 1 1
"#,
            $expectations
        )
    };
}

pub const STRUCTURES: &[Report] = &[
    (
        "good.amber",
        &[(
            "bodies.amber",
            bodies!(
                "  15  11.5 12.25 13  14 15 96  17 18 38 40",
                r#"EXPECT bodies EQ_BUFFER wanted
EXPECT bodies IDX 0 EQ 6 1.5 2.25 3 4 5 36 7 8 18 20 15 11.5
EXPECT bodies IDX 88 EQ 96 17 18
EXPECT bodies IDX 32 TOLERANCE 0.5 EQ 36.25 7
EXPECT set IDX 16 EQ 100 0.5
EXPECT ones IDX 48 EQ 1 1 1
"#
            ),
        )],
        0,
        r#"pass  bodies.amber
1 passed
"#,
    ),
    (
        "bad.amber",
        &[(
            "bodies.amber",
            bodies!(
                "  15  11.5 12.25 13  14 15 96  17 18 38 41",
                r#"EXPECT bodies IDX 0 EQ 6 1.5 2.5
EXPECT bodies IDX 88 TOLERANCE 0.5 EQ 97 17
EXPECT bodies EQ_BUFFER wanted
EXPECT bodies IDX 56 GT 20
"#
            ),
        )],
        1,
        r#"FAIL  bodies.amber
      bodies.amber:55: bodies: 1 of 3 numbers is not as wanted (body[2], exactly)
        element 0.parts[0].place.y, byte 12: got 2.25, wanted 2.5 ± …
        last written by work-group (0, 0, 0), wave 0, lane 0, invocation (0, 0, 0), bodies.amber:30, `buffer_store…`
        again: wavepipe test bodies.amber
      bodies.amber:56: bodies: 1 of 2 numbers is not as wanted (body[2], within 0.5)
        element 1.parts[1].mass, byte 88: got 96, wanted 97 ± 0.5, …
        last written by work-group (1, 0, 0), wave 0, lane 0, invocation (1, 0, 0), bodies.amber:31, `buffer_store…`
        again: wavepipe test bodies.amber
      bodies.amber:57: bodies: 1 of 22 numbers is not as wanted (body[2], exactly)
        element 1.turn[1].y, byte 108: got 40, wanted 41, …
        last written by work-group (1, 0, 0), wave 0, lane 0, invocation (1, 0, 0), bodies.amber:32, `buffer_store…`
        again: wavepipe test bodies.amber
      bodies.amber:58: bodies: 1 of 1 numbers is not as wanted (body[2], exactly)
        element 1.kind, byte 56: got 15, wanted more than 20
        last written by work-group (1, 0, 0), wave 0, lane 0, invocation (1, 0, 0), bodies.amber:29, `buffer_store…`
        again: wavepipe test bodies.amber
0 passed, 1 failed
"#,
    ),
    (
        "within.amber",
        &[(
            "within.amber",
            r#"#!amber
STRUCT s
  float a
  vec2<float> b
END
BUFFER data DATA_TYPE s SIZE 2 FILL 0
EXPECT data IDX 24 EQ 0 0
EXPECT data IDX 20 EQ 0
"#,
        )],
        2,
        r#"WRONG within.amber
      within.amber:8: IDX 20: no number of s begins at byte 4
0 passed, 1 wrong
"#,
    ),
    (
        "short.amber",
        &[(
            "short.amber",
            r#"#!amber
STRUCT s
  float a
  float b OFFSET 2
END
BUFFER data DATA_TYPE s SIZE 2 FILL 0
EXPECT data IDX 0 EQ 0
"#,
        )],
        2,
        r#"WRONG short.amber
      short.amber:4: OFFSET 2: the member before b ends at byte 4
0 passed, 1 wrong
"#,
    ),
];
