//! The page over HTTP.

use crate::host_time::PATIENCE;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use wavepipe_playground::page::FILES;
use wavepipe_playground::server::Server;

fn started() -> SocketAddr {
    run(Server::bind(0).unwrap())
}

fn started_with(patience: Duration) -> SocketAddr {
    run(Server::bind(0).unwrap().patient(patience))
}

fn run(server: Server) -> SocketAddr {
    let address = server.address().unwrap();
    std::thread::spawn(move || server.run());
    address
}

/// Sends it as it stands; the status, and the body.
fn raw(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

fn ask(address: SocketAddr, page: &str, question: &Value) -> Value {
    let body = question.to_string();
    let request = format!(
        "POST /ask?page={page} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, body) = raw(address, &request);
    assert_eq!(status, 200);
    serde_json::from_str(&body).unwrap()
}

/// A byte at a time, each in good time, and yet not all of it.
#[test]
fn who_takes_too_long_is_left() {
    let patience = Duration::from_millis(400);
    let address = started_with(patience);
    for request in ["GET / HTTP/1.1\r\nHost: x\r\n", "POST /ask HTTP/1.1\r\nContent-Length: 1000\r\n\r\n"] {
        let begin = Instant::now();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        while stream.write_all(b"a").is_ok() {
            assert!(begin.elapsed() < PATIENCE, "{request}");
            std::thread::sleep(patience / 10);
        }
        assert!(begin.elapsed() >= patience / 2, "{request}");
    }
    // The others are answered, as often as they ask in time. On a busy machine what is in time for one is late for the other: a
    // longer time can tell.
    let mut patiences = (0..8).map(|n| patience * (1 << n));
    assert!(patiences.any(|patience| in_time(patience).is_ok()), "a request that comes in time is not answered");
}

/// Asks four times by one connection, each time in half of the server's patience.
fn in_time(patience: Duration) -> std::io::Result<()> {
    let address = started_with(patience);
    let mut stream = TcpStream::connect(address)?;
    for _ in 0..4 {
        std::thread::sleep(patience / 2);
        stream.write_all(format!("GET /none HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes())?;
        let mut word = [0; 12];
        stream.read_exact(&mut word)?;
        assert_eq!(&word, b"HTTP/1.1 404");
        let mut rest = [0; 1024];
        assert!(stream.read(&mut rest)? > 0);
    }
    Ok(())
}

#[test]
fn the_page_and_its_files_are_served() {
    let address = started();
    let get = |path: &str| raw(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"));
    assert_eq!(get("/"), (200, FILES[0].text.to_owned()));
    for file in FILES {
        assert_eq!(get(&format!("/{}", file.name)), (200, file.text.to_owned()), "{}", file.name);
        // Whatever the page names is there, but for what scripts/playground makes.
        for part in FILES[0].text.split(['"']).filter(|p| p.ends_with(".js") || p.ends_with(".css")) {
            assert!(FILES.iter().any(|f| f.name == part), "{part}");
        }
    }
    for path in ["/module.js", "/../Cargo.toml", "/etc/passwd", "//"] {
        assert_eq!(get(path).0, 404, "{path}");
    }
}

#[test]
fn each_page_steps_its_own_dispatch() {
    let address = started();
    let begin = super::of_example("begin", "first");
    let step = json!({ "do": "step", "how": "instruction" });
    assert_eq!(ask(address, "a", &begin)["position"], 0);
    assert_eq!(ask(address, "a", &step)["position"], 1);
    assert_eq!(ask(address, "b", &step)["error"], "nothing is being stepped");
    assert_eq!(ask(address, "b", &begin)["position"], 0);
    assert_eq!(ask(address, "a", &step)["position"], 2);
}

#[test]
fn the_dispatches_of_sixteen_pages_are_kept() {
    let address = started();
    let begin = super::of_example("begin", "first");
    let step = json!({ "do": "step", "how": "instruction" });
    for page in 0..17 {
        assert_eq!(ask(address, &page.to_string(), &begin)["position"], 0);
    }
    // The first page asked longest ago when the last one came.
    assert_eq!(ask(address, "16", &step)["position"], 1);
    assert_eq!(ask(address, "1", &step)["position"], 1);
    assert_eq!(ask(address, "0", &step)["error"], "nothing is being stepped");
}

#[test]
fn several_requests_come_by_one_connection() {
    let address = started();
    let mut stream = TcpStream::connect(address).unwrap();
    let get = format!("GET /style.css HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(format!("{get}{get}").as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let address = started();
    let post = |host: &str, more: &str| {
        let body = "{\"do\":\"about\"}";
        let head = format!("POST /ask HTTP/1.1\r\nHost: {host}\r\n{more}Content-Length: {}\r\n\r\n", body.len());
        raw(address, &format!("{head}{body}")).0
    };
    let own = address.to_string();
    let json = "Content-Type: application/json\r\n";
    assert_eq!(post(&own, json), 200);
    assert_eq!(post("rebound.example", json), 403);
    assert_eq!(post(&own, &format!("{json}Origin: http://elsewhere.example\r\n")), 403);
    assert_eq!(post(&own, "Content-Type: text/plain\r\n"), 415);
    assert_eq!(raw(address, "nonsense\r\n\r\n").0, 400);
    assert_eq!(raw(address, "GET / HTTP/1.1\r\nHost: ").0, 400);
    let pieces = format!("POST /ask HTTP/1.1\r\nHost: {own}\r\n{json}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assert_eq!(raw(address, &pieces).0, 411);
    let headers = format!("GET / HTTP/1.1\r\nHost: {own}\r\n{}\r\n", "A: b\r\n".repeat(200));
    assert_eq!(raw(address, &headers).0, 431);
    assert_eq!(
        raw(address, &format!("POST /ask HTTP/1.1\r\nHost: {own}\r\nContent-Length: 99999999999\r\n\r\n")).0,
        413
    );
    let many = format!("GET / HTTP/1.1\r\n{}", "A: b\r\n".repeat(20_000));
    let refused = std::panic::catch_unwind(|| raw(address, &many).0);
    assert!(refused.is_err() || refused.is_ok_and(|status| status == 431));
}

#[test]
fn a_question_has_32_mib_and_64_kib_in_front() {
    let address = started();
    let head = |length: usize, more: &str| {
        let kind = "Content-Type: application/json";
        format!("POST /ask HTTP/1.1\r\nHost: {address}\r\n{kind}\r\n{more}Content-Length: {length}\r\n\r\n")
    };
    let about = "{\"do\":\"about\"}";
    let question = about.to_owned() + &" ".repeat((32 << 20) - about.len());
    assert_eq!(raw(address, &(head(question.len(), "") + &question)).0, 200);
    assert_eq!(raw(address, &head(question.len() + 1, "")).0, 413);
    let padded = |bytes: usize| {
        let short = &question[..100];
        raw(address, &(head(100, &format!("A: {}\r\n", "b".repeat(bytes - head(100, "A: \r\n").len()))) + short)).0
    };
    assert_eq!(padded(64 << 10), 200);
    // Who goes on sending to what is closed may hear of that before the answer.
    let refused = std::panic::catch_unwind(|| padded((64 << 10) + 1));
    assert!(refused.is_err() || refused.is_ok_and(|status| status == 431));
}
