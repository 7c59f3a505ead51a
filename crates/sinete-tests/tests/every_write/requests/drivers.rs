//! Requests that need preparation: console pages, links in e-mails, and responses of identity providers.

use super::{Driven, Requests, Scene};
use crate::harness::oidc_provider::{TestOidcProvider, provider_user};
use crate::harness::saml_provider::{TestSamlProvider, parse_authn_request};
use crate::stories::platform::rate_limits::token_requests;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_core::time::Lifetime;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowInput, FlowRef, FlowRequest};
use sinete_http::state::RouteEntry;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::AttemptCounterKey;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many requests are sent: ten times the limit.
const TIMES: usize = 10 * crate::every_write::LIMIT;

impl Scene<'_> {
    /// Uses the newest refresh token each time, as a client does whose requests succeed.
    pub(super) async fn refreshing(&self) -> Driven<'_> {
        let client = self.anybody.clone();
        let newest = token_requests::tokens(&self.acme, &client).await.refresh_token();
        let shared_state = Rc::new((client, RefCell::new(newest)));
        Box::new(move |_| {
            let shared_state = Rc::clone(&shared_state);
            Box::pin(async move {
                let (client, newest) = &*shared_state;
                let refresh_token = newest.borrow().clone();
                let reply = client.refresh_tokens(&refresh_token, &[]).await;
                if reply.status == 200 {
                    newest.replace(reply.refresh_token());
                }
                reply.status
            })
        })
    }

    pub(super) async fn exchanging(&self) -> Driven<'_> {
        let client = self.anybody.clone();
        let subject = token_requests::tokens(&self.acme, &client).await.access_token();
        let shared_state = Rc::new((client, subject));
        Box::new(move |_| {
            let shared_state = Rc::clone(&shared_state);
            Box::pin(async move {
                shared_state.0.exchange_token(&shared_state.1, &[("scope", "openid")]).await.status
            })
        })
    }

    /// Flows that begin with a message, each for another account, so that no limit of an account is reached first.
    pub(super) async fn starting_with_a_message(&self, route: &'static RouteEntry) -> Requests<'_> {
        let mut people = Vec::new();
        for number in 0..TIMES {
            let user = self.world.create_user(&format!("{number}@{:?}.example", route.path.len())).await;
            let engine = self.world.server.engine();
            let result = sinete_engine::sign_in::account_holder::authenticate_session(
                engine,
                &user.session,
                RequestOrigin::default(),
            )
            .await;
            people.push((result.unwrap().csrf_token(engine), user.session));
        }
        Box::new(move |number| {
            let (csrf, session) = &people[number];
            let email = format!("new{number}@example.com");
            if route.path == "/flows" {
                let body = json!({"kind": "change_email", "email": email, "session": "token"});
                return self.post(route).header("authorization", format!("Session {session}")).json(&body);
            }
            let request = self.post(route).header("cookie", format!("sinete_session={session}"));
            let fields = [("action", "change_email"), ("email", email.as_str()), ("csrf", csrf.as_str())];
            request.header("origin", self.world.origin()).form(&fields)
        })
    }

    /// Console forms in a recently authenticated session, so that they are done at once.
    pub(super) async fn inviting_on_the_console(&self, route: &'static RouteEntry) -> Requests<'_> {
        let engine = self.world.server.engine();
        let session = self
            .world
            .create_session_token(
                self.ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await;
        let result = sinete_engine::sign_in::account_holder::authenticate_session(
            engine,
            &session,
            RequestOrigin::default(),
        )
        .await;
        let csrf = result.unwrap().csrf_token(engine);
        let role = format!("role.{}", self.member_role);
        Box::new(move |number| {
            let email = format!("console{number}@example.com");
            let fields =
                [("action", "invite"), ("email", &email), (&role, "on"), ("days", "7"), ("csrf", &csrf)];
            let request = self.post(route).header("cookie", format!("sinete_session={session}"));
            request.header("origin", self.world.origin()).form(&fields)
        })
    }

    /// Console forms in a session that needs a step-up: each starts a flow.
    pub(super) fn proving_on_the_console(&self, route: &'static RouteEntry) -> Requests<'_> {
        Box::new(move |_| self.form(route, &[("action", "prove"), ("form", "add")]))
    }

    /// Links from e-mails, each of another flow and another account.
    pub(super) async fn following_links(&self, route: &'static RouteEntry) -> Requests<'_> {
        let (engine, actor, mut links) = (self.world.server.engine(), FlowActor::default(), Vec::new());
        for number in 0..TIMES {
            let email = format!("linked{number}@example.com");
            let linked = self.world.create_user(&email).await;
            let result =
                flows::start_flow(engine, &FlowRequest::SignIn, FlowTokenTransport::Token, &actor).await;
            let snapshot = result.unwrap();
            let (id, token) =
                (snapshot.flow.id().to_string(), snapshot.issued_secrets.flow.unwrap().reveal());
            let ticket = FlowRef { id: &id, token: &token, token_transport: FlowTokenTransport::Token };
            let input = FlowInput::Email { email: Some(email.clone()) };
            assert!(flows::submit_input(engine, &ticket, &input, &actor).await.is_ok());
            links.push(self.world.emailed_link(&email).await);
            // Counters of an account stay as long as the account; these accounts exist only to have enough links.
            let subject = format!("account {}", linked.account);
            let factors = ["mailed in a hour", "mailed in a day"];
            let clear = |factor| {
                attempt_counters::clear_attempt_counter(AttemptCounterKey { subject: &subject, factor })
            };
            self.world.apply_statements(factors.map(clear)).await;
        }
        Box::new(move |number| {
            let request = self.post(route).header("origin", self.world.origin());
            request.form(&[("token", links[number].as_str())])
        })
    }

    /// Responses of a provider that refuses the sign-in, each for another flow.
    pub(super) async fn refused_by_a_provider(&self) -> Requests<'_> {
        let provider: TestOidcProvider = self.world.create_oidc_provider().await;
        let connection = provider.create_connection(&self.owner, "oidc.example").await;
        provider.set_user(provider_user("ana-7", "ana@oidc.example"));
        let mut pending_sign_ins = Vec::new();
        for _ in 0..TIMES {
            // Starting flows has a limit as well.
            self.world.clock.advance(Lifetime::from_seconds(30));
            let (cookies, go_to) = self.sent_to(&connection).await;
            let state = query_of(&go_to, "state");
            pending_sign_ins.push((cookies, state));
        }
        let path = format!("/sign-in/provider/{}", connection["id"].as_str().unwrap());
        Box::new(move |number| {
            let (cookies, state) = &pending_sign_ins[number];
            let query_params =
                [("state", state.as_str()), ("error", "access_denied"), ("iss", &provider.issuer)];
            let address = url::Url::parse_with_params(&self.world.public_url(&path), query_params).unwrap();
            self.world.http.get(address).header("cookie", cookies)
        })
    }

    /// SAML responses that are not valid.
    pub(super) async fn brought_from_a_provider(&self) -> Requests<'_> {
        let provider: TestSamlProvider = self.world.create_saml_provider();
        let connection = provider.create_connection(&self.owner, "saml.example").await;
        let (_, go_to) = self.sent_to(&connection).await;
        let state = parse_authn_request(&go_to)["state"].clone();
        let path = format!("/sign-in/provider/{}", connection["id"].as_str().unwrap());
        Box::new(move |_| {
            let fields = [("RelayState", state.as_str()), ("SAMLResponse", "bm90aGluZw==")];
            self.world.http.post(self.world.public_url(&path)).form(&fields)
        })
    }

    /// Starts single sign-on in a browser through this connection: its cookies, and the URL it is redirected to.
    async fn sent_to(&self, connection: &Value) -> (String, String) {
        let mut walk = self.world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
        walk.submit("single_sign_on", json!({"connection": connection["id"]})).await.assert_status(200);
        let cookies: Vec<String> =
            walk.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (cookies.join("; "), walk.last.body["go_to"].as_str().unwrap().to_owned())
    }
}

fn query_of(address: &str, name: &str) -> String {
    let address = url::Url::parse(address).unwrap();
    let pair = address.query_pairs().find(|(param_name, _)| param_name == name);
    pair.map(|(_, value)| value.into_owned()).unwrap()
}
