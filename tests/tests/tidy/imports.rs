//! Who imports whom: crates by their manifests, rooms of a folder by the paths that their code names.

use super::before_tests;
use std::collections::{BTreeMap, BTreeSet};

/// Workspace crates, and crates the table rations, that a manifest imports without leave.
pub fn imports_outside<'a>(manifest: &'a toml::Table, allowed: &'a [&str]) -> impl Iterator<Item = &'a String> {
    let rationed = |name: &str| name.starts_with("wavepipe") || name == "ash" || name == "rspirv";
    ["dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|section| manifest.get(section)?.as_table())
        .flat_map(|table| table.keys())
        .filter(move |name| rationed(name) && !allowed.contains(&name.as_str()))
}

/// What a folder's face (`mod.rs`, `lib.rs`) is called among its rooms: it knows all of them.
const FACE: &str = "the face";

/// The rooms of a folder (the files and folders in it, and its face) and those that each one's code names.
pub fn imports_of_rooms(sources: &[(String, String)], folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let inside = |path: &[String]| path.strip_prefix(&*module_path(folder)).map(<[String]>::to_vec);
    let files: Vec<(Vec<String>, &str)> = sources
        .iter()
        .filter(|(path, _)| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        .map(|(path, text)| (module_path(path), before_tests(text)))
        .collect();
    let room_of = |path: &[String]| inside(path).and_then(|rest| rest.into_iter().next());
    let rooms: BTreeSet<String> = files.iter().filter_map(|(path, _)| room_of(path)).collect();
    let mut imports: BTreeMap<String, BTreeSet<String>> =
        rooms.iter().map(|room| (room.clone(), BTreeSet::new())).collect();
    for (path, text) in &files {
        let Some(room) = room_of(path) else { continue };
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let named = paths_in(&code, path).into_iter().filter_map(|path| inside(&path));
        let named = named.map(|path| path.into_iter().next().filter(|name| rooms.contains(name)));
        let others = named.map(|name| name.unwrap_or(FACE.to_owned())).filter(|name| *name != room);
        imports.get_mut(&room).unwrap().extend(others);
    }
    imports.insert(FACE.to_owned(), rooms);
    imports
}

/// The path of a file's or folder's module in its crate.
fn module_path(path: &str) -> Vec<String> {
    let inside = path.split_once("src").map_or("", |(_, rest)| rest).trim_start_matches('/');
    let names = inside.trim_end_matches(".rs").split('/');
    names.filter(|name| !["", "mod", "lib", "main"].contains(name)).map(str::to_owned).collect()
}

/// The paths that begin with `crate` or `super` in the code of module `own`, from the root of its crate.
fn paths_in(code: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let mut rest = code;
    while let Some(at) = [rest.find("crate::"), rest.find("super::")].into_iter().flatten().min() {
        rest = &rest[at..];
        let mut base = own;
        if let Some(inner) = rest.strip_prefix("crate::") {
            (base, rest) = (&[], inner);
        }
        while let Some(inner) = rest.strip_prefix("super::") {
            (base, rest) = (base.split_last().map_or(base, |(_, outer)| outer), inner);
        }
        out.extend(use_tree(rest).into_iter().map(|names| [base, &names].concat()));
    }
    out
}

/// The paths of the `use` tree that a text begins with; of all that a module has, the module's.
fn use_tree(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start();
    match text.chars().next() {
        Some('{') => return items(text).into_iter().flat_map(use_tree).collect(),
        Some('*') => return vec![Vec::new()],
        _ => {}
    }
    let name = first_word(text);
    let below = match text[name.len()..].strip_prefix("::") {
        _ if name.is_empty() => return Vec::new(),
        Some(rest) => use_tree(rest),
        None => Vec::new(),
    };
    let below = if below.is_empty() { vec![Vec::new()] } else { below };
    below.into_iter().map(|path| [&[name.to_owned()], &*path].concat()).collect()
}

/// What stands between the commas of the braces that a text begins with.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0, 1, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => {
                out.push(&text[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 1 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out
}

/// The identifier that a text begins with.
pub fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Rooms that import each other in a circle: the first again at the end.
pub fn circle(imports: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit<'a>(
        room: &'a String,
        imports: &'a BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<&'a String>,
        done: &mut BTreeSet<&'a String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|r| *r == room) {
            return Some(path[at..].iter().copied().chain([room]).cloned().collect());
        }
        if done.contains(room) {
            return None;
        }
        path.push(room);
        let found = imports[room].iter().find_map(|next| visit(next, imports, path, done));
        path.pop();
        done.insert(room);
        found
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|room| visit(room, imports, &mut Vec::new(), &mut done))
}

#[test]
fn imports_without_leave_are_found() {
    let manifest: toml::Table =
        "[dependencies]\nash = \"1\"\nserde = \"1\"\nwavepipe-core.workspace = true".parse().unwrap();
    assert_eq!(imports_outside(&manifest, &["ash"]).collect::<Vec<_>>(), ["wavepipe-core"]);
}

#[test]
fn circles_of_rooms_are_found() {
    let rooms = |a: &str, c: &str| {
        let texts = [("a.rs", a), ("b/mod.rs", ""), ("b/d.rs", "use super::super::c;"), ("c.rs", c), ("mod.rs", "")];
        let all: Vec<_> = texts.iter().map(|(name, text)| (format!("k/src/x/{name}"), text.to_string())).collect();
        circle(&imports_of_rooms(&all, "k/src/x")).map(|rooms| rooms.join(" "))
    };
    assert_eq!(rooms("use super::b::d::X;", "use crate::{y, x::e::Z};"), Some("a b c the face a".to_owned()));
    assert_eq!(rooms("use super::b::d::X;", "// use super::a;"), None);
    for back in ["use super::a::Y;", "crate::x::a::f()", "use crate::{y::{Z, a}, x::{\n    b::d,\n    a::*,\n}};"] {
        assert_eq!(rooms("use super::b::d::X;", back).unwrap(), "a b c a", "{back}");
    }
    assert_eq!(rooms("", "use super::*;").unwrap(), "b c the face b");
}
