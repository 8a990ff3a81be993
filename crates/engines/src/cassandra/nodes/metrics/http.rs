//! Fetching one page over plain HTTP, with limits.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Limits of a page.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest time, connecting included.
    pub time: Duration,
    /// Most bytes of a reply.
    pub bytes: u64,
}

/// Limits of a page that somebody waits for. A JVM exporter of a node with thousands of tables has some tens of MiB.
pub const WIDE: Limits = Limits {
    time: Duration::from_secs(10),
    bytes: 32 << 20,
};

/// Most characters of a reply that a message shows.
const SHOWN: usize = 60;
/// What is between the head of a reply and its body.
const END_OF_HEAD: &str = "\r\n\r\n";

/// Fetches a page of metrics.
///
/// # Errors
/// Says that nobody answers in time, or what is answered instead of a text.
pub async fn fetch(authority: &str, path: &str, limits: &Limits) -> Result<String, String> {
    let exchanged = tokio::time::timeout(limits.time, exchange(authority, path, limits.bytes));
    let Ok(reply) = exchanged.await else {
        return Err(format!("no answer within {:?}", limits.time));
    };
    body(reply?)
}

async fn exchange(authority: &str, path: &str, most_bytes: u64) -> Result<Vec<u8>, String> {
    let stream = TcpStream::connect(authority).await;
    let mut stream = stream.map_err(|e| format!("cannot be connected to: {e}"))?;
    // In version 1.0 a reply is neither in chunks nor followed by another one.
    let request = format!(
        "GET {path} HTTP/1.0\r\nHost: {authority}\r\nAccept: text/plain; version=0.0.4\r\n\
         User-Agent: bakeoff\r\nConnection: close\r\n\r\n"
    );
    let failed = |e: std::io::Error| format!("the connection broke: {e}");
    stream.write_all(request.as_bytes()).await.map_err(failed)?;
    let mut reply = Vec::new();
    let mut limited = stream.take(most_bytes + 1);
    limited.read_to_end(&mut reply).await.map_err(failed)?;
    if reply.len() as u64 > most_bytes {
        return Err(format!("its reply is longer than {} MiB", most_bytes >> 20));
    }
    Ok(reply)
}

/// Takes the text out of a reply.
///
/// # Errors
/// Says what is answered instead of a text.
pub fn body(reply: Vec<u8>) -> Result<String, String> {
    let mut body = String::from_utf8(reply).map_err(|_| "its reply is no UTF-8".to_owned())?;
    let Some(end_of_head) = body.find(END_OF_HEAD) else {
        return Err("its reply is no HTTP".to_owned());
    };
    let head = body[..end_of_head].to_owned();
    body.drain(..end_of_head + END_OF_HEAD.len());
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    let mut words = status.split_ascii_whitespace();
    let is_http = words.next().is_some_and(|word| word.starts_with("HTTP/"));
    match words.next() {
        Some("200") if is_http => {}
        Some(_) if is_http => {
            let shown: String = status.chars().take(SHOWN).collect();
            return Err(format!("it answers `{shown}`"));
        }
        _ => return Err("its reply is no HTTP".to_owned()),
    }
    let header = |name: &str| {
        let named = lines.clone().filter_map(|line| line.split_once(':'));
        let mut values = named.filter(|(header, _)| header.trim().eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.trim());
        value.unwrap_or_default().to_ascii_lowercase()
    };
    if header("content-type").starts_with("text/html") || body.trim_start().starts_with('<') {
        return Err(
            "it answers with a page of HTML, not with metrics: is its path right?".to_owned(),
        );
    }
    if header("transfer-encoding").contains("chunked") {
        return Err("it answers in chunks, though it is asked in HTTP/1.0".to_owned());
    }
    if let Ok(length) = header("content-length").parse::<usize>()
        && body.len() < length
    {
        return Err(format!(
            "the connection ended after {} of {length} bytes",
            body.len()
        ));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn the_text_of_a_reply_is_taken() {
        let reply =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nup 1\n";
        assert_eq!(body(reply.to_vec()).unwrap(), "up 1\n");
    }

    #[test]
    fn anything_else_is_an_error_in_words() {
        for (reply, why) in [
            ("", "no HTTP"),
            ("SSH-2.0-OpenSSH_9.6\r\n\r\n", "no HTTP"),
            ("HTTP/1.1 404 Not Found\r\n\r\n", "`HTTP/1.1 404 Not Found`"),
            (
                "HTTP/1.1 302 Found\r\nLocation: http://db2.example/\r\n\r\nup 1",
                "`HTTP/1.1 302 Found`",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nup 1",
                "HTML",
            ),
            ("HTTP/1.1 200 OK\r\n\r\n <html>", "HTML"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
                "chunks",
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nup 1\n",
                "after 5 of 9 bytes",
            ),
        ] {
            let error = body(reply.as_bytes().to_vec()).unwrap_err();
            assert!(error.contains(why), "{reply}: {error}");
        }
        assert!(body(b"HTTP/1.1 200 OK\r\n\r\n\xff".to_vec()).is_err());
    }

    #[tokio::test]
    async fn a_page_is_fetched() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 256];
            let length = stream.read(&mut request).await.unwrap();
            let reply = b"HTTP/1.0 200 OK\r\n\r\nup 1\n";
            stream.write_all(reply).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        assert_eq!(
            fetch(&authority, "/metrics", &WIDE).await.unwrap(),
            "up 1\n"
        );
        let request = serving.await.unwrap();
        assert!(
            request.starts_with("GET /metrics HTTP/1.0\r\n"),
            "{request}"
        );
    }

    #[tokio::test]
    async fn nobody_who_listens_is_an_error() {
        let error = fetch("127.0.0.1:1", "/metrics", &WIDE).await.unwrap_err();
        assert!(error.starts_with("cannot be connected to: "), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_does_not_answer_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let error = fetch(&authority, "/metrics", &WIDE).await.unwrap_err();
        assert_eq!(error, "no answer within 10s");
    }
}
