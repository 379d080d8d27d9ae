//! The debugger in a terminal.

pub(crate) mod app;
pub(crate) mod draw;

pub use self::app::KEYS;

use self::app::{App, Motion};
use super::desk::Desk;
use crate::failure::{Failure, Result};
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyModifiers};
use ratatui::crossterm::execute;
use std::io::{self, stdout};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// Until somebody quits. The terminal is as it was behind it, by a panic too.
pub fn run(desk: &mut Desk) -> Result<()> {
    let failed = |e: io::Error| Failure::Driver(format!("the terminal: {e}"));
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let _ = execute!(stdout(), EnableMouseCapture);
    let mut app = App::new(desk);
    let ended = loop {
        if let Err(e) = terminal.draw(|frame| draw::draw(&mut app, frame)) {
            break Err(e);
        }
        let motion = match event::read() {
            Ok(Event::Key(key)) if key.is_press() => app.key(key),
            Ok(Event::Mouse(mouse)) => app.mouse(mouse),
            Ok(_) => None,
            Err(e) => break Err(e),
        };
        match motion {
            Some(Motion::Quit) => break Ok(()),
            Some(motion) => {
                app.message = "running; Esc interrupts".into();
                if let Err(e) = terminal.draw(|frame| draw::draw(&mut app, frame)) {
                    break Err(e);
                }
                watched(&mut app, motion);
            }
            None => {}
        }
    };
    let _ = execute!(stdout(), DisableMouseCapture);
    ratatui::restore();
    ended.map_err(failed)
}

/// Lets the machine go while another thread looks whether Esc is pressed.
fn watched(app: &mut App<'_>, motion: Motion) {
    let interrupt = app.desk.held.interrupt();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(SeqCst) {
                if !event::poll(Duration::from_millis(50)).unwrap_or(false) {
                    continue;
                }
                // Keys that are pressed meanwhile mean nothing else: what runs may have ended elsewhere.
                let Ok(Event::Key(key)) = event::read() else { continue };
                let control_c = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
                if key.code == KeyCode::Esc || control_c {
                    interrupt.store(true, SeqCst);
                }
            }
        });
        app.go(motion);
        done.store(true, SeqCst);
    });
    // What came too late interrupts nothing else.
    interrupt.store(false, SeqCst);
}
