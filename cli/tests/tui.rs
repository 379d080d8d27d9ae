//! Keys in, screens out: each screen is a file of `golden/`; WAVEPIPE_BLESS=1 writes them.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::path::Path;
use std::sync::Arc;
use wavepipe::files::{Given, instead};
use wavepipe::held;
use wavepipe::job::Job;
use wavepipe::shader::Shader;
use wavepipe::work::Work;
use wavepipe_cli::tested::debug::{App, Desk, draw};
use wavepipe_cli::tested::flags::buffer_flag;
use wavepipe_runtime::{Config, WaveSize};

const TURN: &str = "\
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i * 3u;
    workgroupBarrier();
    y[i] = tile[i ^ 1u];
    if i % 3u == 0u {
        y[i] += 100u;
    }
}
";

/// A terminal of 110 × 40, and what it shows.
struct Screen<'d> {
    app: App<'d>,
    terminal: Terminal<TestBackend>,
}

impl Screen<'_> {
    fn show(&mut self) -> String {
        self.terminal.draw(|frame| draw(&mut self.app, frame)).unwrap();
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let symbols: Vec<&str> = buffer.content.iter().map(|c| c.symbol()).collect();
        let rows = symbols.chunks(width).map(|row| row.concat().trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n") + "\n"
    }

    fn code(&mut self, code: KeyCode) {
        if let Some(motion) = self.app.key(KeyEvent::new(code, KeyModifiers::NONE)) {
            self.app.go(motion);
        }
    }

    /// Presses keys by their characters.
    fn keys(&mut self, keys: &str) {
        keys.chars().for_each(|c| self.code(if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) }));
    }

    fn click(&mut self, x: u16, y: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let _ = self.app.mouse(MouseEvent { kind, column: x, row: y, modifiers: KeyModifiers::NONE });
    }

    #[track_caller]
    fn is(&mut self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
        let shown = self.show();
        if std::env::var_os("WAVEPIPE_BLESS").is_some() {
            std::fs::write(&path, shown).unwrap();
            return;
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(shown, wanted, "{name}; WAVEPIPE_BLESS=1 writes it\n{shown}");
    }
}

fn on_turn(wave: Option<u32>, test: impl FnOnce(&mut Screen<'_>)) {
    on_turn_clocked(wave, false, test);
}

fn on_turn_clocked(wave: Option<u32>, clocked: bool, test: impl FnOnce(&mut Screen<'_>)) {
    let mut job = Job::of_shader(Path::new("turn.wgsl"));
    job.wave = wave;
    job.dispatches[0].groups = Some([1, 1, 1]);
    job.given = vec![buffer_flag("y=[64]").unwrap()];
    let shader = Arc::new(Shader::wgsl(TURN).unwrap());
    let work = Work::new(job, &[shader]).unwrap();
    let wave = wave.map(|n| if n == 64 { WaveSize::W64 } else { WaveSize::W32 });
    let config = Config { wave, ..Config::default() };
    let (session, mut held) = held::machine(&config, false).unwrap();
    held.follow(if clocked { held::schedules(&work, &config).unwrap() } else { Vec::new() });
    let loaded = work.load(&session).unwrap();
    loaded.introduce(&mut held);
    let submitted = loaded.begin(&session).unwrap();
    let mut desk = Desk::new(held, session.device().clone(), &loaded.codes());
    let terminal = Terminal::new(TestBackend::new(110, 40)).unwrap();
    // The shader is in no file.
    let given = Given::from([("shader.wgsl".into(), TURN.into())]);
    instead(given, || test(&mut Screen { app: App::new(&mut desk), terminal }));
    drop(desk);
    drop(submitted);
}

#[test]
fn a_walk_through_a_shader() {
    on_turn(None, |screen| {
        screen.is("begin");
        // To the line of the cursor, and on, past the barrier.
        screen.code(KeyCode::Down);
        screen.code(KeyCode::Down);
        screen.code(KeyCode::Down);
        screen.keys("\n");
        screen.is("behind_the_barrier");
        // One lane in three.
        screen.code(KeyCode::Down);
        screen.code(KeyCode::Down);
        screen.keys(" c");
        screen.is("diverged");
        screen.keys("pv0\n");
        screen.is("picture");
        screen.keys("S");
        screen.is("back");
        screen.keys("?");
        screen.is("help");
    });
}

#[test]
fn waves_of_64_lanes() {
    on_turn(Some(64), |screen| {
        screen.keys("ssss");
        screen.is("wave64");
    });
}

#[test]
fn the_clock_has_the_order() {
    on_turn_clocked(None, true, |screen| {
        screen.keys("5ssst");
        screen.is("clocked");
        let cycle = screen.app.desk.held.cycle();
        screen.keys("t");
        assert!(screen.app.desk.held.cycle() > cycle);
        screen.keys("T");
        assert_eq!(screen.app.desk.held.cycle(), cycle);
        screen.keys("ccccccc");
        assert!(screen.show().contains("all dispatches have ended"));
    });
    on_turn(None, |screen| {
        screen.keys("5");
        assert!(screen.show().contains("one for each instruction"), "{}", screen.show());
    });
}

#[test]
fn keys_say_what_they_do() {
    on_turn(None, |screen| {
        let mut said = |keys: &str| {
            screen.keys(keys);
            screen.app.message.clone()
        };
        assert_eq!(said("z"), "`z` does nothing: ? shows the keys");
        assert!(said("esun\n").contains("nothing is called sun"));
        assert_eq!(said("ev0[5]\n"), "v0[5] = 0x5");
        assert_eq!(said("escc == 2\n"), "scc == 2 = 0");
        assert_eq!(said("dv0\n"), "v0 is a register: memory and LDS can be watched, registers by a condition");
        assert!(said("dy[3] @if sun\n").contains("nothing is called sun"), "{}", said(""));
        assert!(said("dy[3] @if\n").starts_with("condition ``"), "{}", said(""));
        assert_eq!(said("dy[3] @if y[3] == 5\n"), "stops when y[3] @if y[3] == 5 changes");
        assert_eq!(said("dy[3]\n"), "stops when y[3] changes");
        assert!(said("c").starts_with("changed from 0x0 to 0x6 by wave 0 at shader.wgsl:8 +0x"), "{}", said(""));
        assert_eq!(said("gx\n"), "`x` is no number of an instruction");
        assert_eq!(said("g0\n"), "in front of the first instruction");
        assert!(said("fv0 >\n").starts_with("condition `v0 >`"), "{}", said(""));
        assert_eq!(said("fexec & 1\n"), "breakpoint at line 8");
        assert_eq!(said(" "), "no breakpoint at line 8 any more");
    });
}

#[test]
fn the_mouse_chooses() {
    on_turn(None, |screen| {
        screen.show();
        let (strip, turn) = screen.app.areas.strips[1];
        screen.click(strip.x + 7, strip.y);
        assert_eq!((screen.app.desk.focus(), screen.app.desk.lane), (Some(turn), 7));
        let (source, first) = screen.app.areas.source;
        assert_eq!(first, 0);
        // The number of line 8 sets a breakpoint, and takes it away.
        screen.click(source.x + 2, source.y + 7);
        assert_eq!((screen.app.cursor, screen.app.breakpoints.len()), (8, 1));
        screen.click(source.x + 2, source.y + 7);
        assert!(screen.app.breakpoints.is_empty());
        let (tab, lower) = screen.app.areas.tabs[2];
        screen.click(tab.x + 1, tab.y);
        assert_eq!(screen.app.lower, lower);
    });
}

#[test]
fn a_small_terminal_harms_nobody() {
    on_turn(None, |screen| {
        for (width, height) in [(1, 1), (20, 5), (40, 12), (300, 100)] {
            screen.terminal.backend_mut().resize(width, height);
            screen.show();
            screen.keys("?");
            screen.show();
            screen.keys("?");
        }
    });
}

#[test]
fn at_the_end_nothing_goes_on() {
    on_turn(None, |screen| {
        screen.keys("c");
        assert_eq!(screen.app.message, "the dispatch has ended");
        screen.show();
        screen.keys("I");
        assert!(screen.app.desk.focused().is_some(), "one goes back from there");
        screen.keys("cc");
        assert_eq!(screen.app.message, "all dispatches have ended");
        screen.keys("s");
        assert_eq!(screen.app.message, "all dispatches have ended: q quits");
        screen.show();
        assert!(screen.app.desk.stop().is_none());
    });
}
