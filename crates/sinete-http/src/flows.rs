//! Flows over HTTP: started, shown and walked through, by a browser with cookies or by a program with tokens.

pub(crate) mod actions;
pub(crate) mod callback;
pub(crate) mod link;
mod schemas;
mod wire;

pub(crate) use schemas::{ANSWER, FLOW, FOLLOWED, LINK, SCHEMAS, START};

use crate::call::Call;
use crate::cookies::Cookie;
use crate::extract::session::{By, Kind, Presented, of_headers};
use crate::extract::{json, same_origin};
use crate::reply::json::{answer, located, written};
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use axum::http::{HeaderName, StatusCode};
use axum::response::Response;
use serde_json::Value;
use sinete_core::flow::Carrier;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{DeviceCookie, Digest, Secret};
use sinete_engine::flows::{self, Standing, Ticket, Walker};
use sinete_engine::{Failed, sessions};
use wire::Told;

/// The header in which a page of ours shows that it read the flow it speaks in.
pub(crate) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// Starts a flow.
pub(crate) async fn start(state: State, call: Call) -> Answer {
    let sent = checked(&call, &START)?;
    let (wanted, carrier) = wire::wanted(&sent)?;
    if carrier == Carrier::Cookie {
        // Whoever starts a flow in somebody's browser could otherwise sign them in as somebody else.
        same_origin::check(&state, &call)?;
    }
    let walker = walker(&state, &call, carrier).await?;
    state.paced(&call).starting_as(&walker, wanted.kind())?;
    let standing = flows::start(state.engine(), &wanted, carrier, &walker).await??;
    let location = format!("{}/flows/{}", state.base_address().path(), standing.flow.id());
    let response = told(&state, StatusCode::CREATED, standing, None).await?;
    Ok(located(response, &location))
}

/// Shows where a flow stands.
pub(crate) async fn show(state: State, mut call: Call) -> Answer {
    let id = named(&mut call, "flow").await?;
    let presented = presented(&state, &call)?;
    let ticket = Ticket { id: &id, token: presented.token, carrier: presented.by.into() };
    let standing = flows::show(state.engine(), &ticket).await??;
    told(&state, StatusCode::OK, standing, Some(&presented)).await
}

/// Says something in a flow.
pub(crate) async fn act(state: State, mut call: Call) -> Answer {
    let (id, action) = (named(&mut call, "flow").await?, named(&mut call, "action").await?);
    let paced = state.paced(&call);
    paced.saying(&action)?;
    said(&state, &call, &id, &action).await.map_err(|declined| match declined {
        Declined::Refused(refusal) => paced.unproven(refusal).into(),
        failed @ Declined::Failed(_) => failed,
    })
}

async fn said(state: &State, call: &Call, id: &str, action: &str) -> Answer {
    let presented = presented(state, call)?;
    let carrier = presented.by.into();
    if carrier == Carrier::Cookie {
        must_have_read(call, presented.token)?;
    }
    let ticket = Ticket { id, token: presented.token, carrier };
    let walker = walker(state, call, carrier).await?;
    let standing = flows::show(state.engine(), &ticket).await?;
    let said = match standing {
        Ok(standing) => actions::said(&standing.flow, action, &json::value(call.body())?)?,
        // What is over takes no answer, whatever it is.
        Err(refusal) if refusal.code() == RefusalCode::Gone => actions::any(action)?,
        Err(refusal) => return Err(refusal.into()),
    };
    let standing = flows::act(state.engine(), &ticket, &said, &walker).await??;
    told(state, StatusCode::OK, standing, Some(&presented)).await
}

/// A flow that a program walks through, as part of another answer.
pub(crate) async fn token_flow(state: &State, standing: Standing) -> Result<Value, Declined> {
    let offers = flows::offers(state.engine(), &standing.flow).await?;
    let mut told = Told::of(state, &standing.flow, standing.expires_at, offers);
    told.flow_token = standing.handed.flow.map(Secret::reveal);
    serde_json::to_value(told).map_err(|_| Declined::from(Failed::Interrupted))
}

/// The answer that shows where a flow stands, with what is handed over: in cookies to a browser, in the body to a
/// program.
async fn told(
    state: &State,
    status: StatusCode,
    standing: Standing,
    presented: Option<&Presented<'_>>,
) -> Answer {
    let (scheme, Standing { flow, expires_at, handed }) = (state.scheme(), standing);
    let [flow_token, session_token] = [handed.flow.map(Secret::reveal), handed.session.map(Secret::reveal)];
    let current = flow_token.as_deref().or(presented.map(|presented| presented.token));
    let offers = flows::offers(state.engine(), &flow).await?;
    let mut told = Told::of(state, &flow, expires_at, offers);
    told.recovery_codes = handed.recovery_codes;
    let mut set = Vec::new();
    match flow.carrier() {
        Carrier::Token => (told.flow_token, told.session_token) = (flow_token, session_token),
        Carrier::Cookie => {
            told.csrf_token = current.filter(|_| !flow.is_finished()).map(csrf_token);
            set.extend(flow_token.map(|token| (Cookie::Flow, token)));
            set.extend(session_token.map(|token| (Cookie::Session, token)));
            set.extend(handed.device.map(|token| (Cookie::Device, token.reveal())));
        }
    }
    let mut response: Response = answer(status, written(&told)?);
    for (cookie, value) in set {
        cookie.set(&mut response, scheme, &value);
    }
    if flow.carrier() == Carrier::Cookie && flow.is_finished() {
        Cookie::Flow.clear(&mut response, scheme);
    }
    Ok(response)
}

/// Whoever walks, as far as the request tells.
pub(crate) async fn walker(state: &State, call: &Call, carrier: Carrier) -> Result<Walker, Declined> {
    let (headers, scheme) = (call.headers(), state.scheme());
    let session = match of_headers(Kind::Session, headers, scheme)? {
        Some(presented) if Carrier::from(presented.by) == carrier => {
            sessions::find(state.engine(), presented.token).await?
        }
        // A session that is shown in another way than the flow is held belongs to somebody else, or to a mistake.
        Some(presented) if presented.by == By::Header => {
            let public = "a flow held by cookie takes no session from the header";
            return Err(Refusal::new(RefusalCode::InvalidRequest, public, "both ways at once").into());
        }
        Some(_) | None => None,
    };
    let device = match carrier {
        Carrier::Cookie => Cookie::Device.find(headers, scheme)?,
        Carrier::Token => None,
    };
    let device = device.and_then(|device| Secret::<DeviceCookie>::parse(device).ok());
    let language = call.visit().language();
    let device = device.map(|device| device.digest());
    Ok(Walker { origin: call.origin(), device, session, flow_session: None, language })
}

fn presented<'a>(state: &State, call: &'a Call) -> Result<Presented<'a>, Refusal> {
    let found = of_headers(Kind::Flow, call.headers(), state.scheme())?;
    found.ok_or_else(|| crate::extract::session::missing(Kind::Flow))
}

/// A browser sends its cookies whoever makes it ask; only a page that may read our answers knows this.
fn must_have_read(call: &Call, token: &str) -> Result<(), Refusal> {
    if is_csrf_token(token, call.header(&CSRF_TOKEN).unwrap_or_default()) {
        return Ok(());
    }
    let public = "the request lacks the CSRF token that the flow shows";
    Err(Refusal::new(RefusalCode::Forbidden, public, "no CSRF token, or another flow's"))
}

/// What a CSRF token is of.
enum Csrf {}

/// Whether this is what follows from the flow's token.
pub(crate) fn is_csrf_token(token: &str, shown: &str) -> bool {
    let of = |text: &str| Digest::<Csrf>::of_parts(&[text.as_bytes()]);
    // Digests are compared in constant time.
    of(shown) == of(&csrf_token(token))
}

/// What follows from the flow's token and tells nothing about it.
pub(crate) fn csrf_token(token: &str) -> String {
    use base64::Engine as _;
    let digest = Digest::<Csrf>::of_parts(&[b"csrf token of a flow", token.as_bytes()]);
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest.as_bytes())
}

/// The body, held against a schema.
fn checked(call: &Call, schema: &Schema) -> Result<Value, Declined> {
    let value = json::value(call.body())?;
    let faults = schema.check(&value);
    if faults.is_empty() { Ok(value) } else { Err(Refusal::unfit(faults).into()) }
}

async fn named(call: &mut Call, name: &str) -> Result<String, Refusal> {
    let parameters = call.path_parameters().await?;
    let found = parameters.into_iter().find(|(known, _)| known == name);
    Ok(found.map(|(_, value)| value).unwrap_or_default())
}

impl From<By> for Carrier {
    fn from(by: By) -> Self {
        match by {
            By::Cookie => Self::Cookie,
            By::Header => Self::Token,
        }
    }
}
