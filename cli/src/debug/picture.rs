//! A value of each invocation as a picture of the work-group: a row for each y, a character or a number for each x.

use super::desk::Desk;
use wavepipe::inspect::{Form, Value};

/// What the invocations of a work-group have, in the order of their numbers; `None`: it does not live, or its wave has ended.
pub struct Values {
    pub words: Vec<Option<u32>>,
    pub form: Form,
    /// Sides of the work-group.
    pub sides: [u32; 3],
}

impl Values {
    /// Of `text`, which is read by each wave of a resident work-group.
    pub fn of(desk: &Desk, group: u64, text: &str) -> Result<Values, String> {
        let sides = desk.workgroup().map(|n| n.max(1));
        let count = sides.iter().product::<u32>() as usize;
        let (mut words, mut form) = (vec![None; count], Form::Hex);
        for wave in desk.held.waves().into_iter().filter(|w| w.turn.group == group) {
            let (value, its) = desk.value(wave.turn, text)?;
            // A bit of each lane is 0 or 1.
            form = if matches!(value, Value::Mask { .. } | Value::Flag(_)) { Form::U32 } else { its };
            for lane in 0..wave.lanes {
                let at = (wave.turn.wave * wave.lanes + lane) as usize;
                let live = wave.exec >> lane & 1 != 0;
                let word = match &value {
                    Value::Lanes { words, .. } => words.get(lane as usize).copied(),
                    Value::Mask { bits, .. } => Some((bits >> lane & 1) as u32),
                    Value::Flag(b) => Some(u32::from(*b)),
                    Value::Word(w) => Some(*w),
                    Value::Long(n) => Some(*n as u32),
                    Value::Words(_) => return Err(format!("`{text}` is no value of each invocation")),
                };
                if let Some(place) = words.get_mut(at).filter(|_| live || matches!(value, Value::Mask { .. })) {
                    *place = word;
                }
            }
        }
        Ok(Values { words, form, sides })
    }

    /// Smallest and largest, as numbers of their form.
    pub fn range(&self) -> Option<(f64, f64)> {
        let numbers = self.words.iter().flatten().map(|w| number(self.form, *w)).filter(|n| n.is_finite());
        numbers.fold(None, |range, n| Some(range.map_or((n, n), |(a, b): (f64, f64)| (a.min(n), b.max(n)))))
    }

    /// How a value stands between the smallest and the largest: 0.0 to 1.0.
    pub fn height(&self, word: u32) -> f64 {
        let Some((low, high)) = self.range() else { return 0.0 };
        let n = number(self.form, word);
        if high > low && n.is_finite() { (n - low) / (high - low) } else { 0.0 }
    }
}

fn number(form: Form, word: u32) -> f64 {
    match form {
        Form::Hex | Form::U32 => word.into(),
        Form::I32 => (word as i32).into(),
        Form::F32 => f32::from_bits(word).into(),
    }
}

/// As text: numbers where they are short, `-` where nobody lives.
pub fn text(desk: &Desk, group: u64, what: &str) -> Result<String, String> {
    let values = Values::of(desk, group, what)?;
    let cells: Vec<String> =
        values.words.iter().map(|w| w.map_or_else(|| "-".into(), |w| values.form.text(w))).collect();
    let width = cells.iter().map(String::len).max().unwrap_or(1);
    let [x, y, _] = values.sides.map(|n| n as usize);
    let mut out = String::new();
    for (n, row) in cells.chunks(x).enumerate() {
        if n > 0 && n % y == 0 {
            out.push('\n');
        }
        let row: Vec<String> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
        out.push_str(&row.join(" "));
        out.push('\n');
    }
    Ok(out)
}
