//! Database addresses: a file for SQLite, a server for PostgreSQL.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tokio_postgres::config::Host;

/// A database address, validated as far as possible without connecting.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server, possibly shared with other nodes.
    Postgres(Box<PostgresAddress>),
}

/// A PostgreSQL server address. It may contain a password and is never printed in full.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    pub(crate) config: tokio_postgres::Config,
    pub(crate) encryption: ConnectionEncryption,
}

/// Whether the connection to PostgreSQL is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionEncryption {
    /// Not encrypted.
    None,
    /// TLS. The server's certificate and name are verified, against the operating system's roots or those in
    /// the given file.
    Tls {
        /// A PEM file of roots to trust instead of the operating system's.
        roots: Option<PathBuf>,
    },
}

/// The text is not a valid database address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDatabaseAddress {
    /// Unknown scheme.
    #[error("a database address begins with sqlite:// or postgres://, as in sqlite://sinete-data/sinete.db")]
    Scheme,
    /// No path after `sqlite://`.
    #[error("sqlite:// needs the path of a file, as in sqlite://sinete-data/sinete.db")]
    Path,
    /// Not a valid PostgreSQL connection URL.
    #[error(
        "the address of the PostgreSQL server cannot be read ({0}): write postgres://user:password@host:5432/name?sslmode=verify-full"
    )]
    Server(String),
    /// Unsupported `sslmode`.
    #[error("sslmode={0} is not offered: use verify-full, or disable on a network you trust")]
    Encryption(String),
    /// The server is remote and `sslmode` is missing.
    #[error(
        "the address leads to another machine and does not say whether to encrypt: add ?sslmode=verify-full, or ?sslmode=disable on a network you trust"
    )]
    EncryptionUnspecified,
}

impl DatabaseAddress {
    /// The path of a SQLite file; `None` for a server.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// Whether the connection is encrypted or does not leave this machine.
    pub fn is_private(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            Self::Postgres(server) => {
                server.encryption != ConnectionEncryption::None || is_local_server(&server.config)
            }
        }
    }
}

impl FromStr for DatabaseAddress {
    type Err = InvalidDatabaseAddress;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseAddress> {
        if let Some(path) = text.strip_prefix("sqlite://") {
            let names_a_file = !path.is_empty() && !path.ends_with('/') && !path.contains(['?', '\0']);
            return if names_a_file {
                Ok(Self::Sqlite(path.into()))
            } else {
                Err(InvalidDatabaseAddress::Path)
            };
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return PostgresAddress::parse(text).map(|address| Self::Postgres(Box::new(address)));
        }
        Err(InvalidDatabaseAddress::Scheme)
    }
}

impl PostgresAddress {
    /// Handles `sslmode` and `sslrootcert`; the driver parses the rest.
    fn parse(text: &str) -> Result<Self, InvalidDatabaseAddress> {
        let (base_url, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut roots) = (None, None);
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let Some((name, value)) = url::form_urlencoded::parse(pair.as_bytes()).next() else { continue };
            match name.as_ref() {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => roots = Some(PathBuf::from(value.into_owned())),
                _ => rest.push(pair),
            }
        }
        let server_url =
            if rest.is_empty() { base_url.to_owned() } else { format!("{base_url}?{}", rest.join("&")) };
        let config: tokio_postgres::Config =
            server_url.parse().map_err(|error| invalid_server_address(&error))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(InvalidDatabaseAddress::Server("it names no host".into()));
        }
        let encryption = match mode.as_deref() {
            Some("disable") => ConnectionEncryption::None,
            Some("require" | "verify-ca" | "verify-full") => ConnectionEncryption::Tls { roots },
            Some(other) => return Err(InvalidDatabaseAddress::Encryption(other.to_owned())),
            None if is_local_server(&config) => ConnectionEncryption::None,
            None => return Err(InvalidDatabaseAddress::EncryptionUnspecified),
        };
        Ok(Self { config, encryption })
    }
}

fn invalid_server_address(error: &tokio_postgres::Error) -> InvalidDatabaseAddress {
    use std::error::Error as _;
    InvalidDatabaseAddress::Server(error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

fn is_local_server(config: &tokio_postgres::Config) -> bool {
    let local_host = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        }
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(local_host) && config.get_hostaddrs().iter().all(|it| it.is_loopback())
}

impl fmt::Display for DatabaseAddress {
    /// For display, without the password.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(out, "sqlite://{}", path.display()),
            Self::Postgres(address) => {
                out.write_str("postgres://")?;
                let mut comma = "";
                for (index, host) in address.config.get_hosts().iter().enumerate() {
                    let ports = address.config.get_ports();
                    let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432);
                    match host {
                        Host::Tcp(name) => write!(out, "{comma}{name}:{port}")?,
                        Host::Unix(path) => write!(out, "{comma}{}:{port}", path.display())?,
                    }
                    comma = ",";
                }
                write!(out, "/{}", address.config.get_dbname().unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresAddress").field("encryption", &self.encryption).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encryption(text: &str) -> Result<ConnectionEncryption, InvalidDatabaseAddress> {
        match text.parse()? {
            DatabaseAddress::Postgres(address) => Ok(address.encryption),
            DatabaseAddress::Sqlite(path) => panic!("{} is a file", path.display()),
        }
    }

    #[test]
    fn sqlite_url_names_a_path() {
        let relative: DatabaseAddress = "sqlite://sinete-data/sinete.db".parse().unwrap();
        assert_eq!(relative.path(), Some(Path::new("sinete-data/sinete.db")));
        let absolute: DatabaseAddress = "sqlite:///var/lib/sinete/sinete.db".parse().unwrap();
        assert_eq!(absolute.path(), Some(Path::new("/var/lib/sinete/sinete.db")));
        assert_eq!(absolute.to_string(), "sqlite:///var/lib/sinete/sinete.db");
    }

    #[test]
    fn database_url_that_is_invalid_is_refused() {
        for (text, expected) in [
            ("", InvalidDatabaseAddress::Scheme),
            ("sinete.db", InvalidDatabaseAddress::Scheme),
            ("mysql://localhost/sinete", InvalidDatabaseAddress::Scheme),
            ("sqlite://", InvalidDatabaseAddress::Path),
            ("sqlite://folder/", InvalidDatabaseAddress::Path),
            ("sqlite://a.db?mode=ro", InvalidDatabaseAddress::Path),
        ] {
            assert_eq!(text.parse::<DatabaseAddress>(), Err(expected), "{text}");
        }
        for text in ["postgres:///sinete", "postgres://localhost:port/sinete"] {
            assert!(
                matches!(text.parse::<DatabaseAddress>(), Err(InvalidDatabaseAddress::Server(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn database_url_of_a_remote_server_needs_sslmode() {
        assert_eq!(encryption("postgres://a@127.0.0.1/x"), Ok(ConnectionEncryption::None));
        assert_eq!(encryption("postgresql://a@localhost/x"), Ok(ConnectionEncryption::None));
        assert_eq!(encryption("postgres://a@/x?host=/run/postgresql"), Ok(ConnectionEncryption::None));
        assert_eq!(
            encryption("postgres://a@db.example/x"),
            Err(InvalidDatabaseAddress::EncryptionUnspecified)
        );
        assert_eq!(encryption("postgres://a@db.example/x?sslmode=disable"), Ok(ConnectionEncryption::None));
        let is_private = |text: &str| text.parse::<DatabaseAddress>().unwrap().is_private();
        assert!(is_private("postgres://a@127.0.0.1/x") && is_private("sqlite://a.db"));
        assert!(!is_private("postgres://a@db.example/x?sslmode=disable"));
        assert!(is_private("postgres://a@db.example/x?sslmode=verify-full"));
        assert_eq!(
            encryption("postgres://a@db.example/x?sslmode=prefer"),
            Err(InvalidDatabaseAddress::Encryption("prefer".into()))
        );
        assert_eq!(
            encryption(
                "postgres://a@db.example/x?application_name=n&sslmode=verify-full&sslrootcert=%2Fca.pem"
            ),
            Ok(ConnectionEncryption::Tls { roots: Some("/ca.pem".into()) })
        );
    }

    #[test]
    fn database_url_is_printed_without_its_password() {
        let address: DatabaseAddress =
            "postgres://ana:hush@db.example:6432/sinete?sslmode=verify-full".parse().unwrap();
        assert_eq!(address.to_string(), "postgres://db.example:6432/sinete");
        assert!(!format!("{address:?}").contains("hush"));
    }
}
