//! Messages of the Debug Adapter Protocol: JSON behind a header with its length, in both directions.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// Bytes of a message, at most: what is longer is no debugger's.
const MOST: usize = 16 << 20;

/// Reads a message. `None`: the other side has closed.
pub fn read(from: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if io::Read::take(&mut *from, 4096).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() && length.is_some() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok().filter(|n| *n <= MOST);
            if length.is_none() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("`{line}` is no length of a message")));
            }
        }
    }
    let mut bytes = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut bytes)?;
    serde_json::from_slice(&bytes).map(Some).map_err(io::Error::from)
}

/// What is sent, numbered.
pub struct Sender<W> {
    to: W,
    last: u64,
}

impl<W: Write> Sender<W> {
    pub fn new(to: W) -> Sender<W> {
        Sender { to, last: 0 }
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.last += 1;
        message["seq"] = self.last.into();
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.to.flush()
    }

    pub fn event(&mut self, event: &str, body: Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }

    /// The answer to a request: its body, or why there is none.
    pub fn answer(&mut self, request: &Value, result: Result<Value, String>) -> io::Result<()> {
        let mut message = json!({
            "type": "response", "request_seq": request["seq"], "command": request["command"], "success": result.is_ok(),
        });
        match result {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["message"] = why.clone().into();
                // The text is no format: braces in it would be variables.
                message["body"] =
                    json!({ "error": { "id": 1, "format": "{why}", "variables": { "why": why }, "showUser": true } });
            }
        }
        self.send(message)
    }
}
