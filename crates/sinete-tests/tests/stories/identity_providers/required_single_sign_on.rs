//! The assurance of single sign-on: as high as the provider asserts, in its own organization only.

use super::oidc_sign_in::signs_in;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oidc_provider::{OidcProviderBehavior, provider_user};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients::ClientOrigin;

/// Changes the settings of the owner's organization.
pub(in crate::stories) async fn settles(owner: &ApiCaller<'_>, settings: Value) {
    let path = owner.tenant.path("");
    let version = owner.get(&path).await.assert_status(200).body["version"].as_i64().unwrap();
    owner.patch(&path, version, json!({"settings": settings})).await.assert_status(200);
}

/// Client metadata of an application without consent.
pub(in crate::stories) fn application() -> Value {
    json!({"consent": "implied"})
}

both_engines!(
    upstream_assurance_is_mapped_as_configured_and_defaults_to_one_factor,
    single_sign_on_required_accepts_the_organizations_own_provider_only
);

async fn upstream_assurance_is_mapped_as_configured_and_defaults_to_one_factor(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let application = world.create_application(ClientOrigin::Operator, application()).await;
    let read_assurance = async |manner: OidcProviderBehavior| {
        provider.set_behavior(manner);
        let session = signs_in(world, &provider, "a@acme.example")
            .await
            .1
            .assert_status(200)
            .text_member("session_token");
        let browser = world.browser_with_session(&session).await;
        let code = application
            .obtain_code(&browser, &[("scope", Some("openid")), ("organization", Some("acme"))])
            .await;
        let (status, tokens) = application.redeem_code(&code).await;
        assert_eq!(status, 200, "{tokens}");
        let id = world.verify_token(JwtType::Id, tokens["id_token"].as_str().unwrap());
        (id["acr"].as_str().unwrap().to_owned(), id["amr"].clone())
    };
    let says = |name: &'static str, value: Value| OidcProviderBehavior {
        claims: vec![(name, value)],
        ..OidcProviderBehavior::default()
    };
    assert_eq!(
        read_assurance(OidcProviderBehavior::default()).await,
        ("urn:sinete:aal:1".into(), json!(["fed"]))
    );
    assert_eq!(
        read_assurance(says("amr", json!(["mfa"]))).await.0,
        "urn:sinete:aal:1",
        "the connection does not map this amr"
    );
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"two_factors": {"amr": ["mfa"], "acr": ["high"]}})).await.assert_status(200);
    assert_eq!(
        read_assurance(says("amr", json!(["pwd", "mfa"]))).await,
        ("urn:sinete:aal:2".into(), json!(["fed", "mfa"]))
    );
    assert_eq!(read_assurance(says("acr", json!("high"))).await.0, "urn:sinete:aal:2");
    assert_eq!(read_assurance(says("acr", json!("low"))).await.0, "urn:sinete:aal:1");
    let long_ago = world.server.engine().now().seconds() - 25 * 3_600;
    let old = OidcProviderBehavior {
        claims: vec![("acr", json!("high")), ("auth_time", json!(long_ago))],
        ..OidcProviderBehavior::default()
    };
    assert_eq!(read_assurance(old).await.0, "urn:sinete:aal:1", "the authentication is too old");
    // The minimum assurance of the organization applies to single sign-on too: the user sets up a second factor.
    settles(&owner, json!({"least_assurance": "aal2"})).await;
    provider.set_behavior(OidcProviderBehavior::default());
    let session =
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(200).text_member("session_token");
    let browser = world.browser_with_session(&session).await;
    let answer = application
        .authorize(Some(&browser), &[("scope", Some("openid")), ("organization", Some("acme"))])
        .await;
    answer.assert_no_redirect();
    assert!(answer.text.contains("authorization_needs_user"), "{}", answer.text);
}

async fn single_sign_on_required_accepts_the_organizations_own_provider_only(world: &World) {
    let (acme, rival) = (world.create_organization("acme").await, world.create_organization("rival").await);
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&rival).await);
    let (provider, theirs) = (world.create_oidc_provider().await, world.create_oidc_provider().await);
    provider.create_connection(&owner, "acme.example").await;
    theirs.create_connection(&other, "rival.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let session =
        signs_in(world, &provider, "a@acme.example").await.1.assert_status(200).text_member("session_token");
    let account = world.user_with_session(&session).await.account;
    // The same account is a member of the other organization too.
    world.add_member(&rival, account).await;
    let application = world.create_application(ClientOrigin::Operator, application()).await;
    let asks = async |session: &str, organization: &str| {
        let changes =
            [("scope", Some("openid")), ("organization", Some(organization)), ("prompt", Some("none"))];
        application.authorize(Some(&world.browser_with_session(session).await), &changes).await
    };
    settles(&owner, json!({"single_sign_on": "required"})).await;
    asks(&session, "acme").await.code();
    asks(&session, "rival").await.assert_error_redirect("login_required");
    // With a password, the account reaches the other organization, and no longer the one that requires single sign-on.
    let password_session = world
        .create_session_token(
            account,
            &sinete_core::assurance::AuthenticationEvidence::from_proof(
                sinete_core::assurance::AuthenticationProof::Password,
            ),
        )
        .await;
    asks(&password_session, "rival").await.code();
    asks(&password_session, "acme").await.assert_error_redirect("login_required");
    settles(&other, json!({"single_sign_on": "required"})).await;
    asks(&password_session, "rival").await.assert_error_redirect("login_required");
    asks(&session, "rival").await.assert_error_redirect("login_required");
}
