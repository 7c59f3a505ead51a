//! What is advertised about clients: how they get tokens, and how they prove who they are.

use super::Walk;
use crate::harness::application::{CALLBACK, VERIFIER};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::signing::Algorithm;
use sinete_crypto::jwt::TokenType;
use sinete_crypto::key::SigningKey;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// A client that registered itself, by how it proves who it is.
struct Registered {
    id: String,
    secret: Option<String>,
    key: Option<SigningKey>,
}

impl Walk<'_> {
    pub async fn grant(&self, grant: &str) {
        match grant {
            "authorization_code" => drop(self.signs_in(json!({}), &[]).await),
            "refresh_token" => {
                let (app, body) = self.signs_in(json!({}), &[]).await;
                let (status, body) = app.refresh(body["refresh_token"].as_str().unwrap()).await;
                assert_eq!(status, 200, "{body}");
            }
            "client_credentials" => {
                let service = self.books.service("clerk", "invoices:read").await;
                let token = service.for_itself(&[]).await.granted().access_token();
                assert_eq!(self.world.said(&token, TokenType::Access)["scope"], "invoices:read");
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
                let (status, body) = app.post("/connect/token", &form).await;
                assert_eq!(status, 200, "{body}");
                let said = self.world.said(body["access_token"].as_str().unwrap(), TokenType::Access);
                assert_eq!((&said["scope"], &said["act"]["sub"]), (&json!("invoices:read"), &json!(app.id)));
            }
            _ => panic!("the grant {grant} is advertised, and nothing here tries it"),
        }
    }

    /// A code is redeemed by a client that proves itself like this.
    pub async fn redeems(&self, method: &str) {
        let client = self.registered(method, Algorithm::Es256).await;
        let form = [("grant_type", "authorization_code"), ("code", "sn_ac_x"), ("code_verifier", VERIFIER)];
        let (status, body) = self.proven(&client, method, "/connect/token", &form).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")), "{method}: {body}");
    }

    /// A client that proves itself like this is heard there.
    pub async fn shows_itself(&self, path: &str, method: &str) {
        let client = self.registered(method, Algorithm::Es256).await;
        let (status, body) = self.proven(&client, method, path, &[("token", "sn_rt_x")]).await;
        assert_eq!(status, 200, "{method} at {path}: {body}");
    }

    /// An assertion that is signed like this is believed there.
    pub async fn asserts(&self, path: &str, algorithm: &str) {
        let client = self.registered("private_key_jwt", algorithm.parse().unwrap()).await;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", "sn_ac_x"),
            ("code_verifier", VERIFIER),
            ("token", "sn_rt_x"),
        ];
        let (_, body) = self.proven(&client, "private_key_jwt", path, &form).await;
        assert_ne!(body["error"], "invalid_client", "{algorithm} at {path}");
    }

    async fn registered(&self, method: &str, algorithm: Algorithm) -> Registered {
        let key = (method == "private_key_jwt").then(|| SigningKey::generate(algorithm).unwrap());
        let mut document = json!({"redirect_uris": [CALLBACK], "token_endpoint_auth_method": method});
        if let Some(key) = &key {
            document["jwks"] = json!({"keys": [key.public_jwk()]});
        }
        let request = self.world.http.post(self.world.public("/connect/register")).json(&document);
        let told: Value = request.send().await.unwrap().json().await.unwrap();
        let text = |name: &str| told[name].as_str().map(str::to_owned);
        Registered { id: text("client_id").unwrap(), secret: text("client_secret"), key }
    }

    async fn proven(
        &self,
        client: &Registered,
        method: &str,
        path: &str,
        form: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut form: Vec<(String, String)> =
            form.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut request = self.world.http.post(self.world.public(path));
        match method {
            "none" => form.push(("client_id".to_owned(), client.id.clone())),
            "client_secret_basic" => request = request.basic_auth(&client.id, client.secret.as_ref()),
            "client_secret_post" => {
                form.push(("client_id".to_owned(), client.id.clone()));
                form.push(("client_secret".to_owned(), client.secret.clone().unwrap()));
            }
            "private_key_jwt" => {
                form.push(("client_assertion_type".to_owned(), ASSERTION_TYPE.to_owned()));
                form.push(("client_assertion".to_owned(), self.assertion(client)));
            }
            _ => panic!("the method {method} is advertised, and nothing here tries it"),
        }
        let answer = request.form(&form).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    fn assertion(&self, client: &Registered) -> String {
        let (key, engine) = (client.key.as_ref().unwrap(), self.world.server.engine());
        let now = engine.now().seconds();
        let claims = json!({
            "iss": client.id, "sub": client.id, "aud": engine.settings().issuer, "jti": client.id, "iat": now,
            "exp": now + 60,
        });
        signed(key, &json!({"alg": key.algorithm().as_str(), "kid": key.kid()}), &claims)
    }
}

/// A token, signed with a client's own key.
pub fn signed(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let text = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}
