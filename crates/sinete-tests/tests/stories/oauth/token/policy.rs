//! Organization policy is checked by every grant type whenever a token is issued: an oracle of a few lines over the
//! settings, the client and the sign-in predicts every response, from the next token on. A refused request consumes
//! nothing. Introspection calls a refresh token active exactly if it would be refreshed.

use crate::both_engines;
use crate::harness::ciba::CIBA_GRANT;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::token_endpoint::{INVOICES, TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::{AccountId, MembershipId};
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const API_KEY: &str = "urn:sinete:params:oauth:token-type:api-key";
const SCOPE: &str = "openid invoices:read invoices:send invoices:void";
const GRANTS: [&str; 5] = ["client_credentials", "token_exchange", "device_code", "backchannel", "api_key"];
const PROOFS: [&str; 3] = ["password", "passkey", "single_sign_on"];

/// Every way to obtain a token, and whether the user's authentication counts there. The cached one is of a client whose
/// grants are in the cache between two refreshes.
const WAYS: [(&str, bool); 11] = [
    ("authorize", true),
    ("code", true),
    ("refresh", true),
    ("cached_refresh", true),
    ("exchange", true),
    ("device", true),
    ("device_refresh", true),
    ("ciba", true),
    ("api_key", false),
    ("client_credentials", false),
    ("session", true),
];

/// The settings at the time of a token request.
#[derive(Clone, Debug)]
struct Row {
    /// The settings of the organization.
    settings: Value,
    /// What the API allows unverified clients.
    api: &'static str,
    /// Whether the operators withdrew the verification of the clients.
    withdrawn: bool,
}

/// What the documents promise.
fn oracle(row: &Row, flow: &str, proof: &str, scope: &str) -> bool {
    let across = matches!(flow, "device" | "device_refresh" | "ciba");
    let is_vouched_for =
        !row.withdrawn || matches!(flow, "session" | "client_credentials" | "cached_refresh");
    let void = scope.contains("void");
    let at_api = match row.api {
        "allow" => !(across && void),
        "irreversible_refused" => !void,
        _ => false,
    };
    let accepts_client = row.settings["unverified_clients"] == "allow" && at_api && flow != "device_refresh";
    let grants: &[&str] = match flow {
        "exchange" => &["token_exchange"],
        "device" | "device_refresh" => &["device_code"],
        "ciba" => &["backchannel"],
        "api_key" => &["token_exchange", "api_key"],
        "client_credentials" => &["client_credentials"],
        _ => &[],
    };
    let is_on = |grant: &&str| !row.settings["refused_grants"].as_array().unwrap().contains(&json!(grant));
    let accepts_proof =
        row.settings["allowed_credentials"].as_array().is_none_or(|it| it.contains(&json!(proof)))
            && (row.settings["single_sign_on"] == "optional" || proof == "single_sign_on")
            && (row.settings["least_assurance"] == "aal1" || proof == "passkey");
    let by_person = WAYS.contains(&(flow, true));
    (is_vouched_for || accepts_client) && grants.iter().all(is_on) && (!by_person || accepts_proof)
}

/// Every setting by itself, and some together.
fn rows() -> Vec<Row> {
    let default_settings = json!({
        "unverified_clients": "allow", "allowed_credentials": null, "single_sign_on": "optional",
        "least_assurance": "aal1", "refused_grants": [],
    });
    let row = |changes: &[(&str, Value)], api, withdrawn| {
        let mut settings = default_settings.clone();
        for (name, value) in changes {
            settings[*name] = value.clone();
        }
        Row { settings, api, withdrawn }
    };
    let (refuse, usual_api) = (("unverified_clients", json!("refuse")), "irreversible_refused");
    let mut rows = vec![
        row(&[], usual_api, false),
        row(std::slice::from_ref(&refuse), "refuse", false),
        row(&[], usual_api, true),
        row(&[], "allow", true),
        row(&[], "refuse", true),
        row(std::slice::from_ref(&refuse), "allow", true),
        row(&[("allowed_credentials", json!(["passkey"]))], usual_api, false),
        row(&[("allowed_credentials", json!(["password", "single_sign_on"]))], usual_api, false),
        row(&[("single_sign_on", json!("required"))], usual_api, false),
        row(&[("least_assurance", json!("aal2"))], usual_api, false),
    ];
    rows.extend(GRANTS.iter().map(|grant| row(&[("refused_grants", json!([grant]))], usual_api, false)));
    // A fixed seed, so that every run is the same.
    let mut seed = 22_u32;
    let mut next = |limit: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as usize % limit
    };
    for _ in 0..6 {
        let allowed = [
            json!(null),
            json!(["passkey"]),
            json!(["password", "totp"]),
            json!(["single_sign_on", "passkey"]),
        ];
        let changes = [
            ("unverified_clients", json!(["allow", "allow", "refuse"][next(3)])),
            ("allowed_credentials", allowed[next(4)].clone()),
            ("single_sign_on", json!(["optional", "optional", "required"][next(3)])),
            ("least_assurance", json!(["aal1", "aal1", "aal2"][next(3)])),
            ("refused_grants", [json!([]), json!([GRANTS[next(5)]])][next(2)].clone()),
        ];
        rows.push(row(&changes, ["allow", "irreversible_refused", "refuse"][next(3)], next(2) == 0));
    }
    rows
}

/// An owner of an organization, signed in in three ways, and clients that the operators verified.
struct Scene<'w> {
    books: TokenFixture<'w>,
    account: AccountId,
    membership: MembershipId,
    browsers: BTreeMap<&'static str, BrowserSession>,
    web: OAuthApplication<'w>,
    tv: OAuthApplication<'w>,
    agent: OAuthApplication<'w>,
    own: OAuthApplication<'w>,
    service: TokenClient<'w>,
    operator: crate::harness::api_caller::ApiCaller<'w>,
}

fn evidence(proof: &str, tenant: &TestOrganization) -> AuthenticationEvidence {
    AuthenticationEvidence::from_proof(match proof {
        "password" => AuthenticationProof::Password,
        "passkey" => AuthenticationProof::Passkey { user_verified: true, device_bound: false },
        _ => AuthenticationProof::SingleSignOn { assurance: AssuranceLevel::One, organization: tenant.id },
    })
}

async fn scene(world: &World) -> Scene<'_> {
    let books = world.create_token_fixture().await;
    let user = world.create_user("ana@example.com").await;
    let membership =
        crate::stories::oauth::authorize::add_member(world, user.account, &books.tenant, "owner").await;
    let mut browsers = BTreeMap::new();
    for proof in PROOFS {
        let session = world.create_session_token(user.account, &evidence(proof, &books.tenant)).await;
        browsers.insert(proof, BrowserSession { account: user.account, token: session });
    }
    let web = json!({"consent": "implied", "scope": SCOPE, "grant_types": ["authorization_code", "refresh_token", EXCHANGE]});
    let auth_application =
        world.create_application(ClientOrigin::Organization(books.tenant.id), web.clone()).await;
    let service = books.create_service("manager", "invoices:*").await;
    Scene {
        account: user.account,
        membership,
        browsers,
        web: world.create_application(ClientOrigin::DynamicRegistration, web).await,
        tv: world.create_device_client(ClientOrigin::DynamicRegistration, json!({"scope": SCOPE})).await,
        agent: world.create_ciba_client(ClientOrigin::DynamicRegistration, json!({"scope": SCOPE})).await,
        own: auth_application,
        service,
        operator: world.create_operator().await,
        books,
    }
}

fn text(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap_or_else(|| panic!("no {name} in {body}")).to_owned()
}

fn form(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

impl Scene<'_> {
    async fn applies(&self, row: &Row) {
        self.books.change_settings(row.settings.clone()).await;
        let response = self.books.owner.get(&self.books.tenant.path("/apis")).await.assert_status(200);
        let apis = response.body["items"].as_array().unwrap();
        let api = apis.iter().find(|it| it["identifier"] == INVOICES).unwrap();
        let path = self.books.tenant.path(&format!("/apis/{}", text(api, "id")));
        let change = json!({"unverified_clients": row.api});
        self.books.owner.patch(&path, api["version"].as_i64().unwrap(), change).await.assert_status(200);
        for client in [&self.web, &self.tv, &self.agent] {
            let path = format!("/manage/clients/{}/verification", client.id);
            match row.withdrawn {
                true => self.operator.delete(&path, None).await.assert_status(200),
                false => self.operator.post(&path, Value::Null).await.assert_status(200),
            };
        }
    }

    async fn tokens(&self, client: &OAuthApplication<'_>, proof: &str, scope: &str) -> Value {
        let code = client.obtain_code(&self.browsers[proof], &[("scope", Some(scope))]).await;
        let (status, body) = client.redeem_code(&code).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Obtains what this way needs (a code, a refresh token and so on) while everything is allowed.
    async fn prepares(&self, flow: &str, proof: &str, scope: &str, number: usize) -> String {
        let world = self.books.world;
        match flow {
            "authorize" | "session" => self.browsers[proof].token.clone(),
            "code" => self.web.obtain_code(&self.browsers[proof], &[("scope", Some(scope))]).await,
            "refresh" => text(&self.tokens(&self.web, proof, scope).await, "refresh_token"),
            "cached_refresh" => {
                let first = text(&self.tokens(&self.own, proof, scope).await, "refresh_token");
                text(&self.own.refresh_tokens(&first).await.1, "refresh_token")
            }
            "exchange" => text(&self.tokens(&self.web, proof, scope).await, "access_token"),
            "device" => {
                self.tv
                    .start_allowed_device_authorization(&self.browsers[proof].token, &[("scope", scope)])
                    .await
                    .device_code
            }
            "device_refresh" => {
                let reply = self
                    .tv
                    .start_allowed_device_authorization(&self.browsers[proof].token, &[("scope", scope)])
                    .await;
                text(&self.tv.redeem_device_code(&reply).await, "refresh_token")
            }
            "ciba" => {
                // CIBA requests are limited for each user, so each user is asked once.
                let email = format!("person{number}@example.com");
                let user = world.create_user(&email).await;
                crate::stories::oauth::authorize::add_member(
                    world,
                    user.account,
                    &self.books.tenant,
                    "owner",
                )
                .await;
                let approving_user: SignedInUser<'_> =
                    world.sign_in_account(user.account, &evidence(proof, &self.books.tenant)).await;
                let request = self.agent.start_ciba(&email, &[("scope", scope)]).await;
                approving_user.approve_ciba_request().await;
                request
            }
            "api_key" => {
                world.create_api_key_caller(&self.books.tenant, self.membership, "invoices:*").await.secret
            }
            _ => String::new(),
        }
    }

    /// Whether introspection calls a refresh token active (RFC 7662 §2.2); `None` if this way has no refresh token.
    async fn introspects(&self, flow: &str, credential: &str) -> Option<bool> {
        let client = match flow {
            "refresh" => &self.web,
            "cached_refresh" => &self.own,
            "device_refresh" => &self.tv,
            _ => return None,
        };
        let (status, body) = client.post_form("/connect/introspect", &form(&[("token", credential)])).await;
        assert_eq!(status, 200, "{body}");
        body["active"].as_bool()
    }

    /// The result of a request: what the next one needs, or the error.
    async fn tries(&self, flow: &str, credential: &str, scope: &str) -> Result<Option<String>, String> {
        let (status, body) = match flow {
            "authorize" => {
                let browser = BrowserSession { account: self.account, token: credential.to_owned() };
                let params = [("scope", Some(scope)), ("prompt", Some("none"))];
                let redirect_params = self.web.authorize(Some(&browser), &params).await.redirect_params();
                // Where consent is no longer skipped, the user may give it.
                return match redirect_params.get("error").map(String::as_str) {
                    None | Some("consent_required") => Ok(Some(credential.to_owned())),
                    Some(error) => Err(error.to_owned()),
                };
            }
            "session" => {
                let mut reader = self.books.world.create_page_browser("en").with_session(credential);
                let page = reader.open_page(&format!("/console/{}/members", self.books.tenant.slug)).await;
                let is_in = page.contains("id=\"members\"");
                return if is_in { Ok(Some(credential.to_owned())) } else { Err("stopped".to_owned()) };
            }
            "code" => self.web.redeem_code(credential).await,
            "refresh" => self.web.refresh_tokens(credential).await,
            "cached_refresh" => self.own.refresh_tokens(credential).await,
            "device_refresh" => self.tv.refresh_tokens(credential).await,
            "exchange" => {
                let params = [
                    ("grant_type", EXCHANGE),
                    ("subject_token", credential),
                    ("subject_token_type", ACCESS_TOKEN),
                ];
                self.web.post_form("/connect/token", &form(&params)).await
            }
            "api_key" => {
                let scope = scope.trim_start_matches("openid ");
                let params = [
                    ("grant_type", EXCHANGE),
                    ("subject_token", credential),
                    ("subject_token_type", API_KEY),
                    ("scope", scope),
                ];
                self.web.post_form("/connect/token", &form(&params)).await
            }
            "device" => {
                self.tv
                    .post_form(
                        "/connect/token",
                        &form(&[("grant_type", DEVICE_GRANT), ("device_code", credential)]),
                    )
                    .await
            }
            "ciba" => {
                self.agent
                    .post_form(
                        "/connect/token",
                        &form(&[("grant_type", CIBA_GRANT), ("auth_req_id", credential)]),
                    )
                    .await
            }
            _ => {
                let reply = self.service.request_client_credentials(&[("scope", "invoices:read")]).await;
                (reply.status, reply.body)
            }
        };
        match (status, flow) {
            (200, "refresh" | "cached_refresh" | "device_refresh") => Ok(Some(text(&body, "refresh_token"))),
            (200, "code" | "device" | "ciba") => Ok(None),
            (200, _) => Ok(Some(credential.to_owned())),
            _ => Err(text(&body, "error")),
        }
    }
}

both_engines!(organization_policy_decides_on_every_grant_as_the_oracle_does);

async fn organization_policy_decides_on_every_grant_as_the_oracle_does(world: &World) {
    let scene = scene(world).await;
    let rows = rows();
    let mut credentials: BTreeMap<(&str, &str, &str), String> = BTreeMap::new();
    let mut case_counts = BTreeMap::<(&str, bool), u32>::new();
    for (number, row) in rows.iter().enumerate() {
        let scopes = ["openid invoices:read", "openid invoices:void"];
        let mut cases = Vec::new();
        for (flow, by_person) in WAYS {
            // Approving needs more than a password or a provider without `amr`.
            let proofs = if flow == "ciba" || !by_person { &PROOFS[1..2] } else { &PROOFS[..] };
            cases.extend(
                proofs.iter().enumerate().map(|(at, proof)| (flow, *proof, scopes[(number + at) % 2])),
            );
        }
        scene.applies(&rows[0]).await;
        for (at, case) in cases.iter().enumerate() {
            if !credentials.contains_key(case) {
                let (flow, proof, scope) = *case;
                credentials.insert(*case, scene.prepares(flow, proof, scope, number * 100 + at).await);
            }
        }
        scene.applies(row).await;
        for case in &cases {
            let (flow, proof, scope) = *case;
            let expected = oracle(row, flow, proof, scope);
            let credential = credentials.remove(case).unwrap();
            let active = scene.introspects(flow, &credential).await;
            assert_eq!(active.unwrap_or(expected), expected, "introspection of {case:?} {row:?}");
            let came = scene.tries(flow, &credential, scope).await;
            assert_eq!(came.is_ok(), expected, "{case:?} {row:?}: {came:?}");
            *case_counts.entry((flow, expected)).or_default() += 1;
            // What was refused is used again later.
            if let Some(next) = came.unwrap_or(Some(credential)) {
                credentials.insert(*case, next);
            }
        }
    }
    for (flow, _) in WAYS {
        assert!(
            case_counts.contains_key(&(flow, true)) && case_counts.contains_key(&(flow, false)),
            "{flow}: {case_counts:?}"
        );
    }
}
