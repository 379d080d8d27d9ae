//! Where fields of registers stand, against Mesa's register database (`../shared/hw`), and of three by hand.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use wavepipe_hw::register::{BitField, REGISTERS, hw_id, mask, mode, rsrc1, status};
use wavepipe_isa::Gen;

/// A generation's file of the database. Those of the variants beside it are the same in these registers.
const FILES: [(Gen, &str); 7] = [
    (Gen::Gfx600, "gfx6"),
    (Gen::Gfx701, "gfx7"),
    (Gen::Gfx900, "gfx9"),
    (Gen::Gfx1010, "gfx10"),
    (Gen::Gfx1030, "gfx103"),
    (Gen::Gfx1100, "gfx11"),
    (Gen::Gfx1201, "gfx12"),
];

/// What the database calls some fields on some generations.
const OTHER_NAMES: [(&str, &str); 2] = [("USER_PRIO", "WAVE_PRIO"), ("IN_TG", "IN_WG")];
/// Registers that it does not have among those of a wave.
const NOT_THERE: &str = "SH_MEM_BASES";

/// Fields of a register by name: lowest bit, number of bits. A register that the generation lacks has none.
fn fields(database: &Value, register: &str) -> BTreeMap<String, (u8, u8)> {
    let mappings = database["register_mappings"].as_array().expect("a list");
    let Some(mapping) = mappings.iter().find(|m| m["name"] == register) else { return BTreeMap::new() };
    let kind = mapping.get("type_ref").and_then(Value::as_str).unwrap_or(register);
    let list = database["register_types"][kind]["fields"].as_array().cloned().unwrap_or_default();
    let bit = |v: &Value| v.as_u64().expect("a bit") as u8;
    list.iter()
        .map(|f| {
            let (low, high) = (bit(&f["bits"][0]), bit(&f["bits"][1]));
            (f["name"].as_str().expect("a name").to_string(), (low, high - low + 1))
        })
        .collect()
}

#[test]
fn fields_stand_where_the_database_has_them() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/hw");
    let mut held = 0;
    for (isa, file) in FILES {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("{file}.json"))) else {
            println!("SKIP register-database (../shared/hw)");
            return;
        };
        let database: Value = serde_json::from_str(&text).expect("JSON");
        for (register, ours) in REGISTERS.iter().filter(|(name, _)| *name != NOT_THERE) {
            let theirs = fields(&database, register);
            for field in *ours {
                let other = OTHER_NAMES.iter().find(|(name, _)| *name == field.name).map(|(_, other)| *other);
                let place = theirs.get(field.name).or_else(|| theirs.get(other?));
                assert_eq!(field.bits(isa), place.copied(), "{isa:?} {register} {}", field.name);
                held += usize::from(place.is_some());
            }
        }
        let whole = |register: &str| {
            let bits = |(low, bits): (u8, u8)| (u32::MAX >> (32 - bits)) << low;
            fields(&database, register).into_values().fold(0, |all, place| all | bits(place))
        };
        // What a wave may write is the whole of these.
        assert_eq!(mask(mode::ALL, isa), whole("SQ_WAVE_MODE"), "{isa:?}");
        assert_eq!(mask(wavepipe_hw::register::trapsts::ALL, isa), whole("SQ_WAVE_TRAPSTS"), "{isa:?}");
    }
    assert!(held > 500, "{held} places");
}

#[test]
fn fields_by_hand() {
    for (field, isa, bits) in [
        (mode::FP16_OVFL, Gen::Gfx701, None),
        (mode::FP16_OVFL, Gen::Gfx900, Some((23, 1))),
        (hw_id::SE_ID, Gen::Gfx600, Some((13, 1))),
        (hw_id::SE_ID, Gen::Gfx900, Some((13, 2))),
        (hw_id::SE_ID, Gen::Gfx1010, None),
        (status::SCC, Gen::Gfx1150, Some((0, 1))),
        (status::SCC, Gen::Gfx1201, None),
    ] {
        assert_eq!(field.bits(isa), bits, "{isa:?} {}", field.name);
        let all: u32 = bits.map_or(0, |(_, n)| (1 << n) - 1);
        assert_eq!((field.put(isa, !0).count_ones(), field.get(isa, !0)), (all.count_ones(), all));
        assert_eq!(field.set(isa, !0, 0), !field.mask(isa));
    }
    assert_eq!(rsrc1::FLOAT_MODE.set(Gen::Gfx900, 0xffff_ffff, 0x1c0), 0xfffc_0fff);
}

/// No two fields of a register share bits.
#[test]
fn fields_stand_apart() {
    for isa in Gen::ALL {
        for (register, fields) in REGISTERS {
            let sum: u64 = fields.iter().map(|f: &BitField| u64::from(f.mask(isa))).sum();
            assert_eq!(sum, u64::from(mask(fields, isa)), "{isa:?} {register}");
        }
    }
}
