//! A test mail server over real sockets, with STARTTLS, authentication and a record of all commands.

use crate::machine::PATIENCE;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The connection security.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// STARTTLS is offered.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Unencrypted only.
    Plain,
}

/// A received message.
#[derive(Clone, Debug)]
pub struct Taken {
    pub from: String,
    pub recipients: Vec<String>,
    pub data: String,
    pub was_encrypted: bool,
    pub user: Option<String>,
}

impl Taken {
    /// The first header of this name, unfolded.
    pub fn header(&self, name: &str) -> String {
        let (head, _) = self.data.split_once("\r\n\r\n").unwrap_or((&self.data, ""));
        let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
        let start = format!("{}:", name.to_ascii_lowercase());
        let line = unfolded.lines().find(|line| line.to_ascii_lowercase().starts_with(&start));
        line.map(|line| line[start.len()..].trim().to_owned()).unwrap_or_default()
    }
}

/// The server, which runs until the test ends.
pub struct MailServer {
    pub port: u16,
    /// The certificate of its CA.
    pub authority: String,
    shared: Arc<Shared>,
}

struct Shared {
    speaks: Speaks,
    login: Option<(String, String)>,
    tls: Arc<ServerConfig>,
    taken: Mutex<Vec<Taken>>,
    said: Mutex<Vec<String>>,
    /// The response code to a finished message; 0 accepts it.
    answer: AtomicU16,
    pause: Mutex<Duration>,
}

impl MailServer {
    pub fn start(speaks: Speaks, login: Option<(&str, &str)>) -> Self {
        let (tls, authority) = certificates();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            speaks,
            login: login.map(|(user, password)| (user.to_owned(), password.to_owned())),
            tls,
            taken: Mutex::default(),
            said: Mutex::default(),
            answer: AtomicU16::new(0),
            pause: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                std::thread::spawn(move || talk(&shared, stream));
            }
        });
        Self { port, authority, shared }
    }

    /// All received messages.
    pub fn taken(&self) -> Vec<Taken> {
        self.shared.taken.lock().unwrap().clone()
    }

    /// All commands received unencrypted.
    pub fn said_openly(&self) -> Vec<String> {
        self.shared.said.lock().unwrap().clone()
    }

    /// Responds to finished messages with this code from now on; 0 accepts them.
    pub fn answer_with(&self, code: u16) {
        self.shared.answer.store(code, Ordering::SeqCst);
    }

    /// Delays the response to a message from now on.
    pub fn think_for(&self, pause: Duration) {
        *self.shared.pause.lock().unwrap() = pause;
    }
}

/// A server configuration for `localhost`, and the PEM certificate of the CA that issued its certificate.
pub fn certificates() -> (Arc<ServerConfig>, String) {
    let key = KeyPair::generate().unwrap();
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = parameters.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(parameters, key);
    let key_pair = KeyPair::generate().unwrap();
    let leaf =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key_pair, &issuer).unwrap();
    let chain = vec![CertificateDer::from(leaf.der().to_vec())];
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key_pair.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(chain, key).unwrap();
    (Arc::new(config), authority)
}

fn talk(shared: &Shared, stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    match shared.speaks {
        Speaks::Tls => {
            let connection = ServerConnection::new(Arc::clone(&shared.tls)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream));
            let _ = write!(stream.get_mut(), "220 sink ESMTP\r\n");
            let _ = converse(shared, &mut stream, true);
        }
        Speaks::StartTls | Speaks::Plain => {
            let mut plain = BufReader::new(stream);
            let _ = write!(plain.get_mut(), "220 sink ESMTP\r\n");
            if let Ok(Next::Encrypt) = converse(shared, &mut plain, false) {
                let connection = ServerConnection::new(Arc::clone(&shared.tls)).unwrap();
                let mut stream = BufReader::new(StreamOwned::new(connection, plain.into_inner()));
                let _ = converse(shared, &mut stream, true);
            }
        }
    }
}

enum Next {
    Encrypt,
    End,
}

fn converse<S: Read + Write>(
    shared: &Shared,
    stream: &mut BufReader<S>,
    private: bool,
) -> std::io::Result<Next> {
    let (mut user, mut from, mut recipients) = (None, String::new(), Vec::new());
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(Next::End);
        }
        let line = line.trim_end().to_owned();
        if !private {
            shared.said.lock().unwrap().push(line.clone());
        }
        let command = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let reply = match command.as_str() {
            "EHLO" => extensions(shared, private),
            "STARTTLS" if shared.speaks == Speaks::StartTls && !private => {
                write!(stream.get_mut(), "220 go ahead\r\n")?;
                return Ok(Next::Encrypt);
            }
            "AUTH" => authenticate(shared, stream, &line, &mut user)?,
            "MAIL" if shared.login.is_some() && user.is_none() => "530 log in first\r\n".to_owned(),
            "MAIL" => {
                from = between(&line);
                "250 ok\r\n".to_owned()
            }
            "RCPT" => {
                recipients.push(between(&line));
                "250 ok\r\n".to_owned()
            }
            "DATA" => {
                write!(stream.get_mut(), "354 go on\r\n")?;
                let data = message(stream)?;
                std::thread::sleep(*shared.pause.lock().unwrap());
                let email = Taken {
                    from: std::mem::take(&mut from),
                    recipients: std::mem::take(&mut recipients),
                    data,
                    was_encrypted: private,
                    user: user.clone(),
                };
                match shared.answer.load(Ordering::SeqCst) {
                    0 => {
                        shared.taken.lock().unwrap().push(email);
                        "250 taken\r\n".to_owned()
                    }
                    code => format!("{code} not for <{}>\r\n", email.recipients.join(",")),
                }
            }
            "RSET" | "NOOP" => "250 ok\r\n".to_owned(),
            "QUIT" => {
                write!(stream.get_mut(), "221 bye\r\n")?;
                return Ok(Next::End);
            }
            _ => "502 what\r\n".to_owned(),
        };
        stream.get_mut().write_all(reply.as_bytes())?;
        stream.get_mut().flush()?;
    }
}

fn extensions(shared: &Shared, private: bool) -> String {
    let mut lines = vec!["sink".to_owned(), "8BITMIME".to_owned()];
    if shared.speaks == Speaks::StartTls && !private {
        lines.push("STARTTLS".to_owned());
    }
    if shared.login.is_some() && private {
        lines.push("AUTH PLAIN LOGIN".to_owned());
    }
    let last = lines.len() - 1;
    lines
        .iter()
        .enumerate()
        .map(|(index, line)| {
            let dash = if index == last { ' ' } else { '-' };
            format!("250{dash}{line}\r\n")
        })
        .collect()
}

/// AUTH PLAIN (RFC 4616): an empty identity, user and password, separated by NUL, in base64.
fn authenticate<S: Read + Write>(
    shared: &Shared,
    stream: &mut BufReader<S>,
    line: &str,
    user: &mut Option<String>,
) -> std::io::Result<String> {
    let mut words = line.split(' ').skip(1);
    let (mechanism, first) = (words.next().unwrap_or_default().to_ascii_uppercase(), words.next());
    if mechanism != "PLAIN" {
        return Ok("504 only PLAIN\r\n".to_owned());
    }
    let encoded = match first {
        Some(argument) => argument.to_owned(),
        None => {
            write!(stream.get_mut(), "334 \r\n")?;
            let mut response_line = String::new();
            stream.read_line(&mut response_line)?;
            response_line.trim_end().to_owned()
        }
    };
    let decoded = base64(&encoded);
    let mut parts = decoded.split('\0').skip(1);
    let (name, password) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    Ok(match &shared.login {
        Some((user_name, secret)) if user_name == name && secret == password => {
            *user = Some(name.to_owned());
            "235 welcome\r\n".to_owned()
        }
        Some(_) | None => "535 no\r\n".to_owned(),
    })
}

fn base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits =
        text.bytes().filter_map(|byte| ALPHABET.iter().position(|it| *it == byte)).collect::<Vec<_>>();
    let byte_count = bits.len() * 6 / 8;
    bits.resize(bits.len().div_ceil(4) * 4, 0);
    let bytes = bits.chunks(4).flat_map(|four| {
        let number = four.iter().fold(0_usize, |sum, six| sum << 6 | six);
        [(number >> 16) as u8, (number >> 8) as u8, number as u8]
    });
    String::from_utf8(bytes.take(byte_count).collect()).unwrap_or_default()
}

fn between(line: &str) -> String {
    line.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map(|(it, _)| it.to_owned())
        .unwrap_or_default()
}

fn message<S: Read>(stream: &mut BufReader<S>) -> std::io::Result<String> {
    let mut data = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line == ".\r\n" {
            return Ok(data);
        }
        data.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
