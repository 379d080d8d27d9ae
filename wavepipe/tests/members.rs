//! What the numbers of structures are called, and where they lie.

use std::sync::Arc;
use wavepipe::view::{Leaf, Types, View, Walk, numbers};
use wavepipe_runtime::compiler::spirv::{Member, Scalar, ScalarKind, Type};

const F32: Scalar = Scalar { kind: ScalarKind::Float, bytes: 4 };

fn vector(n: u32) -> Type {
    Type::Vector { scalar: F32, n, stride: 4 }
}

fn member(name: &str, offset: u32, ty: Type) -> Member {
    Member { name: name.to_owned(), offset, ty }
}

fn view(head: Vec<Member>, element: Type) -> View {
    let (mut before, mut walk) = (Walk::default(), Walk::default());
    head.iter().for_each(|m| before.add(&m.ty, m.offset as usize).unwrap());
    walk.add(&element, 0).unwrap();
    assert_eq!(numbers(&element), walk.leaves.len());
    let types = Types { head, element, array: "all".into(), whole: false };
    View {
        head: before.leaves,
        at: 16,
        element: walk.leaves,
        stride: 48,
        count: 2,
        types: Some(types.into()),
        ..View::default()
    }
}

#[test]
fn members_are_called_as_they_are_declared() {
    let matrix = Type::Matrix { column: Arc::new(vector(2)), n: 2, stride: 8 };
    let inner = Type::Struct { name: "In".into(), members: Arc::new([member("w", 0, Type::Scalar(F32))]) };
    let pair = Type::Array { element: Arc::new(inner), n: Some(2), stride: 4, bytes: 4 };
    // A module without names has numbers for members.
    let members = [member("at", 0, vector(3)), member("turn", 16, matrix), member("", 32, pair)];
    let element = Type::Struct { name: "Out".into(), members: members.into() };
    let view = view(vec![member("n", 0, Type::Scalar(F32)), member("low", 8, vector(2))], element);
    let offsets: Vec<usize> = view.element.iter().map(|l: &Leaf| l.offset).collect();
    assert_eq!(offsets, [0, 4, 8, 16, 20, 24, 28, 32, 36]);
    let called: Vec<String> = (0..3 + 9 + 2).map(|n| view.member(n).unwrap()).collect();
    let wanted = [
        "n",
        "low.x",
        "low.y",
        "at.x",
        "at.y",
        "at.z",
        "turn[0].x",
        "turn[0].y",
        "turn[1].x",
        "turn[1].y",
        "2[0].w",
        "2[1].w",
        "at.x",
        "at.y",
    ];
    assert_eq!(called, wanted);
}

#[test]
fn numbers_and_vectors_are_no_members() {
    assert_eq!(view(Vec::new(), vector(3)).member(1), None);
    assert_eq!(View::default().member(0), None);
    let matrix = Type::Matrix { column: Arc::new(vector(4)), n: 2, stride: 16 };
    assert_eq!(view(Vec::new(), matrix).member(13).unwrap(), "[1].y");
}
