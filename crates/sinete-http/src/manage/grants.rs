//! What members let applications do.

use super::errand::Errand;
use super::page::Viewed;
use crate::call::Call;
use crate::reply::json::{At, answer, nothing, written};
use crate::reply::{Answer, Declined};
use crate::route::Parameter;
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::json;
use sinete_core::authorize::agreed::AgreedScopes;
use sinete_core::client::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_engine::member_grants::{self, Grant, Kind};
use std::collections::BTreeMap;

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let (member, after, most) = (errand.asked_as("member")?, page.after()?, page.to_read());
    let read = member_grants::list(errand.engine(), &acting, member, after, most).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let grant = member_grants::show(errand.engine(), &acting, errand.id("grant")?).await??;
    Ok(answer(StatusCode::OK, written(&grant.view()?)?))
}

pub(crate) async fn revoke(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    member_grants::revoke(errand.engine(), &acting, errand.id("grant")?).await??;
    Ok(nothing())
}

/// A grant, as it is shown.
#[derive(Serialize)]
struct GrantView<'a> {
    id: GrantId,
    kind: &'static str,
    membership: MembershipId,
    client: &'a ClientId,
    scopes: BTreeMap<String, String>,
    ends_with_session: bool,
    created_at: At,
    expires_at: At,
    revoked_at: Option<At>,
}

impl Viewed for Grant {
    fn place(&self) -> String {
        self.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        let agreed: AgreedScopes = self.scopes.read().map_err(sinete_engine::Failed::from)?;
        let scopes = agreed.iter().map(|(audience, scopes)| (audience.to_string(), scopes.to_string()));
        Ok(GrantView {
            id: self.id,
            kind: match self.kind {
                Kind::Code => "code",
                Kind::Device => "device",
                Kind::Backchannel => "backchannel",
            },
            membership: self.membership,
            client: &self.client,
            scopes: scopes.collect(),
            ends_with_session: self.session.is_some(),
            created_at: At(self.created_at),
            expires_at: At(self.expires_at),
            revoked_at: self.revoked_at.map(At),
        })
    }
}

/// What the list can be asked by.
pub(crate) const QUERY: &[Parameter] = &[Parameter {
    name: "member",
    description: "Only what this member granted.",
    is_required: false,
    schema: || json!({"type": "string", "format": "uuid"}),
}];

pub(crate) const SCHEMAS: &[&Schema] = &[&GRANT];

/// What is shown.
pub(crate) const GRANT: Schema = Schema {
    name: "Grant",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "kind", "membership", "client", "scopes", "ends_with_session", "created_at", "expires_at", "revoked_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "kind": {"type": "string", "enum": ["code", "device", "backchannel"], "description": "How it was given."},
            "membership": {"type": "string", "format": "uuid", "description": "Who gave it."},
            "client": {"type": "string", "description": "Who got it."},
            "scopes": {"type": "object", "additionalProperties": {"type": "string"}, "description": "What was agreed to, by the API it is for. What is held is decided at each use."},
            "ends_with_session": {"type": "boolean"},
            "created_at": {"type": "string", "format": "date-time"},
            "expires_at": {"type": "string", "format": "date-time"},
            "revoked_at": {"type": ["string", "null"], "format": "date-time"}
        }
    }"##,
};
