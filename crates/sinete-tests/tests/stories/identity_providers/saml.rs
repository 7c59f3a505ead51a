//! Sign-in through a SAML provider, in a program and in a browser, and invalid responses of the provider or of an
//! attacker.

use super::oidc_sign_in::{departs, oneself};
use crate::both_engines;
use crate::harness::api_caller::ApiResponse;
use crate::harness::flow_client::FlowClient;
use crate::harness::saml_provider::{
    SamlProviderBehavior, SamlResponseForm, SamlUser, TestSamlProvider, parse_authn_request, saml_user,
};
use crate::harness::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;

/// Posts a SAML response and returns the path and query of the redirect.
async fn onward(world: &World, form: &SamlResponseForm) -> String {
    let answer = world.post_saml_response(form).await;
    assert_eq!(answer.status(), 303);
    assert!(!answer.headers().contains_key("set-cookie"), "a posted response alone signs no user in");
    let location = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert_eq!(location.path(), form.path);
    format!("{}?{}", location.path(), location.query().unwrap())
}

/// The response as the program receives it.
async fn handed_on(world: &World, back: &str) -> Value {
    let answer = world.get(back).await;
    assert_eq!(answer.status(), 303, "{back}");
    let location = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    let query_params = location.query_pairs().filter(|(name, _)| name != "flow");
    Value::Object(query_params.map(|(name, value)| (name.into_owned(), json!(value))).collect())
}

/// Completes the sign-in at the provider, and returns the response as the program receives it.
pub(in crate::stories) async fn fetched(
    world: &World,
    provider: &TestSamlProvider,
    walk: &FlowClient<'_>,
) -> Value {
    let form = provider.respond_to(walk.last.body["go_to"].as_str().unwrap());
    handed_on(world, &onward(world, &form).await).await
}

/// Signs in as this provider user in a program.
pub(in crate::stories) async fn signs_in<'w>(
    world: &'w World,
    provider: &TestSamlProvider,
    saml_user: SamlUser,
) -> (FlowClient<'w>, ApiResponse) {
    provider.set_user(saml_user);
    let (mut walk, body) = brought(world, provider).await;
    let reply = walk.submit("provider_answer", body).await;
    (walk, reply)
}

/// A program that has received the provider's response and has not submitted it.
pub(in crate::stories) async fn brought<'w>(
    world: &'w World,
    provider: &TestSamlProvider,
) -> (FlowClient<'w>, Value) {
    let walk = departs(world, "anybody@acme.example").await;
    let body = fetched(world, provider, &walk).await;
    (walk, body)
}

fn held(walk: &FlowClient<'_>) -> String {
    walk.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

both_engines!(
    saml_sign_in_works_from_a_program,
    saml_response_in_a_browser_continues_only_with_its_own_cookies,
    saml_assertion_is_accepted_once_for_one_flow_and_never_unsolicited,
    saml_response_that_is_invalid_signs_no_user_in,
    saml_attribute_claims_a_provisioned_membership_and_authn_context_maps_to_two_factors,
    saml_step_up_uses_force_authn_and_rejects_an_earlier_authentication
);

async fn saml_sign_in_works_from_a_program(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let (walk, reply) = signs_in(world, &provider, saml_user("ana-7", "ana@acme.example")).await;
    let session = reply.assert_status(200).text_member("session_token");
    assert_eq!(walk.stage(), "signed_in");
    let account = oneself(world, &session).await;
    assert_eq!(account["session"]["amr"], json!(["fed"]), "{account}");
    // The same subject is the same account, whatever its address is now.
    let second_response =
        signs_in(world, &provider, saml_user("ana-7", "ana@elsewhere.example")).await.1.assert_status(200);
    assert_eq!(oneself(world, &second_response.text_member("session_token")).await["id"], account["id"]);
    assert_eq!(world.count_events("account.created").await, 1);
    // Only an address in a verified domain of the organization creates an account.
    for user in [saml_user("bia-1", "bia@elsewhere.example"), ("bia-2".to_owned(), Vec::new())] {
        signs_in(world, &provider, user).await.1.assert_status(422);
    }
    assert_eq!(world.count_events("account.created").await, 1);
    // A removed member stays out, also under another subject with the same address.
    let members = owner.get(&acme.path("/members?limit=200")).await.assert_status(200).body;
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
        .assert_status(204);
    for name in ["ana-7", "ana-8"] {
        signs_in(world, &provider, saml_user(name, "ana@acme.example")).await.1.assert_status(422);
    }
    // The response of a disabled connection is refused.
    let walk = departs(world, "anybody@acme.example").await;
    let form = provider.respond_to(walk.last.body["go_to"].as_str().unwrap());
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"enabled": false})).await.assert_status(200);
    assert_eq!(world.post_saml_response(&form).await.status(), 400);
}

async fn saml_response_in_a_browser_continues_only_with_its_own_cookies(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(saml_user("ana-7", "ana@acme.example"));
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.submit("single_sign_on", json!({"email": "ana@acme.example"})).await.assert_status(200);
    let form = provider.respond_to(walk.last.body["go_to"].as_str().unwrap());
    let back = onward(world, &form).await;
    let with = async |cookies: &str| {
        world.http.get(world.public_url(&back)).header("cookie", cookies).send().await.unwrap()
    };
    // A response for another browser signs no user in.
    let other = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
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
    assert!(set.any(|line| line.to_str().unwrap().starts_with("sinete_session=")));
    assert!(with(&held(&walk)).await.status().is_client_error(), "a response is accepted once");
    assert_eq!(world.count_events("session.started").await, 1);
}

async fn saml_assertion_is_accepted_once_for_one_flow_and_never_unsolicited(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(saml_user("ana-7", "ana@acme.example"));
    let mut first = departs(world, "ana@acme.example").await;
    let second = departs(world, "ana@acme.example").await;
    let form = provider.respond_to(first.last.body["go_to"].as_str().unwrap());
    let theirs = provider.respond_to(second.last.body["go_to"].as_str().unwrap());
    // An unsolicited response, and one for another flow.
    let mut unasked = form.clone();
    unasked.fields.remove("RelayState");
    assert_eq!(world.post_saml_response(&unasked).await.status(), 400);
    let mut swapped = form.clone();
    swapped.fields.insert("RelayState", theirs.fields["RelayState"].clone());
    assert!(onward(world, &swapped).await.contains("error=response_not_believed"));
    let elsewhere =
        SamlResponseForm { path: format!("{}1", &form.path[..form.path.len() - 1]), ..form.clone() };
    assert!(world.post_saml_response(&elsewhere).await.status().is_client_error());
    // Of several concurrent posts of one response, one succeeds.
    let all =
        tokio::join!(onward(world, &form), onward(world, &form), onward(world, &form), onward(world, &form));
    let codes: Vec<_> =
        [&all.0, &all.1, &all.2, &all.3].into_iter().filter(|back| back.contains("code=")).collect();
    assert_eq!(codes.len(), 1, "{all:?}");
    let body = handed_on(world, codes[0]).await;
    // The response is submitted in its own flow, and once.
    let mut in_another = body.clone();
    in_another["state"] = json!(theirs.fields["RelayState"]);
    second.try_submit("provider_answer", in_another).await.assert_status(422);
    first.submit("provider_answer", body.clone()).await.assert_status(200);
    first.try_submit("provider_answer", body).await.assert_status(409);
    assert!(
        onward(world, &form).await.contains("error=response_not_believed"),
        "the response was posted before"
    );
    assert_eq!(world.count_events("session.started").await, 1);
    // A received response expires.
    let mut late = second;
    let body = handed_on(world, &onward(world, &theirs).await).await;
    world.clock.advance(sinete_core::limits::SAML_RESPONSE_LIFETIME);
    late.submit("provider_answer", body).await.assert_status(422);
}

async fn saml_response_that_is_invalid_signs_no_user_in(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(saml_user("ana-7", "ana@acme.example"));
    let before = |from: &'static str, to: &str| SamlProviderBehavior {
        changes_before_signing: vec![(from, to.to_owned())],
        ..SamlProviderBehavior::default()
    };
    let after = |from: &'static str, to: &str| SamlProviderBehavior {
        changes_after_signing: vec![(from, to.to_owned())],
        ..SamlProviderBehavior::default()
    };
    let manners = [
        ("unsigned", SamlProviderBehavior { is_unsigned: true, ..SamlProviderBehavior::default() }),
        (
            "signed with another key",
            SamlProviderBehavior { is_signed_by_foreign_key: true, ..SamlProviderBehavior::default() },
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
        provider.set_behavior(manner);
        let walk = departs(world, "ana@acme.example").await;
        let form = provider.respond_to(walk.last.body["go_to"].as_str().unwrap());
        let body = handed_on(world, &onward(world, &form).await).await;
        assert_eq!(body["error"], "response_not_believed", "{name}");
        let refused = walk.try_submit("provider_answer", body).await.assert_status(422);
        assert!(
            refused.body["detail"]
                .as_str()
                .unwrap()
                .starts_with("The response of the identity provider was not accepted"),
            "{name}"
        );
    }
    assert_eq!(
        (world.count_events("account.created").await, world.count_events("session.started").await),
        (0, 0)
    );
    let audit_log =
        owner.get(&acme.path("/audit?kind=credential.failed&limit=200")).await.assert_status(200).body;
    assert_eq!(audit_log["items"].as_array().unwrap().len(), count, "each refusal is in the audit log");
    assert!(audit_log.to_string().contains("check the entity ID at the provider"), "{audit_log}");
    provider.set_behavior(SamlProviderBehavior::default());
    signs_in(world, &provider, saml_user("ana-7", "ana@acme.example")).await.1.assert_status(200);
}

async fn saml_attribute_claims_a_provisioned_membership_and_authn_context_maps_to_two_factors(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let changes = json!({
        "external_id_claim": "employee", "saml": {"subject": "uid", "email": null},
        "two_factors": {"acr": ["urn:oasis:names:tc:SAML:2.0:ac:classes:X509"]},
    });
    owner.patch(&path, 1, changes).await.assert_status(200);
    let provisioned_member = super::jit_provisioning::provisioned(world, &acme, "e-7").await;
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
    signs_in(world, &provider, cau("e-8")).await.1.assert_status(422);
    let session =
        signs_in(world, &provider, cau("e-7")).await.1.assert_status(200).text_member("session_token");
    let account = oneself(world, &session).await;
    assert_eq!(account["session"]["acr"], "urn:sinete:aal:2", "{account}");
    assert_eq!(world.count_events("membership.claimed").await, 1);
    let member =
        owner.get(&acme.path(&format!("/members/{provisioned_member}"))).await.assert_status(200).body;
    assert_eq!(member["external_id"], "e-7", "{member}");
    // Several values of the subject attribute are refused, and so is a transient `NameID`.
    let twice = ("cau".to_owned(), vec![("uid", "cau".to_owned()), ("uid", "bia".to_owned())]);
    signs_in(world, &provider, twice).await.1.assert_status(422);
}

async fn saml_step_up_uses_force_authn_and_rejects_an_earlier_authentication(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    provider.create_connection(&owner, "acme.example").await;
    let session = signs_in(world, &provider, saml_user("ana-7", "ana@acme.example"))
        .await
        .1
        .assert_status(200)
        .text_member("session_token");
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(6));
    let long_ago = SamlProviderBehavior {
        changes_before_signing: vec![(
            "AuthnInstant=\"",
            "AuthnInstant=\"2020-01-01T00:00:00Z\" Told=\"".to_owned(),
        )],
        ..SamlProviderBehavior::default()
    };
    for (manner, expected) in [(long_ago, 422), (SamlProviderBehavior::default(), 200)] {
        provider.set_behavior(manner);
        let mut walk = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&session)).await;
        walk.submit("single_sign_on", json!({"return_to": "http://127.0.0.1:49152/back"}))
            .await
            .assert_status(200);
        let go_to = walk.last.body["go_to"].as_str().unwrap().to_owned();
        assert_eq!(parse_authn_request(&go_to)["anew"], "true");
        let body = handed_on(world, &onward(world, &provider.respond_to(&go_to)).await).await;
        assert!(body.get("code").is_some(), "{body}");
        walk.submit("provider_answer", body).await.assert_status(expected);
    }
    let plainly = departs(world, "ana@acme.example").await.last.body["go_to"].as_str().unwrap().to_owned();
    assert_eq!(parse_authn_request(&plainly)["anew"], "", "a plain sign-in sets no ForceAuthn");
}
