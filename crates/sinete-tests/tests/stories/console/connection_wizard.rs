//! The guide to connect an identity provider: the redirect URI is known before the connection, and SAML metadata is read
//! from a URL.

use super::connections::csrf_of;
use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET};
use crate::harness::organizations::TestOrganization;
use crate::harness::saml_provider::{ENTITY_ID, SSO_URL, saml_metadata};
use crate::harness::world::World;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const CONNECT: &str = "id=\"connect-now\"";
const NOTHING_READ: &str = "Nothing could be read at this URL.";

both_engines!(
    console_sso_wizard_shows_the_redirect_uri_that_the_connection_gets,
    console_sso_wizard_reads_saml_metadata_from_a_url_once,
    console_sso_wizard_connects_only_a_discovered_issuer,
    console_sso_wizard_moves_no_domain_from_another_connection,
    console_sso_wizard_is_for_owners_and_known_providers
);

async fn list_connections(owner: &ApiCaller<'_>, acme: &TestOrganization) -> Vec<Value> {
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body;
    all["items"].as_array().unwrap().clone()
}

/// The redirect URI or ACS URL that a page shows.
fn callback_of(page: &str) -> String {
    page.split("id=\"callback\">").nth(1).unwrap().split('<').next().unwrap().to_owned()
}

fn okta<'a>(issuer: &'a str, secret: &'a str) -> [(&'a str, &'a str); 6] {
    [
        ("action", "open_id"),
        ("name", "Okta"),
        ("issuer", issuer),
        ("client_id", CLIENT_ID),
        ("client_secret", secret),
        ("domains", ""),
    ]
}

async fn console_sso_wizard_shows_the_redirect_uri_that_the_connection_gets(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    let list = ana.reader.open_page(&console_path(&acme, "/connections")).await;
    for slug in ["okta", "entra-id", "google-workspace", "oidc", "saml"] {
        assert!(list.contains(&console_path(&acme, &format!("/connections/new/{slug}"))), "{slug}: {list}");
    }
    let page_path = console_path(&acme, "/connections/new/okta");
    let page = ana.reader.open_page(&page_path).await;
    let callback = callback_of(&page);
    assert!(page.contains("Okta domain") && page.contains("data-copy-text"), "{page}");
    assert!(page.contains(">1. Register this service at the provider</h2>"), "{page}");
    assert!(list.contains("Connect with OpenID Connect, without the guide"), "{list}");
    // It stays the same on every visit, for every owner, until a connection has it; another guide has another one.
    assert_eq!(callback_of(&ana.reader.open_page(&page_path).await), callback);
    let stale = bia.reader.open_page(&page_path).await;
    assert_eq!(callback_of(&stale), callback);
    let entra = ana.reader.open_page(&console_path(&acme, "/connections/new/entra-id")).await;
    assert!(callback_of(&entra) != callback && entra.contains("Directory (tenant) ID"), "{entra}");
    // A mistake is shown beside its field, and nothing that was typed is lost except the secret.
    let (_, wrong) = ana.reader.submit_form(&page, CONNECT, &okta("", CLIENT_SECRET)).await;
    assert!(wrong.contains("aria-invalid") && wrong.contains(&format!("value=\"{CLIENT_ID}\"")), "{wrong}");
    assert!(!wrong.contains(CLIENT_SECRET) && callback_of(&wrong) == callback, "{wrong}");
    let (_, created_page) =
        ana.reader.submit_form(&wrong, CONNECT, &okta(&provider.issuer, CLIENT_SECRET)).await;
    assert!(
        created_page.contains("Identity provider connected,") && callback_of(&created_page) == callback,
        "{created_page}"
    );
    let all = list_connections(&owner, &acme).await;
    assert_eq!(
        (&all[0]["callback"], &all[0]["enabled"], &all[0]["scopes"]),
        (&json!(callback), &json!(false), &json!(["openid", "email", "profile"]))
    );
    // Sent twice, it creates one connection. The form of another owner shows values that are used now.
    let (_, repeated_page) =
        ana.reader.submit_form(&wrong, CONNECT, &okta(&provider.issuer, CLIENT_SECRET)).await;
    assert!(repeated_page.contains("This form was already submitted"), "{repeated_page}");
    let (_, late) = bia.reader.submit_form(&stale, CONNECT, &okta(&provider.issuer, CLIENT_SECRET)).await;
    assert!(callback_of(&late) != callback && late.contains("role=\"alert\""), "{late}");
    assert_eq!(list_connections(&owner, &acme).await.len(), 1);
    // Also after the connection is removed, its redirect URI is not assigned again.
    let path = acme.path(&format!("/connections/{}", all[0]["id"].as_str().unwrap()));
    owner.delete(&path, None).await.assert_status(204);
    assert_ne!(callback_of(&ana.reader.open_page(&page_path).await), callback);
}

/// A server that returns one document for every request.
async fn serve_document(document: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/metadata", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 2048];
            let _ = stream.read(&mut request).await;
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", document.len());
            let _ = stream.write_all(format!("{head}{document}").as_bytes()).await;
        }
    });
    address
}

async fn console_sso_wizard_reads_saml_metadata_from_a_url_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/connections/new/saml")).await;
    assert!(page.contains("id=\"entity-id\"") && page.contains("id=\"metadata-url\""), "{page}");
    let (good, other) = (serve_document(saml_metadata()).await, serve_document("<html/>".to_owned()).await);
    let fields = |url| {
        let attribute_fields = [("subject", "NameID"), ("email", "mail"), ("full_name", ""), ("domains", "")];
        let mut all = vec![("action", "saml"), ("name", "Acme"), ("metadata", ""), ("metadata_url", url)];
        all.extend(attribute_fields);
        all
    };
    for (url, expected_error) in [
        ("http://127.0.0.1:1/metadata", NOTHING_READ),
        ("ftp://example.com/metadata", NOTHING_READ),
        ("http://example.com/metadata", NOTHING_READ),
        (other.as_str(), "This is not valid SAML metadata"),
        ("", "This is not valid SAML metadata"),
    ] {
        let (_, refused) = ana.reader.submit_form(&page, CONNECT, &fields(url)).await;
        assert!(refused.contains(expected_error), "{url}: {refused}");
    }
    assert!(list_connections(&owner, &acme).await.is_empty());
    let (_, created_page) = ana.reader.submit_form(&page, CONNECT, &fields(&good)).await;
    assert!(created_page.contains(ENTITY_ID) && created_page.contains(SSO_URL), "{created_page}");
    let all = list_connections(&owner, &acme).await;
    assert_eq!((&all[0]["callback"], all.len()), (&json!(callback_of(&page)), 1));
}

async fn console_sso_wizard_connects_only_a_discovered_issuer(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/connections/new/oidc")).await;
    let fields = |issuer| {
        let extra_fields = [("authentication", "client_secret"), ("scopes", "openid email profile")];
        okta(issuer, CLIENT_SECRET).into_iter().chain(extra_fields).collect::<Vec<_>>()
    };
    let slash = format!("{}/", provider.issuer);
    let issuer_error = format!("names the issuer {}. Enter the issuer exactly so.", provider.issuer);
    let nowhere = "http://127.0.0.1:1";
    for (issuer, expected_error) in
        [(slash.as_str(), issuer_error.as_str()), (nowhere, "Nothing could be read at http://127.0.0.1:1/")]
    {
        let (_, refused) = ana.reader.submit_form(&page, CONNECT, &fields(issuer)).await;
        assert!(
            refused.contains("its discovery document does not confirm this issuer.")
                && refused.contains(expected_error),
            "{issuer}: {refused}"
        );
        // Everything but the secret is kept.
        assert!(
            refused.contains(&format!("value=\"{issuer}\"")) && !refused.contains(CLIENT_SECRET),
            "{refused}"
        );
    }
    assert!(list_connections(&owner, &acme).await.is_empty());
    let (_, created_page) = ana.reader.submit_form(&page, CONNECT, &fields(&provider.issuer)).await;
    assert!(created_page.contains("Identity provider connected,"), "{created_page}");
    // The API creates a connection to a provider that cannot be reached yet.
    let later =
        json!({"name": "Later", "issuer": nowhere, "client_id": "x", "authentication": "private_key"});
    owner.post(&acme.path("/connections"), later).await.assert_status(201);
}

async fn console_sso_wizard_moves_no_domain_from_another_connection(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let first = provider.create_connection(&owner, "acme.example").await;
    owner.post(&acme.path("/domains"), json!({"domain": "free.example"})).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/connections/new/saml");
    let metadata = saml_metadata();
    let fields = |domains| {
        let attribute_fields =
            [("subject", "NameID"), ("email", "mail"), ("full_name", ""), ("domains", domains)];
        let mut all = vec![("action", "saml"), ("name", "Second"), ("metadata", metadata.as_str())];
        all.extend(attribute_fields);
        all
    };
    let page = ana.reader.open_page(&page_path).await;
    let (_, refused) = ana.reader.submit_form(&page, CONNECT, &fields("acme.example")).await;
    assert!(
        refused.contains("Another connection has one of these domains.")
            && refused.contains("The domain acme.example belongs to the connection Acme,")
            && refused.contains("acme.example</textarea>"),
        "{refused}"
    );
    let all = list_connections(&owner, &acme).await;
    assert_eq!(
        (all.len(), &all[0]["domains"], &all[0]["enabled"]),
        (1, &json!(["acme.example"]), &json!(true))
    );
    // A domain that no connection has is assigned; the settings of the disabled connection take no other either.
    let (_, created_page) = ana.reader.submit_form(&refused, CONNECT, &fields("free.example")).await;
    assert!(created_page.contains("Identity provider connected,"), "{created_page}");
    let change = [("action", "change"), ("name", "Second"), ("domains", "free.example\r\nacme.example")];
    let (_, refused) = ana.reader.submit_form(&created_page, "id=\"save\"", &change).await;
    assert!(refused.contains("The domain acme.example belongs to the connection Acme,"), "{refused}");
    let path = acme.path(&format!("/connections/{}", first["id"].as_str().unwrap()));
    assert_eq!(owner.get(&path).await.assert_status(200).body["domains"], json!(["acme.example"]));
}

async fn console_sso_wizard_is_for_owners_and_known_providers(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "plumber", "permissions": ["organization:read", "sso:manage"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut pia = world.create_console_user(&acme, "pia@example.com", "plumber").await;
    let page_path = console_path(&acme, "/connections/new/oidc");
    let list = pia.reader.open_page(&console_path(&acme, "/connections")).await;
    assert!(!list.contains("/connections/new/"), "{list}");
    assert_eq!(pia.reader.open_url(&page_path).await.0, 404);
    assert_eq!(ana.reader.open_url(&console_path(&acme, "/connections/new/nobody")).await.0, 404);
    let page = ana.reader.open_page(&page_path).await;
    let reserved = page.split("name=\"reserved\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let account = pia.reader.open_page(&console_path(&acme, "/connections")).await;
    assert!(!account.contains("name=\"csrf\""), "{account}");
    let csrf = csrf_of(&ana.reader.open_page(&page_path).await);
    let mut forged_fields =
        vec![("csrf", csrf.as_str()), ("once", "abcdefghijklmnopqrstuv"), ("reserved", reserved)];
    forged_fields.extend(okta("https://mine.example", CLIENT_SECRET));
    pia.reader.forge_post(&page_path, &world.origin(), &forged_fields).await;
    assert!(list_connections(&owner, &acme).await.is_empty());
}
