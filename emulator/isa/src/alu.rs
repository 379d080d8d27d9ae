//! The algebra of `wavepipe-alu`, and [`Engine`], which receives every row with its body.

pub use wavepipe_alu::*;

use crate::row::{Class, Row};

/// Returns MODE as a row of this class sees it.
pub const fn mode_of(mode: FpMode, class: Class) -> FpMode {
    match class {
        Class::Trans => mode.of_transcendentals(),
        _ => mode,
    }
}

/// Receives every row: `insts::instantiate::<E>()` returns one `E::Out` per row, in `Op` order.
pub trait Engine {
    type Out;
    fn lane<K: Lane>(row: &'static Row) -> Self::Out;
    fn compare<K: Compare>(row: &'static Row) -> Self::Out;
    fn carry<K: Carry>(row: &'static Row) -> Self::Out;
    fn wide<K: Wide>(row: &'static Row) -> Self::Out;
    /// Rows whose meaning is data: `row.sem` is Mem, Wave, Control or Todo.
    fn data(row: &'static Row) -> Self::Out;
    /// Rows that save or write EXEC. By default they are evaluated as any lane body.
    fn exec<K: Lane>(row: &'static Row) -> Self::Out {
        Self::lane::<K>(row)
    }
    /// By default the row is treated as data.
    fn wide_carry<K: WideCarry>(row: &'static Row) -> Self::Out {
        Self::data(row)
    }
}
