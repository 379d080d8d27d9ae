//! The rows, one file a family. `Op` numbers them all.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use crate::alu::Engine;
use crate::generation::Gen;
pub use crate::op::Op;
use crate::row::Row;

/// Declares a family's rows: constants of type [`Op`] numbered from `$base`, `ROWS`, and `instantiate`.
/// A line is: doc, constant, mnemonic, numbers, destinations <- sources, meaning, SCC rule, class, + traits, columns.
///
/// Columns that few rows have: `exchanged(ROW)`, `opposite(ROW)`, `clamp(sum, shape)`, `invalidates(cache)`, the fields of [`Row`].
///
/// Numbers are opcodes by generation, each from the generation in front of it on ([`crate::Gen`]'s columns: 6, 7, 9, 10, 10.3,
/// 11, 11.5, 12): `6:0x03 9:0x01 10:0x03 12:-` is another number on gfx9 and gone from gfx12 on; `12:(Vop2 0x1f)` has moved into
/// another family. Where generations spell the mnemonic in another way, the spellings follow it in parentheses, by the same rule,
/// `_` for the mnemonic itself.
macro_rules! insts {
    ($format:ident from $base:expr;
     $( $(#[doc = $doc:literal])* $id:ident $name:literal $(($($since:literal : $spelling:tt)+))? $($from:literal : $number:tt)+
        [$($d:ident)*] <- [$($s:ident)*] => $kind:ident($($meaning:tt)*) $scc:ident $class:ident $(+ $trait:ident)* $(, $column:ident($($entry:tt)*))*; )*) => {
        /// The instructions' names.
        pub mod op {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u16)]
            pub(super) enum Index { $($id),* }
            $( $(#[doc = $doc])* pub const $id: $crate::insts::Op = $crate::insts::Op($base + Index::$id as u16); )*
        }
        pub(super) const COUNT: usize = [$(op::Index::$id as u16),*].len();
        /// Number of the row after the family's last; the last family's goes unused.
        #[allow(dead_code)]
        pub(in crate::insts) const NEXT: u16 = $base + COUNT as u16;
        pub(super) static ROWS: [$crate::row::Row; COUNT] = [$($crate::row::Row {
            name: $name,
            doc: concat!($($doc,)* ""),
            format: $crate::row::Format::$format,
            numbers: &[$(($crate::generation::Gen::headed(stringify!($from)), $crate::insts::insts!(@number $format $number))),+],
            spellings: &[$($(($crate::generation::Gen::headed(stringify!($since)), $crate::insts::insts!(@spelling $name $spelling))),+)?],
            dst: &[$($crate::row::Ty::$d),*],
            src: &[$($crate::row::Ty::$s),*],
            sem: $crate::insts::insts!(@sem $kind($($meaning)*)),
            scc: $crate::row::Scc::$scc,
            class: $crate::row::Class::$class,
            traits: $crate::row::Traits::empty()$(.union($crate::row::Traits::$trait))*,
            exchanged: None,
            opposite: None,
            clamp: None,
            invalidates: None,
        }$(.with($crate::insts::insts!(@column $column($($entry)*))))*),*];
        pub(super) fn instantiate<E: $crate::alu::Engine>(out: &mut Vec<E::Out>) {
            $( out.push($crate::insts::insts!(@make E, &ROWS[op::Index::$id as usize], $kind($($meaning)*))); )*
        }
    };
    (@number $format:ident -) => { None };
    (@number $format:ident ($moved:ident $number:literal)) => {
        Some($crate::row::Encoding { format: $crate::row::Format::$moved, opcode: $number })
    };
    (@number $format:ident $number:literal) => {
        Some($crate::row::Encoding { format: $crate::row::Format::$format, opcode: $number })
    };
    (@spelling $name:literal _) => { $name };
    (@spelling $name:literal $spelling:literal) => { $spelling };
    (@column exchanged($row:ident)) => { $crate::row::Column::Exchanged($crate::insts::$row) };
    (@column opposite($row:ident)) => { $crate::row::Column::Opposite($crate::insts::$row) };
    (@column clamp($sum:ident $(($($figure:literal),*))?, $shape:ident)) => {
        $crate::row::Column::Clamp($crate::row::Clamp {
            sum: $crate::row::Sum::$sum $(($($figure),*))?,
            shape: $crate::row::Shape::$shape,
        })
    };
    (@column invalidates($what:ident)) => { $crate::row::Column::Invalidates($crate::row::Invalidate::$what) };
    (@sem lane($b:ident)) => { $crate::row::Sem::Lane };
    (@sem save_exec($b:ident)) => { $crate::row::Sem::SaveExec };
    (@sem write_exec($b:ident)) => { $crate::row::Sem::WriteExec };
    (@sem wide_carry($b:ident)) => { $crate::row::Sem::WideCarry };
    (@sem compare($b:ident)) => { $crate::row::Sem::Compare };
    (@sem compare_exec($b:ident)) => { $crate::row::Sem::CompareExec };
    (@sem carry($b:ident)) => { $crate::row::Sem::Carry };
    (@sem wide($b:ident)) => { $crate::row::Sem::Wide };
    (@sem mem($space:ident, $($kind:tt)*)) => { $crate::row::Sem::Mem($crate::row::Space::$space, $crate::row::MemKind::$($kind)*) };
    (@sem atomic($space:ident, $op:ident, $dwords:literal)) => {
        $crate::row::Sem::Mem(
            $crate::row::Space::$space,
            $crate::row::MemKind::Atomic { op: $crate::row::AtomicOp::$op, dwords: $dwords },
        )
    };
    (@sem image($($op:tt)*)) => {
        $crate::row::Sem::Mem($crate::row::Space::Image, $crate::row::MemKind::Image($crate::row::ImageOp::$($op)*))
    };
    (@sem sample($op:ident, $lod:ident $($with:ident)*)) => {
        $crate::row::Sem::Mem(
            $crate::row::Space::Image,
            $crate::row::MemKind::Image($crate::row::ImageOp::$op(
                $crate::row::Sampling::new($crate::row::Lod::$lod)$(.$with())*
            )),
        )
    };
    (@sem wave($w:ident)) => { $crate::row::Sem::Wave($crate::row::WaveOp::$w) };
    (@sem control($($c:tt)*)) => { $crate::row::Sem::Control($crate::row::Control::$($c)*) };
    (@sem todo()) => { $crate::row::Sem::Todo };
    (@make $e:ident, $row:expr, lane($b:ident)) => { $e::lane::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, save_exec($b:ident)) => { $e::exec::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, write_exec($b:ident)) => { $e::exec::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, wide_carry($b:ident)) => { $e::wide_carry::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, compare($b:ident)) => { $e::compare::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, compare_exec($b:ident)) => { $e::compare::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, carry($b:ident)) => { $e::carry::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, wide($b:ident)) => { $e::wide::<$crate::alu::body::$b>($row) };
    (@make $e:ident, $row:expr, $other:ident($($m:tt)*)) => { $e::data($row) };
}
pub(crate) use insts;

/// Families in `Op` order, each starting where the one before ends.
macro_rules! families {
    ($($family:ident),*) => {
        $(pub mod $family;)*
        /// Number of rows.
        pub const COUNT: usize = 0 $(+ $family::COUNT)*;
        $(pub use $family::op::*;)*
        /// The row of an instruction.
        pub fn row(op: Op) -> &'static Row {
            let mut i = op.0 as usize;
            $( if i < $family::COUNT { return &$family::ROWS[i]; } i -= $family::COUNT; )*
            unreachable!("Op {i} beyond the table")
        }
        /// One `E::Out` per row, in `Op` order.
        pub fn instantiate<E: Engine>() -> Vec<E::Out> {
            let mut out = Vec::with_capacity(COUNT);
            $( $family::instantiate::<E>(&mut out); )*
            out
        }
    };
}
families!(
    sop2, sopk, sop1, sopc, sopp, smem, vop2, vop1, vopc, vop3, vop3p, wmma, ds, flat, global, scratch, mubuf, mtbuf,
    mimg, vintrp, exp, vinterp, vopd, vop2_gcn, vop1_gcn, vopc_gcn, vop3_gcn, lds_dir
);

impl Op {
    pub fn row(self) -> &'static Row {
        row(self)
    }

    /// The row that the generation calls by this mnemonic (no form suffix).
    pub fn find(name: &str, generation: Gen) -> Option<Op> {
        type Names = HashMap<&'static str, Op>;
        static BY_NAME: [OnceLock<Names>; Gen::COUNT] = [const { OnceLock::new() }; Gen::COUNT];
        let named = || Op::of(generation).map(|op| (op.row().spelling(generation), op)).collect();
        BY_NAME[generation as usize].get_or_init(named).get(name).copied()
    }

    /// The row with this name, whatever generations call it.
    pub fn named(name: &str) -> Option<Op> {
        static BY_NAME: LazyLock<HashMap<&'static str, Op>> =
            LazyLock::new(|| Op::all().map(|op| (op.row().name, op)).collect());
        BY_NAME.get(name).copied()
    }

    /// The rows that a generation has.
    pub fn of(generation: Gen) -> impl Iterator<Item = Op> {
        Op::all().filter(move |op| op.row().encoding(generation).is_some())
    }

    /// Every row.
    pub fn all() -> impl Iterator<Item = Op> {
        (0..COUNT as u16).map(Op)
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.row().name)
    }
}
