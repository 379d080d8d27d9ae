//! Programs with windows, through the real loader, on an X server of the test's own, whose screen is looked at.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use wavepipe_tests::{clean, installed, lavapipe_manifest, program, scratch, skip, wavepipe_manifest, with_driver};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, ImageFormat,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Longer than anything but a hang.
const PATIENCE: Duration = Duration::from_secs(120);
/// The board of `life`, and its window at first.
const BOARD: [u32; 2] = [300, 200];
const WINDOW: [u32; 2] = [900, 600];

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `None` where there is no X server to start.
fn x_server() -> Option<(Running, String)> {
    if !Path::new("/usr/bin/Xvfb").exists() {
        skip("Xvfb").unwrap();
        return None;
    }
    let mut child = Command::new("/usr/bin/Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut number).unwrap();
    Some((Running(child), format!(":{}", number.trim())))
}

/// The window of a program, by its title.
fn find(x: &RustConnection, title: &str) -> u32 {
    let root = x.setup().roots[0].root;
    let start = Instant::now();
    loop {
        for window in x.query_tree(root).unwrap().reply().unwrap().children {
            let (name, string) = (AtomEnum::WM_NAME, AtomEnum::STRING);
            let called = x.get_property(false, window, name, string, 0, 64).unwrap().reply();
            if called.is_ok_and(|called| called.value == title.as_bytes()) {
                return window;
            }
        }
        assert!(start.elapsed() < PATIENCE, "no window is called {title}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Red, green and blue of each pixel of the window, from the top.
fn pixels(x: &RustConnection, window: u32, [width, height]: [u32; 2]) -> Option<Vec<[u8; 3]>> {
    let image = x.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width as u16, height as u16, !0).unwrap();
    let data = image.reply().ok()?.data;
    Some(data.as_chunks::<4>().0.iter().map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect())
}

/// Looks until the window is as it should be.
#[track_caller]
fn comes_to_show(x: &RustConnection, window: u32, size: [u32; 2], right: impl Fn(&[[u8; 3]]) -> bool) {
    let start = Instant::now();
    while !pixels(x, window, size).is_some_and(|pixels| right(&pixels)) {
        assert!(start.elapsed() < PATIENCE, "the window does not come to show it");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The window is the board, each of whose cells is as large as the window has room for.
fn is_board(board: &[u8], size: [u32; 2], pixels: &[[u8; 3]]) -> bool {
    let [width, height] = size;
    (0..height).all(|y| {
        (0..width).all(|x| {
            let (across, down) = (x * BOARD[0] / width, y * BOARD[1] / height);
            let cell = (down * BOARD[0] + across) as usize * 4;
            pixels[(y * width + x) as usize] == board[cell..cell + 3]
        })
    })
}

/// How the program ends, which it is to do now.
#[track_caller]
fn ends(running: &mut Running) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = running.0.try_wait().unwrap() {
            return status;
        }
        assert!(start.elapsed() < PATIENCE, "the program goes on without its window");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// `life --window` on the driver of that manifest.
fn life_in_a_window(manifest: &Path, name: &str) {
    let Some((_server, display)) = x_server() else { return };
    let life = program("examples/life").unwrap();
    let answer = scratch(&format!("window-{name}.raw"));
    let computed = clean(&life).args(["--host", "runtime", "--raw"]).arg(&answer).output().unwrap();
    assert!(computed.status.success());
    let board = std::fs::read(&answer).unwrap();
    let mut command = with_driver(&life, manifest);
    command.args(["--window", "--frames", "24"]).env("DISPLAY", &display);
    command.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
    let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let (x, _) = RustConnection::connect(Some(&display)).unwrap();
    let window = find(&x, "life");
    comes_to_show(&x, window, WINDOW, |pixels| is_board(&board, WINDOW, pixels));

    // The same picture, in a window of another size.
    let other = [600, 800];
    let size = ConfigureWindowAux::new().width(other[0]).height(other[1]);
    x.configure_window(window, &size).unwrap().check().unwrap();
    comes_to_show(&x, window, other, |pixels| is_board(&board, other, pixels));

    // As a window manager's button does.
    let atom = |name: &[u8]| x.intern_atom(false, name).unwrap().reply().unwrap().atom;
    let (protocols, close) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
    let message = ClientMessageEvent::new(32, window, protocols, [close, 0, 0, 0, 0]);
    x.send_event(false, window, EventMask::NO_EVENT, message).unwrap();
    x.sync().unwrap();
    let status = ends(&mut running);
    let said = std::io::read_to_string(running.0.stdout.take().unwrap()).unwrap();
    let complained = std::io::read_to_string(running.0.stderr.take().unwrap()).unwrap();
    assert!(status.success() && said.starts_with("life: 24 pictures on "), "{status}: {said}{complained}");
    // The layer writes to standard output.
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!complained.contains("wavepipe: "), "{complained}");
}

#[test]
fn life_goes_on_in_a_window() {
    if !installed("vulkaninfo") {
        skip("libvulkan1").unwrap();
        return;
    }
    life_in_a_window(&wavepipe_manifest().unwrap(), "wavepipe");
}

/// The sample asks for nothing that only this driver has.
#[test]
fn life_goes_on_in_a_window_of_lavapipe() {
    match lavapipe_manifest() {
        Some(manifest) => life_in_a_window(&manifest, "lavapipe"),
        None => skip("lavapipe").unwrap(),
    }
}

/// Who has no window to show is told what to do, and scripts are told by the exit code.
#[test]
fn life_says_why_it_has_no_window() {
    let life = program("examples/life").unwrap();
    let on = |display: Option<&str>, arguments: &[&str]| {
        let mut command = with_driver(&life, &wavepipe_manifest().unwrap());
        command.args(arguments).env_remove("DISPLAY");
        let output = command.envs(display.map(|display| ("DISPLAY", display))).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let window = ["--window"];
    let unset = "life: no window: DISPLAY is not set; set it to an X server's, as :0, or leave --window out\n";
    assert_eq!(on(None, &window), (Some(3), unset.into()));
    assert_eq!(on(Some(""), &window), (Some(3), unset.into()));
    for display in [":65000", "nonsense"] {
        let (code, said) = on(Some(display), &window);
        assert!(said.starts_with(&format!("life: no window: display {display} does not open (")), "{said}");
        let next = "; set DISPLAY to that of an X server that runs, or leave --window out\n";
        assert!(code == Some(3) && said.ends_with(next), "{code:?}: {said}");
    }
    // What only a window has, and what no window has.
    for arguments in [&["--frames", "3"][..], &["--window", "--json"], &["--window", "--host", "runtime"]] {
        assert_eq!(on(None, arguments).0, Some(2), "{arguments:?}");
    }
}

/// The server goes under a window: an error, and an end.
#[test]
fn life_ends_with_its_server() {
    let Some((server, display)) = x_server() else { return };
    let mut command = with_driver(&program("examples/life").unwrap(), &wavepipe_manifest().unwrap());
    command.arg("--window").env("DISPLAY", &display).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let (x, _) = RustConnection::connect(Some(&display)).unwrap();
    let window = find(&x, "life");
    comes_to_show(&x, window, WINDOW, |pixels| pixels.contains(&[255; 3]));
    drop(server);
    let status = ends(&mut running);
    let said = std::io::read_to_string(running.0.stderr.take().unwrap()).unwrap();
    assert_eq!(status.code(), Some(3), "{said}");
    assert!(said.starts_with("life: ") && said.lines().count() == 1, "{said}");
}

/// A program that draws is told that it cannot, and goes on to say so itself: nothing crashes in the driver.
#[test]
fn vkcube_is_refused_its_pipeline() {
    if !installed("vkcube") {
        skip("vkcube").unwrap();
        return;
    }
    let Some((_server, display)) = x_server() else { return };
    let mut command = with_driver(Path::new("/usr/bin/vkcube"), &wavepipe_manifest().unwrap());
    let output = command.args(["--c", "3"]).env("DISPLAY", &display).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Selected GPU 0: wavepipe"), "{said}");
    assert!(said.contains("vkCreateGraphicsPipelines: graphics pipelines are not supported"), "{said}");
    // Its own words for a call that failed.
    assert!(said.contains("demo_prepare_pipeline: Assertion"), "{said}");
}
