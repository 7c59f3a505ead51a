//! The arguments of `sinete init`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

/// The arguments of `sinete init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The issuer: the https URL that users and clients use
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub base_url: Option<String>,
    /// The database: the path of a SQLite file, or a postgres:// URL [default: sinete-data/sinete.db]
    #[arg(long, value_name = "PATH|URL")]
    pub database: Option<String>,
    /// The reverse proxy that terminates TLS, by its address or network; may be repeated [default: 127.0.0.1, ::1]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "certificate")]
    pub proxy: Vec<String>,
    /// The certificate chain, if Sinete terminates TLS itself
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "certificate_key")]
    pub certificate: Option<PathBuf>,
    /// The private key of that certificate
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "certificate")]
    pub certificate_key: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1:8080 behind a proxy on this machine, 0.0.0.0:8080 behind another, 0.0.0.0 with the port of the issuer without a proxy]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// The mail server, as in smtps://mail.example.com [default: none]
    #[arg(long, value_name = "URL")]
    pub mail_server: Option<String>,
    /// The sender of mail [default: no-reply at the host of the issuer]
    #[arg(long, value_name = "ADDRESS", requires = "mail_server")]
    pub mail_from: Option<String>,
    /// The user name at the mail server; its password is read from mail.password in the folder of the keys
    #[arg(long, value_name = "NAME", requires = "mail_server")]
    pub mail_user: Option<String>,
    /// The name of the service, on its pages and in mail [default: Sinete]
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// The folder for the instance key and the signing keys [default: sinete-keys]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub keys: Option<PathBuf>,
    /// Do not ask: use the options and the defaults
    #[arg(long)]
    pub yes: bool,
}
