//! TXT lookups at a DNS server on this machine.

use sinete::outbound::dns::DnsClient;
use sinete_engine::ports::DnsResolver as _;
use std::net::SocketAddr;
use tokio::net::UdpSocket;

/// The responses of the server.
#[derive(Clone, Copy)]
enum Answers {
    /// TXT records, each in several character strings.
    Texts(&'static [&'static [&'static str]]),
    /// This response code without records.
    Code(u8),
}

/// A DNS server that gives this response for the name and knows no other name.
async fn server(name: &'static str, answers: Answers) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut query = [0; 1500];
        loop {
            let (length, from) = socket.recv_from(&mut query).await.unwrap();
            let reply = reply(&query[..length], name, answers);
            socket.send_to(&reply, from).await.unwrap();
        }
    });
    address
}

fn reply(query: &[u8], name: &str, answers: Answers) -> Vec<u8> {
    let end = 12 + query[12..].iter().position(|byte| *byte == 0).unwrap() + 5;
    let labels = name.split('.').flat_map(|label| {
        let length = [u8::try_from(label.len()).unwrap()];
        length.into_iter().chain(label.bytes()).collect::<Vec<_>>()
    });
    let is_asked = query[12..end - 5].eq_ignore_ascii_case(&labels.collect::<Vec<_>>());
    let (code, records) = match answers {
        Answers::Texts(records) if is_asked => (0, records),
        Answers::Texts(_) => (3, &[][..]),
        Answers::Code(code) => (code, &[][..]),
    };
    let mut reply = query[..2].to_vec();
    reply.extend([0x81, 0x80 | code, 0, 1, 0, u8::try_from(records.len()).unwrap(), 0, 0, 0, 0]);
    reply.extend(&query[12..end]);
    for pieces in records {
        let data: Vec<u8> = pieces
            .iter()
            .flat_map(|piece| [u8::try_from(piece.len()).unwrap()].into_iter().chain(piece.bytes()))
            .collect();
        reply.extend([0xc0, 12, 0, 16, 0, 1, 0, 0, 14, 16]);
        reply.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        reply.extend(data);
    }
    reply
}

const NAME: &str = "_sinete-challenge.acme.example";

#[tokio::test]
async fn dns_txt_records_are_joined_from_their_pieces() {
    let server =
        server(NAME, Answers::Texts(&[&["v=spf1 -all"], &["sinete-domain-", "verification=x"]])).await;
    let resolver = DnsClient::new(&[server]).unwrap();
    let mut records = resolver.lookup_txt(NAME).await.unwrap();
    records.sort();
    assert_eq!(records, ["sinete-domain-verification=x", "v=spf1 -all"]);
    assert_eq!(resolver.lookup_txt("_sinete-challenge.other.example").await, Ok(Vec::new()));
}

#[tokio::test]
async fn dns_without_txt_records_is_empty_and_a_failing_server_is_an_error() {
    for (code, answer) in [(0, Some(Vec::new())), (3, Some(Vec::new())), (2, None), (5, None)] {
        let server = server(NAME, Answers::Code(code)).await;
        let result = DnsClient::new(&[server]).unwrap().lookup_txt(NAME).await;
        assert_eq!(result.ok(), answer, "code {code}");
    }
    // No server listens at this address.
    let gone = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert!(DnsClient::new(&[gone]).unwrap().lookup_txt(NAME).await.is_err());
}
