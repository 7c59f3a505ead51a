//! Where one is signed in.

use super::{begin, paged};
use crate::call::Call;
use crate::manage::page::Viewed;
use crate::reply::json::{At, nothing};
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use serde::Serialize;
use sinete_core::id::SessionId;
use sinete_engine::sessions::{self, Shown};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    let current = errand.caller.signed_in.session.id;
    let all = sessions::list(errand.engine(), errand.caller.account()).await?;
    let all = all.into_iter().map(|shown| Own { is_current: shown.id == current, shown }).collect();
    paged(&errand, all)
}

pub(crate) async fn end(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    let (oneself, id) = (&errand.caller, errand.id("session")?);
    sessions::end(errand.engine(), oneself.account(), id, &oneself.cause).await??;
    Ok(nothing())
}

pub(crate) async fn end_others(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    let oneself = &errand.caller;
    let kept = oneself.signed_in.session.id;
    sessions::sign_out_elsewhere(errand.engine(), oneself.account(), kept, &[], &oneself.cause).await?;
    Ok(nothing())
}

/// A session of one's own.
pub(super) struct Own {
    pub(super) shown: Shown,
    pub(super) is_current: bool,
}

#[derive(Serialize)]
struct SessionView<'a> {
    id: SessionId,
    is_current: bool,
    device: &'a str,
    address: Option<std::net::IpAddr>,
    place: Option<&'a str>,
    created_at: At,
    used_at: At,
    expires_at: At,
}

impl Viewed for Own {
    fn place(&self) -> String {
        self.shown.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        let shown = &self.shown;
        Ok(SessionView {
            id: shown.id,
            is_current: self.is_current,
            device: &shown.description.device,
            address: shown.description.address,
            place: shown.description.place.as_deref(),
            created_at: At(shown.created_at),
            used_at: At(shown.used_at),
            expires_at: At(shown.expires_at),
        })
    }
}

pub(super) const SCHEMAS: &[&Schema] = &[&SESSION];

/// What is shown.
pub(crate) const SESSION: Schema = Schema {
    name: "Session",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "is_current", "device", "address", "place", "created_at", "used_at", "expires_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "is_current": {"type": "boolean", "description": "Whether it is the one in which this is asked."},
            "device": {"type": "string", "description": "The browser and the system, in English."},
            "address": {"type": ["string", "null"]},
            "place": {"type": ["string", "null"]},
            "created_at": {"type": "string", "format": "date-time"},
            "used_at": {"type": "string", "format": "date-time", "description": "To the minute."},
            "expires_at": {"type": "string", "format": "date-time"}
        }
    }"##,
};
