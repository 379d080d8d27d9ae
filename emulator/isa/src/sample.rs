//! One plain legal instruction of every row and form: what a question about rows is asked with.

use crate::generation::{Gen, ImageAddresses};
use crate::image::parts;
use crate::instr::{Dual, Export, Extra, Flags, Form, Image, Instr};
use crate::insts::{Op, V_DUAL_MOV_B32};
use crate::layout;
use crate::legal;
use crate::reg::Src;
use crate::row::{AtomicOp, Format, ImageOp, MemKind, Row, Sem, Ty};

pub const FORMS: [Form; 7] =
    [Form::Base, Form::E64, Form::Sdwa, Form::Dpp16, Form::Dpp8, Form::E64Dpp16, Form::E64Dpp8];

/// A legal instruction of the row in a form that it has ([`Op::supports`]), without optional modifiers; registers do not
/// overlap. `None`: the form is not the row's.
pub fn sample(op: Op, form: Form, generation: Gen) -> Option<Instr> {
    if !op.supports(form, generation) {
        return None;
    }
    let row = op.row();
    let mut instr = Instr::new(op);
    instr.form = form;
    instr.flags = legal::implied(op, generation);
    if legal::of_gds(op) {
        instr.flags |= Flags::GDS;
    }
    for (n, &ty) in row.dst.iter().enumerate().take(2) {
        instr.dst[n] = destination(row, form, n, ty);
    }
    for (n, &ty) in row.src.iter().enumerate().take(4) {
        instr.src[n] = source(&instr, n, ty, generation);
    }
    if row.format == Format::Vop3p {
        instr.mods.op_sel_hi = form.sources(row);
    }
    let atomic = matches!(row.sem, Sem::Mem(_, MemKind::Atomic { .. } | MemKind::Image(ImageOp::Atomic(_))));
    if atomic && row.format != Format::Ds {
        instr.dst[0] = Src::NONE;
    }
    instr.extra = match form {
        Form::Sdwa | Form::Dpp16 | Form::E64Dpp16 => layout::default_extra(row, form),
        Form::Dpp8 | Form::E64Dpp8 => Extra::Dpp8 { selects: 0o76543210, fetch_inactive: false },
        _ => extra(&mut instr, generation),
    };
    instr.imply();
    // What can only be the second of a pair stands behind a move.
    if row.format == Format::Vopd && legal::check(&instr, generation).is_err() {
        let second = Instr { dst: [Src::v(33), Src::NONE], ..instr };
        instr = sample(V_DUAL_MOV_B32, form, generation)?;
        instr.src[0] = Src::v(2);
        instr.set_second(&second);
        instr.imply();
    }
    legal::check(&instr, generation).is_ok().then_some(instr)
}

fn destination(row: &Row, form: Form, n: usize, ty: Ty) -> Src {
    match ty {
        Ty::Scc | Ty::Exec => Src::NONE,
        Ty::Vcc | Ty::Mask if form.is_wide() || matches!(row.format, Format::Vop3) => Src::s(40),
        Ty::Vcc | Ty::Mask => Src::VCC_LO,
        _ if scalar(row) => Src::s(48 + 16 * n as u32),
        _ => Src::v(32 + 8 * n as u32),
    }
}

/// Whether results go to SGPRs.
fn scalar(row: &Row) -> bool {
    matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Smem) || layout::scalar_dst(row)
}

fn source(instr: &Instr, n: usize, ty: Ty, generation: Gen) -> Src {
    let row = instr.op.row();
    let ok = legal::accepts(instr.op, instr.form, n, generation);
    let indexed = instr.flags.intersects(Flags::OFFEN | Flags::IDXEN);
    match ty {
        Ty::Addr32 if matches!(row.format, Format::Mubuf | Format::Mtbuf) && !indexed => Src::NONE,
        Ty::SAddr64 | Ty::SAddr32 => Src::NONE,
        Ty::SOffset if row.format == Format::Smem => Src::NONE,
        Ty::Barrier => Src::M0,
        _ if ok.vgpr => Src::v(8 * n as u32),
        // A bus of one port carries one of two.
        _ if n > 0 && ok.constant && generation.caps().constant_bus == 1 && !row.format.is_salu() => Src(129),
        _ if ok.scalar => Src::s(8 * n as u32),
        _ if ok.constant => Src(129),
        _ => Src::NONE,
    }
}

/// The fields beside operands and flags; image addresses are chosen here.
fn extra(instr: &mut Instr, generation: Gen) -> Extra {
    let row = instr.op.row();
    match (row.format, row.sem) {
        // 32_UINT
        (Format::Mtbuf, _) => Extra::Format(20),
        (Format::Mimg, Sem::Mem(_, MemKind::Image(op))) => {
            const DIM_2D: u8 = 1;
            let (dim, dmask) = match op {
                ImageOp::IntersectRay { .. } => (0, 15),
                ImageOp::Atomic(AtomicOp::CmpSwap | AtomicOp::FCmpSwap) => (DIM_2D, 3),
                _ => (DIM_2D, 1),
            };
            let (dim, addresses) = match generation.caps().image_dim {
                true => (dim, op.address(dim, false).registers()),
                false => (0, op.least_addresses()),
            };
            let mut vaddr = [0; Image::MAX_ADDRESSES];
            for (i, v) in vaddr.iter_mut().take(addresses.into()).enumerate() {
                *v = i as u8;
            }
            instr.src[0] = Src::v(0);
            let mut image = Image { dmask, dim, nsa: 0, vaddr, addresses };
            if generation.caps().image_addresses == ImageAddresses::Fields {
                instr.extra = Extra::Image(image);
                image.nsa = Image::nsa_dwords(parts(instr, generation).count() as u8).min(1);
            }
            Extra::Image(image)
        }
        (Format::Exp, _) => match layout::default_extra(row, instr.form) {
            Extra::Export(e) => Extra::Export(Export { enable: 15, done: true, ..e }),
            other => other,
        },
        (Format::Vopd, _) => {
            Extra::Dual(Dual { op: V_DUAL_MOV_B32, dst: Src::v(33), src: [Src::v(1), Src::NONE, Src::NONE] })
        }
        _ => layout::default_extra(row, instr.form),
    }
}
