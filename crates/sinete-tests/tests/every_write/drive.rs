//! How each route is driven past each limit that it declares.

mod ways;

use crate::harness::api::Somebody;
use crate::harness::application::{Application, Browser};
use crate::harness::oneself::Oneself;
use crate::harness::person::Person;
use crate::harness::tenants::Tenant;
use crate::harness::token_endpoint::TokenClient;
use crate::harness::world::World;
use crate::stories::rate_limits::token_requests;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sinete_core::security::event::Origin as From;
use sinete_http::route::{Caller, Listener, RateLimit, Route, Verb};
use sinete_store::clients::Origin;
use std::pin::Pin;

/// What names nothing.
const NOTHING: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";

/// What is sent for the time of this number.
type Requests<'a> = Box<dyn Fn(usize) -> RequestBuilder + 'a>;

/// Sends it, and gives back the status of the answer.
pub type Driven<'a> = Box<dyn Fn(usize) -> Pin<Box<dyn Future<Output = u16> + 'a>> + 'a>;

fn sending(requests: Requests<'_>) -> Driven<'_> {
    Box::new(move |number| {
        let request = requests(number);
        Box::pin(async move { request.send().await.unwrap().status().as_u16() })
    })
}

/// Whoever drives.
pub struct Scene<'w> {
    pub world: &'w World,
    acme: Tenant,
    owner: Somebody<'w>,
    ana: Person<'w>,
    csrf: String,
    browser: Browser,
    public: Application<'w>,
    device: Application<'w>,
    itself: Application<'w>,
    pub confidential: Application<'w>,
    registered: Value,
    member_role: String,
    /// A client that anybody can be.
    anybody: TokenClient<'w>,
}

/// Why a route is not driven past one of its limits.
pub fn not_driven(route: &Route, limit: RateLimit) -> Option<&'static str> {
    let is_form_of_flow = route.verb == Verb::Post && is_walked(route.path);
    let is_callback = route.path.starts_with("/sign-in/provider");
    match limit {
        RateLimit::ProvisioningByCredential => {
            Some("a thousand a minute; stories/provisioning/bounds.rs does it")
        }
        RateLimit::FlowsByAccount | RateLimit::WritesByAccount | RateLimit::InvitationsByOrganization
            if is_form_of_flow || is_callback =>
        {
            Some("what waited for a proof is done once it is given")
        }
        RateLimit::MessagesByAddress if is_callback => {
            Some("the same: a message that waited for a proof is sent once it is given")
        }
        RateLimit::FlowsByAccount if route.path == "/link" => {
            Some("a passkey is offered once, to whoever came in by the link, or is not")
        }
        RateLimit::InvitationsByOrganization if is_console(route) && !sends_invitations(route) => {
            Some("only the page of invitations sends any")
        }
        RateLimit::FlowsByAccount if route.path == "/console/{organization}" => {
            Some("it begins a proof only where the organization asks for more than the session holds")
        }
        RateLimit::FlowsByAccount if route.path == "/sign-in" => {
            Some("whoever is signed in is led to their page")
        }
        _ => None,
    }
}

fn is_console(route: &Route) -> bool {
    route.path.starts_with("/console")
}

fn sends_invitations(route: &Route) -> bool {
    route.path == "/console/{organization}/invitations"
}

/// The pages whose forms say something in a flow.
fn is_walked(path: &str) -> bool {
    let pages = ["/sign-in", "/sign-up", "/accept-invitation", "/verify-email", "/reset-password"];
    let more = ["/consent", "/device", "/approve", "/set-up"];
    pages.contains(&path) || more.contains(&path)
}

impl<'w> Scene<'w> {
    pub async fn set(world: &'w World) -> Self {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let ana = world.somebody("ana@example.com").await;
        let oneself = Oneself { world, account: ana.account, token: ana.session.clone() };
        oneself.joins(&acme, "owner").await;
        let engine = world.server.engine();
        let signed_in =
            sinete_engine::account::identify(engine, &ana.session, From::default()).await.unwrap().unwrap();
        let roles = sinete_store::roles::of_organization(engine.store(), acme.id).await.unwrap();
        let member_role = roles.iter().find(|it| it.role.name() == "member").unwrap().id.to_string();
        let implied = json!({"consent": "implied"});
        let registered = world.http.post(world.public("/connect/register"));
        let four = crate::stories::registration::four_fields();
        let registered = registered.json(&four).send().await.unwrap().json().await.unwrap();
        Self {
            csrf: signed_in.csrf_token(engine),
            browser: world.browser_holding(&ana.session).await,
            public: world.application(Origin::Operator, json!({"token_endpoint_auth_method": "none"})).await,
            device: world
                .device(Origin::Operator, json!({"scope": "openid", "token_endpoint_auth_method": "none"}))
                .await,
            itself: world.application(Origin::Itself, json!({})).await,
            confidential: world.application(Origin::Operator, implied).await,
            anybody: token_requests::client_anybody_can_be(world).await,
            world,
            acme,
            owner,
            ana,
            registered,
            member_role,
        }
    }

    /// Whether a page says that it was too much, in the answer to a form, which is a redirect as ever.
    pub fn tells_on_the_page(&self, route: &Route, limit: RateLimit) -> bool {
        let is_proof = matches!(limit, RateLimit::FailedProofsByAddress | RateLimit::MessagesByAddress);
        let is_begun = matches!(limit, RateLimit::FlowsByAccount | RateLimit::MessagesByAddress);
        let is_on_console = is_console(route) && limit != RateLimit::WritesByAccount;
        is_proof && is_walked(route.path) || is_begun && route.path == "/my-account" || is_on_console
    }

    /// The table that grows by what is let through, where the answers do not tell.
    pub fn makes(&self, route: &Route, limit: RateLimit) -> Option<&'static str> {
        match limit {
            RateLimit::FlowsByAccount if is_console(route) => Some("flows"),
            RateLimit::MessagesByAddress if route.path == "/my-account" => Some("flows"),
            RateLimit::InvitationsByOrganization => Some("invitations"),
            _ => None,
        }
    }

    /// Every way to drive the route past the limit.
    pub async fn prepared(&self, route: &'static Route, limit: RateLimit) -> Vec<Driven<'_>> {
        if not_driven(route, limit).is_some() {
            return Vec::new();
        }
        if limit == RateLimit::TokensByGrant {
            return vec![self.refreshing().await, self.exchanging().await];
        }
        self.requests(route, limit).await.map(sending).into_iter().collect()
    }

    /// What is sent to drive the route past the limit.
    async fn requests(&self, route: &'static Route, limit: RateLimit) -> Option<Requests<'_>> {
        // Whoever starts a flow to speak in it has what that takes.
        self.world.clock.pass(sinete_core::time::Lifetime::from_minutes(2));
        Some(match limit {
            RateLimit::FlowsByAddress if route.path == "/link" => self.following_links(route).await,
            RateLimit::FlowsByAddress | RateLimit::StoredRequestsByAddress => self.starting(route),
            RateLimit::FlowsByAccount if is_console(route) => self.proving_on_the_console(route),
            RateLimit::FlowsByAccount => self.starting_signed_in(route),
            RateLimit::WritesByAccount => self.writing(route),
            RateLimit::FailedProofsByAddress | RateLimit::MessagesByAddress if is_walked(route.path) => {
                self.on_a_page(route, limit).await
            }
            RateLimit::FailedProofsByAddress if route.path.starts_with("/sign-in/provider") => {
                match route.verb {
                    Verb::Get => self.refused_by_a_provider().await,
                    _ => self.brought_from_a_provider().await,
                }
            }
            RateLimit::FailedProofsByAddress => {
                let walk = self.world.flow(json!({"kind": "sign_in"})).await;
                Box::new(move |number| {
                    let email = format!("nobody{number}@example.com");
                    walk.request("password", &json!({"email": email, "password": "a wrong password indeed"}))
                })
            }
            RateLimit::MessagesByAddress if ["/flows", "/my-account"].contains(&route.path) => {
                self.starting_with_a_message(route).await
            }
            RateLimit::MessagesByAddress => {
                let mut walk = self.world.flow(json!({"kind": "sign_in"})).await;
                walk.says("email", json!({"email": format!("{:?}@example.com", route.verb)})).await.is(200);
                Box::new(move |_| walk.request("resend", &json!({})))
            }
            RateLimit::FailedCredentialsByAddress => Box::new(move |_| self.wrong_credential(route)),
            RateLimit::RegistrationsByAddress => {
                Box::new(move |_| self.post(route).json(&crate::stories::registration::four_fields()))
            }
            // Deleting is one change of several, and a client that changed too often does not end either.
            RateLimit::RegistrationChangesByClient if route.verb == Verb::Delete => {
                Box::new(
                    move |number| {
                        if number < super::LIMIT { self.registering_again() } else { self.unregistering() }
                    },
                )
            }
            RateLimit::RegistrationChangesByClient => Box::new(move |_| self.registering_again()),
            RateLimit::InvitationsByOrganization if is_console(route) => {
                self.inviting_on_the_console(route).await
            }
            RateLimit::InvitationsByOrganization => Box::new(move |number| {
                let roles = [&self.member_role];
                let sent = json!({"email": format!("guest{number}@example.com"), "roles": roles});
                self.world
                    .http
                    .post(self.world.public(&self.acme.path("/invitations")))
                    .bearer_auth(&self.owner.secret)
                    .json(&sent)
            }),
            RateLimit::TokensByGrant | RateLimit::ProvisioningByCredential => return None,
        })
    }

    /// The address of a route, with a parameter that names nothing.
    fn address(&self, route: &Route) -> String {
        let mut path = route.path.replace("{organization}", "acme");
        while let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
            path.replace_range(open..=close, NOTHING);
        }
        match route.listener {
            Listener::Public | Listener::Both => self.world.public(&path),
            Listener::Admin => self.world.admin(&path),
        }
    }

    fn post(&self, route: &Route) -> RequestBuilder {
        self.world.http.post(self.address(route))
    }

    fn starting(&self, route: &'static Route) -> Requests<'_> {
        let address = self.address(route);
        Box::new(move |_| {
            let get = |query: &str| self.world.http.get(format!("{address}{query}"));
            match (route.verb, route.path) {
                (Verb::Get, "/connect/authorize") => {
                    self.world.http.get(self.world.authorization_address(&self.public.request(&[])))
                }
                (Verb::Get, "/accept-invitation") => get("?token=none"),
                (Verb::Get, "/approve") => get(&format!("?request={NOTHING}")),
                (Verb::Get, _) => get(""),
                (_, "/connect/device") => {
                    self.post(route).form(&[("client_id", self.device.id.as_str()), ("scope", "openid")])
                }
                (_, "/connect/backchannel") => self
                    .post(route)
                    .basic_auth(self.itself.id.as_str(), self.itself.secret.as_ref())
                    .form(&[("scope", "openid")]),
                (_, "/flows") => self.post(route).json(&json!({"kind": "sign_in", "session": "token"})),
                (_, "/flows/links") => self.post(route).json(&json!({"token": "none", "session": "token"})),
                _ => self.post(route).form(&self.public.request(&[])),
            }
        })
    }

    fn starting_signed_in(&self, route: &'static Route) -> Requests<'_> {
        let (address, session) = (self.address(route), format!("Session {}", self.ana.session));
        let cookie = format!("session={}", self.ana.session);
        Box::new(move |_| {
            let get =
                |query: &str| self.world.http.get(format!("{address}{query}")).header("cookie", &cookie);
            let again = self.public.request(&[("prompt", Some("consent"))]);
            match (route.verb, route.path) {
                (Verb::Get, "/connect/authorize") => {
                    self.world.http.get(self.world.authorization_address(&again)).header("cookie", &cookie)
                }
                (Verb::Get, "/accept-invitation") => get("?token=none"),
                (Verb::Get, "/approve") => get(&format!("?request={NOTHING}")),
                (Verb::Get, _) => get(""),
                (_, "/connect/authorize") => self.post(route).header("cookie", &cookie).form(&again),
                (_, "/my-account") => self.form(route, &[("action", "add_totp")]),
                _ => {
                    let sent = json!({"kind": "step_up", "session": "token"});
                    self.post(route).header("authorization", &session).json(&sent)
                }
            }
        })
    }

    /// A form of somebody who is signed in.
    fn form(&self, route: &Route, fields: &[(&str, &str)]) -> RequestBuilder {
        let mut fields = fields.to_vec();
        fields.push(("csrf", &self.csrf));
        let cookie = format!("session={}", self.ana.session);
        self.post(route).header("cookie", cookie).header("origin", self.world.origin()).form(&fields)
    }

    fn writing(&self, route: &'static Route) -> Requests<'_> {
        let session = format!("Session {}", self.ana.session);
        Box::new(move |_| {
            let cookie = format!("session={}", self.browser.token);
            let own = self.confidential.request(&[]);
            match (route.verb, route.path) {
                (Verb::Get, "/connect/authorize") => {
                    self.world.http.get(self.world.authorization_address(&own)).header("cookie", cookie)
                }
                (Verb::Post, "/connect/authorize") => self.post(route).header("cookie", cookie).form(&own),
                (_, "/my-account") => self.form(route, &[("action", "nothing at all")]),
                (_, path) if path.starts_with("/console") => {
                    self.form(route, &[("action", "nothing at all")])
                }
                (verb, _) => {
                    let method = Method::from_bytes(verb.name().as_bytes()).unwrap();
                    let request = self.world.http.request(method, self.address(route));
                    // What is asked for can never be, so that whoever drives stays who they are.
                    request.header("authorization", &session).json(&json!({"nothing": "at all"}))
                }
            }
        })
    }

    async fn on_a_page(&self, route: &'static Route, limit: RateLimit) -> Requests<'_> {
        let mut reader = self.world.reader("en");
        let mut page = reader.reads("/sign-in").await;
        if limit == RateLimit::MessagesByAddress {
            let asked = [("action", "email"), ("identifier", "page@example.com")];
            page = reader.sends(&page, &asked).await.1;
        }
        let of = |before: &str| {
            page.split(before).nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&")
        };
        let (csrf, place) = (of("name=\"csrf\" value=\""), of("action=\""));
        let query = place.split_once('?').unwrap().1.to_owned();
        let (address, cookies) = (format!("{}?{query}", self.address(route)), reader.cookies.clone());
        Box::new(move |number| {
            let cookie: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let request = self.world.http.post(&address).header("cookie", cookie.join("; "));
            let request = request.header("origin", self.world.origin());
            if limit == RateLimit::MessagesByAddress {
                return request.form(&[("action", "resend"), ("csrf", csrf.as_str())]);
            }
            let email = format!("somebody{number}@example.com");
            let guess = [("action", "password"), ("identifier", email.as_str()), ("csrf", csrf.as_str())];
            request.form(&[&guess[..], &[("password", "a wrong password indeed")]].concat())
        })
    }

    /// A client that is known, with another secret.
    pub fn wrong_secret(&self, path: &str) -> RequestBuilder {
        let wrong = "sn_cs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        self.world
            .http
            .post(self.world.public(path))
            .basic_auth(self.confidential.id.as_str(), Some(wrong))
            .form(&[("token", "x")])
    }

    fn wrong_credential(&self, route: &Route) -> RequestBuilder {
        let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        let request = self.world.http.request(method, self.address(route));
        match route.caller {
            Caller::Client if route.path.starts_with("/access") => {
                let wrong = "sn_cs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
                request.basic_auth(self.confidential.id.as_str(), Some(wrong)).json(&json!({}))
            }
            Caller::Client => self.wrong_secret(route.path),
            _ => request.bearer_auth("sn_ak_wrong").json(&crate::stories::registration::four_fields()),
        }
    }

    fn registering_again(&self) -> RequestBuilder {
        let text = |name: &str| self.registered[name].as_str().unwrap().to_owned();
        let more = json!({"client_id": text("client_id")});
        let document = crate::stories::registration::four_fields_and(more);
        let address = self.world.public(&format!("/connect/register/{}", text("client_id")));
        self.world.http.put(address).bearer_auth(text("registration_access_token")).json(&document)
    }

    fn unregistering(&self) -> RequestBuilder {
        let text = |name: &str| self.registered[name].as_str().unwrap().to_owned();
        let address = self.world.public(&format!("/connect/register/{}", text("client_id")));
        self.world.http.delete(address).bearer_auth(text("registration_access_token"))
    }

    /// Requests to a route that only reads, by nobody and by people who may.
    pub fn reads(&self, route: &Route) -> Vec<RequestBuilder> {
        let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        let request = || self.world.http.request(method.clone(), self.address(route));
        let session = format!("Session {}", self.ana.session);
        vec![request(), request().header("authorization", session), request().bearer_auth(&self.owner.secret)]
    }
}
