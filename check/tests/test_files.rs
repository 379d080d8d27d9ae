//! Test files taken apart into cases, each with its name, its place and the command that runs it again.

use std::path::Path;
use std::time::Duration;
use wavepipe_check::Case;
use wavepipe_check::place::line_column;
use wavepipe_check::suite::{self, variants};

fn labels(text: &str) -> Vec<String> {
    variants(Path::new("a.test.toml"), text).unwrap().into_iter().map(|v| v.label).collect()
}

fn says(text: &str) -> String {
    variants(Path::new("a.test.toml"), text).unwrap_err().to_string()
}

const ANY: &str = "[[expect]]\nname = 'y'\nvalues = [1]\n";

#[test]
fn matrices_are_products_and_tests_have_names() {
    assert_eq!(labels(ANY), [""]);
    assert_eq!(
        labels(&format!("{ANY}[matrix]\nwave = [32, 64]\nspec.TILE = [4, 8]")),
        ["[wave=32,TILE=4]", "[wave=32,TILE=8]", "[wave=64,TILE=4]", "[wave=64,TILE=8]"]
    );
    let text = format!("{ANY}[[test]]\nname = 'a'\nspec.N = 1\n[[test]]\nname = 'b'\nmatrix.seed = '3..5'\n");
    assert_eq!(labels(&text), ["a", "b[seed=3]", "b[seed=4]"]);
    let all = variants(Path::new("a.test.toml"), &text).unwrap();
    assert_eq!((all[0].line, all[1].line, all[2].test.seed.as_ref().map(|s| *s.get_ref())), (4, 7, Some(4)));
    assert!(all.iter().all(|v| v.test.expect.len() == 1) && all[0].test.spec.contains_key("N"));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let begin = |text: &str, with: &str| assert!(says(text).starts_with(with), "{}", says(text));
    begin("[[expect]]\nname = 'y'\nvaleus = [1]", "a.test.toml:3:1: there is no `valeus` here. Did you mean `values`?");
    begin("shader = 3", "a.test.toml:1:10: invalid type: integer `3`, expected a string");
    begin("wave = 48\n[fault]", "a.test.toml:1:8: wave is 32 or 64");
    begin("", "a.test.toml:1:1: nothing is expected: add [[expect]]");
    begin("timeout = '5'\n[fault]", "a.test.toml:1:11: a time is 10s or 500ms");
    begin(&format!("{ANY}[matrix]\nseed = 'x'"), "a.test.toml:4:1: seed is a list of numbers");
    begin(&format!("{ANY}[[test]]\nspec.N = 1"), "a.test.toml:4:1: a [[test]] has a name");
    begin(&format!("{ANY}[[test]]\nname = 'a'\n[[test]]\nname = 'a'"), "a.test.toml:1:1: two cases are called `a`");
    begin("x = [", "a.test.toml:1:");
}

#[test]
fn times_have_units() {
    let timeout = |text: &str| {
        let all = variants(Path::new("a.test.toml"), &format!("timeout = '{text}'\n{ANY}"));
        all.map(|all| all[0].timeout).map_err(|e| e.to_string())
    };
    assert_eq!(timeout("1.5s"), Ok(Duration::from_millis(1500)));
    assert_eq!(timeout("20ms"), Ok(Duration::from_millis(20)));
    for wrong in ["3", "-1s", "0s"] {
        assert_eq!(timeout(wrong), Err("a.test.toml:1:11: a time is 10s or 500ms".to_owned()), "{wrong}");
    }
}

#[test]
fn commands_are_words_of_a_shell() {
    let case = |file: &str, label: &str| {
        Case { file: file.into(), label: label.into(), line: 1, timeout: suite::TIMEOUT, gpu: None }.again()
    };
    assert_eq!(case("a/b.test.toml", ""), "wavepipe test a/b.test.toml");
    assert_eq!(case("my tests/b.amber", ""), "wavepipe test 'my tests/b.amber'");
    assert_eq!(case("b.test.toml", "x[wave=64]"), "wavepipe test b.test.toml --case 'x[wave=64]'");
}

#[test]
fn lines_and_columns() {
    assert_eq!(line_column("a\nbé c\n", 6), (2, 4));
    assert_eq!(line_column("", 5), (1, 1));
}
