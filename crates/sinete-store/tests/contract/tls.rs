//! The connection to the server is encrypted if requested, and its certificate is verified.

use super::database::{Database, connect as past_the_store, folder_on_disk};
use crate::{Store, StoreAccess, StoreFailure, StoreOptions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_tls_accepts_only_the_verified_server() {
    let folder = folder_on_disk();
    let (ours, theirs) = (authority(), authority());
    let root = |name: &str, issuer: &CertifiedIssuer<'_, KeyPair>| {
        let path = folder.path().join(name);
        std::fs::write(&path, issuer.pem()).unwrap();
        path
    };
    let (path, wrong) = (root("right.pem", &ours), root("wrong.pem", &theirs));
    let database = Database::postgres().await;
    let tls = ServerTls::switch_on(&database, &ours).await;

    let store = open(&database, "localhost", &path).await.unwrap();
    store.check_connection().await.unwrap();
    let encrypted = past_the_store(&database.url())
        .await
        .query_one("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND datname = current_database()", &[])
        .await
        .unwrap();
    assert_eq!(encrypted.get::<_, i64>(0), 1);

    // Signed by an untrusted CA; and for another host name.
    for (host, roots) in [("localhost", &wrong), ("127.0.0.1", &path)] {
        let failed = open(&database, host, roots).await.unwrap_err();
        assert!(
            matches!(&failed, StoreFailure::Other(why) if why.contains("certificate")),
            "{host}: {failed}"
        );
        assert!(!failed.is_temporary());
    }
    let failed = open(&database, "localhost", &folder.path().join("absent.pem")).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.contains("absent.pem")), "{failed}");
    tls.switch_off(&database).await;
}

#[tokio::test]
async fn database_without_tls_is_refused_when_tls_is_required() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut request = [0; 8];
        client.read_exact(&mut request).await.unwrap();
        // PostgreSQL's refusal of TLS.
        client.write_all(b"N").await.unwrap();
        assert_eq!(client.read(&mut request).await.unwrap(), 0, "the connection continued without TLS");
    });
    let folder = folder_on_disk();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, authority().pem()).unwrap();
    let url = format!("postgres://a@127.0.0.1:{port}/b?sslmode=verify-full&sslrootcert={}", roots.display());
    let failed =
        Store::open(&url.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.contains("TLS")), "{failed}");
}

async fn open(database: &Database, host: &str, roots: &std::path::Path) -> Result<Store, StoreFailure> {
    let url = database.url().replace("127.0.0.1", host);
    let url = format!("{url}?sslmode=verify-full&sslrootcert={}", roots.display());
    Store::open(&url.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap()
}

/// The disposable cluster with TLS and a certificate for `localhost`, until dropped.
struct ServerTls;

impl ServerTls {
    async fn switch_on(database: &Database, issuer: &CertifiedIssuer<'_, KeyPair>) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, issuer).unwrap();
        // The server runs as another user and reads only its own files, so it writes them itself.
        for (file, pem) in [("sinete.crt", certificate.pem()), ("sinete.key", key.serialize_pem())] {
            let lines = format!("SELECT unnest(string_to_array('{}', E'\\n'))", pem.trim_end());
            let program = format!("umask 077; cat > {file}");
            database.run(&format!("COPY ({lines}) TO PROGRAM '{program}'")).await;
        }
        database.run("ALTER SYSTEM SET ssl_cert_file = 'sinete.crt'").await;
        database.run("ALTER SYSTEM SET ssl_key_file = 'sinete.key'").await;
        database.run("ALTER SYSTEM SET ssl = on").await;
        Self::reload_until(database, "on").await;
        Self
    }

    async fn switch_off(self, database: &Database) {
        for setting in ["ssl", "ssl_key_file", "ssl_cert_file"] {
            database.run(&format!("ALTER SYSTEM RESET {setting}")).await;
        }
        Self::reload_until(database, "off").await;
    }

    async fn reload_until(database: &Database, expected: &str) {
        database.run("SELECT pg_reload_conf()").await;
        for _ in 0..3_000 {
            let row = past_the_store(&database.url()).await.query_one("SHOW ssl", &[]).await.unwrap();
            if row.get::<_, String>(0) == expected {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("the server did not switch TLS {expected}");
    }
}
