//! What is on the screen.
//!
//! ```text
//! source            │ machine code
//! waves             │ registers of the lane
//! LDS, picture, …   │
//! message or prompt
//! ```
//! Everything that a colour says, a character says as well: `▶` the next instruction, `●` a breakpoint, `*` what has changed.

use super::app::{App, KEYS, Lower};
use crate::debug::picture::Values;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use wavepipe::inspect::program::Space;
use wavepipe::inspect::{Value, WaveState, What};
use wavepipe::standing;

const DIM: Style = Style::new().fg(Color::DarkGray);
const LIVE: Style = Style::new().fg(Color::Green);
const HERE: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
const CHANGED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
const MARK: Style = Style::new().fg(Color::Red);
const CURSOR: Style = Style::new().add_modifier(Modifier::REVERSED);
/// Banks of LDS, a dword wide.
const BANKS: u32 = 32;

pub fn draw(app: &mut App<'_>, frame: &mut Frame<'_>) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(8), Constraint::Length(1)]).areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(body);
    let waves = app.desk.held.waves();
    let rows = (waves.len() as u16 + 2).clamp(3, 10);
    let [source, waves_area, lower] =
        Layout::vertical([Constraint::Min(6), Constraint::Length(rows), Constraint::Length(12)]).areas(left);
    let [code, registers] = Layout::vertical([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(right);
    draw_head(app, frame, head);
    draw_source(app, frame, source);
    draw_waves(app, frame, waves_area, &waves);
    draw_lower(app, frame, lower);
    draw_code(app, frame, code);
    draw_registers(app, frame, registers);
    draw_foot(app, frame, foot);
    if app.help {
        draw_help(frame);
    }
}

fn titled(title: String) -> Block<'static> {
    Block::bordered().border_style(DIM).title(title)
}

fn draw_head(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let position = app.desk.held.position();
    let kernel = app.desk.held.dispatch().map(|d| app.desk.function(d.launch.code_va).to_owned());
    let cycle = app.desk.held.schedule().map_or_else(String::new, |_| format!(", cycle {}", app.desk.held.cycle()));
    let (dispatch, executed) = (position.dispatch, position.executed);
    let machine = kernel.map_or_else(
        || "all dispatches have ended".to_owned(),
        |kernel| format!("{kernel}, dispatch {dispatch}{cycle}, {executed} instructions executed"),
    );
    frame.render_widget(Line::from(vec![Span::styled("wavepipe debug  ", HERE), Span::raw(machine)]), area);
}

fn draw_foot(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let line = match &app.prompt {
        Some((prompt, text)) => {
            Line::from(vec![Span::styled(format!("{}: ", prompt.label()), HERE), Span::raw(format!("{text}_"))])
        }
        None => Line::raw(app.message.clone()),
    };
    frame.render_widget(line, area);
}

/// The first of so many rows, with `at` (from 0) in the midst.
fn first_row(at: usize, all: usize, rows: usize) -> usize {
    at.saturating_sub(rows / 2).min(all.saturating_sub(rows))
}

fn draw_source(app: &mut App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let block = titled(if app.file.is_empty() { "source".into() } else { app.file.clone() });
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let Some(source) = app.desk.source(&app.file) else {
        let why = if app.file.is_empty() { "no source lines are known" } else { "the file is not there" };
        frame.render_widget(Paragraph::new(why).style(DIM), inner);
        return;
    };
    let here = app.desk.focused().and_then(|w| w.line).map(|l| l.line);
    let with_code = app.desk.lines_of(&app.file);
    let first = first_row(app.cursor as usize - 1, source.len(), inner.height.into());
    app.areas.source = (inner, first);
    let lines = source.iter().enumerate().skip(first).take(inner.height.into()).map(|(n, text)| {
        let n = n as u32 + 1;
        let mark = if app.breakpoints.contains_key(&(app.file.clone(), n)) { "●" } else { " " };
        let number = if with_code.contains(&n) { Style::new() } else { DIM };
        let arrow = if here == Some(n) { "▶" } else { " " };
        let style = match (here == Some(n), app.cursor == n) {
            (_, true) => CURSOR,
            (true, _) => HERE,
            _ => Style::new(),
        };
        Line::from(vec![
            Span::styled(mark, MARK),
            Span::styled(format!("{n:>4}"), number),
            Span::styled(arrow, HERE),
            Span::styled(text.clone(), style),
        ])
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), inner);
}

fn draw_code(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let pc = app.desk.focused().map(|w| w.pc);
    let found = pc.and_then(|pc| app.desk.instruction(pc));
    let block =
        titled(found.map_or_else(|| "machine code".into(), |(listing, _)| format!("machine code of {}", listing.name)));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let Some((listing, at)) = found else { return };
    let mut rows: Vec<(Option<usize>, Line<'_>)> = Vec::new();
    let mut last = None;
    for (n, line) in listing.lines.iter().enumerate() {
        let address = listing.address + u64::from(line.offset);
        if let Some(label) = &line.label {
            rows.push((None, Line::styled(format!("{label}:"), HERE)));
        }
        let source = app.desk.held.line_at(address).map(|l| l.line);
        let number = source.filter(|_| source != last).map_or_else(String::new, |n| n.to_string());
        last = source;
        let (arrow, style) = if n == at { ("▶", HERE) } else { (" ", Style::new()) };
        let of_line = source == Some(app.cursor) && n != at;
        let style = if of_line { LIVE } else { style };
        rows.push((
            Some(n),
            Line::from(vec![
                Span::styled(format!("{number:>4} {:04x}{arrow}", line.offset), if n == at { HERE } else { DIM }),
                Span::styled(line.labelled(), style),
            ]),
        ));
    }
    let place = rows.iter().position(|(n, _)| *n == Some(at)).unwrap_or(0);
    let first = first_row(place, rows.len(), inner.height.into());
    let shown: Vec<Line<'_>> = rows.into_iter().skip(first).take(inner.height.into()).map(|(_, line)| line).collect();
    frame.render_widget(Paragraph::new(shown), inner);
}

/// Lanes as `#.#.`, green where they live.
fn strip(bits: u64, lanes: u32, chosen: Option<u32>) -> Vec<Span<'static>> {
    let cell = |lane: u32| {
        let (text, style) = if bits >> lane & 1 != 0 { ("#", LIVE) } else { (".", DIM) };
        Span::styled(text, if chosen == Some(lane) { style.add_modifier(Modifier::REVERSED) } else { style })
    };
    (0..lanes).map(cell).collect()
}

fn draw_waves(app: &mut App<'_>, frame: &mut Frame<'_>, area: Rect, waves: &[WaveState]) {
    let block = titled("waves".into());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let turn = app.desk.held.turn();
    let at = waves.iter().position(|w| Some(w.turn) == app.desk.focus()).unwrap_or(0);
    let first = first_row(at, waves.len(), inner.height.into());
    (app.areas.waves, app.areas.strips) = (Vec::new(), Vec::new());
    let mut lines = Vec::new();
    for (row, wave) in waves.iter().skip(first).take(inner.height.into()).enumerate() {
        let focus = Some(wave.turn) == app.desk.focus();
        let arrow = if Some(wave.turn) == turn { "▶" } else { " " };
        let [x, y, z] = wave.group;
        let line = wave.line.map_or_else(|| format!("{:#x}", wave.pc), |l| format!(":{}", l.line));
        let begin = format!("{arrow}{x},{y},{z} w{:<2} {line:<5} ", wave.turn.wave);
        let rect = Rect { x: inner.x, y: inner.y + row as u16, width: inner.width, height: 1 };
        let from = begin.chars().count() as u16;
        app.areas.waves.push((rect, wave.turn));
        let strip_rect = Rect { x: inner.x + from, width: wave.lanes as u16, ..rect };
        app.areas.strips.push((strip_rect.intersection(inner), wave.turn));
        let mut spans = vec![Span::styled(begin, if focus { HERE } else { Style::new() })];
        spans.extend(strip(wave.exec, wave.lanes, focus.then_some(app.desk.lane)));
        spans.push(Span::styled(format!(" {}", standing::wave(&app.desk.held, wave)), DIM));
        lines.push(Line::from(spans));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// A name and its value, marked where it has changed.
fn cell(name: &str, text: &str, changed: bool) -> Span<'static> {
    let mark = if changed { "*" } else { " " };
    Span::styled(format!("{mark}{name:<4} {text}"), if changed { CHANGED } else { Style::new() })
}

fn draw_registers(app: &mut App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let lane = app.desk.lane;
    let Some(wave) = app.desk.focused() else {
        frame.render_widget(titled("registers".into()), area);
        return;
    };
    let [x, y, z] = app.desk.global(&wave, lane);
    let block = titled(format!("lane {lane}, invocation {x},{y},{z}"));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let mut lines = Vec::new();
    for (name, what) in [("exec", What::Exec), ("vcc", What::Vcc)] {
        if let Ok(Value::Mask { bits, lanes }) = app.desk.held.read_of(wave.turn, &what) {
            let changed = app.desk.changed(&what, None);
            let mut spans = vec![cell(name, "", changed)];
            spans.extend(strip(bits, lanes, Some(lane)));
            lines.push(Line::from(spans));
        }
    }
    if let Ok(Value::Flag(scc)) = app.desk.held.read_of(wave.turn, &What::Scc) {
        lines.push(Line::from(cell("scc", if scc { "1" } else { "0" }, app.desk.changed(&What::Scc, None))));
    }
    for (name, text, _) in app.desk.variables(wave.turn) {
        lines.push(Line::from(Span::raw(format!(" {name} = {text}"))));
    }
    let (vgprs, sgprs, _) = app.desk.sizes();
    let mut cells = Vec::new();
    for n in 0..vgprs {
        if let Ok(Value::Lanes { words, .. }) = app.desk.held.read_of(wave.turn, &What::Vgpr(n)) {
            let word = words.get(lane as usize).copied().unwrap_or(0);
            cells.push((format!("v{n}"), word, app.desk.changed(&What::Vgpr(n), Some(lane))));
        }
    }
    for n in 0..sgprs {
        if let Ok(Value::Word(word)) = app.desk.held.read_of(wave.turn, &What::Sgpr(n)) {
            cells.push((format!("s{n}"), word, app.desk.changed(&What::Sgpr(n), None)));
        }
    }
    let columns = (usize::from(inner.width) / 18).max(1);
    for row in cells.chunks(columns) {
        let spans =
            row.iter().map(|(name, word, changed)| cell(name, &format!("{:<11}", format!("{word:#x}")), *changed));
        lines.push(Line::from(spans.collect::<Vec<_>>()));
    }
    app.scrolled = app.scrolled.min(lines.len().saturating_sub(inner.height.into()));
    frame.render_widget(Paragraph::new(lines.split_off(app.scrolled)), inner);
}

fn draw_lower(app: &mut App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let mut title = Vec::new();
    let mut x = area.x + 1;
    app.areas.tabs.clear();
    for (n, (lower, name)) in Lower::ALL.iter().enumerate() {
        let text = format!(" {} {name} ", n + 1);
        let width = text.chars().count() as u16;
        app.areas.tabs.push((Rect { x, y: area.y, width, height: 1 }, *lower));
        x += width;
        title.push(Span::styled(text, if *lower == app.lower { HERE } else { DIM }));
    }
    let block = Block::bordered().border_style(DIM).title(Line::from(title));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let lines = match app.lower {
        Lower::Lds => lds(app, inner),
        Lower::Picture => picture(app, inner),
        Lower::Stack => stack(app),
        Lower::Memory => memory(app, inner),
        Lower::Machine => machine(app),
    };
    frame.render_widget(Paragraph::new(lines), inner);
}

/// A row for each 128 bytes, a column for each bank.
fn lds(app: &App<'_>, area: Rect) -> Vec<Line<'static>> {
    let (_, _, bytes) = app.desk.sizes();
    let Some(turn) = app.desk.focus() else { return Vec::new() };
    if bytes == 0 {
        return vec![Line::styled("the work-group has no LDS", DIM)];
    }
    let mut out = vec![Line::styled("bank  0       8       16      24        · 0, ▪ a value, ◆ changed", DIM)];
    for row in 0..(bytes / 4).div_ceil(BANKS).min(u32::from(area.height).saturating_sub(1)) {
        let mut spans = vec![Span::styled(format!("{:04x}  ", row * BANKS * 4), DIM)];
        for bank in 0..BANKS {
            let at = u64::from(4 * (row * BANKS + bank));
            let what = What::Lds(at, 1);
            let Ok(Value::Word(word)) = app.desk.held.read_of(turn, &what) else { break };
            spans.push(match (app.desk.changed(&what, None), word) {
                (true, _) => Span::styled("◆", CHANGED),
                (_, 0) => Span::styled("·", DIM),
                _ => Span::styled("▪", LIVE),
            });
        }
        out.push(Line::from(spans));
    }
    out
}

const SHADES: [&str; 5] = ["·", "░", "▒", "▓", "█"];

fn picture(app: &App<'_>, area: Rect) -> Vec<Line<'static>> {
    let Some(turn) = app.desk.focus() else { return Vec::new() };
    let values = match Values::of(app.desk, turn.group, &app.picture) {
        Ok(values) => values,
        Err(why) => return vec![Line::raw(why)],
    };
    let range = values.range().map_or_else(|| "nobody lives".to_owned(), |(low, high)| format!("{low} to {high}"));
    let mut out = vec![Line::styled(format!("{}: {range}; - where nobody lives", app.picture), DIM)];
    let chosen = app.desk.focused().map(|w| (w.turn.wave * w.lanes + app.desk.lane) as usize);
    let [x, ..] = values.sides.map(|n| n as usize);
    // A long row goes on in the next one.
    let width = x.min(usize::from(area.width).max(1));
    for (row, words) in values.words.chunks(x).enumerate() {
        for (part, words) in words.chunks(width).enumerate() {
            let cells = words.iter().enumerate().map(|(n, word)| {
                let text = match word {
                    None => "-",
                    Some(word) => SHADES[(values.height(*word) * (SHADES.len() - 1) as f64).round() as usize],
                };
                let here = chosen == Some(row * x + part * width + n);
                Span::styled(text, if here { CURSOR } else { Style::new() })
            });
            out.push(Line::from(cells.collect::<Vec<_>>()));
        }
    }
    out
}

fn stack(app: &App<'_>) -> Vec<Line<'static>> {
    let Some(turn) = app.desk.focus() else { return Vec::new() };
    let frame = |f: &wavepipe::inspect::session::Frame| {
        let place = crate::watch::place_text(&app.desk.held, f.pc);
        Line::raw(format!("{} at {place}", app.desk.function(f.entry)))
    };
    app.desk.held.frames(turn).iter().map(frame).collect()
}

/// Dwords of what has a name.
fn memory(app: &App<'_>, area: Rect) -> Vec<Line<'static>> {
    let Some(turn) = app.desk.focus() else { return Vec::new() };
    let mut out = Vec::new();
    for name in app.desk.held.names().all() {
        let Some(thing) = app.desk.held.names().get(name) else { continue };
        if !matches!(thing.space, Space::Memory | Space::Lds) {
            continue;
        }
        let Ok((value, form)) = app.desk.value(turn, name) else { continue };
        let text: String = value.text(form).chars().take(usize::from(area.width)).collect();
        out.push(Line::from(vec![Span::styled(format!("{name}  "), HERE), Span::raw(text)]));
    }
    if out.is_empty() {
        out.push(Line::styled("nothing has a name here", DIM));
    }
    out
}

/// The cycle, queues, caches, accesses under way.
fn machine(app: &App<'_>) -> Vec<Line<'static>> {
    let row = |(name, what)| Line::from(vec![Span::styled(format!("{name:<10} "), HERE), Span::raw(what)]);
    app.desk.machine().into_iter().map(row).collect()
}

fn draw_help(frame: &mut Frame<'_>) {
    let wanted = (90, KEYS.len() as u16 + 2);
    let all = frame.area();
    let (width, height) = (wanted.0.min(all.width), wanted.1.min(all.height));
    let area = Rect { x: (all.width - width) / 2, y: (all.height - height) / 2, width, height };
    frame.render_widget(Clear, area);
    let lines = KEYS
        .iter()
        .map(|(key, what)| Line::from(vec![Span::styled(format!(" {key:<11}"), HERE), Span::raw((*what).to_owned())]));
    let block = Block::bordered().title(" keys: any closes this ");
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
}
