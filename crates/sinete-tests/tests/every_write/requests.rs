//! How each route is sent more requests than each of its limits allows.

mod drivers;
mod exempt;

pub use self::exempt::not_driven;
use self::exempt::{is_console, is_walked};

use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::TestUser;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::token_endpoint::TokenClient;
use crate::harness::world::World;
use crate::stories::platform::rate_limits::token_requests;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sinete_core::events::security_event::RequestOrigin;
use sinete_http::state::RouteEntry;
use sinete_server::route::{CallerKind, RateLimitKind, RouteListener, RouteMethod};
use sinete_store::oauth::clients::ClientOrigin;
use std::pin::Pin;

/// An id that does not exist.
const NOTHING: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";

/// Builds the request with this number.
type Requests<'a> = Box<dyn Fn(usize) -> RequestBuilder + 'a>;

/// Sends the request with this number and returns the status.
pub type Driven<'a> = Box<dyn Fn(usize) -> Pin<Box<dyn Future<Output = u16> + 'a>> + 'a>;

fn sending(requests: Requests<'_>) -> Driven<'_> {
    Box::new(move |number| {
        let request = requests(number);
        Box::pin(async move { request.send().await.unwrap().status().as_u16() })
    })
}

/// The clients, users and tokens that send the requests.
pub struct Scene<'w> {
    pub world: &'w World,
    acme: TestOrganization,
    owner: ApiCaller<'w>,
    ana: TestUser<'w>,
    csrf: String,
    browser: BrowserSession,
    public: OAuthApplication<'w>,
    device: OAuthApplication<'w>,
    itself: OAuthApplication<'w>,
    pub confidential: OAuthApplication<'w>,
    registered: Value,
    member_role: String,
    /// A public client.
    anybody: TokenClient<'w>,
}

impl<'w> Scene<'w> {
    pub async fn set(world: &'w World) -> Self {
        let acme = world.create_organization("acme").await;
        let owner = world.create_owner(&acme).await;
        let ana = world.create_user("ana@example.com").await;
        let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
        user.join_organization(&acme, "owner").await;
        let engine = world.server.engine();
        let signed_in = sinete_engine::sign_in::account_holder::authenticate_session(
            engine,
            &ana.session,
            RequestOrigin::default(),
        )
        .await
        .unwrap();
        let roles = sinete_store::organizations::roles::list_roles(engine.store(), acme.id).await.unwrap();
        let member_role = roles.iter().find(|it| it.role.name() == "member").unwrap().id.to_string();
        let implied = json!({"consent": "implied"});
        let registered = world.http.post(world.public_url("/connect/register"));
        let four = crate::stories::oauth::client_registration::minimal_metadata();
        let registered = registered.json(&four).send().await.unwrap().json().await.unwrap();
        Self {
            csrf: signed_in.csrf_token(engine),
            browser: world.browser_with_session(&ana.session).await,
            public: world
                .create_application(ClientOrigin::Operator, json!({"token_endpoint_auth_method": "none"}))
                .await,
            device: world
                .create_device_client(
                    ClientOrigin::Operator,
                    json!({"scope": "openid", "token_endpoint_auth_method": "none"}),
                )
                .await,
            itself: world.create_application(ClientOrigin::DynamicRegistration, json!({})).await,
            confidential: world.create_application(ClientOrigin::Operator, implied).await,
            anybody: token_requests::client_anybody_can_be(world).await,
            world,
            acme,
            owner,
            ana,
            registered,
            member_role,
        }
    }

    /// Whether the page that follows the redirect, and not the status, says that the limit was reached.
    pub fn tells_on_the_page(&self, route: &RouteEntry, limit: RateLimitKind) -> bool {
        let is_proof =
            matches!(limit, RateLimitKind::FailedProofsByAddress | RateLimitKind::MessagesByAddress);
        let is_begun = matches!(limit, RateLimitKind::FlowsByAccount | RateLimitKind::MessagesByAddress);
        let is_on_console = is_console(route) && limit != RateLimitKind::WritesByAccount;
        is_proof && is_walked(route.path) || is_begun && route.path == "/my-account" || is_on_console
    }

    /// The table that grows with each allowed request, where the status does not show whether it was allowed.
    pub fn makes(&self, route: &RouteEntry, limit: RateLimitKind) -> Option<&'static str> {
        match limit {
            RateLimitKind::FlowsByAccount if is_console(route) => Some("flows"),
            RateLimitKind::MessagesByAddress if route.path == "/my-account" => Some("flows"),
            // Sending one again makes none.
            RateLimitKind::InvitationsByOrganization if !route.path.ends_with("/resend") => {
                Some("invitations")
            }
            _ => None,
        }
    }

    /// Every way to exceed this limit on the route.
    pub async fn prepared(&self, route: &'static RouteEntry, limit: RateLimitKind) -> Vec<Driven<'_>> {
        if not_driven(route, limit).is_some() {
            return Vec::new();
        }
        if limit == RateLimitKind::TokensByGrant {
            return vec![self.refreshing().await, self.exchanging().await];
        }
        self.requests(route, limit).await.map(sending).into_iter().collect()
    }

    /// The requests that exceed this limit on the route.
    async fn requests(&self, route: &'static RouteEntry, limit: RateLimitKind) -> Option<Requests<'_>> {
        // Earlier limits are over, so that the flows which these requests need can be started.
        self.world.clock.advance(sinete_core::time::Lifetime::from_minutes(2));
        Some(match limit {
            RateLimitKind::FlowsByAddress if route.path == "/link" => self.following_links(route).await,
            RateLimitKind::FlowsByAddress | RateLimitKind::StoredRequestsByAddress => self.starting(route),
            RateLimitKind::FlowsByAccount if is_console(route) => self.proving_on_the_console(route),
            RateLimitKind::FlowsByAccount => self.starting_signed_in(route),
            RateLimitKind::WritesByAccount => self.writing(route),
            RateLimitKind::FailedProofsByAddress | RateLimitKind::MessagesByAddress
                if is_walked(route.path) =>
            {
                self.on_a_page(route, limit).await
            }
            RateLimitKind::FailedProofsByAddress if route.path.starts_with("/sign-in/provider") => {
                match route.method {
                    RouteMethod::Get => self.refused_by_a_provider().await,
                    _ => self.brought_from_a_provider().await,
                }
            }
            RateLimitKind::FailedProofsByAddress => {
                let walk = self.world.start_flow(json!({"kind": "sign_in"})).await;
                Box::new(move |number| {
                    let email = format!("nobody{number}@example.com");
                    walk.build_request(
                        "password",
                        &json!({"email": email, "password": "a wrong password indeed"}),
                    )
                })
            }
            RateLimitKind::MessagesByAddress if ["/flows", "/my-account"].contains(&route.path) => {
                self.starting_with_a_message(route).await
            }
            RateLimitKind::MessagesByAddress => {
                let mut walk = self.world.start_flow(json!({"kind": "sign_in"})).await;
                walk.submit("email", json!({"email": format!("{:?}@example.com", route.method)}))
                    .await
                    .assert_status(200);
                Box::new(move |_| walk.build_request("resend", &json!({})))
            }
            RateLimitKind::FailedCredentialsByAddress => Box::new(move |_| self.wrong_credential(route)),
            RateLimitKind::RegistrationsByAddress => Box::new(move |_| {
                self.post(route).json(&crate::stories::oauth::client_registration::minimal_metadata())
            }),
            // Deleting counts as a change, and a client that reached the limit cannot delete its registration either.
            RateLimitKind::RegistrationChangesByClient if route.method == RouteMethod::Delete => Box::new(
                move |number| {
                    if number < super::LIMIT { self.registering_again() } else { self.unregistering() }
                },
            ),
            RateLimitKind::RegistrationChangesByClient => Box::new(move |_| self.registering_again()),
            RateLimitKind::InvitationsByOrganization if is_console(route) => {
                self.inviting_on_the_console(route).await
            }
            RateLimitKind::InvitationsByOrganization => Box::new(move |number| {
                let roles = [&self.member_role];
                let body = json!({"email": format!("guest{number}@example.com"), "roles": roles});
                self.world
                    .http
                    .post(self.world.public_url(&self.acme.path("/invitations")))
                    .bearer_auth(&self.owner.secret)
                    .json(&body)
            }),
            RateLimitKind::TokensByGrant | RateLimitKind::ProvisioningByCredential => return None,
        })
    }

    /// The URL of a route, with an id that does not exist.
    fn address(&self, route: &RouteEntry) -> String {
        let mut path = route.path.replace("{organization}", "acme");
        while let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
            path.replace_range(open..=close, NOTHING);
        }
        match route.listener {
            RouteListener::Public | RouteListener::Both => self.world.public_url(&path),
            RouteListener::Admin => self.world.admin_url(&path),
        }
    }

    fn post(&self, route: &RouteEntry) -> RequestBuilder {
        self.world.http.post(self.address(route))
    }

    fn starting(&self, route: &'static RouteEntry) -> Requests<'_> {
        let address = self.address(route);
        Box::new(move |_| {
            let get = |query: &str| self.world.http.get(format!("{address}{query}"));
            match (route.method, route.path) {
                (RouteMethod::Get, "/connect/authorize") => {
                    self.world.http.get(self.world.authorization_url(&self.public.authorization_params(&[])))
                }
                (RouteMethod::Get, "/accept-invitation") => get("?token=none"),
                (RouteMethod::Get, "/approve") => get(&format!("?request={NOTHING}")),
                (RouteMethod::Get, _) => get(""),
                (_, "/connect/device") => {
                    self.post(route).form(&[("client_id", self.device.id.as_str()), ("scope", "openid")])
                }
                (_, "/connect/backchannel") => self
                    .post(route)
                    .basic_auth(self.itself.id.as_str(), self.itself.secret.as_ref())
                    .form(&[("scope", "openid")]),
                (_, "/flows") => self.post(route).json(&json!({"kind": "sign_in", "session": "token"})),
                (_, "/flows/links") => self.post(route).json(&json!({"token": "none", "session": "token"})),
                _ => self.post(route).form(&self.public.authorization_params(&[])),
            }
        })
    }

    fn starting_signed_in(&self, route: &'static RouteEntry) -> Requests<'_> {
        let (address, session) = (self.address(route), format!("Session {}", self.ana.session));
        let cookie = format!("sinete_session={}", self.ana.session);
        Box::new(move |_| {
            let get =
                |query: &str| self.world.http.get(format!("{address}{query}")).header("cookie", &cookie);
            let consent_params = self.public.authorization_params(&[("prompt", Some("consent"))]);
            match (route.method, route.path) {
                (RouteMethod::Get, "/connect/authorize") => self
                    .world
                    .http
                    .get(self.world.authorization_url(&consent_params))
                    .header("cookie", &cookie),
                (RouteMethod::Get, "/accept-invitation") => get("?token=none"),
                (RouteMethod::Get, "/approve") => get(&format!("?request={NOTHING}")),
                (RouteMethod::Get, _) => get(""),
                (_, "/connect/authorize") => self.post(route).header("cookie", &cookie).form(&consent_params),
                (_, "/my-account") => self.form(route, &[("action", "add_totp")]),
                _ => {
                    let body = json!({"kind": "step_up", "session": "token"});
                    self.post(route).header("authorization", &session).json(&body)
                }
            }
        })
    }

    /// A form with the cookie and the CSRF token of a signed-in user.
    fn form(&self, route: &RouteEntry, fields: &[(&str, &str)]) -> RequestBuilder {
        let mut fields = fields.to_vec();
        fields.push(("csrf", &self.csrf));
        let cookie = format!("sinete_session={}", self.ana.session);
        self.post(route).header("cookie", cookie).header("origin", self.world.origin()).form(&fields)
    }

    fn writing(&self, route: &'static RouteEntry) -> Requests<'_> {
        let session = format!("Session {}", self.ana.session);
        Box::new(move |_| {
            let cookie = format!("sinete_session={}", self.browser.token);
            let params = self.confidential.authorization_params(&[]);
            match (route.method, route.path) {
                (RouteMethod::Get, "/connect/authorize") => {
                    self.world.http.get(self.world.authorization_url(&params)).header("cookie", cookie)
                }
                (RouteMethod::Post, "/connect/authorize") => {
                    self.post(route).header("cookie", cookie).form(&params)
                }
                (RouteMethod::Get, path) if path.starts_with("/console") => {
                    let cookie = format!("sinete_session={}", self.ana.session);
                    self.world.http.get(self.address(route)).header("cookie", cookie)
                }
                (_, "/my-account") => self.form(route, &[("action", "nothing at all")]),
                (_, path) if path.starts_with("/console") || path.starts_with("/instance") => {
                    self.form(route, &[("action", "nothing at all")])
                }
                (route_method, _) => {
                    let method = Method::from_bytes(route_method.name().as_bytes()).unwrap();
                    let request = self.world.http.request(method, self.address(route));
                    // The request is invalid, so that the caller's own data do not change.
                    request.header("authorization", &session).json(&json!({"nothing": "at all"}))
                }
            }
        })
    }

    async fn on_a_page(&self, route: &'static RouteEntry, limit: RateLimitKind) -> Requests<'_> {
        let mut reader = self.world.create_page_browser("en");
        let mut page = reader.open_page("/sign-in").await;
        if limit == RateLimitKind::MessagesByAddress {
            let fields = [("action", "email"), ("identifier", "page@example.com")];
            page = reader.submit_first_form(&page, &fields).await.1;
        }
        let of = |before: &str| {
            page.split(before).nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&")
        };
        let (csrf, form_action) = (of("name=\"csrf\" value=\""), of("action=\""));
        let query = form_action.split_once('?').unwrap().1.to_owned();
        let (address, cookies) = (format!("{}?{query}", self.address(route)), reader.cookies.clone());
        Box::new(move |number| {
            let cookie: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let request = self.world.http.post(&address).header("cookie", cookie.join("; "));
            let request = request.header("origin", self.world.origin());
            if limit == RateLimitKind::MessagesByAddress {
                return request.form(&[("action", "resend"), ("csrf", csrf.as_str())]);
            }
            let email = format!("somebody{number}@example.com");
            let guess = [("action", "password"), ("identifier", email.as_str()), ("csrf", csrf.as_str())];
            request.form(&[&guess[..], &[("password", "a wrong password indeed")]].concat())
        })
    }

    /// A known client with a wrong secret.
    pub fn wrong_secret(&self, path: &str) -> RequestBuilder {
        let wrong = "sn_cs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        self.world
            .http
            .post(self.world.public_url(path))
            .basic_auth(self.confidential.id.as_str(), Some(wrong))
            .form(&[("token", "x")])
    }

    fn wrong_credential(&self, route: &RouteEntry) -> RequestBuilder {
        let method = Method::from_bytes(route.method.name().as_bytes()).unwrap();
        let request = self.world.http.request(method, self.address(route));
        match route.caller {
            CallerKind::Client if route.path.starts_with("/access") => {
                let wrong = "sn_cs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
                request.basic_auth(self.confidential.id.as_str(), Some(wrong)).json(&json!({}))
            }
            CallerKind::Client => self.wrong_secret(route.path),
            _ => request
                .bearer_auth("sn_ak_wrong")
                .json(&crate::stories::oauth::client_registration::minimal_metadata()),
        }
    }

    fn registering_again(&self) -> RequestBuilder {
        let text = |name: &str| self.registered[name].as_str().unwrap().to_owned();
        let extra_metadata = json!({"client_id": text("client_id")});
        let document = crate::stories::oauth::client_registration::minimal_metadata_with(extra_metadata);
        let address = self.world.public_url(&format!("/connect/register/{}", text("client_id")));
        self.world.http.put(address).bearer_auth(text("registration_access_token")).json(&document)
    }

    fn unregistering(&self) -> RequestBuilder {
        let text = |name: &str| self.registered[name].as_str().unwrap().to_owned();
        let address = self.world.public_url(&format!("/connect/register/{}", text("client_id")));
        self.world.http.delete(address).bearer_auth(text("registration_access_token"))
    }

    /// Requests to a route that only reads, without credentials and with valid ones.
    pub fn reads(&self, route: &RouteEntry) -> Vec<RequestBuilder> {
        let method = Method::from_bytes(route.method.name().as_bytes()).unwrap();
        let request = || self.world.http.request(method.clone(), self.address(route));
        let session = format!("Session {}", self.ana.session);
        vec![request(), request().header("authorization", session), request().bearer_auth(&self.owner.secret)]
    }
}
