//! Jobs on the clock.

use super::*;

/// The words of the page are in the page's own script, as data.
#[test]
fn the_whole_page_is_one_file() {
    let page = ask(of_example("page", "reduction"));
    assert_eq!(page["name"], "main", "{}", page["error"]);
    let html = page["html"].as_str().unwrap();
    assert!(html.starts_with("<!") && html.trim_end().ends_with("</html>"));
    for part in ["workgroupBarrier", "s_barrier", "VGPRs", "of peak</th>"] {
        assert!(html.contains(part), "no {part} in {} bytes", html.len());
    }
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "it needs nothing else");
    // Without a run that ends there is no page.
    let mut endless = of_example("page", "first");
    endless["source"] = "fn".into();
    assert!(ask(endless)["error"].is_string());
}

#[test]
fn the_first_example_writes_what_it_says() {
    let answer = ask(of_example("run", "first"));
    assert_eq!(answer["failure"], Value::Null);
    let y = answer["outputs"].as_array().unwrap().iter().find(|o| o["name"] == "y").unwrap();
    assert_eq!((&y["written"], &y["changed"]), (&json!(true), &json!(true)));
    let values: Vec<f64> = y["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert_eq!(values, (0..256).map(|i| 2.0 * f64::from(i) + 1.0).collect::<Vec<_>>());
}

#[test]
fn cycles_are_those_of_the_clock_and_instructions_add_up() {
    let answer = ask(of_example("run", "divergence"));
    let dispatch = &answer["dispatches"][0];
    let cycles = dispatch["cycles"].as_u64().unwrap();
    assert!(cycles > 100, "{dispatch}");
    assert_eq!(ask(of_example("run", "divergence"))["dispatches"][0]["cycles"], cycles);
    let issued: u64 = answer["instructions"].as_array().unwrap().iter().map(|i| i["issued"].as_u64().unwrap()).sum();
    assert_eq!(issued, dispatch["instructions"].as_u64().unwrap());
    assert!(dispatch["lanes"].as_u64().unwrap() < 32 * dispatch["lane_instructions"].as_u64().unwrap());
}

/// The lessons show what they say.
#[test]
fn lessons_teach_what_they_say() {
    let with = |name: &str, stride: u32| {
        let mut question = of_example("run", name);
        let job = question["job"].as_str().unwrap().replace("STRIDE = 32", &format!("STRIDE = {stride}"));
        question["job"] = job.into();
        ask(question)
    };
    let conflicts = |stride| with("banks", stride)["dispatches"][0]["conflicts"].as_u64().unwrap();
    assert!(conflicts(32) > 0);
    assert_eq!(conflicts(33), 0);
    let lines = |stride| {
        let answer = with("strides", stride);
        let rows = answer["instructions"].as_array().unwrap().clone();
        rows.iter().map(|r| r["lines"].as_u64().unwrap()).sum::<u64>()
    };
    assert!(lines(32) > 4 * lines(1), "{} {}", lines(32), lines(1));
}

#[test]
fn pictures_go_in_and_come_out() {
    let answer = ask(of_example("run", "cas"));
    assert_eq!(answer["failure"], Value::Null);
    let picture = answer["outputs"].as_array().unwrap().iter().find(|o| o["written"] == true).unwrap();
    assert!(picture["picture"].as_str().unwrap().starts_with("data:image/png;base64,"), "{picture}");
    let mut question = of_example("run", "cas");
    question["job"] = question["job"].as_str().unwrap().replace("photo.png", "other.png").into();
    let answer = ask(question);
    assert!(answer["error"].as_str().unwrap().contains("other.png"), "{answer}");
}

#[test]
fn a_race_is_found_where_it_is_asked_for() {
    let source = "
        var<workgroup> sum: u32;
        @group(0) @binding(0) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) { sum += i; y[i] = sum; }";
    let mut question = of_wgsl("run", source, "");
    assert_eq!(ask(question.clone())["findings"], json!([]));
    question["check"] = true.into();
    let findings = ask(question)["findings"].clone();
    assert!(findings.as_array().unwrap().iter().any(|f| f["check"] == "race"), "{findings}");
}

#[test]
fn policies_decide_who_waits() {
    let times = |policy: &str| {
        let mut question = of_example("run", "matmul");
        question["beside"] = policy.into();
        let answer = ask(question);
        let ended: Vec<u64> =
            answer["dispatches"].as_array().unwrap().iter().map(|d| d["ended"].as_u64().unwrap()).collect();
        assert_eq!(ended.len(), 2, "{policy}");
        ended
    };
    // Suspended, the general queue's work ends behind the urgent one's.
    let tunnel = times("tunnel");
    assert!(tunnel[1] < tunnel[0], "{tunnel:?}");
    for policy in ["share", "limit", "tunnel"] {
        assert_eq!(times(policy), times(policy), "{policy}");
    }
    let mut question = of_example("run", "first");
    question["beside"] = "push".into();
    assert!(ask(question)["error"].as_str().unwrap().contains("share, limit and tunnel"));
}

#[test]
fn a_fault_is_told() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) { loop { y[i] += 1u; if y[i] == 0u { break; } } }";
    // An endless loop, nearly: it has a limit on the host, which the page's worker has in a person.
    let answer = ask(of_wgsl("code", source, ""));
    assert_eq!(answer["mistakes"], json!([]));
}
