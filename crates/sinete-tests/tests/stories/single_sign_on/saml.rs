//! Signing in at a provider that speaks SAML, with a program and with a browser, and everything such a provider or somebody
//! on the way can do wrong.

use super::sign_in::{departs, oneself};
use crate::both_engines;
use crate::harness::api::ApiResponse;
use crate::harness::person::FlowClient;
use crate::harness::saml::{
    SamlProviderBehavior, SamlResponseForm, SamlUser, TestSamlProvider, request, saml_person,
};
use crate::harness::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;

/// Where a browser that brought this goes on: a path and query of the service.
async fn onward(world: &World, form: &SamlResponseForm) -> String {
    let answer = world.brings(form).await;
    assert_eq!(answer.status(), 303);
    assert!(!answer.headers().contains_key("set-cookie"), "nobody is signed in by bringing something");
    let location = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert_eq!(location.path(), form.path);
    format!("{}?{}", location.path(), location.query().unwrap())
}

/// What arrives where the program waits.
async fn handed_on(world: &World, back: &str) -> Value {
    let answer = world.get(back).await;
    assert_eq!(answer.status(), 303, "{back}");
    let location = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    let said = location.query_pairs().filter(|(name, _)| name != "flow");
    Value::Object(said.map(|(name, value)| (name.into_owned(), json!(value))).collect())
}

/// What the provider answers to whoever goes where the flow says: as it arrives where the program waits.
pub(super) async fn fetched(world: &World, provider: &TestSamlProvider, walk: &FlowClient<'_>) -> Value {
    let form = provider.visited(walk.last.body["go_to"].as_str().unwrap());
    handed_on(world, &onward(world, &form).await).await
}

/// Signs in with a program, as whom the provider knows.
pub(super) async fn signs_in<'w>(
    world: &'w World,
    provider: &TestSamlProvider,
    somebody: SamlUser,
) -> (FlowClient<'w>, ApiResponse) {
    provider.knows(somebody);
    let (mut walk, said) = brought(world, provider).await;
    let reply = walk.says("provider_answer", said).await;
    (walk, reply)
}

/// A program on its way back from the provider, with what it is to say.
pub(super) async fn brought<'w>(world: &'w World, provider: &TestSamlProvider) -> (FlowClient<'w>, Value) {
    let walk = departs(world, "anybody@acme.example").await;
    let said = fetched(world, provider, &walk).await;
    (walk, said)
}

fn held(walk: &FlowClient<'_>) -> String {
    walk.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

both_engines!(
    a_program_signs_in_at_a_provider_that_speaks_saml,
    a_browser_that_brings_an_answer_goes_on_only_with_its_own_cookies,
    an_assertion_counts_once_for_one_flow_and_never_unasked,
    whatever_a_provider_that_speaks_saml_does_wrong_signs_nobody_in,
    a_place_that_was_provisioned_is_claimed_by_an_attribute_and_two_factors_by_a_context,
    to_prove_it_again_is_asked_for_as_such_and_what_is_from_before_does_not_do
);

async fn a_program_signs_in_at_a_provider_that_speaks_saml(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    let made = provider.connect(&owner, "acme.example").await;
    let (walk, reply) = signs_in(world, &provider, saml_person("ana-7", "ana@acme.example")).await;
    let session = reply.is(200).text_of("session_token");
    assert_eq!(walk.stage(), "signed_in");
    let seen = oneself(world, &session).await;
    assert_eq!(seen["session"]["amr"], json!(["fed"]), "{seen}");
    // The same person is the same account, whatever their address is by now.
    let again = signs_in(world, &provider, saml_person("ana-7", "ana@elsewhere.example")).await.1.is(200);
    assert_eq!(oneself(world, &again.text_of("session_token")).await["id"], seen["id"]);
    assert_eq!(world.logged("account.created").await, 1);
    // Only a proven domain of the organization makes an account of somebody new.
    for somebody in [saml_person("bia-1", "bia@elsewhere.example"), ("bia-2".to_owned(), Vec::new())] {
        signs_in(world, &provider, somebody).await.1.is(422);
    }
    assert_eq!(world.logged("account.created").await, 1);
    // Whoever was removed stays out, also under another name with the same address.
    let members = owner.get(&acme.path("/members?limit=200")).await.is(200).body;
    let ana = members["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["profile"]["email"] == "ana@acme.example")
        .unwrap();
    assert_eq!(ana["profile"]["name"], "Ana Souza");
    owner
        .delete(&acme.path(&format!("/members/{}", ana["id"].as_str().unwrap())), ana["version"].as_i64())
        .await
        .is(204);
    for name in ["ana-7", "ana-8"] {
        signs_in(world, &provider, saml_person(name, "ana@acme.example")).await.1.is(422);
    }
    // A provider that is switched off is not listened to.
    let walk = departs(world, "anybody@acme.example").await;
    let form = provider.visited(walk.last.body["go_to"].as_str().unwrap());
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"enabled": false})).await.is(200);
    assert_eq!(world.brings(&form).await.status(), 400);
}

async fn a_browser_that_brings_an_answer_goes_on_only_with_its_own_cookies(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    provider.connect(&owner, "acme.example").await;
    provider.knows(saml_person("ana-7", "ana@acme.example"));
    let mut walk = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.says("single_sign_on", json!({"email": "ana@acme.example"})).await.is(200);
    let form = provider.visited(walk.last.body["go_to"].as_str().unwrap());
    let back = onward(world, &form).await;
    let with = async |cookies: &str| {
        world.http.get(world.public(&back)).header("cookie", cookies).send().await.unwrap()
    };
    // What somebody else's provider said about somebody else signs nobody in who is only led there.
    let other = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    for cookies in ["", &held(&other)] {
        let answer = with(cookies).await;
        assert!(
            answer.status().is_client_error() && !answer.headers().contains_key("set-cookie"),
            "{}",
            answer.status()
        );
    }
    let answer = with(&held(&walk)).await;
    assert_eq!(answer.status(), 303);
    let mut set = answer.headers().get_all("set-cookie").iter();
    assert!(set.any(|line| line.to_str().unwrap().starts_with("session=")));
    assert!(with(&held(&walk)).await.status().is_client_error(), "an answer counts once");
    assert_eq!(world.logged("session.started").await, 1);
}

async fn an_assertion_counts_once_for_one_flow_and_never_unasked(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    provider.connect(&owner, "acme.example").await;
    provider.knows(saml_person("ana-7", "ana@acme.example"));
    let mut first = departs(world, "ana@acme.example").await;
    let second = departs(world, "ana@acme.example").await;
    let form = provider.visited(first.last.body["go_to"].as_str().unwrap());
    let theirs = provider.visited(second.last.body["go_to"].as_str().unwrap());
    // Unasked, or for another flow.
    let mut unasked = form.clone();
    unasked.fields.remove("RelayState");
    assert_eq!(world.brings(&unasked).await.status(), 400);
    let mut swapped = form.clone();
    swapped.fields.insert("RelayState", theirs.fields["RelayState"].clone());
    assert!(onward(world, &swapped).await.contains("error=response_not_believed"));
    let elsewhere =
        SamlResponseForm { path: format!("{}1", &form.path[..form.path.len() - 1]), ..form.clone() };
    assert!(world.brings(&elsewhere).await.status().is_client_error());
    // Of many who bring it at once, one is heard.
    let all =
        tokio::join!(onward(world, &form), onward(world, &form), onward(world, &form), onward(world, &form));
    let codes: Vec<_> =
        [&all.0, &all.1, &all.2, &all.3].into_iter().filter(|back| back.contains("code=")).collect();
    assert_eq!(codes.len(), 1, "{all:?}");
    let said = handed_on(world, codes[0]).await;
    // What fetches it does so in its own flow, and once.
    let mut in_another = said.clone();
    in_another["state"] = json!(theirs.fields["RelayState"]);
    second.tries("provider_answer", in_another).await.is(422);
    first.says("provider_answer", said.clone()).await.is(200);
    first.tries("provider_answer", said).await.is(409);
    assert!(onward(world, &form).await.contains("error=response_not_believed"), "it was brought before");
    assert_eq!(world.logged("session.started").await, 1);
    // What waits, waits for a while.
    let mut late = second;
    let said = handed_on(world, &onward(world, &theirs).await).await;
    world.clock.pass(sinete_core::limits::SAML_ANSWER_LIFETIME);
    late.says("provider_answer", said).await.is(422);
}

async fn whatever_a_provider_that_speaks_saml_does_wrong_signs_nobody_in(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    provider.connect(&owner, "acme.example").await;
    provider.knows(saml_person("ana-7", "ana@acme.example"));
    let before = |from: &'static str, to: &str| SamlProviderBehavior {
        before: vec![(from, to.to_owned())],
        ..SamlProviderBehavior::default()
    };
    let after = |from: &'static str, to: &str| SamlProviderBehavior {
        after: vec![(from, to.to_owned())],
        ..SamlProviderBehavior::default()
    };
    let manners = [
        ("unsigned", SamlProviderBehavior { is_unsigned: true, ..SamlProviderBehavior::default() }),
        (
            "signed by a stranger",
            SamlProviderBehavior { is_by_stranger: true, ..SamlProviderBehavior::default() },
        ),
        ("changed", after(">ana-7<", ">bia-7<")),
        ("cut short", after(">ana-7<", ">ana<!-- -->-7<")),
        ("with a document type", after("<samlp:Response", "<!DOCTYPE x><samlp:Response")),
        ("weakly signed", after("xmldsig-more#ecdsa-sha256", "xmldsig-more#ecdsa-sha1")),
        ("another issuer", before("https://login.acme.example/saml<", "https://evil.example<")),
        ("another audience", before("/metadata</saml:Audience>", "/other</saml:Audience>")),
        ("another recipient", before("Recipient=\"", "Recipient=\"https://evil.example/")),
        ("another destination", before("Destination=\"", "Destination=\"https://evil.example/")),
        ("another request", before("InResponseTo=\"_", "InResponseTo=\"_x")),
        ("for a visit", before("nameid-format:persistent", "nameid-format:transient")),
        ("failed", before("status:Success", "status:Responder")),
        ("encrypted", before("saml:AttributeStatement>", "saml:EncryptedAttribute>")),
        ("no answer", before("samlp:Response", "samlp:LogoutResponse")),
    ];
    let count = manners.len();
    for (name, manner) in manners {
        provider.behaves(manner);
        let walk = departs(world, "ana@acme.example").await;
        let form = provider.visited(walk.last.body["go_to"].as_str().unwrap());
        let said = handed_on(world, &onward(world, &form).await).await;
        assert_eq!(said["error"], "response_not_believed", "{name}");
        let refused = walk.tries("provider_answer", said).await.is(422);
        assert!(
            refused.body["detail"].as_str().unwrap().starts_with("the provider did not confirm who you are"),
            "{name}"
        );
    }
    assert_eq!((world.logged("account.created").await, world.logged("session.started").await), (0, 0));
    let trail = owner.get(&acme.path("/audit?kind=credential.failed&limit=200")).await.is(200).body;
    assert_eq!(trail["items"].as_array().unwrap().len(), count, "each stands in the trail, with its reason");
    assert!(trail.to_string().contains("check the entity ID at the provider"), "{trail}");
    provider.behaves(SamlProviderBehavior::default());
    signs_in(world, &provider, saml_person("ana-7", "ana@acme.example")).await.1.is(200);
}

async fn a_place_that_was_provisioned_is_claimed_by_an_attribute_and_two_factors_by_a_context(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    let made = provider.connect(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    let changes = json!({
        "external_id_claim": "employee", "saml": {"subject": "uid", "email": null},
        "two_factors": {"acr": ["urn:oasis:names:tc:SAML:2.0:ac:classes:X509"]},
    });
    owner.patch(&path, 1, changes).await.is(200);
    let waiting = super::joining::provisioned(world, &acme, "e-7").await;
    let cau = |employee: &str| {
        (
            "for this visit".to_owned(),
            vec![
                ("uid", "cau".to_owned()),
                ("employee", employee.to_owned()),
                ("mail", "cau@acme.example".to_owned()),
            ],
        )
    };
    signs_in(world, &provider, cau("e-8")).await.1.is(422);
    let session = signs_in(world, &provider, cau("e-7")).await.1.is(200).text_of("session_token");
    let seen = oneself(world, &session).await;
    assert_eq!(seen["session"]["acr"], "urn:sinete:aal:2", "{seen}");
    assert_eq!(world.logged("membership.claimed").await, 1);
    let shown = owner.get(&acme.path(&format!("/members/{waiting}"))).await.is(200).body;
    assert_eq!(shown["external_id"], "e-7", "{shown}");
    // Several values are none, and a name for a visit is nobody.
    let twice = ("cau".to_owned(), vec![("uid", "cau".to_owned()), ("uid", "bia".to_owned())]);
    signs_in(world, &provider, twice).await.1.is(422);
}

async fn to_prove_it_again_is_asked_for_as_such_and_what_is_from_before_does_not_do(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    provider.connect(&owner, "acme.example").await;
    let session = signs_in(world, &provider, saml_person("ana-7", "ana@acme.example"))
        .await
        .1
        .is(200)
        .text_of("session_token");
    world.clock.pass(sinete_core::time::Lifetime::from_minutes(6));
    let long_ago = SamlProviderBehavior {
        before: vec![("AuthnInstant=\"", "AuthnInstant=\"2020-01-01T00:00:00Z\" Told=\"".to_owned())],
        ..SamlProviderBehavior::default()
    };
    for (manner, expected) in [(long_ago, 422), (SamlProviderBehavior::default(), 200)] {
        provider.behaves(manner);
        let mut walk = world.flow_as(json!({"kind": "step_up"}), Some(&session)).await;
        walk.says("single_sign_on", json!({"return_to": "http://127.0.0.1:49152/back"})).await.is(200);
        let go_to = walk.last.body["go_to"].as_str().unwrap().to_owned();
        assert_eq!(request(&go_to)["anew"], "true");
        let said = handed_on(world, &onward(world, &provider.visited(&go_to)).await).await;
        assert!(said.get("code").is_some(), "{said}");
        walk.says("provider_answer", said).await.is(expected);
    }
    let plainly = departs(world, "ana@acme.example").await.last.body["go_to"].as_str().unwrap().to_owned();
    assert_eq!(request(&plainly)["anew"], "", "nobody is asked again who only signs in");
}
