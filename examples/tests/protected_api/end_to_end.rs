//! The three commands of the README, as processes: an issuer, the API and the application. A user signs in, and the API
//! gets valid and invalid tokens.

use crate::dpop_key::DpopKey;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program that is stopped at the end of the test.
struct ChildProcess {
    child: Child,
    /// Its output up to the expected line.
    output: String,
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ChildProcess {
    /// Starts a program and waits until it prints this.
    fn start(mut command: Command, ready: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut output = String::new();
        while !output.contains(ready) {
            assert_ne!(out.read_line(&mut output).unwrap(), 0, "{command:?} ended: {output}");
        }
        // The pipe must be read, or the program would block.
        std::thread::spawn(move || out.read_to_end(&mut Vec::new()));
        Self { child, output }
    }
}

/// The `sinete` binary in the folder of the examples: a build of the whole workspace creates both.
fn sinete() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_web-app")).with_file_name("sinete");
    assert!(path.exists(), "{} is missing: run cargo build -p sinete", path.display());
    path
}

/// A free address.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("127.0.0.1:{}", listener.local_addr().unwrap().port())
}

const TENANTS: &str = r#"
[apis.files.definition]
identifier = "https://files.example"
name = "Files"
permissions = [{ permission = "files:read", english = "Read files" }]

[organizations.acme]
name = "Acme"
[organizations.acme.roles.clerk]
permissions = ["invoices:read", "invoices:send", "files:read"]

[organizations.globex]
name = "Globex"
[organizations.globex.roles.clerk]
permissions = ["invoices:read"]

[clients.acme-robot]
kind = "service"
organization = "acme"
roles = ["clerk"]
secret = { file = "acme-robot" }
metadata = { client_name = "Acme's", grant_types = ["client_credentials"], token_endpoint_auth_method = "client_secret_post", scope = "invoices:read invoices:send files:read" }

[clients.globex-robot]
kind = "service"
organization = "globex"
roles = ["clerk"]
secret = { file = "globex-robot" }
metadata = { client_name = "Globex's", grant_types = ["client_credentials"], token_endpoint_auth_method = "client_secret_post", scope = "invoices:read" }
"#;

/// Everything that runs.
struct EndToEndFixture {
    issuer: String,
    api: String,
    app: String,
    secrets: HashMap<&'static str, String>,
    http: reqwest::Client,
    instance: ChildProcess,
    _others: [ChildProcess; 2],
    _folder: tempfile::TempDir,
}

impl EndToEndFixture {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (instance, admin, api, app) = (free_address(), free_address(), free_address(), free_address());
        let issuer = format!("http://localhost:{}", instance.split_once(':').unwrap().1);
        let (api, app) = (format!("http://{api}"), format!("http://{app}"));
        let sinete = |arguments: &[&str]| {
            let mut command = Command::new(sinete());
            command.args(arguments).current_dir(folder.path()).env_clear().envs([
                ("SINETE_LISTEN", instance.as_str()),
                ("SINETE_ADMIN_LISTEN", admin.as_str()),
                ("SINETE_BASE_URL", issuer.as_str()),
            ]);
            command
        };
        let secrets = ["acme-robot", "globex-robot"].map(|client| {
            let secret = sinete(&["admin", "client-secret"]).output().unwrap();
            let secret = String::from_utf8(secret.stdout).unwrap().trim().to_owned();
            std::fs::write(folder.path().join(client), &secret).unwrap();
            (client, secret)
        });
        let declared =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/instance.toml")).unwrap();
        let declared = declared.replace("http://127.0.0.1:7001", &api) + TENANTS;
        std::fs::write(folder.path().join("instance.toml"), declared).unwrap();
        let applied = sinete(&["apply", "-f", "instance.toml", "--yes"]).output().unwrap();
        assert!(applied.status.success(), "{applied:?}");

        let instance = ChildProcess::start(sinete(&["serve"]), "sinete admin invite");
        let mut guarded = Command::new(env!("CARGO_BIN_EXE_protected-api"));
        guarded.args([&issuer, &api]);
        let mut application = Command::new(env!("CARGO_BIN_EXE_web-app"));
        application.args([&issuer, &app, &api]);
        let others = [
            ChildProcess::start(guarded, "The API listens at"),
            ChildProcess::start(application, "Open http"),
        ];
        let http = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        Self { issuer, api, app, secrets: secrets.into(), http, instance, _others: others, _folder: folder }
    }

    async fn post_json(&self, address: &str, authorization: Option<&str>, body: Value) -> (u16, Value) {
        let mut request = self.http.post(address).json(&body);
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn get(&self, address: &str, authorization: Option<&str>) -> reqwest::Response {
        let mut request = self.http.get(address);
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        request.send().await.unwrap()
    }

    /// Creates the first operator with the link that the instance printed, and returns their session.
    async fn operator(&self) -> String {
        let (_, link) = self.instance.output.split_once("token=").unwrap();
        let token = link.split_whitespace().next().unwrap();
        let begin = json!({"kind": "first_operator", "session": "token", "token": token});
        let (status, flow) = self.post_json(&format!("{}/flows", self.issuer), None, begin).await;
        assert_eq!(status, 201, "{flow}");
        let href = flow["actions"][0]["href"].as_str().unwrap();
        let details =
            json!({"email": "ana@example.com", "name": "Ana", "password": "a kettle sings at dawn"});
        let authorization = format!("Flow {}", flow["flow_token"].as_str().unwrap());
        let (status, response_body) = self.post_json(href, Some(&authorization), details).await;
        assert_eq!((status, &response_body["stage"]), (200, &json!("signed_in")), "{response_body}");
        format!("Session {}", response_body["session_token"].as_str().unwrap())
    }

    /// An access token for a service (client credentials grant).
    async fn token(&self, client: &str, resource: &str, scope: &str) -> String {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client),
            ("client_secret", &self.secrets[client]),
            ("resource", resource),
            ("scope", scope),
        ];
        let answer =
            self.http.post(format!("{}/connect/token", self.issuer)).form(&form).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// A DPoP-bound access token for a service.
    async fn bound_token(&self, holder: &DpopKey) -> String {
        let address = format!("{}/connect/token", self.issuer);
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", "acme-robot"),
            ("client_secret", &self.secrets["acme-robot"]),
            ("resource", &self.api),
            ("scope", "invoices:read"),
        ];
        let proof = holder.create_proof("POST", &address, None);
        let answer = self.http.post(address).header("dpop", proof).form(&form).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["token_type"], "DPoP", "{answer}");
        answer["access_token"].as_str().unwrap().to_owned()
    }

    /// The status and the `WWW-Authenticate` challenge of the API's response to this token.
    async fn call_api(&self, path: &str, token: Option<&str>) -> (u16, String) {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let answer = self.get(&format!("{}{path}", self.api), bearer.as_deref()).await;
        let challenge = answer.headers().get("www-authenticate").map(|it| it.to_str().unwrap().to_owned());
        (answer.status().as_u16(), challenge.unwrap_or_default())
    }

    fn challenge(&self, error: &str, scope: &str) -> String {
        let document = format!("{}/.well-known/oauth-protected-resource", self.api);
        format!("Bearer {error}resource_metadata=\"{document}\"{scope}")
    }
}

fn location(answer: &reqwest::Response) -> String {
    assert_eq!(answer.status(), 303, "{answer:?}");
    answer.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn user_signs_in_to_the_application_which_calls_the_api() {
    let fixture = EndToEndFixture::start();
    let session = fixture.operator().await;
    let front = fixture.get(&fixture.app, None).await.text().await.unwrap();
    assert!(front.contains("href=\"/login\""), "{front}");
    let authorize = location(&fixture.get(&format!("{}/login", fixture.app), None).await);
    assert!(authorize.starts_with(&format!("{}/connect/authorize?", fixture.issuer)), "{authorize}");
    // An application that registered itself is not trusted: the user is asked for consent.
    let response = fixture.get(&authorize, Some(&session)).await;
    assert_eq!(response.status(), 401);
    let flow: Value = response.json().await.unwrap();
    let (href, token) = (flow["flow"]["href"].as_str().unwrap(), flow["flow"]["token"].as_str().unwrap());
    let authorization = format!("Flow {token}");
    let (status, consent_body) =
        fixture.post_json(&format!("{href}/consent"), Some(&authorization), json!({"allow": true})).await;
    assert_eq!(status, 200, "{consent_body}");
    let callback =
        location(&fixture.get(consent_body["continue_to"].as_str().unwrap(), Some(&session)).await);
    assert!(callback.starts_with(&format!("{}/callback?", fixture.app)), "{callback}");
    let page = fixture.get(&callback, None).await;
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    assert!(page.contains("Signed in") && page.contains("2026-001"), "{page}");
    // A code that is used twice, or with an unknown state, is rejected.
    assert_eq!(fixture.get(&callback, None).await.status(), 400);
    let forged = format!("{}/callback?code=x&state=x&iss={}", fixture.app, fixture.issuer);
    assert_eq!(fixture.get(&forged, None).await.status(), 400);

    api_accepts_and_rejects_tokens(&fixture).await;
    dpop_token_is_accepted_with_its_key_only(&fixture).await;
}

async fn dpop_token_is_accepted_with_its_key_only(fixture: &EndToEndFixture) {
    let (holder, thief) = (DpopKey::new(), DpopKey::new());
    let token = fixture.bound_token(&holder).await;
    let address = format!("{}/invoices", fixture.api);
    let show = async |scheme: &str, proof: &str| {
        let request = fixture.http.get(&address).header("authorization", format!("{scheme} {token}"));
        request.header("dpop", proof).send().await.unwrap()
    };
    let proof = holder.create_proof("GET", &address, Some(&token));
    assert_eq!(show("DPoP", &proof).await.status(), 200);
    // Rejected: the same proof again, a proof with another key, one for another URL, and the token as a bearer token.
    let replayed_response = show("DPoP", &proof).await;
    assert_eq!(replayed_response.status(), 401);
    let challenge = replayed_response.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.starts_with("DPoP error=\"invalid_dpop_proof\""), "{challenge}");
    assert_eq!(show("DPoP", &thief.create_proof("GET", &address, Some(&token))).await.status(), 401);
    assert_eq!(show("DPoP", &holder.create_proof("GET", &fixture.api, Some(&token))).await.status(), 401);
    assert_eq!(show("Bearer", &holder.create_proof("GET", &address, Some(&token))).await.status(), 401);
    assert_eq!(show("DPoP", &holder.create_proof("GET", &address, Some(&token))).await.status(), 200);
}

async fn api_accepts_and_rejects_tokens(fixture: &EndToEndFixture) {
    let (read, needs) = ("invoices:read", ", scope=\"invoices:read\"");
    let valid_token = fixture.token("acme-robot", &fixture.api, read).await;
    assert_eq!(fixture.call_api("/invoices", Some(&valid_token)).await, (200, String::new()));
    let response =
        fixture.get(&format!("{}/whoami", fixture.api), Some(&format!("Bearer {valid_token}"))).await;
    let acme = response.json::<Value>().await.unwrap()["org"].as_str().unwrap().to_owned();
    let of_acme = format!("/organizations/{acme}/invoices");
    assert_eq!(fixture.call_api(&of_acme, Some(&valid_token)).await.0, 200);

    assert_eq!(fixture.call_api("/invoices", None).await, (401, fixture.challenge("", needs)));
    let invalid = (401, fixture.challenge("error=\"invalid_token\", ", needs));
    // The signature of another token of the same key.
    let other = fixture.token("globex-robot", &fixture.api, read).await;
    let (signed, _) = valid_token.rsplit_once('.').unwrap();
    let (_, signature) = other.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{signature}");
    assert_eq!(fixture.call_api("/invoices", Some(&forged)).await, invalid);
    // Another audience.
    let elsewhere = fixture.token("acme-robot", "https://files.example", "files:read").await;
    assert_eq!(fixture.call_api("/invoices", Some(&elsewhere)).await, invalid);
    let invalid = (401, fixture.challenge("error=\"invalid_token\", ", ""));
    assert_eq!(fixture.call_api("/whoami", Some(&elsewhere)).await, invalid);
    // Another organization, and another scope.
    let insufficient = (403, fixture.challenge("error=\"insufficient_scope\", ", needs));
    assert_eq!(fixture.call_api("/invoices", Some(&other)).await.0, 200);
    assert_eq!(fixture.call_api(&of_acme, Some(&other)).await, insufficient);
    let narrow = fixture.token("acme-robot", &fixture.api, "invoices:send").await;
    assert_eq!(fixture.call_api("/whoami", Some(&narrow)).await.0, 200);
    assert_eq!(fixture.call_api("/invoices", Some(&narrow)).await, insufficient);
}
