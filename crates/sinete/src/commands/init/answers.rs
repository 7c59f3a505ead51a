//! The answers to the questions of `sinete init`: from options, from a terminal, or the defaults.

use crate::cli::init::InitArgs;
use crate::config::key::AnyKey;
use crate::config::keys;
use crate::config::raw_value::RawValue;
use crate::config::values::BaseUrl;
use crate::exit::CommandError;
use crate::terminal::{Terminal, TextTone};
use lettre::message::Mailbox;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use url::Url;

/// The proxies on this machine.
const LOCAL_PROXIES: &str = "127.0.0.1, ::1";

/// The answers to all questions of `sinete init`.
pub struct InitAnswers {
    /// The issuer.
    pub issuer: BaseUrl,
    /// The database URL.
    pub database_url: String,
    /// Where TLS is terminated.
    pub tls: TlsTermination,
    /// The address of the public listener.
    pub listen: SocketAddr,
    /// The mail server.
    pub mail: Option<MailAnswers>,
    /// The name of the service, which the screens show.
    #[cfg(feature = "screens")]
    pub name: String,
    /// The folder of the keys.
    pub keys_folder: PathBuf,
}

/// Where TLS is terminated.
pub enum TlsTermination {
    /// At these proxies.
    Proxy(Vec<String>),
    /// Here, with this certificate and private key.
    Certificate(PathBuf, PathBuf),
}

/// The mail server and the sender.
pub struct MailAnswers {
    /// The server.
    pub server: String,
    /// The sender.
    pub from: String,
    /// The user name at the server.
    pub user: Option<String>,
}

/// A question with its option and its default.
struct InitQuestion {
    option: &'static str,
    text: &'static str,
    default: Option<String>,
}

/// Gets the answers from options, the terminal or defaults.
pub struct InitQuestionnaire<'a> {
    args: &'a InitArgs,
    terminal: &'a Terminal,
    is_interactive: bool,
}

impl<'a> InitQuestionnaire<'a> {
    /// Asks on a terminal, unless the options forbid it.
    pub fn new(args: &'a InitArgs, terminal: &'a Terminal) -> Self {
        Self { args, terminal, is_interactive: !args.yes && terminal.can_ask() }
    }

    /// Gets all answers.
    pub fn collect(&self) -> Result<InitAnswers, CommandError> {
        let issuer = self.ask_issuer()?;
        let database_url = self.ask_database()?;
        let tls = self.ask_tls()?;
        let listen = self.resolve_listen(&issuer, &tls)?;
        let name = self.ask_name()?;
        let mail = self.ask_mail(&issuer, &name)?;
        let keys_folder = self.ask_keys_folder()?;
        Ok(InitAnswers {
            issuer,
            database_url,
            tls,
            listen,
            mail,
            #[cfg(feature = "screens")]
            name,
            keys_folder,
        })
    }

    fn ask_issuer(&self) -> Result<BaseUrl, CommandError> {
        let text = "The https URL that users will use, as in https://id.example.com";
        let question = InitQuestion { option: "base-url", text, default: None };
        self.ask(&question, self.args.base_url.clone(), |text| {
            check_value(&keys::BASE_URL, &to_text(text))?;
            let issuer = BaseUrl::parse(text)?;
            if issuer.is_https() {
                Ok(issuer)
            } else {
                Err(format!("{text:?} is not https, which production needs"))
            }
        })
    }

    fn ask_database(&self) -> Result<String, CommandError> {
        let text = "The database: the path of a SQLite file, or a postgres:// URL";
        let default = Some("sinete-data/sinete.db".to_owned());
        let question = InitQuestion { option: "database", text, default };
        self.ask(&question, self.args.database.clone(), |text| {
            let url = if text.contains("://") {
                text.to_owned()
            } else {
                format!("sqlite://{}", to_absolute(Path::new(text))?.display())
            };
            check_value(&keys::DATABASE_URL, &to_text(&url)).map(|()| url)
        })
    }

    fn ask_tls(&self) -> Result<TlsTermination, CommandError> {
        if let (Some(certificate), Some(key)) = (&self.args.certificate, &self.args.certificate_key) {
            let absolute = |path: &Path| to_absolute(path).map_err(CommandError::invalid_usage);
            return Ok(TlsTermination::Certificate(absolute(certificate)?, absolute(key)?));
        }
        let text = "Where TLS ends: the address of your reverse proxy, or the path of a certificate chain";
        let default = Some(LOCAL_PROXIES.to_owned());
        let question = InitQuestion { option: "proxy", text, default };
        let option_value = (!self.args.proxy.is_empty()).then(|| self.args.proxy.join(","));
        let asked_for_options = option_value.is_some() || !self.is_interactive;
        let answer = self.ask(&question, option_value, |text| {
            if !asked_for_options && Path::new(text).is_file() {
                return Ok(TlsTermination::Certificate(to_absolute(Path::new(text))?, PathBuf::new()));
            }
            let proxies: Vec<_> = text.split(',').map(|item| item.trim().to_owned()).collect();
            check_value(&keys::TRUSTED_PROXIES, &RawValue::List(proxies.clone()))?;
            Ok(TlsTermination::Proxy(proxies))
        })?;
        let TlsTermination::Certificate(certificate, _) = answer else { return Ok(answer) };
        let text = "The private key of that certificate";
        let question = InitQuestion { option: "certificate-key", text, default: None };
        let key = self.ask(&question, None, |text| match Path::new(text).is_file() {
            true => to_absolute(Path::new(text)),
            false => Err(format!("{text:?} is not a file")),
        })?;
        Ok(TlsTermination::Certificate(certificate, key))
    }

    /// The address to listen on. It follows from where TLS is terminated, so the command does not ask for it.
    fn resolve_listen(&self, issuer: &BaseUrl, tls: &TlsTermination) -> Result<SocketAddr, CommandError> {
        let port = || Url::parse(issuer.as_str()).ok().and_then(|url| url.port_or_known_default());
        let (host, port) = match tls {
            TlsTermination::Proxy(proxies) if proxies.iter().all(|proxy| is_loopback(proxy)) => {
                ("127.0.0.1", 8080)
            }
            TlsTermination::Proxy(_) => ("0.0.0.0", 8080),
            TlsTermination::Certificate(..) => ("0.0.0.0", port().unwrap_or(443)),
        };
        let option_value = self.args.listen.clone().unwrap_or_else(|| format!("{host}:{port}"));
        let question = InitQuestion { option: "listen", text: "", default: None };
        self.ask(&question, Some(option_value), |text| keys::LISTEN.parse(&to_text(text)))
    }

    fn ask_name(&self) -> Result<String, CommandError> {
        let text = "The name of the service, which users see";
        let question = InitQuestion { option: "name", text, default: Some("Sinete".to_owned()) };
        self.ask(&question, self.args.name.clone(), |text| {
            #[cfg(feature = "screens")]
            check_value(&keys::SCREENS_NAME, &to_text(text))?;
            Ok(text.to_owned())
        })
    }

    fn ask_mail(&self, issuer: &BaseUrl, name: &str) -> Result<Option<MailAnswers>, CommandError> {
        let text = "The mail server, as in smtps://mail.example.com; empty for none";
        let question = InitQuestion { option: "mail-server", text, default: Some(String::new()) };
        let server = self.ask(&question, self.args.mail_server.clone(), |text| match text {
            "" => Ok(None),
            server => check_value(&keys::MAIL_SERVER, &to_text(server)).map(|()| Some(server.to_owned())),
        })?;
        let Some(server) = server else { return Ok(None) };
        let default = suggest_sender(issuer, name);
        let question = InitQuestion { option: "mail-from", text: "The sender of mail", default };
        let from = self.ask(&question, self.args.mail_from.clone(), |text| {
            check_value(&keys::MAIL_FROM, &to_text(text)).map(|()| text.to_owned())
        })?;
        let text = "The user name at the mail server; empty for none";
        let question = InitQuestion { option: "mail-user", text, default: Some(String::new()) };
        let user = self.ask(&question, self.args.mail_user.clone(), |text| Ok(text.to_owned()))?;
        Ok(Some(MailAnswers { server, from, user: Some(user).filter(|user| !user.is_empty()) }))
    }

    fn ask_keys_folder(&self) -> Result<PathBuf, CommandError> {
        let text = "The folder for the instance key and the signing keys, not the folder of the database";
        let question = InitQuestion { option: "keys", text, default: Some("sinete-keys".to_owned()) };
        let option_value = self.args.keys.as_ref().map(|folder| folder.display().to_string());
        self.ask(&question, option_value, |text| to_absolute(Path::new(text)))
    }

    /// The answer from the option, else from the terminal, else the default. An invalid option is an error;
    /// after an invalid answer the question is repeated.
    fn ask<T>(
        &self,
        question: &InitQuestion,
        option_value: Option<String>,
        check: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, CommandError> {
        let InitQuestion { option, text, default } = question;
        let invalid =
            |reason| CommandError::invalid_usage(format!("--{option}: {reason}; nothing was written"));
        if let Some(option_value) = option_value {
            return check(option_value.trim()).map_err(invalid);
        }
        if !self.is_interactive {
            let default = default.as_deref().ok_or_else(|| invalid("is missing".to_owned()))?;
            return check(default).map_err(invalid);
        }
        loop {
            let line = self.terminal.ask(text, default.as_deref())?;
            let answer = if line.is_empty() { default.as_deref().unwrap_or_default() } else { &line };
            match check(answer) {
                Ok(answer) => return Ok(answer),
                Err(reason) => {
                    self.terminal.print(&format!("{}\n", self.terminal.paint(TextTone::Bad, &reason)))?;
                }
            }
        }
    }
}

fn to_text(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

/// Validates a value like the configuration does. The error names the accepted values.
fn check_value(key: &dyn AnyKey, value: &RawValue) -> Result<(), String> {
    let entry = key.entry();
    let takes =
        || format!("it takes {}, for example {}", entry.accepted_values, entry.example).replace('`', "");
    key.fault(value).map_or(Ok(()), |reason| Err(format!("{reason}; {}", takes())))
}

/// The absolute path. The configuration contains only absolute paths, so that the server can start from any folder.
fn to_absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{} is not a path: {error}", path.display()))
}

fn is_loopback(proxy: &str) -> bool {
    let address = proxy.split('/').next().and_then(|address| address.parse::<std::net::IpAddr>().ok());
    address.is_some_and(|address| address.is_loopback())
}

/// The default sender: an address at the issuer's host, if that is a domain.
fn suggest_sender(issuer: &BaseUrl, name: &str) -> Option<String> {
    let url = Url::parse(issuer.as_str()).ok()?;
    let address = format!("no-reply@{}", url.host_str()?).parse().ok()?;
    Some(Mailbox::new(Some(name.to_owned()), address).to_string())
}
