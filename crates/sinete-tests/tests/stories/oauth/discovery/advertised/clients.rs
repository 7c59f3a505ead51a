//! What is advertised about clients: grant types and client authentication.

use super::DiscoveryCheck;
use crate::harness::ciba::CIBA_GRANT;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::oauth_application::{CALLBACK, OAuthApplication, VERIFIER};
use crate::harness::webhook_receiver::WebhookReceiver;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt::JwtType;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::oauth::clients::ClientOrigin;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// A client and how it authenticates.
struct Registered<'w> {
    app: OAuthApplication<'w>,
    method: String,
    key: Option<SigningKey>,
}

impl DiscoveryCheck<'_> {
    pub async fn grant(&self, grant: &str) {
        match grant {
            "authorization_code" => drop(self.signs_in(json!({}), &[]).await),
            "refresh_token" => {
                let (app, body) = self.signs_in(json!({}), &[]).await;
                let (status, body) = app.refresh_tokens(body["refresh_token"].as_str().unwrap()).await;
                assert_eq!(status, 200, "{body}");
            }
            "client_credentials" => {
                let service = self.books.create_service("clerk", "invoices:read").await;
                let token = service.request_client_credentials(&[]).await.assert_granted().access_token();
                assert_eq!(self.world.token_claims(&token, JwtType::Access)["scope"], "invoices:read");
            }
            EXCHANGE => {
                let changes = [("scope", Some("openid invoices:read invoices:send"))];
                let ceiling = json!({"scope": "openid invoices:read invoices:send"});
                let (app, body) = self.signs_in(ceiling, &changes).await;
                let form = [
                    ("grant_type", EXCHANGE),
                    ("subject_token", body["access_token"].as_str().unwrap()),
                    ("subject_token_type", ACCESS_TOKEN),
                    ("scope", "invoices:read"),
                ];
                let form = form.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let (status, body) = app.post_form("/connect/token", &form).await;
                assert_eq!(status, 200, "{body}");
                let response_body =
                    self.world.token_claims(body["access_token"].as_str().unwrap(), JwtType::Access);
                assert_eq!(
                    (&response_body["scope"], &response_body["act"]["sub"]),
                    (&json!("invoices:read"), &json!(app.id))
                );
            }
            DEVICE_GRANT => {
                let tv =
                    self.world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
                let allowed =
                    tv.start_allowed_device_authorization(&self.browser.token, &[("scope", "openid")]).await;
                assert_eq!(tv.redeem_device_code(&allowed).await["scope"], "openid");
            }
            CIBA_GRANT => self.approval("poll").await,
            _ => panic!("the grant {grant} is advertised, and no test uses it"),
        }
    }

    /// A CIBA request with this delivery mode is approved and redeemed.
    pub async fn approval(&self, mode: &str) {
        let receiver = WebhookReceiver::start().await;
        let metadata = json!({
            "backchannel_token_delivery_mode": mode, "backchannel_client_notification_endpoint": receiver.address,
        });
        let agent = self.world.create_ciba_client(ClientOrigin::Operator, metadata).await;
        let ana = self.world.sign_in_at_aal2(self.browser.account).await;
        let subject =
            ana.get("/account/memberships").await.body["items"][0]["id"].as_str().unwrap().to_owned();
        let request = agent.start_ciba(&subject, &[("client_notification_token", "a-token")]).await;
        ana.approve_ciba_request().await;
        let notified_count =
            sinete_engine::oauth::ciba::notifications::send_due_notifications(self.world.server.engine())
                .await
                .unwrap()
                .delivered;
        assert_eq!(
            (notified_count, receiver.take_received().len()),
            if mode == "ping" { (1, 1) } else { (0, 0) }
        );
        assert_eq!(agent.redeem_ciba(&request).await["scope"], "openid");
    }

    /// A CIBA request signed with this algorithm is accepted.
    pub async fn signed_approval(&self, algorithm: &str) {
        let key = SigningKey::generate(algorithm.parse().unwrap()).unwrap();
        let metadata = json!({
            "jwks": {"keys": [key.public_jwk()]}, "backchannel_authentication_request_signing_alg": algorithm,
        });
        let agent = self.world.create_ciba_client(ClientOrigin::Operator, metadata).await;
        let now = self.world.server.engine().now().seconds();
        let claims = json!({
            "iss": agent.id, "aud": self.world.issuer(), "iat": now, "nbf": now, "exp": now + 60, "jti": "one",
            "scope": "openid", "login_hint": "nobody@example.com", "binding_message": "4711",
        });
        let request = signed(&key, &json!({"alg": algorithm, "kid": key.kid()}), &claims);
        let (status, body) =
            agent.post_form("/connect/backchannel", &[("request".to_owned(), request)]).await;
        assert_eq!(status, 200, "{body}");
    }

    /// A client with this authentication method redeems a code.
    pub async fn redeems(&self, method: &str) {
        self.uses("/connect/token", &self.registered(method, SigningAlgorithm::Es256).await).await;
    }

    /// A client with this authentication method is accepted at this endpoint.
    pub async fn shows_itself(&self, path: &str, method: &str) {
        self.uses(path, &self.registered(method, SigningAlgorithm::Es256).await).await;
    }

    /// A client assertion with this algorithm is accepted at this endpoint.
    pub async fn asserts(&self, path: &str, algorithm: &str) {
        self.uses(path, &self.registered("private_key_jwt", algorithm.parse().unwrap()).await).await;
    }

    /// A DPoP proof with this algorithm binds a token, which is then accepted with another proof.
    pub async fn proves_key(&self, algorithm: &str) {
        let service = self.books.create_app_client(json!({"dpop_bound_access_tokens": true})).await;
        let holder = self.world.create_dpop_client_with(algorithm.parse().unwrap());
        let (_, code) = self.books.issue_code(&service, "openid").await;
        let token =
            service.redeem_code_with_dpop(&holder, &code).await.assert_bound_to(&holder).access_token();
        assert_eq!(holder.call_with_token("/connect/userinfo", &token).await.status, 200);
    }

    /// The client obtains a token and introspects or revokes it.
    async fn uses(&self, path: &str, client: &Registered<'_>) {
        let code = client.app.obtain_code(&self.browser, &[]).await;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("code_verifier", VERIFIER),
            ("redirect_uri", CALLBACK),
        ];
        let (status, body) = self.proven(client, "/connect/token", &form).await;
        assert_eq!(status, 200, "{}: {body}", client.method);
        if path == "/connect/token" {
            return;
        }
        let token = body["access_token"].as_str().unwrap();
        let (status, body) = self.proven(client, path, &[("token", token)]).await;
        assert_eq!(status, 200, "{} at {path}: {body}", client.method);
        let request = self.world.http.get(self.world.public_url("/connect/userinfo")).bearer_auth(token);
        let counts = request.send().await.unwrap().status() == 200;
        match path {
            "/connect/introspect" => assert!(counts && body["active"] == json!(true), "{body}"),
            _ => assert!(!counts, "{path} revoked nothing"),
        }
    }

    async fn registered(&self, method: &str, algorithm: SigningAlgorithm) -> Registered<'_> {
        let mut document = json!({"token_endpoint_auth_method": method});
        let key = (method == "private_key_jwt").then(|| SigningKey::generate(algorithm).unwrap());
        if let Some(key) = &key {
            document["jwks"] = json!({"keys": [key.public_jwk()]});
            document["token_endpoint_auth_signing_alg"] = json!(algorithm.as_str());
        }
        let mut full_metadata = json!({"redirect_uris": [CALLBACK]});
        full_metadata.as_object_mut().unwrap().extend(document.as_object().unwrap().clone());
        self.registers(full_metadata).await;
        Registered { app: self.trusted(document).await, method: method.to_owned(), key }
    }

    async fn proven(&self, client: &Registered<'_>, path: &str, form: &[(&str, &str)]) -> (u16, Value) {
        let (id, secret) = (client.app.id.as_str(), client.app.secret.as_ref());
        let mut form: Vec<(String, String)> =
            form.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut request = self.world.http.post(self.world.public_url(path));
        match client.method.as_str() {
            "none" => form.push(("client_id".to_owned(), id.to_owned())),
            "client_secret_basic" => request = request.basic_auth(id, secret),
            "client_secret_post" => {
                form.push(("client_id".to_owned(), id.to_owned()));
                form.push(("client_secret".to_owned(), secret.unwrap().clone()));
            }
            "private_key_jwt" => {
                form.push(("client_assertion_type".to_owned(), ASSERTION_TYPE.to_owned()));
                form.push(("client_assertion".to_owned(), self.assertion(client, path)));
            }
            method => panic!("the method {method} is advertised, and no test uses it"),
        }
        let answer = request.form(&form).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    fn assertion(&self, client: &Registered<'_>, path: &str) -> String {
        let (key, engine) = (client.key.as_ref().unwrap(), self.world.server.engine());
        let now = engine.now().seconds();
        let claims = json!({
            "iss": client.app.id, "sub": client.app.id, "aud": engine.settings().issuer, "jti": path, "iat": now,
            "exp": now + 60,
        });
        signed(key, &json!({"alg": key.algorithm().as_str(), "kid": key.kid()}), &claims)
    }
}

/// A JWS signed with a client's key.
pub fn signed(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let text = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}
