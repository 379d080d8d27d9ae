//! `wavepipe timing`: the table of instructions.

use wavepipe_cli::tested::timing::table;
use wavepipe_runtime::timing::reason::Reason;
use wavepipe_runtime::timing::sequence::{Issue, Timeline};

#[test]
fn the_table_shows_cycles_and_waits() {
    let issue = |text: &str, passes: &[u64], stalled, reason| Issue {
        text: text.into(),
        label: text.starts_with("v_mul").then(|| "again".into()),
        passes: passes.to_vec(),
        stalled,
        reason,
    };
    let issues = vec![
        issue("s_add_i32 s0, s1, s2", &[0], 0, Reason::Arbitration),
        issue("v_mul_f32 v0, v1, s0", &[2, 3], 1, Reason::Scalar),
        issue("v_rcp_f32 v0, v1", &[7, 11], 3, Reason::Arbitration),
    ];
    let text = table(&Timeline { issues, cycles: 12 });
    let expected = "\
issue  instruction           waited for
0      s_add_i32 s0, s1, s2
       again:
2, 3   v_mul_f32 v0, v1, s0  1 scalar result
7, 11  v_rcp_f32 v0, v1      3 unit busy
12 cycles
";
    assert_eq!(text, expected);
}
