//! E-mail by SMTP: one recipient per message, encrypted before any command with content, and with timeouts.

use crate::config::EmailConfig;
use crate::config::values::MailSecurity;
use crate::private_file;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::PoolConfig;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use sinete_core::id::MessageId;
use sinete_engine::ports::{EmailSender, OutgoingEmail, SendError, SendFuture};
use std::time::Duration;

/// Maximum time of one SMTP command.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum time to deliver one message: shorter than a node's claim.
const DELIVERY_TIME_MAX: Duration = Duration::from_secs(30);
/// Maximum connections to the mail server.
const CONNECTIONS_MAX: u32 = 4;

/// A mail server.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    /// The domain of our `Message-ID`s.
    domain: String,
}

impl SmtpMailer {
    /// Creates the client without connecting.
    pub fn new(mail: &EmailConfig) -> Result<Self, String> {
        let server = &mail.server;
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(build_tls(mail)?)
            .timeout(Some(COMMAND_TIME_MAX))
            .pool_config(PoolConfig::new().max_size(CONNECTIONS_MAX));
        if let Some(login) = &mail.login {
            let password = login.password.reveal()?;
            transport = transport.credentials(Credentials::new(login.user.clone(), password));
        }
        let from: Mailbox = mail.from.parse().map_err(|_| "mail.from is not an e-mail address".to_owned())?;
        let domain = from.email.domain().to_owned();
        Ok(Self { transport: transport.build(), from, domain })
    }

    /// Connects and authenticates without sending a message.
    pub async fn check_connection(&self) -> Result<(), String> {
        let tested = tokio::time::timeout(DELIVERY_TIME_MAX, self.transport.test_connection()).await;
        match tested.map_err(|_| "it takes too long".to_owned())? {
            Ok(true) => Ok(()),
            Ok(false) => Err("it does not answer like a mail server".to_owned()),
            Err(error) => Err(to_send_error(&error).to_string()),
        }
    }

    fn build_message(&self, id: MessageId, message: &OutgoingEmail) -> Result<lettre::Message, SendError> {
        let unfit = |description: &str| SendError::Permanent(format!("{description} cannot be sent"));
        let to: Address = message.to.parse().map_err(|_| unfit("a message to this address"))?;
        // A header is one line. Subjects contain no control characters, but this does not rely on it.
        let subject: String = message.subject.chars().filter(|character| !character.is_control()).collect();
        let message_builder = lettre::Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .message_id(Some(format!("<{id}@{}>", self.domain)))
            .raw_header(raw_header("Auto-Submitted", "auto-generated"));
        let body = MultiPart::alternative_plain_html(message.text.clone(), message.html.clone());
        let result = if message.html.is_empty() {
            message_builder.body(message.text.clone())
        } else {
            message_builder.multipart(body)
        };
        result.map_err(|_| unfit("this message"))
    }
}

fn raw_header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

fn build_tls(mail: &EmailConfig) -> Result<Tls, String> {
    let parameters = || {
        let mut builder = TlsParameters::builder(mail.server.host.clone());
        if let Some(path) = &mail.ca_file {
            let unusable =
                |reason: &dyn std::fmt::Display| format!("mail.ca_file {}: {reason}", path.display());
            let pem = private_file::read(path).map_err(|error| unusable(&error))?;
            let certificate = Certificate::from_pem(pem.as_bytes()).map_err(|error| unusable(&error))?;
            builder = builder.add_root_certificate(certificate);
        }
        builder.build().map_err(|error| format!("TLS to the mail server cannot be set up: {error}"))
    };
    Ok(match mail.server.security {
        MailSecurity::StartTls => Tls::Required(parameters()?),
        MailSecurity::Tls => Tls::Wrapper(parameters()?),
        MailSecurity::Plain => Tls::None,
    })
}

impl EmailSender for SmtpMailer {
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a> {
        Box::pin(async move {
            let email = self.build_message(id, message)?;
            let result = tokio::time::timeout(DELIVERY_TIME_MAX, self.transport.send(email)).await;
            match result {
                Ok(result) => result.map(drop).map_err(|error| to_send_error(&error)),
                Err(_) => Err(SendError::Temporary("the mail server takes too long".to_owned())),
            }
        })
    }
}

/// Maps an error to an outcome. The server's text is not logged: it may repeat the recipient. Only errors
/// about the recipient are final; authentication errors may be fixed by an operator.
fn to_send_error(error: &lettre::transport::smtp::Error) -> SendError {
    if let Some(code) = error.status().map(u16::from) {
        let message = format!("the mail server answered {code}");
        return if [521, 550, 551, 552, 553, 556].contains(&code) {
            SendError::Permanent(message)
        } else {
            SendError::Temporary(message)
        };
    }
    SendError::Temporary(
        if error.is_timeout() {
            "the mail server takes too long"
        } else if error.is_tls() {
            "the connection to the mail server cannot be encrypted"
        } else if error.is_client() {
            "the mail server does not offer the required authentication or encryption"
        } else {
            "the mail server cannot be reached"
        }
        .to_owned(),
    )
}
