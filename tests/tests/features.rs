//! A crate has the same features whichever members of the workspace are selected, so that it is compiled once:
//! `features/Cargo.toml` sees to it.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use wavepipe_tests::root;

#[test]
fn features_are_the_same_whichever_members_are_selected() {
    let mut selections = vec![Selection { tests: false, member: None }];
    for member in members() {
        // Without its tests, a published crate has the features that it has outside of the workspace. Without dev-dependencies, tests
        // have those of the build.
        let (tests, build) = (member.published || member.dev_dependencies, !member.published);
        let of = |tests| Selection { tests, member: Some(member.name.clone()) };
        selections.extend(tests.then(|| of(true)).into_iter().chain(build.then(|| of(false))));
    }
    assert!(selections.len() > 20, "{} selections", selections.len());
    // One after the other: cargo's lock of its cache would make them wait for each other.
    let found = selections.iter().map(|selection| (selection.to_string(), features(&selection.tree())));
    let found: Vec<(String, Features)> = found.collect();
    let different = differences(&features(&WORKSPACE.tree()), &found);
    assert!(different.is_empty(), "{}\n{WHAT_TO_DO}", different.join("\n"));
}

/// What features are compared with.
const WORKSPACE: Selection = Selection { tests: true, member: None };

const WHAT_TO_DO: &str = "Each of these would be compiled once more. Add it, or the crate that enables these features of it, to \
     features/Cargo.toml with the features that the workspace has: under build-dependencies where it is one of the host. \
     A member that is new depends on wavepipe-features, a published one in its dev-dependencies.";

/// A version in `features/Cargo.toml` that nothing else depends on would be built for nothing.
#[test]
fn features_are_of_crates_that_others_depend_on() {
    let lock = table("Cargo.lock");
    let packages: Vec<&toml::Value> = lock["package"].as_array().unwrap().iter().collect();
    let dependencies =
        |package: &toml::Value| package.get("dependencies").and_then(|d| d.as_array()).cloned().unwrap_or_default();
    let (own, others): (Vec<_>, Vec<_>) =
        packages.into_iter().partition(|package| package["name"].as_str() == Some("wavepipe-features"));
    let needed: Vec<toml::Value> = others.into_iter().flat_map(dependencies).collect();
    let own: Vec<toml::Value> = own.into_iter().flat_map(dependencies).collect();
    assert!(own.len() > 5, "{own:?}");
    let alone: Vec<&toml::Value> = own.iter().filter(|name| !needed.contains(name)).collect();
    assert!(
        alone.is_empty(),
        "only features/Cargo.toml depends on {alone:?}: take it out, or give it the version of the others"
    );
}

/// What is built: the workspace or one member, with tests or without.
struct Selection {
    tests: bool,
    member: Option<String>,
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let command = if self.tests { "test" } else { "build" };
        match &self.member {
            Some(name) => write!(f, "cargo {command} -p {name}"),
            None => write!(f, "cargo {command} --workspace"),
        }
    }
}

impl Selection {
    /// Asks cargo for the features. Where a target is named, a member that build scripts use too is in the tree once for each graph.
    fn tree(&self) -> String {
        let cargo = std::env::var_os("CARGO").unwrap_or(env!("CARGO").into());
        let mut command = Command::new(cargo);
        command.current_dir(root()).args(["tree", "--offline", "--locked", "--target=host-tuple", "--color=never"]);
        command.args(["--charset=ascii", "--format=\t{p}\t{f}"]);
        command.arg(if self.tests { "--edges=normal,build,dev" } else { "--edges=normal,build" });
        match &self.member {
            Some(name) => command.args(["--package", name]),
            None => command.arg("--workspace"),
        };
        let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A crate in one of the two graphs: what build scripts and procedural macros use has features of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    host: bool,
    name: String,
    version: String,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}{}", self.name, self.version, if self.host { " of the host" } else { "" })
    }
}

type Features = BTreeMap<Package, String>;

/// The features in a tree. A line is an indentation of four characters a level and a package, or the heading of some of the
/// dependencies of the package that is one level out.
fn features(tree: &str) -> Features {
    let mut found = Features::new();
    // For each package on the way to the present line, whether it is the host's, and whether its dependencies from here on are.
    let mut way: Vec<(bool, bool)> = Vec::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let Some((indentation, package)) = line.split_once('\t') else {
            let heading = line.trim_start_matches(['|', ' ']);
            way.truncate((line.len() - heading.len()) / 4 + 1);
            let (host, below) = way.last_mut().expect("a heading is below a package");
            *below = *host || heading == "[build-dependencies]";
            continue;
        };
        way.truncate(indentation.len() / 4);
        let (package, features) = package.split_once('\t').unwrap();
        let host = way.last().is_some_and(|(_, below)| *below) || package.contains(" (proc-macro)");
        way.push((host, host));
        let mut words = package.split(' ').map(str::to_owned);
        let package = Package { host, name: words.next().unwrap(), version: words.next().unwrap() };
        let features = features.trim_end_matches("(*)").trim_end();
        let before = found.insert(package.clone(), features.to_owned());
        assert!(before.is_none_or(|before| before == features), "{package} has one set of features in a build");
    }
    found
}

/// What has other features than in the workspace, a line for each crate and set of features.
fn differences(workspace: &Features, found: &[(String, Features)]) -> Vec<String> {
    let mut other: BTreeMap<(&Package, &str), Vec<&str>> = BTreeMap::new();
    for (selection, features) in found {
        let different = features.iter().filter(|(package, features)| workspace.get(package) != Some(features));
        different.for_each(|(package, features)| other.entry((package, features)).or_default().push(selection));
    }
    let line = |((package, features), selections): ((&Package, &str), Vec<&str>)| {
        let all = workspace.get(package).map_or("", |all| all);
        format!("{package} has the features [{all}] by {WORKSPACE}, [{features}] by {}", selections.join(", "))
    };
    other.into_iter().map(line).collect()
}

struct Member {
    name: String,
    published: bool,
    dev_dependencies: bool,
}

fn members() -> Vec<Member> {
    let workspace = table("Cargo.toml");
    let folders = workspace["workspace"]["members"].as_array().unwrap().iter().map(|m| m.as_str().unwrap());
    let member = |folder: &str| {
        let text = read(&format!("{folder}/Cargo.toml"));
        let manifest: toml::Table = text.parse().unwrap();
        let package = &manifest["package"];
        Member {
            name: package["name"].as_str().unwrap().to_owned(),
            published: package.get("publish").is_none(),
            dev_dependencies: text.contains("dev-dependencies]"),
        }
    };
    folders.map(member).collect()
}

fn table(path: &str) -> toml::Table {
    read(path).parse().unwrap()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn trees_are_read() {
    let tree = "\ta v1.0.0 (/usr/src/a)\t
|-- \tb v2.0.0\tx,y
|   |-- \tm v1.0.0 (proc-macro)\t
|   |   `-- \tc v1.0.0\thost
|   `-- \tc v1.0.0\tdefault
|   [build-dependencies]
|   `-- \td v1.0.0\t (*)
[build-dependencies]
`-- \tc v1.0.0\thost (*)
[dev-dependencies]
`-- \tc v1.0.0\tdefault (*)

\tb v2.0.0\tx,y (*)
";
    let found: Vec<String> =
        features(tree).iter().map(|(package, features)| format!("{package}: {features}")).collect();
    let host = ["c v1.0.0 of the host: host", "d v1.0.0 of the host: ", "m v1.0.0 of the host: "];
    assert_eq!(found, [&["a v1.0.0: ", "b v2.0.0: x,y", "c v1.0.0: default"], &host[..]].concat());
    let one = |own: &str| features(&format!("\tb v2.0.0\t{own}"));
    let found = [("cargo test -p a".to_owned(), one("x")), ("cargo test -p b".to_owned(), one("x,y"))];
    assert_eq!(
        differences(&one("x,y"), &found),
        ["b v2.0.0 has the features [x,y] by cargo test --workspace, [x] by cargo test -p a"]
    );
}
