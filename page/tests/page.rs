//! The page: one file that needs no other, in which links go both ways.

use crate::made::sheet;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::{BTreeMap, BTreeSet};
use wavepipe_page::{html, json};

/// Elements with their attributes; each is closed by its own end.
fn elements(page: &str) -> Vec<(String, BTreeMap<String, String>)> {
    // The style and the script are no markup, and "<" in them means nothing.
    let mut text = page.strip_prefix("<!DOCTYPE html>\n").expect("a page begins with its type").to_owned();
    for name in ["style", "script"] {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        while let Some(at) = text.find(&open) {
            let end = text[at..].find(&close).expect("what opens is closed");
            text.replace_range(at..at + end + close.len(), "");
        }
    }
    let mut reader = Reader::from_str(&text);
    let mut out = Vec::new();
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("at {}: {e}", reader.buffer_position())) {
            Event::Start(e) | Event::Empty(e) => {
                let name = String::from_utf8_lossy(e.name().as_ref()).into_owned();
                let attributes = e.attributes().map(|a| {
                    let a = a.unwrap();
                    (
                        String::from_utf8_lossy(a.key.as_ref()).into_owned(),
                        String::from_utf8_lossy(&a.value).into_owned(),
                    )
                });
                out.push((name, attributes.collect()));
            }
            Event::Eof => return out,
            _ => {}
        }
    }
}

/// Well-formed, ids once each, local links with an end, and nothing that is fetched.
pub fn well_formed(page: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let all = elements(page);
    let ids: Vec<&String> = all.iter().filter_map(|(_, a)| a.get("id")).collect();
    let unique: BTreeSet<&String> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "an id stands twice");
    for (name, attributes) in &all {
        assert!(!["link", "img", "iframe", "object", "embed", "base"].contains(&name.as_str()), "<{name}>");
        for fetched in ["src", "srcset", "data", "action", "poster"] {
            assert!(!attributes.contains_key(fetched), "<{name} {fetched}>");
        }
        if let Some(href) = attributes.get("href") {
            let id = href.strip_prefix('#').unwrap_or_else(|| panic!("{href} leads away"));
            assert!(unique.contains(&id.to_owned()), "{href} leads nowhere");
        }
    }
    for outside in ["http:", "https:", "@import", "url(", "//cdn"] {
        assert!(!page.contains(outside), "{outside}");
    }
    all
}

#[test]
fn the_page_is_one_file_that_is_well_formed() {
    for run in [false, true] {
        let all = well_formed(&html::sheet(&sheet(run)));
        assert!(all.iter().any(|(name, _)| name == "svg"));
        assert_eq!(all.iter().any(|(_, a)| a.get("id").is_some_and(|id| id == "timeline")), run);
    }
}

/// From each source line that has code to its first instruction, and from each instruction to its line; and lines, ir and
/// instructions that belong together have the same key.
#[test]
fn links_go_both_ways() {
    let sheet = sheet(true);
    let page = html::sheet(&sheet);
    for (n, row) in sheet.code.iter().enumerate() {
        let source = row.source.unwrap();
        let (key, line) = (format!("0:{}", source.line), source.line);
        let own = page.split(&format!("<tr id=\"c{n}\" ")).nth(1).and_then(|rest| rest.split("</tr>").next()).unwrap();
        assert!(own.starts_with(&format!("data-l=\"{key}\"")), "{own}");
        assert!(own.contains(&format!("href=\"#s0-{line}\"")), "{own}");
        let first = sheet.code.iter().position(|r| r.source == row.source).unwrap();
        let back = format!("<tr id=\"s0-{line}\" data-l=\"{key}\"><td class=\"n\"><a href=\"#c{first}\"");
        assert!(page.contains(&back), "{back}");
    }
    assert!(page.contains("<tr data-l=\"0:4\"><td class=\"n\"><a href=\"#s0-4\""), "the ir's lines lead to the source");
    // A branch leads to its label.
    assert!(page.contains("data-to=\"c4\"") && page.contains("<a href=\"#c4\" tabindex=\"-1\">BB0</a>"));
}

#[test]
fn what_a_source_says_is_text() {
    let page = html::sheet(&sheet(false));
    assert!(page.contains("// sums &lt;eight&gt; &amp; more") && !page.contains("<eight>"));
}

/// The arrow of a branch and of a wait stand at their rows, which have one height.
#[test]
fn arrows_stand_at_their_rows() {
    let page = html::sheet(&sheet(false));
    let row = |n: u32, labels: u32| (n + labels) * 20 + 10;
    // Behind BB0 all is one row lower.
    assert!(page.contains(&format!("{}H", row(9, 1))) && page.contains(&format!("V{}H", row(4, 1))), "the loop");
    assert!(page.contains("<g class=\"loop\" data-rows=\"c9 c4\">"));
    assert!(page.contains("<g class=\"wait\" data-rows=\"c4 c5\"><title>vmcnt</title>"));
    assert!(include_str!("../src/html/page.css").contains("--row: 20px"));
}

#[test]
fn json_has_its_schema_and_all_rows() {
    let sheet = sheet(true);
    let value = json::sheet(&sheet);
    assert_eq!((value["schema"].as_str(), value["version"].as_u64()), (Some("wavepipe-sheet"), Some(1)));
    assert_eq!(value["code"].as_array().map(Vec::len), Some(12));
    assert_eq!(value["run"]["rows"].as_array().map(Vec::len), Some(12));
    assert_eq!(value["limited_by"], "VGPRs");
    assert_eq!(value["code"][4]["label"], "BB0");
    assert_eq!(value["waits"][1]["accesses"][0], 4);
}
