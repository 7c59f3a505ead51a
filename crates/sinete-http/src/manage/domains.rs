//! Domains that an organization proves to be its own.

use super::errand::Errand;
use super::made::Made;
use super::page::Viewed;
use crate::call::Call;
use crate::reply::json::{At, answer, nothing, written};
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::people::domain::Domain as Name;
use sinete_engine::domains::{self, Domain};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let after = page.after::<Name>()?;
    let read = domains::list(errand.engine(), &acting, after.as_ref(), page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn add(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let wanted = errand.body::<NewDomain>()?;
    errand
        .make(
            async |claim| domains::add(errand.engine(), &acting.claiming(claim), &wanted.domain).await,
            |domain: Domain| Made::new(&domain.view()?, errand.below(&domain.name)),
        )
        .await
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let name = errand.named_as::<Name>("domain")?;
    shown(&domains::show(errand.engine(), &acting, &name).await??)
}

pub(crate) async fn verify(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let name = errand.named_as::<Name>("domain")?;
    shown(&domains::verify(errand.engine(), &acting, &name).await??)
}

pub(crate) async fn remove(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let name = errand.named_as::<Name>("domain")?;
    domains::remove(errand.engine(), &acting, &name).await??;
    Ok(nothing())
}

fn shown(domain: &Domain) -> Result<Response, Declined> {
    Ok(answer(StatusCode::OK, written(&domain.view()?)?))
}

/// What is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewDomain {
    domain: String,
}

/// A domain, as it is shown.
#[derive(Serialize)]
struct DomainView<'a> {
    domain: &'a str,
    name: String,
    state: &'static str,
    record: Record<'a>,
    verified_at: Option<At>,
    confirmed_at: Option<At>,
    missing_since: Option<At>,
    created_at: At,
}

/// The record to publish.
#[derive(Serialize)]
struct Record<'a> {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    value: &'a str,
}

impl Viewed for Domain {
    fn place(&self) -> String {
        self.name.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        let state = match (self.verified_at, self.missing_since) {
            (None, _) => "waiting",
            (Some(_), None) => "verified",
            (Some(_), Some(_)) => "missing",
        };
        Ok(DomainView {
            domain: self.name.as_str(),
            name: self.name.shown(),
            state,
            record: Record { name: self.name.record_name(), kind: "TXT", value: &self.proof },
            verified_at: self.verified_at.map(At),
            confirmed_at: self.confirmed_at.map(At),
            missing_since: self.missing_since.map(At),
            created_at: At(self.created_at),
        })
    }
}

pub(crate) const SCHEMAS: &[&Schema] = &[&NEW_DOMAIN, &DOMAIN];

/// What is asked for.
pub(crate) const NEW_DOMAIN: Schema = Schema {
    name: "NewDomain",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["domain"],
        "properties": {
            "domain": {"type": "string", "minLength": 1, "maxLength": 253, "description": "The domain, in its own script or as A-labels. One that everybody can have names or addresses in is refused."}
        },
        "examples": [{"domain": "acme.example"}]
    }"##,
};

/// What is shown.
pub(crate) const DOMAIN: Schema = Schema {
    name: "Domain",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["domain", "name", "state", "record", "verified_at", "confirmed_at", "missing_since", "created_at"],
        "properties": {
            "domain": {"type": "string", "description": "The domain as A-labels, which is also its id."},
            "name": {"type": "string", "description": "The domain in its own script."},
            "state": {"type": "string", "enum": ["waiting", "verified", "missing"], "description": "Missing means that it counts, and will be lost unless its record comes back."},
            "record": {
                "type": "object", "additionalProperties": false, "required": ["name", "type", "value"],
                "description": "What to publish in the DNS, and to leave there.",
                "properties": {
                    "name": {"type": "string"},
                    "type": {"type": "string", "enum": ["TXT"]},
                    "value": {"type": "string"}
                }
            },
            "verified_at": {"type": ["string", "null"], "format": "date-time"},
            "confirmed_at": {"type": ["string", "null"], "format": "date-time", "description": "When the record was last seen."},
            "missing_since": {"type": ["string", "null"], "format": "date-time"},
            "created_at": {"type": "string", "format": "date-time"}
        }
    }"##,
};
