//! As much HTTP/1.1 as a test server needs, on a blocking socket.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const MAX_REQUEST: usize = 64 << 20;

/// A request as received.
#[derive(Debug)]
pub struct Incoming {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// Read one request; None when the client closed the connection before one began.
pub fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<Incoming>> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    loop {
        let mut slots = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut slots);
        let parsed = head.parse(buffer).map_err(|e| bad(&e.to_string()))?;
        if let httparse::Status::Complete(start) = parsed {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let headers: BTreeMap<String, String> = (head.headers.iter())
                .map(|h| (h.name.to_ascii_lowercase(), text(h.value)))
                .collect();
            let method = head.method.unwrap_or_default().to_owned();
            let path = head.path.unwrap_or_default().to_owned();
            let length = headers.get("content-length").map_or(Ok(0), |n| n.parse::<usize>());
            let length = length.ok().filter(|n| *n <= MAX_REQUEST).ok_or_else(|| bad("length"))?;
            while buffer.len() < start + length {
                if !more(stream, buffer)? {
                    return Ok(None);
                }
            }
            let body = buffer[start..start + length].to_vec();
            buffer.drain(..start + length);
            return Ok(Some(Incoming { method, path, headers, body }));
        }
        if buffer.len() > MAX_REQUEST || !more(stream, buffer)? {
            return Ok(None);
        }
    }
}

fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; 16 << 10];
    let n = stream.read(&mut chunk)?;
    buffer.extend_from_slice(&chunk[..n]);
    Ok(n > 0)
}

/// The head of an answer with a body of `length` bytes.
pub fn head(
    status: u16,
    headers: &BTreeMap<String, String>,
    content: &str,
    length: usize,
) -> String {
    let mut head = format!("HTTP/1.1 {status} scripted\r\ncontent-length: {length}\r\n");
    if !headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
        head += &format!("content-type: {content}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head + "\r\n"
}

/// Send a whole answer.
pub fn send(
    stream: &mut TcpStream,
    status: u16,
    headers: &BTreeMap<String, String>,
    content: &str,
    body: &[u8],
) -> io::Result<()> {
    let mut bytes = head(status, headers, content, body.len()).into_bytes();
    bytes.extend_from_slice(body);
    stream.write_all(&bytes)
}

/// Wait; false as soon as the client has closed the connection.
pub fn wait(stream: &TcpStream, time: Duration) -> bool {
    let until = Instant::now() + time;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        let _ = stream.set_read_timeout(Some(left));
        let seen = stream.peek(&mut [0]);
        let _ = stream.set_read_timeout(None);
        match seen {
            Ok(0) => return false,
            // bytes of a next request: they stay until this one is answered
            Ok(_) => std::thread::sleep(left.min(Duration::from_millis(20))),
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(_) => return false,
        }
    }
}
