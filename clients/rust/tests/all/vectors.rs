//! What every client library lets in and what it turns away, from the vectors they share.

use crate::instance::Instance;
use serde::Deserialize;
use serde_json::{Value, json};
use sinete_client::{Algorithm, Guard, GuardSettings, Identity, Needs, Refused, Shown, Web};
use std::sync::Arc;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    pub now: i64,
    pub issuer: String,
    pub audience: String,
    pub keys: Value,
    /// The keys after a change.
    pub changed: Value,
    pub lasting: Lasting,
    cases: Vec<Case>,
}

/// Tokens of a day.
#[derive(Deserialize)]
pub struct Lasting {
    pub old: String,
    pub next: String,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    settings: Settings,
    requests: Vec<Request>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    algorithms: Option<Vec<String>>,
    leeway: Option<u64>,
    address: Option<String>,
    audience: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    shown: AsShown,
    needs: AsNeeds,
    identity: Option<Value>,
    refused: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AsShown {
    method: String,
    path: String,
    authorization: Option<String>,
    dpop: Option<String>,
    certificate: Option<String>,
}

impl AsShown {
    pub fn shown(&self) -> Shown<'_> {
        Shown {
            method: &self.method,
            path: &self.path,
            authorization: self.authorization.as_deref().map(Into::into),
            dpop: self.dpop.as_deref().map(Into::into),
            certificate: self.certificate.as_deref(),
        }
    }
}

impl Vectors {
    pub fn read() -> Self {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/guard.json");
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
    }

    /// The first request of a case.
    pub fn request(&self, name: &str) -> &AsShown {
        &self.cases.iter().find(|case| case.name == name).unwrap().requests[0].shown
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AsNeeds {
    #[serde(default)]
    scopes: Vec<String>,
    organization: Option<String>,
}

fn told(answer: Result<Identity, Refused>) -> Value {
    match answer {
        Ok(it) => {
            let actor = |actor: &sinete_client::Actor| match &actor.profile {
                Some(profile) => json!({"subject": actor.subject, "profile": profile}),
                None => json!({"subject": actor.subject}),
            };
            let actors: Vec<_> = it.actors.iter().map(actor).collect();
            json!({"identity": {
                "subject": it.subject, "organization": it.organization, "client": it.client, "scopes": it.scopes,
                "roles": it.roles, "actors": actors, "assurance": it.assurance, "expiresAt": it.expires_at,
            }})
        }
        Err(it) => {
            json!({"refused": {"status": it.status, "error": it.error, "challenges": it.challenges}})
        }
    }
}

/// The guard of a case. What it asks of the instance reaches one that is played here.
fn guard(vectors: &Vectors, settings: &Settings, web: &Web) -> Guard {
    let audience = settings.audience.as_ref().unwrap_or(&vectors.audience);
    let mut set = GuardSettings::new(&vectors.issuer, audience);
    let now = vectors.now;
    set.web = Some(web.clone());
    set.clock = Arc::new(move || now);
    set.address.clone_from(&settings.address);
    if let Some(names) = &settings.algorithms {
        set.algorithms = names.iter().map(|name| name.parse::<Algorithm>().unwrap()).collect();
    }
    if let Some(seconds) = settings.leeway {
        set.leeway = Duration::from_secs(seconds);
    }
    Guard::new(set).unwrap()
}

#[tokio::test]
async fn the_guard_does_with_every_vector_what_it_must() {
    let vectors = Vectors::read();
    let web = Instance::start(&vectors.issuer, &vectors.keys).await.web();
    let mut wrong = Vec::new();
    for case in &vectors.cases {
        let guard = guard(&vectors, &case.settings, &web);
        for request in &case.requests {
            let scopes: Vec<_> = request.needs.scopes.iter().map(String::as_str).collect();
            let needs = Needs { scopes: &scopes, organization: request.needs.organization.as_deref() };
            let answer = told(guard.check(&request.shown.shown(), &needs).await);
            let expected = match (&request.identity, &request.refused) {
                (Some(identity), None) => json!({"identity": identity}),
                (None, Some(refused)) => json!({"refused": refused}),
                _ => panic!("{}: one answer", case.name),
            };
            if answer != expected {
                wrong.push(format!("{}: {answer} in place of {expected}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(vectors.cases.len() > 150, "{} cases", vectors.cases.len());
}
