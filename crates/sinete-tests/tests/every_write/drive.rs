//! How each route is driven past each limit that it declares.

use crate::harness::api::Somebody;
use crate::harness::application::{Application, Browser};
use crate::harness::oneself::Oneself;
use crate::harness::person::Person;
use crate::harness::tenants::Tenant;
use crate::harness::world::World;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sinete_core::security::event::Origin as From;
use sinete_http::route::{Caller, Listener, RateLimit, Route, Verb};
use sinete_store::clients::Origin;

/// What names nothing.
const NOTHING: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";

/// What is sent for the time of this number.
pub type Driven<'a> = Box<dyn Fn(usize) -> RequestBuilder + 'a>;

/// Whoever drives.
pub struct Scene<'w> {
    world: &'w World,
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
}

/// Why a route is not driven past one of its limits.
pub fn not_driven(route: &Route, limit: RateLimit) -> Option<&'static str> {
    let is_form_of_flow = route.verb == Verb::Post && is_walked(route.path);
    let is_callback = route.path.starts_with("/sign-in/provider");
    match limit {
        RateLimit::ProvisioningByCredential => {
            Some("a thousand a minute; stories/provisioning/bounds.rs does it")
        }
        _ if is_callback => Some("what no flow was sent for is not looked at, and nothing is written"),
        _ if route.path == "/link" => Some("a link works once, and what is none is not looked at"),
        RateLimit::RegistrationChangesByClient if route.verb == Verb::Delete => Some("a client ends once"),
        RateLimit::FlowsByAccount | RateLimit::WritesByAccount | RateLimit::InvitationsByOrganization
            if is_form_of_flow =>
        {
            Some("what waited for a proof is done once it is given")
        }
        RateLimit::InvitationsByOrganization if is_console(route) => {
            Some("by the same counter as over the API, after a fresh proof")
        }
        RateLimit::FlowsByAccount if is_console(route) => {
            Some("by the same function as on people's own page")
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
        is_proof && is_walked(route.path) || limit == RateLimit::FlowsByAccount && route.path == "/my-account"
    }

    /// What drives the route past the limit.
    pub async fn prepared(&self, route: &'static Route, limit: RateLimit) -> Option<Driven<'_>> {
        if not_driven(route, limit).is_some() {
            return None;
        }
        // Whoever starts a flow to speak in it has what that takes.
        self.world.clock.pass(sinete_core::time::Lifetime::from_minutes(2));
        Some(match limit {
            RateLimit::FlowsByAddress => self.starting(route),
            RateLimit::FlowsByAccount => self.starting_signed_in(route),
            RateLimit::WritesByAccount => self.writing(route),
            RateLimit::FailedProofsByAddress | RateLimit::MessagesByAddress if is_walked(route.path) => {
                self.on_a_page(route, limit).await
            }
            RateLimit::FailedProofsByAddress => {
                let walk = self.world.flow(json!({"kind": "sign_in"})).await;
                Box::new(move |number| {
                    let email = format!("nobody{number}@example.com");
                    walk.request("password", &json!({"email": email, "password": "a wrong password indeed"}))
                })
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
            RateLimit::RegistrationChangesByClient => Box::new(move |_| self.registering_again()),
            RateLimit::InvitationsByOrganization => Box::new(move |number| {
                let roles = [&self.member_role];
                let sent = json!({"email": format!("guest{number}@example.com"), "roles": roles});
                self.world
                    .http
                    .post(self.world.public(&self.acme.path("/invitations")))
                    .bearer_auth(&self.owner.secret)
                    .json(&sent)
            }),
            RateLimit::ProvisioningByCredential => return None,
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

    fn starting(&self, route: &'static Route) -> Driven<'_> {
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

    fn starting_signed_in(&self, route: &'static Route) -> Driven<'_> {
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

    fn writing(&self, route: &'static Route) -> Driven<'_> {
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

    async fn on_a_page(&self, route: &'static Route, limit: RateLimit) -> Driven<'_> {
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

    /// Requests to a route that only reads, by nobody and by people who may.
    pub fn reads(&self, route: &Route) -> Vec<RequestBuilder> {
        let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        let request = || self.world.http.request(method.clone(), self.address(route));
        let session = format!("Session {}", self.ana.session);
        vec![request(), request().header("authorization", session), request().bearer_auth(&self.owner.secret)]
    }
}
