//! Places for arrows beside rows: those that overlap stand side by side, the short ones innermost.

/// Something that reaches from one row to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    pub from: u32,
    pub to: u32,
}

impl Reach {
    fn ends(&self) -> (u32, u32) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

/// Columns that are used at most; what finds no free one shares the last.
pub const COLUMNS: usize = 8;

/// For each a column, 0 beside the rows: no two in one column share a row, but for what goes to the same row.
pub fn columns(all: &[Reach]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&n| {
        let (first, last) = all[n].ends();
        (last - first, first, n)
    });
    let mut taken: Vec<Vec<Reach>> = vec![Vec::new(); COLUMNS];
    let mut out = vec![0; all.len()];
    for n in order {
        let (first, last) = all[n].ends();
        let free = |column: &Vec<Reach>| {
            column.iter().all(|other| {
                let (a, b) = other.ends();
                last < a || b < first || other.to == all[n].to
            })
        };
        let column = taken.iter().position(free).unwrap_or(COLUMNS - 1);
        taken[column].push(all[n]);
        out[n] = column;
    }
    out
}

/// Columns that are in use.
pub fn width(columns: &[usize]) -> usize {
    columns.iter().max().map_or(0, |c| c + 1)
}
