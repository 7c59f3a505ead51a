//! Parsers of configuration values. An error is a clause that says why the value is invalid.

use crate::config::values::{BaseUrl, ConfiguredMode, KeyFile, LogFilter, LogFormat, MailServer, MaskedText};
use ipnet::IpNet;
use sinete_core::organizations::settings::ScopeCeilingPolicy;
use sinete_crypto::platform::encryption::InstanceKey;
use sinete_engine::oauth::dpop::DpopNoncePolicy;
use sinete_engine::sign_in::flows::SignUpPolicy;
#[cfg(feature = "screens")]
use sinete_http::screens::branding::{BrandPalette, SrgbColour};
use sinete_server::extract::peer::ForwardingHeader;
use sinete_store::{ConnectionPooling, DatabaseAddress, PreparedStatements};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use url::Url;

pub fn mode(text: &str) -> Result<ConfiguredMode, String> {
    match text {
        "development" => Ok(ConfiguredMode::Development),
        "production" => Ok(ConfiguredMode::Production),
        _ => Err(format!("{text:?} is neither development nor production")),
    }
}

pub fn sign_up(text: &str) -> Result<SignUpPolicy, String> {
    match text {
        "open" => Ok(SignUpPolicy::Open),
        "invited" => Ok(SignUpPolicy::InvitationOnly),
        _ => Err(format!("{text:?} is neither open nor invited")),
    }
}

pub fn scope_ceiling(text: &str) -> Result<ScopeCeilingPolicy, String> {
    match text {
        "registered" => Ok(ScopeCeilingPolicy::Registered),
        "consent" => Ok(ScopeCeilingPolicy::Consent),
        _ => Err(format!("{text:?} is neither registered nor consent")),
    }
}

pub fn origins(list: &[String]) -> Result<Vec<String>, String> {
    list.iter().map(|text| origin(text)).collect()
}

/// An origin: scheme, host and port, as browsers write it.
fn origin(text: &str) -> Result<String, String> {
    let read = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    match read.map(|url| url.origin().ascii_serialization()) {
        Some(origin) if origin == text => Ok(origin),
        Some(_) | None => Err(format!("{text:?} is not an origin such as https://app.example.com")),
    }
}

/// A domain name in canonical form.
pub fn domain(text: &str) -> Result<String, String> {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    if text.len() <= 253 && text.split('.').all(is_label) {
        return Ok(text.to_owned());
    }
    Err("is not a domain name in lower case, without scheme and port".to_owned())
}

pub fn base_url(text: &str) -> Result<BaseUrl, String> {
    BaseUrl::parse(text)
}

/// A database URL. The error does not repeat it, because it may contain a password.
pub fn database_url(text: &str) -> Result<DatabaseAddress, String> {
    text.parse().map_err(|error: sinete_store::InvalidDatabaseAddress| error.to_string())
}

pub fn pooling(text: &str) -> Result<ConnectionPooling, String> {
    match text {
        "session" => Ok(ConnectionPooling::Session),
        "transaction" => Ok(ConnectionPooling::Transaction),
        _ => Err(format!("{text:?} is neither session nor transaction")),
    }
}

pub fn prepared_statements(text: &str) -> Result<PreparedStatements, String> {
    match text {
        "named" => Ok(PreparedStatements::Named),
        "unnamed" => Ok(PreparedStatements::Unnamed),
        _ => Err(format!("{text:?} is neither named nor unnamed")),
    }
}

pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("{text:?} is not an IP address with a port"))
}

pub fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() || text.contains('\0') {
        return Err("names no file".to_owned());
    }
    Ok(PathBuf::from(text))
}

pub fn key_files(list: &[String]) -> Result<Vec<KeyFile>, String> {
    list.iter().map(|text| key_file(text)).collect()
}

/// A path, optionally after an algorithm and a colon, for keys that fit two algorithms.
fn key_file(text: &str) -> Result<KeyFile, String> {
    let algorithm_and_path = text.split_once(':').and_then(|(name, rest)| Some((name.parse().ok()?, rest)));
    let (algorithm, rest) =
        algorithm_and_path.map_or((None, text), |(algorithm, rest)| (Some(algorithm), rest));
    Ok(KeyFile { algorithm, path: path(rest)? })
}

pub fn networks(list: &[String]) -> Result<Vec<IpNet>, String> {
    list.iter().map(|text| network(text)).collect()
}

fn network(text: &str) -> Result<IpNet, String> {
    let lone = text.parse::<IpAddr>().map(IpNet::from);
    lone.or_else(|_| text.parse()).map_err(|_| format!("{text:?} is neither an IP address nor a network"))
}

pub fn socket_addresses(list: &[String]) -> Result<Vec<SocketAddr>, String> {
    let read = |text: &String| {
        text.parse().map_err(|_| format!("{text:?} is not an IP address with a port, such as 10.20.0.53:53"))
    };
    list.iter().map(read).collect()
}

pub fn forwarding_header(text: &str) -> Result<ForwardingHeader, String> {
    match text.to_ascii_lowercase().as_str() {
        "x-forwarded-for" => Ok(ForwardingHeader::XForwardedFor),
        "forwarded" => Ok(ForwardingHeader::Forwarded),
        _ => Err(format!("{text:?} is neither x-forwarded-for nor forwarded")),
    }
}

pub fn nonces(text: &str) -> Result<DpopNoncePolicy, String> {
    match text {
        "never" => Ok(DpopNoncePolicy::Never),
        "always" => Ok(DpopNoncePolicy::Always),
        _ => Err(format!("{text:?} is neither never nor always")),
    }
}

pub fn mail_server(text: &str) -> Result<MailServer, String> {
    MailServer::parse(text)
}

/// A sender address, with or without a display name.
pub fn sender(text: &str) -> Result<String, String> {
    let one_line = !text.chars().any(char::is_control);
    let parsed = text.parse::<lettre::message::Mailbox>().ok().filter(|_| one_line);
    parsed.map(|_| text.to_owned()).ok_or_else(|| format!("{text:?} is not an e-mail address"))
}

pub fn text(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("is empty or not a line of text".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(feature = "screens")]
pub fn screen_name(text: &str) -> Result<String, String> {
    let (text, count) = (text.trim(), text.trim().chars().count());
    if !(1..=SCREEN_NAME_CHARACTERS_MAX).contains(&count) || text.chars().any(char::is_control) {
        return Err(format!("is not a name of 1 to {SCREEN_NAME_CHARACTERS_MAX} characters"));
    }
    Ok(text.to_owned())
}

/// Maximum length of a name that fits above a page on a phone.
#[cfg(feature = "screens")]
const SCREEN_NAME_CHARACTERS_MAX: usize = 60;

#[cfg(feature = "screens")]
pub fn color(text: &str) -> Result<SrgbColour, String> {
    SrgbColour::parse(text).ok_or_else(|| format!("{text:?} is not a color such as #0a66c2"))
}

#[cfg(feature = "screens")]
pub fn light_color(text: &str) -> Result<SrgbColour, String> {
    let background = color(text)?;
    let palette = BrandPalette { accent: None, background: Some(background) };
    if palette.has_light_background() {
        Ok(background)
    } else {
        Err(format!("{text:?} is too dark for dark text"))
    }
}

pub fn masked_text(text: &str) -> Result<MaskedText, String> {
    let text = text.trim();
    if text.is_empty() { Err("is empty".to_owned()) } else { Ok(MaskedText::new(text)) }
}

/// A secret that is long enough not to be guessed, without characters that need quoting in headers or proxy
/// configurations.
pub fn proxy_secret(text: &str) -> Result<MaskedText, String> {
    let text = text.trim();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match (32..=256).contains(&text.len()) && text.bytes().all(plain) {
        true => Ok(MaskedText::new(text)),
        false => Err("is not 32 to 256 letters, digits, - or _".to_owned()),
    }
}

pub fn instance_key(text: &str) -> Result<MaskedText, String> {
    InstanceKey::parse(text).map(|_| MaskedText::new(text.trim())).map_err(|error| error.to_string())
}

pub fn instance_keys(list: &[String]) -> Result<Vec<MaskedText>, String> {
    list.iter().map(|text| instance_key(text)).collect()
}

pub fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("{text:?} is neither text nor json")),
    }
}

pub fn log_filter(text: &str) -> Result<LogFilter, String> {
    LogFilter::parse(text)
}

pub fn endpoint(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{text:?} is not an address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!("{text:?} is neither an http nor an https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or a password".to_owned());
    }
    Ok(url)
}

pub fn integer_in_range<N: TryFrom<i64>>(number: i64, least: i64, limit: i64) -> Result<N, String> {
    let fits = (least..=limit).contains(&number).then(|| N::try_from(number).ok()).flatten();
    fits.ok_or_else(|| format!("{number} is not between {least} and {limit}"))
}
