//! Other generations' assembly as gfx1010's.

use super::{Source, fact};
use std::collections::HashMap;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::{Gen, Instr, asm, encode};

/// New names, by generation (the table's columns: gfx6, gfx8, gfx9, gfx10, gfx11, gfx12).
pub struct Names([HashMap<String, String>; 3]);

const GFX10: usize = 3;
/// What the table of renames does not say.
const GFX9_NAMES: &[(&str, &str)] = &[
    ("v_add_u16", "v_add_nc_u16"),
    ("v_sub_u16", "v_sub_nc_u16"),
    ("v_sub_i16", "v_sub_nc_i16"),
    ("v_add_i16", "v_add_nc_i16"),
];
const GFX12_NAMES: &[(&str, &str)] = &[
    ("v_max_num_f64", "v_max_f64"),
    ("v_min_num_f64", "v_min_f64"),
    ("v_max_num_f16", "v_max_f16"),
    ("v_min_num_f16", "v_min_f16"),
];

impl Names {
    pub fn read() -> Option<Names> {
        let text = fact("tables/renames.tsv")?;
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split('\t').collect()).collect();
        let column = |row: &[&str], n: usize| row.get(n).filter(|name| !name.is_empty()).map(|name| name.to_string());
        // gfx9's own name, else gfx8's; for gfx12 by way of gfx11.
        let gfx9 = |row: &[&str]| Some((column(row, 2).or_else(|| column(row, 1))?, column(row, GFX10)?));
        let gfx11 = |row: &[&str]| Some((column(row, 4)?, column(row, GFX10)?));
        let gfx12 = |row: &[&str]| Some((column(row, 5)?, column(row, GFX10).or_else(|| column(row, 4))?));
        let own = |list: &[(&str, &str)]| list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>();
        Some(Names([
            rows.iter().filter_map(|row| gfx9(row)).chain(own(GFX9_NAMES)).collect(),
            rows.iter().filter_map(|row| gfx11(row)).collect(),
            rows.iter().filter_map(|row| gfx12(row)).chain(own(GFX12_NAMES)).collect(),
        ]))
    }

    fn of(&self, source: Source) -> &HashMap<String, String> {
        &self.0[match source {
            Source::Cdna | Source::Gfx900 => 0,
            Source::Rdna3 | Source::Rdna3Programs => 1,
            Source::Rdna4 => 2,
        }]
    }

    /// The instruction that gfx1010's text of the same meaning makes, or why there is none.
    pub fn instruction(&self, text: &str, source: Source, wave: WaveSize) -> Result<Instr, String> {
        let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
        let stem = name.strip_suffix("_e32").or_else(|| name.strip_suffix("_e64")).unwrap_or(name);
        let suffix = &name[stem.len()..];
        if let Some(why) = unusable(text, source) {
            return Err(why.into());
        }
        let new = self.of(source).get(stem).map_or(stem, String::as_str);
        let operands = adapt(new, operands, source);
        let parse = |name: String| asm::parse_line(&format!("{name} {operands}"), Gen::Gfx1010, wave.lanes());
        // A row that has one encoding here takes no suffix.
        let instr = parse(format!("{new}{suffix}")).or_else(|_| parse(new.into())).map_err(|e| e.what)?;
        encode::encode(&instr, Gen::Gfx1010, &mut Vec::new()).map_err(|e| e.to_string())?;
        Ok(instr)
    }
}

/// Text of no use, or records of no use.
fn unusable(text: &str, source: Source) -> Option<&'static str> {
    if text.contains("Invalid register") {
        return Some("a register that LLVM does not know");
    }
    (source == Source::Cdna && text.starts_with("v_cmpx_")).then_some("a wrong record")
}

fn adapt(name: &str, operands: &str, source: Source) -> String {
    // No offset is nothing at all.
    if source == Source::Rdna3Programs && name.starts_with("s_load_") {
        return operands.replace(", null", ", 0x0");
    }
    operands.into()
}

/// The text of a record of one wave size for the other; `None` if that changes its meaning.
pub fn resized(text: &str, to: WaveSize) -> Option<String> {
    let pairs = [("vcc_lo", "vcc"), ("s22", "s[22:23]"), ("s20", "s[20:21]")];
    // Lane 0's values and lane numbers.
    if text.contains("s14") || text.contains("s24") {
        return None;
    }
    Some(pairs.iter().fold(text.to_string(), |text, (narrow, wide)| match to {
        WaveSize::W64 => text.replace(narrow, wide),
        WaveSize::W32 => text.replace(wide, narrow),
    }))
}
