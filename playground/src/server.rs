//! The page and its answers over HTTP, for browsers of this machine.
//!
//! A question is a POST of JSON to `/ask?page=ID`. Another site's page cannot ask: JSON from elsewhere takes a preflight, which
//! nobody answers, and a name that others made to point here is no host of ours.

use crate::Bench;
use crate::page::{FILES, File};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a question, and of what stands in front of it.
const QUESTION: usize = 32 << 20;
const HEAD: u64 = 64 << 10;
const HEADERS: usize = 100;
/// Pages whose dispatches are kept.
const PAGES: usize = 16;
/// Of a thread that compiles what nests deep; what is not touched costs nothing.
const STACK: usize = 512 << 20;
/// How long a browser may take for a request, from the answer to its last one on.
const PATIENCE: Duration = Duration::from_secs(30);

type Pages = Mutex<VecDeque<(String, Arc<Mutex<Bench>>)>>;

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    pages: Arc<Pages>,
    patience: Duration,
}

impl Server {
    /// Listens on this machine alone; port 0 is any that is free.
    pub fn bind(port: u16) -> std::io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        Ok(Server { listener, pages: Arc::default(), patience: PATIENCE })
    }

    /// With another patience than half a minute for each request.
    pub fn patient(self, patience: Duration) -> Server {
        Server { patience, ..self }
    }

    /// Where the page is.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers for ever, each connection on a thread of its own.
    pub fn run(&self) -> std::io::Result<()> {
        let port = self.address()?.port();
        for stream in self.listener.incoming() {
            // A browser that went away is no reason to stop.
            let Ok(stream) = stream else { continue };
            let (pages, patience) = (self.pages.clone(), self.patience);
            let work = move || drop(serve(stream, patience, port, &pages));
            let _ = std::thread::Builder::new().name("wavepipe serve".into()).stack_size(STACK).spawn(work);
        }
        Ok(())
    }
}

struct Request {
    method: String,
    path: String,
    query: String,
    host: String,
    origin: Option<String>,
    kind: String,
    body: Vec<u8>,
}

/// Requests of one connection, until it is closed.
fn serve(stream: TcpStream, patience: Duration, port: u16, pages: &Pages) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(patience))?;
    let mut out = stream.try_clone()?;
    let mut reader = BufReader::new(Until { stream, end: Instant::now() });
    loop {
        reader.get_mut().end = Instant::now() + patience;
        let Some(request) = read(&mut reader)? else { return Ok(()) };
        let (status, kind, body) = match request {
            Ok(request) => answer(&request, port, pages),
            Err((status, why)) => {
                respond(&mut out, status, "text/plain", why.as_bytes())?;
                return Ok(());
            }
        };
        respond(&mut out, status, kind, &body)?;
    }
}

/// A stream that is read until a moment, however little comes at a time.
struct Until {
    stream: TcpStream,
    end: Instant,
}

impl Read for Until {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(bytes)
    }
}

type Answered = (u16, &'static str, Vec<u8>);

fn answer(request: &Request, port: u16, pages: &Pages) -> Answered {
    let text = |status, words: &str| (status, "text/plain", words.as_bytes().to_vec());
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !hosts.contains(&request.host) {
        return text(403, "this server is for pages of this machine");
    }
    if request.origin.as_deref().is_some_and(|o| !hosts.iter().any(|h| o.strip_prefix("http://") == Some(h))) {
        return text(403, "this server answers its own page");
    }
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", path) => {
            let name = if path == "/" { FILES[0].name } else { path.trim_start_matches('/') };
            match FILES.iter().find(|f| f.name == name) {
                Some(File { kind, text, .. }) => (200, *kind, text.as_bytes().to_vec()),
                None => text(404, "the page has no such file"),
            }
        }
        ("POST", "/ask") if request.kind.split(';').next() != Some("application/json") => {
            text(415, "a question is JSON")
        }
        ("POST", "/ask") => {
            let question = String::from_utf8_lossy(&request.body);
            let reply = match crate::is_kept(&question) {
                true => bench(pages, &request.query).lock().unwrap_or_else(PoisonError::into_inner).answer(&question),
                false => Bench::default().answer(&question),
            };
            (200, "application/json", reply.into_bytes())
        }
        _ => text(405, "there are GET of the page's files, and POST of questions to /ask"),
    }
}

/// The bench of a page; that of the page that asked longest ago makes room.
fn bench(pages: &Pages, page: &str) -> Arc<Mutex<Bench>> {
    let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
    let known = pages.iter().position(|(name, _)| name == page).and_then(|n| pages.remove(n));
    let (name, bench) = known.unwrap_or_else(|| (page.to_owned(), Arc::default()));
    pages.push_back((name, bench.clone()));
    let gone = if pages.len() > PAGES { pages.pop_front() } else { None };
    drop(pages);
    // Its dispatch ends here, under no lock.
    drop(gone);
    bench
}

/// A request, or why it is refused.
type Asking = Result<Request, (u16, &'static str)>;

const NO_HTTP: (u16, &str) = (400, "this is no HTTP");
const TOO_MUCH: (u16, &str) = (431, "too much in front of the question");

/// The next request; `None`: there is none.
fn read(reader: &mut BufReader<Until>) -> std::io::Result<Option<Asking>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let room = HEAD.saturating_sub(head.len() as u64);
        if reader.by_ref().take(room).read_until(b'\n', &mut head)? == 0 {
            return Ok(match (room, head.is_empty()) {
                (0, _) => Some(Err(TOO_MUCH)),
                (_, true) => None,
                (_, false) => Some(Err(NO_HTTP)),
            });
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let (method, target) = match (parsed.parse(&head), parsed.method, parsed.path) {
        (Ok(httparse::Status::Complete(_)), Some(method), Some(target)) => (method, target),
        (Err(httparse::Error::TooManyHeaders), ..) => return Ok(Some(Err(TOO_MUCH))),
        _ => return Ok(Some(Err(NO_HTTP))),
    };
    // The last of a name counts.
    let header = |name: &str| {
        let of = parsed.headers.iter().rfind(|h| h.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(of.value).trim().to_owned())
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if header("transfer-encoding").is_some() {
        return Ok(Some(Err((411, "a question says how long it is"))));
    }
    let length = header("content-length").map_or(0, |n| n.parse().unwrap_or(usize::MAX));
    if length > QUESTION {
        return Ok(Some(Err((413, "too long a question"))));
    }
    let mut request = Request {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        host: header("host").unwrap_or_default(),
        origin: header("origin"),
        kind: header("content-type").unwrap_or_default(),
        body: vec![0; length],
    };
    reader.read_exact(&mut request.body)?;
    Ok(Some(Ok(request)))
}

fn respond(out: &mut TcpStream, status: u16, kind: &str, body: &[u8]) -> std::io::Result<()> {
    let words = match status {
        200 => "OK",
        403 => "Forbidden",
        404 => "Not Found",
        _ => "Refused",
    };
    let head = format!(
        "HTTP/1.1 {status} {words}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\n\r\n",
        body.len()
    );
    out.write_all(&[head.as_bytes(), body].concat())
}
