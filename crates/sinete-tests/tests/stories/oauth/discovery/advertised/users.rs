//! What is advertised about authorization requests and claims.

use super::DiscoveryCheck;
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::signed_in_user::VERIFIED_PASSKEY;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::{AccountId, ContactId};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::{JsonDocument, accounts};

/// Fills in every claim of an account.
pub async fn furnish(world: &World, account: AccountId) {
    let engine = world.server.engine();
    let account_row = accounts::find_account(engine.store(), account).await.unwrap().unwrap();
    let claims = json!({
        "name": "Ana Souza", "given_name": "Ana", "family_name": "Souza", "middle_name": "M.", "nickname": "Aninha",
        "preferred_username": "ana", "profile": "https://ana.example/me", "picture": "https://ana.example/me.png",
        "website": "https://ana.example", "gender": "female", "birthdate": "1990-02-28",
        "zoneinfo": "America/Sao_Paulo", "locale": "pt-BR", "address": {"country": "BR"}, "updated_at": 7,
    });
    world
        .apply_statements([accounts::change_account_profile(
            &account_row,
            &JsonDocument::from_value(&claims).unwrap(),
            None,
        )])
        .await;
    for (kind, address) in [(ContactKind::Email, "ana@ana.example"), (ContactKind::Phone, "+5511999990000")] {
        let (id, now) = (ContactId::mint(engine.now(), engine.entropy()), engine.now());
        let contact =
            NewContact { id, account, kind, address, lookup: address, is_primary: true, created_at: now };
        world
            .apply_statements([contacts::add_contact(&contact), contacts::verify_contact(account, id, now)])
            .await;
    }
}

impl<'w> DiscoveryCheck<'w> {
    /// An application without consent, with this metadata.
    pub async fn trusted(&self, extra_metadata: Value) -> OAuthApplication<'w> {
        let mut metadata = json!({"consent": "implied"});
        metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        self.world.create_application(ClientOrigin::Operator, metadata).await
    }

    /// The tokens that a trusted application gets for a code.
    pub async fn signs_in(
        &self,
        extra_metadata: Value,
        changes: &[(&str, Option<&str>)],
    ) -> (OAuthApplication<'w>, Value) {
        let app = self.trusted(extra_metadata).await;
        let code = app.obtain_code(&self.browser, changes).await;
        let (status, body) = app.redeem_code(&code).await;
        assert_eq!(status, 200, "{body}");
        (app, body)
    }

    /// An authorization request with these parameters gets a code and `iss`.
    pub async fn asks(&self, changes: &[(&str, Option<&str>)]) {
        self.trusted(json!({})).await.obtain_code(&self.browser, changes).await;
    }

    /// A session of this level satisfies an essential `acr` claim.
    pub async fn level(&self, level: &str) {
        let proof = match level {
            "urn:sinete:aal:1" => AuthenticationProof::Password,
            "urn:sinete:aal:2" => VERIFIED_PASSKEY,
            _ => panic!("the level {level} is advertised, and no test reaches it"),
        };
        let browser =
            self.world.create_browser(self.browser.account, &AuthenticationEvidence::from_proof(proof)).await;
        let demanded = json!({"id_token": {"acr": {"essential": true, "values": [level]}}}).to_string();
        let app = self.trusted(json!({})).await;
        let code =
            app.obtain_code(&browser, &[("acr_values", Some(level)), ("claims", Some(&demanded))]).await;
        assert_eq!(said(&app.redeem_code(&code).await.1["id_token"])["acr"], level);
    }

    /// `ui_locales` selects this language, whatever the browser prefers.
    pub async fn language(&self, language: &str) {
        let app = self.trusted(json!({})).await;
        let other = if language.starts_with("en") { "pt" } else { "en" };
        let address =
            self.world.authorization_url(&app.authorization_params(&[("ui_locales", Some(language))]));
        let page = self.world.create_page_browser(other).open_page(&address).await;
        let page_language = page.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(
            page_language == language || page_language.starts_with(&format!("{language}-")),
            "{language}: {page_language}"
        );
    }

    /// A client gets a logout token when its session ends, with the session id.
    pub async fn is_told_of_the_end(&self) {
        let receiver = HttpReceiver::with_status(200).await;
        let (password, address) =
            (AuthenticationEvidence::from_proof(AuthenticationProof::Password), receiver.address.as_str());
        let browser = self.world.create_browser(self.browser.account, &password).await;
        let response_body =
            json!({"backchannel_logout_uri": address, "backchannel_logout_session_required": true});
        let app = self.trusted(response_body).await;
        let body = app.redeem_code(&app.obtain_code(&browser, &[]).await).await.1;
        let session = format!("Session {}", browser.token);
        let request = self.world.http.post(self.world.public_url("/connect/logout"));
        assert_eq!(request.header("authorization", session).send().await.unwrap().status(), 204);
        let received = receiver.received_bodies();
        let token = received[0].strip_prefix("logout_token=").unwrap();
        assert_eq!(said(&json!(token))["sid"], said(&body["id_token"])["sid"]);
    }

    pub async fn scope(&self, scope: &str) {
        let requested_scope = if scope == "openid" { scope.to_owned() } else { format!("openid {scope}") };
        let (_, body) = self.signs_in(json!({}), &[("scope", Some(&requested_scope))]).await;
        let granted_scope = body["scope"].as_str().unwrap_or(&requested_scope).to_owned();
        assert!(granted_scope.split(' ').any(|it| it == scope), "{scope}: {body}");
    }

    pub async fn mode(&self, mode: &str) {
        let app = self.trusted(json!({})).await;
        let response = app.authorize(Some(&self.browser), &[("response_mode", Some(mode))]).await;
        match mode {
            "query" => drop(response.code()),
            _ => assert!(response.status == 200 && response.text.contains("name=\"code\""), "{mode}"),
        }
    }

    /// The prompt is accepted: an interaction follows or not, and there is no invalid request.
    pub async fn prompt(&self, prompt: &str) {
        let app = self.trusted(json!({})).await;
        let response = app.authorize(Some(&self.browser), &[("prompt", Some(prompt))]).await;
        if prompt == "none" {
            response.code();
        } else {
            let location = response.location().unwrap_or_default();
            assert!([200, 303, 401].contains(&response.status), "{prompt}: {}", response.text);
            assert!(!location.contains("error="), "{prompt}: {location}");
        }
    }

    pub async fn claims_by_name(&self, value: &Value) {
        if value == &json!(false) {
            return assert!(self.document.get("userinfo_endpoint").is_none());
        }
        let claims = json!({"id_token": {"org": null}}).to_string();
        let (_, body) = self.signs_in(json!({}), &[("claims", Some(&claims))]).await;
        assert_eq!(said(&body["id_token"])["org"], self.books.tenant.id.to_string());
    }

    pub async fn request_objects(&self, value: &Value) {
        let algorithms = self.document.get("request_object_signing_alg_values_supported");
        assert_eq!(value == &json!(true), algorithms.is_some());
    }

    pub async fn signed_request(&self, algorithm: &str) {
        let key = SigningKey::generate(algorithm.parse::<SigningAlgorithm>().unwrap()).unwrap();
        let keys = json!({"request_object_signing_alg": algorithm, "jwks": {"keys": [key.public_jwk()]}});
        let app = self.trusted(keys).await;
        let mut claims: Value = app
            .authorization_params(&[("state", Some("signed"))])
            .into_iter()
            .map(|(name, value)| (name, Value::from(value)))
            .collect();
        let now = self.world.server.engine().now().seconds();
        let issuer = self.world.server.issuer.as_str();
        let standard_claims =
            json!({"iss": app.id, "aud": issuer, "iat": now, "exp": now + 60, "jti": algorithm});
        claims.as_object_mut().unwrap().extend(standard_claims.as_object().unwrap().clone());
        let header = json!({"alg": algorithm, "kid": key.kid(), "typ": "oauth-authz-req+jwt"});
        let object = super::clients::signed(&key, &header, &claims);
        let params = [("client_id".to_owned(), app.id.to_string()), ("request".to_owned(), object)];
        let response = self.world.open_authorization_endpoint(Some(&self.browser), &params).await;
        response.code();
        assert_eq!(response.redirect_params()["state"], "signed");
    }

    pub async fn pushed_and_not(&self, value: &Value) {
        assert_eq!(value, &json!(false));
        self.asks(&[]).await;
        let app = self.trusted(json!({})).await;
        let (status, body) = app.push_request(&[]).await;
        assert_eq!(status, 201, "{body}");
        let handle = body["request_uri"].as_str().unwrap().to_owned();
        let params = [("client_id".to_owned(), app.id.to_string()), ("request_uri".to_owned(), handle)];
        self.world.open_authorization_endpoint(Some(&self.browser), &params).await.code();
    }

    pub async fn id_token(&self, algorithm: &str) {
        let (_, body) = self.signs_in(json!({"id_token_signed_response_alg": algorithm}), &[]).await;
        let token = body["id_token"].as_str().unwrap();
        let header: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap())
                .unwrap();
        assert_eq!(header["alg"], algorithm);
        assert_eq!(said(&body["id_token"])["iss"], self.world.server.issuer.as_str());
    }

    pub async fn userinfo(&self, algorithm: &str) {
        let (_, body) = self.signs_in(json!({"userinfo_signed_response_alg": algorithm}), &[]).await;
        let answer = self.told_at_userinfo(body["access_token"].as_str().unwrap()).await;
        assert_eq!(answer.headers()["content-type"], "application/jwt");
        let token = answer.text().await.unwrap();
        let header: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap())
                .unwrap();
        assert_eq!(header["alg"], algorithm);
    }

    /// The claim is in the ID token or the userinfo response.
    pub async fn claim(&self, claim: &str) {
        let everything = "openid profile email address phone groups roles";
        let changes = [("scope", Some(everything)), ("nonce", Some("n-0S6_WzA2Mj"))];
        let (_, body) = self.signs_in(json!({}), &changes).await;
        let in_token = said(&body["id_token"]);
        if in_token.get(claim).is_some() {
            return;
        }
        let response_body: Value =
            self.told_at_userinfo(body["access_token"].as_str().unwrap()).await.json().await.unwrap();
        let expected = match claim {
            "email" => json!("ana@ana.example"),
            "phone_number" => json!("+5511999990000"),
            "email_verified" | "phone_number_verified" => json!(true),
            _ => response_body[claim].clone(),
        };
        assert_eq!(response_body.get(claim), Some(&expected), "{claim} is in no response: {response_body}");
    }

    async fn told_at_userinfo(&self, token: &str) -> reqwest::Response {
        let request = self.world.http.get(self.world.public_url("/connect/userinfo")).bearer_auth(token);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer
    }
}

/// The claims of a signed token.
pub fn said(token: &Value) -> Value {
    let token = token.as_str().unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap()
}
