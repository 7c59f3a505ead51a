//! Serves every preview of a screen under the content security policy that the server sends with its screens.

use sinete_screens::branding::PageBranding;
use sinete_screens::language::UiLanguage;
use sinete_screens::page::PageFrame;
use sinete_screens::previews;
use sinete_server::security_headers::{IssuerScheme, apply_security_headers, page_csp};
use std::fmt::Write as _;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server with one preview at each path, such as `/pt-BR/sign-in`.
pub struct Showroom {
    pub address: String,
    serving: JoinHandle<()>,
}

/// A fixed nonce is enough: no untrusted page is served here.
const NONCE: &str = "c2hvd3Jvb20";

impl Showroom {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://localhost:{}", listener.local_addr().unwrap().port());
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let _ = answer(stream).await;
                });
            }
        });
        Self { address, serving }
    }
}

impl Drop for Showroom {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if stream.read_line(&mut first).await? == 0 {
            return Ok(());
        }
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 2 {
            line.clear();
        }
        let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
        let (status, kind, body) = found(&path);
        let mut headers = reqwest::header::HeaderMap::new();
        if kind.starts_with("text/html") {
            headers.insert("content-security-policy", page_csp(NONCE));
        }
        apply_security_headers(&mut headers, IssuerScheme::Http);
        let mut head =
            format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in &headers {
            let _ = write!(head, "{name}: {}\r\n", value.to_str().unwrap());
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).await?;
        stream.write_all(&body).await?;
    }
}

fn found(path: &str) -> (&'static str, &'static str, Vec<u8>) {
    if let Some(file) = previews::preview_assets().into_iter().find(|file| file.path == path) {
        return ("200 OK", file.content_type, file.bytes);
    }
    let brand = PageBranding::default();
    let requested_preview = path.trim_start_matches('/').split_once('/').and_then(|(tag, name)| {
        let language = UiLanguage::ALL.into_iter().find(|language| language.tag() == tag)?;
        Some((language, previews::all_previews().into_iter().find(|specimen| specimen.name == name)?))
    });
    let Some((language, specimen)) = requested_preview else {
        return ("404 Not Found", "text/plain", Vec::new());
    };
    let frame =
        PageFrame { nonce: NONCE, current_path: path, ..PageFrame::without_script(language, "", &brand) };
    ("200 OK", "text/html; charset=utf-8", (specimen.page)(&frame).into_bytes())
}
