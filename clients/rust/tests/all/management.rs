//! What the calls of the management API send, and what becomes of answers.

use crate::instance::{Call, Instance, TokenAnswer};
use serde_json::{Value, json};
use sinete_client::management::{Credential, Fault, Management, ManagementSettings, NewRole, RolePatch};
use sinete_client::{Client, TokenSettings, Tokens};
use std::sync::Arc;

const ISSUER: &str = "http://localhost:8080";

struct Scene {
    instance: Instance,
    management: Management,
}

async fn scene(credential: impl FnOnce(&Instance) -> Credential) -> Scene {
    let instance = Instance::start(ISSUER, &json!({"keys": []})).await;
    let credential = credential(&instance);
    let settings = ManagementSettings { issuer: ISSUER.to_owned(), credential, web: Some(instance.web()) };
    Scene { management: Management::new(settings).unwrap(), instance }
}

async fn with_key() -> Scene {
    scene(|_| Credential::ApiKey("k".to_owned())).await
}

impl Scene {
    fn answers(&self, status: u16, json: &Value, headers: &[(&str, &str)]) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let answer = TokenAnswer { status, json: Some(json.clone()), headers, is_endless: false };
        self.instance.script.lock().unwrap().management.push_back(answer);
    }

    fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.instance.script.lock().unwrap().calls)
    }
}

fn role(name: &str) -> Value {
    json!({"id": name, "name": name, "description": "", "permissions": [], "built_in": false, "version": 1, "more": "later"})
}

#[tokio::test]
async fn a_call_says_what_it_is_about_in_its_place() {
    let scene = with_key().await;
    scene.answers(200, &role("r"), &[]);
    let patch = RolePatch { name: Some("x".to_owned()), ..RolePatch::default() };
    let changed = scene.management.update_role("acme", "r/1 ?", 7, &patch).await.unwrap();
    assert_eq!(changed.name, "r");
    let [call] = &scene.calls()[..] else { panic!("one call") };
    assert_eq!(
        (call.method.as_str(), call.path.as_str()),
        ("PATCH", "/manage/organizations/acme/roles/r%2F1%20%3F")
    );
    assert_eq!(call.body, r#"{"name":"x"}"#);
    assert_eq!(call.header("if-match"), Some("\"7\""));
    assert_eq!(call.header("content-type"), Some("application/merge-patch+json"));
    assert_eq!((call.header("authorization"), call.header("idempotency-key")), (Some("Bearer k"), None));
}

#[tokio::test]
async fn a_name_that_would_lead_elsewhere_leads_nowhere() {
    let scene = with_key().await;
    for name in ["..", ".", ""] {
        assert_eq!(scene.management.get_role("acme", name).await.unwrap_err().kind, "unanswered");
        assert_eq!(scene.management.get_role(name, "r").await.unwrap_err().kind, "unanswered");
    }
    assert!(scene.calls().is_empty());
}

#[tokio::test]
async fn a_list_is_read_page_by_page_and_only_as_far_as_it_is_needed() {
    let scene = with_key().await;
    let list = scene.management.list_roles("acme").limit(2);
    assert!(scene.calls().is_empty());
    scene.answers(200, &json!({"items": [role("a"), role("b")], "next": "a b"}), &[]);
    scene.answers(200, &json!({"items": [], "next": "c"}), &[]);
    scene.answers(200, &json!({"items": [role("c")], "next": null}), &[]);
    let names: Vec<_> = list.all().await.unwrap().into_iter().map(|role| role.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let paths: Vec<_> = scene.calls().into_iter().map(|call| call.path).collect();
    let path = "/manage/organizations/acme/roles";
    assert_eq!(
        paths,
        [format!("{path}?limit=2"), format!("{path}?after=a+b&limit=2"), format!("{path}?after=c&limit=2")]
    );
    scene.answers(200, &json!({"items": [role("a"), role("b")], "next": "x"}), &[]);
    let mut list = scene.management.list_roles("acme");
    assert_eq!(list.next().await.unwrap().unwrap().name, "a");
    assert_eq!(list.next().await.unwrap().unwrap().name, "b");
    assert_eq!(scene.calls().len(), 1);
}

#[tokio::test]
async fn what_makes_something_is_repeated_under_a_key_and_nothing_else_is() {
    let scene = with_key().await;
    let wanted = NewRole { name: "a".to_owned(), ..NewRole::default() };
    scene.answers(201, &role("a"), &[]);
    scene.answers(201, &role("a"), &[]);
    scene.management.once("key").create_role("acme", &wanted).await.unwrap();
    scene.management.create_role("acme", &wanted).await.unwrap();
    let calls = scene.calls();
    assert_eq!(calls[0].header("idempotency-key"), Some("key"));
    assert_eq!(calls[1].header("idempotency-key"), None);
    assert!(scene.management.once("key").get_role("acme", "r").await.is_err());
    assert!(scene.calls().is_empty());
}

#[tokio::test]
async fn a_refusal_is_a_problem_with_everything_in_its_place() {
    let scene = with_key().await;
    let document = json!({
        "type": "urn:sinete:problem:unprocessable", "status": 422, "detail": "no", "id": "x",
        "errors": [{"pointer": "/name", "detail": "missing"}],
    });
    scene.answers(422, &document, &[("x-request-id", "q"), ("retry-after", "7")]);
    let problem = scene.management.get_role("acme", "r").await.unwrap_err();
    assert_eq!(
        (problem.status, problem.kind.as_str(), problem.detail.as_str()),
        (Some(422), "unprocessable", "no")
    );
    assert_eq!(
        (problem.request.as_deref(), problem.id.as_deref(), problem.retry_after),
        (Some("q"), Some("x"), Some(7))
    );
    assert_eq!(problem.faults, [Fault { pointer: "/name".to_owned(), detail: "missing".to_owned() }]);
    for (status, strange) in [(502, json!("<html>")), (200, json!([])), (200, json!({"id": 1}))] {
        scene.answers(status, &strange, &[]);
        assert_eq!(scene.management.get_role("acme", "r").await.unwrap_err().kind, "unanswered");
    }
}

#[tokio::test]
async fn with_tokens_a_nonce_is_repeated_and_a_token_that_is_turned_away_is_asked_for_again() {
    let bound = |instance: &Instance| {
        let usual = TokenSettings::new(ISSUER, Client::public("a"));
        let tokens = Tokens::new(TokenSettings { bound: true, web: Some(instance.web()), ..usual }).unwrap();
        Credential::Tokens { tokens: Arc::new(tokens), scope: Some("roles:read".to_owned()) }
    };
    let scene = scene(bound).await;
    for token in ["t1", "t2"] {
        let json = json!({"access_token": token, "token_type": "DPoP", "expires_in": 600});
        let answer = TokenAnswer { status: 200, json: Some(json), headers: [].into(), is_endless: false };
        scene.instance.script.lock().unwrap().tokens.push_back(answer);
    }
    scene.answers(401, &json!({}), &[("dpop-nonce", "n")]);
    scene.answers(200, &role("r"), &[]);
    assert_eq!(scene.management.get_role("acme", "r").await.unwrap().name, "r");
    scene.answers(401, &json!({}), &[]);
    assert_eq!(scene.management.get_role("acme", "r").await.unwrap_err().status, Some(401));
    scene.answers(200, &role("r"), &[]);
    scene.management.get_role("acme", "r").await.unwrap();
    let calls = scene.calls();
    let shown: Vec<_> = calls.iter().map(|call| call.header("authorization").unwrap()).collect();
    assert_eq!(shown, ["DPoP t1", "DPoP t1", "DPoP t1", "DPoP t2"]);
    let proofs: Vec<_> = calls.iter().map(|call| call.header("dpop").unwrap()).collect();
    assert_eq!(proofs.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
}
