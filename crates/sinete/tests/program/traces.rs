//! Tests of trace export to a collector that records its requests.

use crate::machine::{Machine, PATIENCE, eventually};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// All received requests.
type Received = Arc<Mutex<Vec<Vec<u8>>>>;

fn collector() -> (SocketAddr, Received) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, received) = (listener.local_addr().unwrap(), Received::default());
    let sink = received.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sink = sink.clone();
            std::thread::spawn(move || take(stream, &sink));
        }
    });
    (address, received)
}

fn take(mut stream: TcpStream, sink: &Received) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
    while !is_whole(&request) {
        let Ok(length @ 1..) = stream.read(&mut chunk) else { return };
        request.extend_from_slice(&chunk[..length]);
    }
    sink.lock().unwrap().push(request);
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}

/// Whether the request is complete.
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    request.len() - end - 4 >= length.unwrap_or(0)
}

fn holds(received: &Received, pattern: &[u8]) -> bool {
    let has = |request: &Vec<u8>| request.windows(pattern.len()).any(|window| window == pattern);
    received.lock().unwrap().iter().any(has)
}

#[test]
fn traces_reach_the_collector_and_continue_the_callers_trace() {
    let (address, received) = collector();
    let server = Machine::new().with("SINETE_TELEMETRY__OTLP_ENDPOINT", format!("http://{address}")).serve();
    let trace =
        [0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36];
    let mut stream = TcpStream::connect(server.public).unwrap();
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n"
    )
    .unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    server.stop().succeeded();
    eventually("the traces arrive", || holds(&received, b"POST /v1/traces"));
    eventually("that they name the service", || holds(&received, b"sinete"));
    eventually("that they belong to the caller's trace", || holds(&received, &trace));
}

#[test]
fn unreachable_trace_collector_does_not_delay_serving_or_stopping() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Machine::new().with("SINETE_TELEMETRY__OTLP_ENDPOINT", format!("http://{closed}")).serve();
    assert_eq!(server.get(server.public, "/healthz").0, 200);
    server.stop().succeeded();
}
