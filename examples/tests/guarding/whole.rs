//! The three commands of the README, as processes: an instance, the API and the application. Somebody signs in, and
//! the API is shown tokens that are right and tokens that are not.

use crate::holder::Holder;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program that is ended with the test.
struct Running {
    child: Child,
    /// What it said up to the line that was waited for.
    said: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Starts a program, and goes on once it says this on its standard output.
    fn start(mut command: Command, ready: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        while !said.contains(ready) {
            assert_ne!(out.read_line(&mut said).unwrap(), 0, "{command:?} ended: {said}");
        }
        // From here on somebody has to read, or it would wait for room.
        std::thread::spawn(move || out.read_to_end(&mut Vec::new()));
        Self { child, said }
    }
}

/// The program beside the examples: a run over the whole workspace builds both.
fn sinete() -> PathBuf {
    let beside = Path::new(env!("CARGO_BIN_EXE_web-app")).with_file_name("sinete");
    assert!(beside.exists(), "{} is not there: cargo build -p sinete makes it", beside.display());
    beside
}

/// An address nobody listens on.
fn free() -> String {
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
struct Scene {
    issuer: String,
    api: String,
    app: String,
    secrets: HashMap<&'static str, String>,
    web: reqwest::Client,
    instance: Running,
    _others: [Running; 2],
    _folder: tempfile::TempDir,
}

impl Scene {
    fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (instance, admin, api, app) = (free(), free(), free(), free());
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

        let instance = Running::start(sinete(&["serve"]), "sinete admin invite");
        let mut guarded = Command::new(env!("CARGO_BIN_EXE_protected-api"));
        guarded.args([&issuer, &api]);
        let mut application = Command::new(env!("CARGO_BIN_EXE_web-app"));
        application.args([&issuer, &app, &api]);
        let others = [Running::start(guarded, "The API stands at"), Running::start(application, "Open http")];
        let web = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        Self { issuer, api, app, secrets: secrets.into(), web, instance, _others: others, _folder: folder }
    }

    async fn say(&self, address: &str, authorization: Option<&str>, said: Value) -> (u16, Value) {
        let mut request = self.web.post(address).json(&said);
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn get(&self, address: &str, authorization: Option<&str>) -> reqwest::Response {
        let mut request = self.web.get(address);
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        request.send().await.unwrap()
    }

    /// Makes the first operator with the link that the instance printed, and gives their session.
    async fn operator(&self) -> String {
        let (_, link) = self.instance.said.split_once("token=").unwrap();
        let token = link.split_whitespace().next().unwrap();
        let begin = json!({"kind": "first_operator", "session": "token", "token": token});
        let (status, flow) = self.say(&format!("{}/flows", self.issuer), None, begin).await;
        assert_eq!(status, 201, "{flow}");
        let href = flow["actions"][0]["href"].as_str().unwrap();
        let details =
            json!({"email": "ana@example.com", "name": "Ana", "password": "a kettle sings at dawn"});
        let authorization = format!("Flow {}", flow["flow_token"].as_str().unwrap());
        let (status, done) = self.say(href, Some(&authorization), details).await;
        assert_eq!((status, &done["stage"]), (200, &json!("signed_in")), "{done}");
        format!("Session {}", done["session_token"].as_str().unwrap())
    }

    /// A token that one of the services got for itself.
    async fn token(&self, client: &str, resource: &str, scope: &str) -> String {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client),
            ("client_secret", &self.secrets[client]),
            ("resource", resource),
            ("scope", scope),
        ];
        let answer =
            self.web.post(format!("{}/connect/token", self.issuer)).form(&form).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// A token that a service got for itself, bound to a key.
    async fn bound_token(&self, holder: &Holder) -> String {
        let address = format!("{}/connect/token", self.issuer);
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", "acme-robot"),
            ("client_secret", &self.secrets["acme-robot"]),
            ("resource", &self.api),
            ("scope", "invoices:read"),
        ];
        let proof = holder.proof("POST", &address, None);
        let answer = self.web.post(address).header("dpop", proof).form(&form).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["token_type"], "DPoP", "{answer}");
        answer["access_token"].as_str().unwrap().to_owned()
    }

    /// The status and the challenge that the API answers this token with.
    async fn asks(&self, path: &str, token: Option<&str>) -> (u16, String) {
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
async fn somebody_signs_in_to_the_application_which_calls_the_api_for_them() {
    let scene = Scene::set();
    let session = scene.operator().await;
    let front = scene.get(&scene.app, None).await.text().await.unwrap();
    assert!(front.contains("href=\"/login\""), "{front}");
    let authorize = location(&scene.get(&format!("{}/login", scene.app), None).await);
    assert!(authorize.starts_with(&format!("{}/connect/authorize?", scene.issuer)), "{authorize}");
    // Nobody vouches for an application that registered itself: the person is asked.
    let asked = scene.get(&authorize, Some(&session)).await;
    assert_eq!(asked.status(), 401);
    let flow: Value = asked.json().await.unwrap();
    let (href, token) = (flow["flow"]["href"].as_str().unwrap(), flow["flow"]["token"].as_str().unwrap());
    let walker = format!("Flow {token}");
    let (status, agreed) = scene.say(&format!("{href}/consent"), Some(&walker), json!({"allow": true})).await;
    assert_eq!(status, 200, "{agreed}");
    let callback = location(&scene.get(agreed["continue_to"].as_str().unwrap(), Some(&session)).await);
    assert!(callback.starts_with(&format!("{}/callback?", scene.app)), "{callback}");
    let page = scene.get(&callback, None).await;
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    assert!(page.contains("Signed in") && page.contains("2026-001"), "{page}");
    // A code that comes back twice, or with somebody else's state, signs nobody in.
    assert_eq!(scene.get(&callback, None).await.status(), 400);
    let forged = format!("{}/callback?code=x&state=x&iss={}", scene.app, scene.issuer);
    assert_eq!(scene.get(&forged, None).await.status(), 400);

    what_the_api_lets_in_and_what_not(&scene).await;
    a_token_that_is_bound_to_a_key_is_its_holders(&scene).await;
}

async fn a_token_that_is_bound_to_a_key_is_its_holders(scene: &Scene) {
    let (holder, thief) = (Holder::new(), Holder::new());
    let token = scene.bound_token(&holder).await;
    let address = format!("{}/invoices", scene.api);
    let show = async |scheme: &str, proof: &str| {
        let request = scene.web.get(&address).header("authorization", format!("{scheme} {token}"));
        request.header("dpop", proof).send().await.unwrap()
    };
    let proof = holder.proof("GET", &address, Some(&token));
    assert_eq!(show("DPoP", &proof).await.status(), 200);
    // The same proof again, one by another key, one for another address, and none of it as a bearer.
    let again = show("DPoP", &proof).await;
    assert_eq!(again.status(), 401);
    let challenge = again.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.starts_with("DPoP error=\"invalid_dpop_proof\""), "{challenge}");
    assert_eq!(show("DPoP", &thief.proof("GET", &address, Some(&token))).await.status(), 401);
    assert_eq!(show("DPoP", &holder.proof("GET", &scene.api, Some(&token))).await.status(), 401);
    assert_eq!(show("Bearer", &holder.proof("GET", &address, Some(&token))).await.status(), 401);
    assert_eq!(show("DPoP", &holder.proof("GET", &address, Some(&token))).await.status(), 200);
}

async fn what_the_api_lets_in_and_what_not(scene: &Scene) {
    let (read, needs) = ("invoices:read", ", scope=\"invoices:read\"");
    let right = scene.token("acme-robot", &scene.api, read).await;
    assert_eq!(scene.asks("/invoices", Some(&right)).await, (200, String::new()));
    let who = scene.get(&format!("{}/whoami", scene.api), Some(&format!("Bearer {right}"))).await;
    let acme = who.json::<Value>().await.unwrap()["org"].as_str().unwrap().to_owned();
    let of_acme = format!("/organizations/{acme}/invoices");
    assert_eq!(scene.asks(&of_acme, Some(&right)).await.0, 200);

    assert_eq!(scene.asks("/invoices", None).await, (401, scene.challenge("", needs)));
    let invalid = (401, scene.challenge("error=\"invalid_token\", ", needs));
    // The signature of another token of the same key.
    let other = scene.token("globex-robot", &scene.api, read).await;
    let (signed, _) = right.rsplit_once('.').unwrap();
    let (_, signature) = other.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{signature}");
    assert_eq!(scene.asks("/invoices", Some(&forged)).await, invalid);
    // Another audience.
    let elsewhere = scene.token("acme-robot", "https://files.example", "files:read").await;
    assert_eq!(scene.asks("/invoices", Some(&elsewhere)).await, invalid);
    let invalid = (401, scene.challenge("error=\"invalid_token\", ", ""));
    assert_eq!(scene.asks("/whoami", Some(&elsewhere)).await, invalid);
    // Another organization, and another scope.
    let insufficient = (403, scene.challenge("error=\"insufficient_scope\", ", needs));
    assert_eq!(scene.asks("/invoices", Some(&other)).await.0, 200);
    assert_eq!(scene.asks(&of_acme, Some(&other)).await, insufficient);
    let narrow = scene.token("acme-robot", &scene.api, "invoices:send").await;
    assert_eq!(scene.asks("/whoami", Some(&narrow)).await.0, 200);
    assert_eq!(scene.asks("/invoices", Some(&narrow)).await, insufficient);
}
