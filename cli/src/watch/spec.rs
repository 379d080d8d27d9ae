//! What to print where: the text of `--watch`.

use std::fmt;
use std::str::FromStr;
use wavepipe::inspect::condition::ConditionError;
use wavepipe::inspect::value::WhatError;
use wavepipe::inspect::{Condition, Form, What};
use wavepipe::job::triple_from_zero;

/// Where to look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum At {
    /// Of a file whose path ends so; of any if it is empty.
    Line { file: String, line: u32 },
    /// Bytes from the begin of a kernel on.
    Offset(u64),
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Line { file, line } if file.is_empty() => write!(f, "{line}"),
            At::Line { file, line } => write!(f, "{file}:{line}"),
            At::Offset(n) => write!(f, "+{n:#x}"),
        }
    }
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<At, String> {
        let text = text.trim();
        if let Some(offset) = text.strip_prefix('+') {
            let number = match offset.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok(),
                None => offset.parse().ok(),
            };
            return number.map(At::Offset).ok_or_else(|| format!("`{text}` is no offset: write +0x40"));
        }
        let (file, line) = text.rsplit_once(':').unwrap_or(("", text));
        match line.trim().parse() {
            Ok(line) if line > 0 => Ok(At::Line { file: file.trim().to_owned(), line }),
            _ => Err(format!("`{text}` is no place: write LINE, FILE:LINE or +OFFSET")),
        }
    }
}

/// Something to print, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub what: What,
    pub form: Option<Form>,
}

impl FromStr for Item {
    type Err = String;

    fn from_str(text: &str) -> Result<Item, String> {
        // `s[4:5]` has a colon of its own.
        let (what, form) = match text.rsplit_once(':') {
            Some((what, form)) if !form.contains(']') => {
                let named = Form::named(form.trim());
                (what, Some(named.ok_or_else(|| format!("`:{form}` is no form: they are hex, u32, i32, f32"))?))
            }
            _ => (text, None),
        };
        Ok(Item { what: what.parse().map_err(|e: WhatError| e.0)?, form })
    }
}

/// One `--watch`.
#[derive(Clone, Debug)]
pub struct Spec {
    pub text: String,
    pub at: At,
    pub items: Vec<Item>,
    pub lane: Option<u32>,
    pub wave: Option<u32>,
    pub group: Option<[u32; 3]>,
    pub when: Option<Condition>,
}

/// What follows the items.
const KEYS: &str = "@lane N, @wave N, @group X,Y,Z and @if CONDITION";

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Spec, String> {
        let mut parts = text.split('@');
        let head = parts.next().unwrap_or("").trim();
        let (at, items) = place_and_items(head)?;
        let items = match items.trim() {
            "" => vec![Item { what: What::Exec, form: None }],
            items => items.split(',').map(|item| item.trim().parse()).collect::<Result<_, _>>()?,
        };
        let mut spec =
            Spec { text: text.trim().to_owned(), at, items, lane: None, wave: None, group: None, when: None };
        let mut condition = String::new();
        for part in parts {
            let (key, value) = part.trim().split_once(char::is_whitespace).unwrap_or((part.trim(), ""));
            let value = value.trim();
            let number = || value.parse::<u32>().map_err(|_| format!("`@{key} {value}`: write a number"));
            match key {
                "lane" => match number()? {
                    lane if lane < 64 => spec.lane = Some(lane),
                    lane => return Err(format!("@lane {lane}: lanes are 0 to 63")),
                },
                "wave" => spec.wave = Some(number()?),
                "group" => spec.group = Some(triple_from_zero(value).map_err(|e| format!("@group {e}"))?),
                "if" => value.clone_into(&mut condition),
                _ => return Err(format!("`@{key}` is not known: there are {KEYS}")),
            }
        }
        if !condition.is_empty() {
            // What was written is what a message shows.
            condition.parse::<Condition>().map_err(|e| e.to_string())?;
            condition = format!("({condition})");
        }
        let live = spec.lane.map(|lane| format!("(exec & {:#x}) != 0", 1u64 << lane));
        let all: Vec<String> = live.into_iter().chain((!condition.is_empty()).then_some(condition)).collect();
        if !all.is_empty() {
            spec.when = Some(all.join(" && ").parse().map_err(|e: ConditionError| e.to_string())?);
        }
        Ok(spec)
    }
}

/// `LINE:ITEMS`, `FILE:LINE:ITEMS` or `+OFFSET:ITEMS`, apart.
fn place_and_items(head: &str) -> Result<(At, &str), String> {
    let (first, rest) = head.split_once(':').unwrap_or((head, ""));
    if first.trim().parse::<u32>().is_ok() || first.trim().starts_with('+') {
        return Ok((first.parse()?, rest));
    }
    let (line, items) = rest.split_once(':').unwrap_or((rest, ""));
    match line.trim().parse() {
        Ok(line) if line > 0 => Ok((At::Line { file: first.trim().to_owned(), line }, items)),
        _ => Err(format!("`{head}`: write LINE:WHAT,…, FILE:LINE:WHAT,… or +OFFSET:WHAT,…")),
    }
}
