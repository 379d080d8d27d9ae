//! What keys and the mouse do: the state of the terminal program beside that of the machine.

use crate::debug::desk::Desk;
use crate::debug::marks::Times;
use crate::watch::At;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;
use wavepipe::inspect::{Breakpoint, Turn, Unit, Where};

/// What the lower left part shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lower {
    Lds,
    Picture,
    Stack,
    Memory,
    Machine,
}

impl Lower {
    pub const ALL: [(Lower, &'static str); 5] = [
        (Lower::Lds, "LDS"),
        (Lower::Picture, "picture"),
        (Lower::Stack, "call stack"),
        (Lower::Memory, "memory"),
        (Lower::Machine, "machine"),
    ];
}

/// What lets the machine go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Motion {
    Forwards(Unit),
    Back(Unit),
    RunTo(At),
    Goto(u64),
    Quit,
}

/// What is being typed, and for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prompt {
    Picture,
    Evaluate,
    /// A condition of the breakpoint at the cursor.
    Condition,
    /// Bytes whose change stops.
    Data,
    Goto,
}

impl Prompt {
    pub fn label(self) -> &'static str {
        match self {
            Prompt::Picture => "picture of",
            Prompt::Evaluate => "value of",
            Prompt::Condition => "break here if",
            Prompt::Data => "stop when this changes",
            Prompt::Goto => "go to instruction",
        }
    }
}

/// Keys and what they do, as help shows them.
pub const KEYS: &[(&str, &str)] = &[
    ("s  S", "step to another line, forwards or back"),
    ("n  N", "the same past functions that are called"),
    ("i  I", "step an instruction"),
    ("o", "out of the function"),
    ("w  W", "until it is another wave's turn"),
    ("b", "until a barrier opens"),
    ("t  T", "until the next cycle in which something issues (--timing), or an instruction"),
    ("c  C", "run to a breakpoint or the end, or back to one"),
    ("Enter", "run to the line of the cursor"),
    ("Up Down", "move the cursor in the source (j, k)"),
    ("Space", "breakpoint at the cursor, or none"),
    ("f", "breakpoint at the cursor with a condition: v0[5] > 3"),
    ("d", "stop when memory or LDS changes: x[3], lds[0x40] @if v0 > 3"),
    ("Left Right", "choose a lane (h, l)"),
    ("Tab", "look at another wave"),
    ("1 to 5", "LDS, picture of the work-group, call stack, memory, cycle and queues and caches"),
    ("p", "choose what the picture shows: v0, x:f32, exec"),
    ("e", "value of something: v0[5], s[4:5], lds[0x40;4], v0 > 3"),
    ("g", "go to an instruction of the dispatch by its number"),
    ("mouse", "a line sets the cursor, its number a breakpoint; waves and lanes are chosen"),
    ("q", "quit"),
];

/// Where things are on the screen, as they were drawn last.
#[derive(Default)]
pub struct Areas {
    /// Lines of source: the first that is shown.
    pub source: (Rect, usize),
    pub waves: Vec<(Rect, Turn)>,
    /// Lanes of the wave that is looked at.
    pub strips: Vec<(Rect, Turn)>,
    pub tabs: Vec<(Rect, Lower)>,
}

pub struct App<'d> {
    pub desk: &'d mut Desk,
    pub lower: Lower,
    pub prompt: Option<(Prompt, String)>,
    pub help: bool,
    pub message: String,
    pub picture: String,
    /// File that is shown, and the line of the cursor, from 1.
    pub file: String,
    pub cursor: u32,
    /// By file and line.
    pub breakpoints: BTreeMap<(String, u32), u32>,
    pub areas: Areas,
    /// Registers that are scrolled away.
    pub scrolled: usize,
}

impl<'d> App<'d> {
    pub fn new(desk: &'d mut Desk) -> App<'d> {
        let mut app = App {
            desk,
            lower: Lower::Stack,
            prompt: None,
            help: false,
            message: "? shows the keys".into(),
            picture: "exec".into(),
            file: String::new(),
            cursor: 1,
            breakpoints: BTreeMap::new(),
            areas: Areas::default(),
            scrolled: 0,
        };
        app.desk.stops_at_ends = true;
        if app.desk.sizes().2 > 0 {
            app.lower = Lower::Lds;
        }
        app.follow();
        if let Some(why) = app.desk.fault_here() {
            app.message = why.to_owned();
        }
        app
    }

    /// The cursor goes where the wave stands.
    fn follow(&mut self) {
        let Some(line) = self.desk.focused().and_then(|w| w.line) else { return };
        self.file = self.desk.held.programs()[line.program as usize].file(line.file).to_owned();
        self.cursor = line.line;
    }

    /// Lets the machine go, and looks where it stands.
    pub fn go(&mut self, motion: Motion) {
        let mut wrong = None;
        match motion {
            Motion::Forwards(unit) => self.desk.go(unit),
            Motion::Back(unit) => self.desk.back(unit),
            Motion::RunTo(at) => wrong = self.desk.run_to(&at).err(),
            Motion::Goto(n) => self.desk.goto(n),
            Motion::Quit => {}
        }
        self.follow();
        let said = self.desk.take_said();
        let why = self.desk.fault_here().map_or_else(|| self.desk.why(), str::to_owned);
        self.message = wrong.or_else(|| said.last().cloned()).unwrap_or(why);
    }

    pub fn key(&mut self, key: KeyEvent) -> Option<Motion> {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Some(Motion::Quit);
        }
        if self.prompt.is_some() {
            return self.typed(key.code);
        }
        if std::mem::take(&mut self.help) {
            return None;
        }
        let finished = self.desk.stop().is_none();
        let motion = match key.code {
            KeyCode::Char('q') => return Some(Motion::Quit),
            KeyCode::Char('s') => Motion::Forwards(Unit::Line),
            KeyCode::Char('S') => Motion::Back(Unit::Line),
            KeyCode::Char('n') => Motion::Forwards(Unit::Over),
            KeyCode::Char('N') => Motion::Back(Unit::Over),
            KeyCode::Char('i') => Motion::Forwards(Unit::Instruction),
            KeyCode::Char('I') => Motion::Back(Unit::Instruction),
            KeyCode::Char('o') => Motion::Forwards(Unit::Out),
            KeyCode::Char('w') => Motion::Forwards(Unit::Wave),
            KeyCode::Char('W') => Motion::Back(Unit::Wave),
            KeyCode::Char('b') => Motion::Forwards(Unit::Barrier),
            KeyCode::Char('t') => Motion::Forwards(Unit::Cycle),
            KeyCode::Char('T') => Motion::Back(Unit::Cycle),
            KeyCode::Char('c') => Motion::Forwards(Unit::Run),
            KeyCode::Char('C') => Motion::Back(Unit::Run),
            KeyCode::Enter => Motion::RunTo(At::Line { file: self.file.clone(), line: self.cursor }),
            other => {
                self.other_key(other);
                return None;
            }
        };
        if finished {
            self.message = "all dispatches have ended: q quits".into();
            return None;
        }
        Some(motion)
    }

    fn other_key(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char('?') => self.help = true,
            KeyCode::Up | KeyCode::Char('k') => self.cursor = self.cursor.saturating_sub(1).max(1),
            KeyCode::Down | KeyCode::Char('j') => self.cursor = (self.cursor + 1).min(self.last_line()),
            KeyCode::PageUp => self.cursor = self.cursor.saturating_sub(10).max(1),
            KeyCode::PageDown => self.cursor = (self.cursor + 10).min(self.last_line()),
            KeyCode::Left | KeyCode::Char('h') => self.desk.lane = self.desk.lane.saturating_sub(1),
            KeyCode::Right | KeyCode::Char('l') => {
                let lanes = self.desk.focused().map_or(64, |w| w.lanes);
                self.desk.lane = (self.desk.lane + 1).min(lanes - 1);
            }
            KeyCode::Tab => self.next_wave(1),
            KeyCode::BackTab => self.next_wave(-1),
            KeyCode::Char(n @ '1'..='5') => self.lower = Lower::ALL[n as usize - '1' as usize].0,
            KeyCode::Char(' ') => self.toggle(self.cursor, None),
            KeyCode::Char('f') => self.prompt = Some((Prompt::Condition, String::new())),
            KeyCode::Char('d') => self.prompt = Some((Prompt::Data, String::new())),
            KeyCode::Char('p') => self.prompt = Some((Prompt::Picture, String::new())),
            KeyCode::Char('e') => self.prompt = Some((Prompt::Evaluate, String::new())),
            KeyCode::Char('g') => self.prompt = Some((Prompt::Goto, String::new())),
            KeyCode::Char('+') => self.scrolled += 1,
            KeyCode::Char('-') => self.scrolled = self.scrolled.saturating_sub(1),
            KeyCode::Char(c) => self.message = format!("`{c}` does nothing: ? shows the keys"),
            _ => {}
        }
    }

    fn last_line(&self) -> u32 {
        self.desk.source(&self.file).map_or(1, |s| s.len() as u32).max(1)
    }

    fn next_wave(&mut self, by: isize) {
        let turns: Vec<Turn> = self.desk.held.waves().iter().map(|w| w.turn).collect();
        let at = self.desk.focus().and_then(|f| turns.iter().position(|t| *t == f)).unwrap_or(0) as isize;
        if let Some(turn) = turns.get((at + by).rem_euclid(turns.len().max(1) as isize) as usize) {
            self.look_at(*turn);
        }
    }

    fn look_at(&mut self, turn: Turn) {
        self.desk.set_focus(turn);
        self.follow();
    }

    /// A breakpoint at a line, or at the next that has code; none if there is one.
    fn toggle(&mut self, line: u32, condition: Option<&str>) {
        let Some(line) = self.desk.lines_of(&self.file).range(line..).next().copied() else {
            self.message = "there is no code on this line, nor behind it".into();
            return;
        };
        let place = (self.file.clone(), line);
        if let Some(id) = self.breakpoints.remove(&place) {
            self.desk.remove(id);
            if condition.is_none() {
                self.message = format!("no breakpoint at line {line} any more");
                return;
            }
        }
        let when = match condition.map(str::parse).transpose() {
            Ok(when) => when,
            Err(e) => {
                self.message = format!("{e}");
                return;
            }
        };
        let at = Where::Line { file: self.file.clone(), line };
        match self.desk.add(Breakpoint { when, ..Breakpoint::at(at) }, Times::Each, None) {
            Ok(id) => {
                self.breakpoints.insert(place, id);
                self.message = format!("breakpoint at line {line}");
            }
            Err(why) => self.message = why,
        }
    }

    fn typed(&mut self, key: KeyCode) -> Option<Motion> {
        let (_, text) = self.prompt.as_mut()?;
        match key {
            KeyCode::Esc => self.prompt = None,
            KeyCode::Backspace => {
                text.pop();
            }
            KeyCode::Char(c) => text.push(c),
            KeyCode::Enter => {
                let (prompt, text) = self.prompt.take()?;
                return self.entered(prompt, text.trim());
            }
            _ => {}
        }
        None
    }

    fn entered(&mut self, prompt: Prompt, text: &str) -> Option<Motion> {
        match prompt {
            _ if text.is_empty() => {}
            Prompt::Picture => {
                self.lower = Lower::Picture;
                self.picture = text.to_owned();
            }
            Prompt::Condition => self.toggle(self.cursor, Some(text)),
            Prompt::Evaluate => {
                let value = self.desk.focus().ok_or("no wave runs".to_owned()).and_then(|t| self.desk.value(t, text));
                self.message = match value {
                    Ok((value, form)) => format!("{text} = {}", value.text(form)),
                    Err(why) => why,
                };
            }
            Prompt::Data => {
                self.message = match self.desk.watch(text) {
                    Ok(()) => format!("stops when {text} changes"),
                    Err(why) => why,
                };
            }
            Prompt::Goto => match text.parse() {
                Ok(n) => return Some(Motion::Goto(n)),
                Err(_) => self.message = format!("`{text}` is no number of an instruction"),
            },
        }
        None
    }

    pub fn mouse(&mut self, mouse: MouseEvent) -> Option<Motion> {
        let at = Position { x: mouse.column, y: mouse.row };
        let on = |rect: &Rect| rect.contains(at);
        match mouse.kind {
            MouseEventKind::ScrollUp => self.cursor = self.cursor.saturating_sub(3).max(1),
            MouseEventKind::ScrollDown => self.cursor = (self.cursor + 3).min(self.last_line()),
            MouseEventKind::Down(MouseButton::Left) => {
                self.help = false;
                let (source, first) = self.areas.source;
                if on(&source) {
                    self.cursor = ((first + usize::from(at.y - source.y) + 1) as u32).min(self.last_line());
                    // The numbers are its first columns.
                    if at.x < source.x + 6 {
                        self.toggle(self.cursor, None);
                    }
                } else if let Some((rect, turn)) = self.areas.strips.iter().find(|(rect, _)| on(rect)).copied() {
                    self.look_at(turn);
                    self.desk.lane = u32::from(at.x - rect.x);
                } else if let Some((_, turn)) = self.areas.waves.iter().find(|(rect, _)| on(rect)).copied() {
                    self.look_at(turn);
                } else if let Some((_, lower)) = self.areas.tabs.iter().find(|(rect, _)| on(rect)) {
                    self.lower = *lower;
                }
            }
            _ => {}
        }
        None
    }
}
