//! The table of engines, and what may stand in a file that is laid over it.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use wavepipe_runtime::engines::{Drawing, Engines, Names, Shown};
use wavepipe_runtime::tested::mentions;

/// Opens a text as a file; errors name the line first.
fn open(text: &str) -> Result<Engines, String> {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let name = format!("engines-{}-{}.toml", std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    let name = path.to_str().unwrap();
    let opened = Engines::open(name).map_err(|why| why.strip_prefix(&format!("{name}:")).unwrap().into());
    std::fs::remove_file(&path).unwrap();
    opened
}

fn engine(name: &str, version: u32) -> Names<'_> {
    Names { engine: Some((name.as_bytes(), version)), application: None }
}

#[test]
fn each_entry_that_ships_says_why_and_where() {
    for program in Engines::Standard.programs() {
        assert!(program.why.len() > 20 && program.source.len() > 20, "{program}");
        assert_ne!(program.shown, Shown::default(), "{program}");
        for name in program.engine.iter().chain(&program.application) {
            assert!(mentions(&Engines::Standard, &engine(name, 0)), "{name}");
            assert!(!mentions(&Engines::Standard, &engine(&name[1..], 0)), "{name}");
        }
    }
    let wgpu = Engines::Standard.shown(&engine("wgpu-hal", 2));
    assert_eq!(wgpu, Shown { conformance: Some([1, 3, 0, 0]), drawing: Drawing::empty() });
    let dawn = Engines::Standard.shown(&engine("Dawn", 0));
    assert_eq!((dawn.conformance, dawn.drawing.names().count()), (None, 5));
}

#[test]
fn nobody_else_is_shown_anything() {
    for name in ["", "vulkaninfo", "dawn", "Dawn ", "wgpu", "wgpu-ha", "No Engine"] {
        assert_eq!(Engines::Standard.shown(&engine(name, 1)), Shown::default(), "{name}");
        let application = Names { application: Some((b"Dawn", 0)), ..engine(name, 1) };
        assert_eq!(Engines::Standard.shown(&application), Shown::default(), "{name}");
    }
    assert_eq!(Engines::Standard.shown(&Names::default()), Shown::default());
    assert_eq!(Engines::off().shown(&engine("Dawn", 0)), Shown::default());
}

/// Names and versions as in an entry; `shown` is the entry's conformance.
#[test]
fn names_and_versions() {
    let table = open(
        "program = [
            { engine = 'e', versions = [2, 4], conformance = '1.0.0.0', why = '' },
            { application = 'a', versions = [7, 7], conformance = '2.0.0.0', why = '' },
            { engine = 'e', application = 'a', conformance = '3.0.0.0', why = '', features = ['logicOp'] },
        ]",
    );
    let table = table.unwrap();
    let shown = |engine, application| {
        let bytes = |(name, version): (&'static str, u32)| (name.as_bytes(), version);
        let names = Names { engine: Some(bytes(engine)), application: Some(bytes(application)) };
        table.shown(&names).conformance.map(|c| c[0])
    };
    assert_eq!([1, 2, 4, 5].map(|v| shown(("e", v), ("x", 7))), [None, Some(1), Some(1), None]);
    assert_eq!([6, 7, 8].map(|v| shown(("x", 3), ("a", v))), [None, Some(2), None]);
    assert_eq!([2, 9].map(|v| shown(("e", v), ("a", 7))), [Some(3), Some(3)]);
    // Entries add up.
    let both = Names { engine: Some((b"e", 3)), application: Some((b"a", 7)) };
    assert_eq!((table.of(&both).count(), table.shown(&both).drawing), (3, Drawing::LOGIC_OP));
}

#[test]
fn mistakes_name_their_line() {
    let wrong = |text: &str| open(text).unwrap_err();
    for (text, said) in [
        ("[[program]]\nengine = 'x'\n", "1: missing field `why`"),
        ("\n[[program]]\nwhy = 'x'\n", "2: a program without a name: give engine or application"),
        ("[[program]]\nengine = ''\nwhy = ''", "1: a program without a name: give engine or application"),
        ("[[program]]\nengine = 'x'\nwhy = ''\nshow = 1\n", "4: unknown field `show`, expected one of "),
        ("[[engine]]\nname = 'x'\n", "1: unknown field `engine`, expected `program`"),
        ("[[program]]\nengine = 'x'\nwhy = ''\nconformance = '1.3'", "4: `1.3` is no version: give four numbers"),
        ("[[program]]\nengine = 'x'\nwhy = ''\nconformance = '1.3.0.x'", "4: `1.3.0.x` is no version"),
        ("[[program]]\nengine = 'x'\nversions = [3, 2]\nwhy = ''", "3: the first version is behind the last: swap"),
        ("[[program]]\nengine = 'x'\nversions = [-1, 2]\nwhy = ''", "3: invalid value: integer `-1`"),
        (
            "[[program]]\nengine = 'x'\nwhy = ''\nfeatures = [\n 'logicOp',\n 'shaderInt8' ]",
            "6: `shaderInt8` is no feature of drawing, and no other is shown; there are fullDrawIndexUint32, ",
        ),
        ("[[program]]\nengine = 'x\nwhy = ''", "2: "),
    ] {
        assert!(wrong(text).starts_with(said), "{text}\n{}", wrong(text));
    }
}
