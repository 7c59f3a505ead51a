//! API keys of an organization's members.

use super::errand::Errand;
use super::made::Made;
use super::page::Viewed;
use crate::call::Call;
use crate::reply::json::{At, answer, nothing, written};
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sinete_core::authority::scope::Scopes;
use sinete_core::fault::Faults;
use sinete_core::id::{ApiKeyId, MembershipId};
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_engine::api_keys::{self, Issued, Shown, Wanted};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let read = api_keys::list(errand.engine(), &acting, page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn issue(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let wanted = errand.body::<NewApiKey>()?.wanted()?;
    errand
        .make(
            async |claim| api_keys::issue(errand.engine(), &acting.claiming(claim), &wanted).await,
            |issued: Issued| {
                let location = errand.below(issued.id);
                Ok(Made::new(&IssuedView::of(issued, &wanted), location)?.with_secret())
            },
        )
        .await
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let key = api_keys::show(errand.engine(), &acting, errand.id("api_key")?).await??;
    Ok(answer(StatusCode::OK, written(&key.view()?)?))
}

pub(crate) async fn revoke(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    api_keys::revoke(errand.engine(), &acting, errand.id("api_key")?).await??;
    Ok(nothing())
}

/// A key, as it is shown.
#[derive(Serialize)]
struct ApiKeyView<'a> {
    id: ApiKeyId,
    membership: MembershipId,
    name: &'a str,
    scope: &'a Scopes,
    created_at: At,
    expires_at: At,
    used_at: Option<At>,
    revoked_at: Option<At>,
}

impl Viewed for Shown {
    fn place(&self) -> String {
        self.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        Ok(ApiKeyView {
            id: self.id,
            membership: self.membership,
            name: &self.name,
            scope: &self.scope,
            created_at: At(self.created_at),
            expires_at: At(self.expires_at),
            used_at: self.used_at.map(At),
            revoked_at: self.revoked_at.map(At),
        })
    }
}

/// A key that was just issued, with what is never shown again.
#[derive(Serialize)]
struct IssuedView<'a> {
    id: ApiKeyId,
    secret: String,
    membership: MembershipId,
    name: &'a str,
    scope: &'a Scopes,
    expires_at: At,
}

impl<'a> IssuedView<'a> {
    fn of(issued: Issued, wanted: &'a Wanted) -> Self {
        Self {
            id: issued.id,
            secret: issued.secret.reveal(),
            membership: wanted.membership,
            name: &wanted.name,
            scope: &wanted.scope,
            expires_at: At(issued.expires_at),
        }
    }
}

/// A key, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewApiKey {
    membership: String,
    name: String,
    scope: String,
    lifetime_seconds: Option<u32>,
}

impl NewApiKey {
    fn wanted(self) -> Result<Wanted, Declined> {
        let mut faults = Faults::default();
        let membership = faults.read("/membership", &self.membership);
        let scope = faults.read("/scope", &self.scope);
        let lifetime = self.lifetime_seconds.map(Lifetime::from_seconds);
        match (membership, scope) {
            (Some(membership), Some(scope)) => Ok(Wanted { membership, name: self.name, scope, lifetime }),
            _ => Err(Refusal::unfit(faults).into()),
        }
    }
}

pub(crate) const SCHEMAS: &[&Schema] = &[&API_KEY, &ISSUED_API_KEY, &NEW_API_KEY];

/// What is shown.
pub(crate) const API_KEY: Schema = Schema {
    name: "ApiKey",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "membership", "name", "scope", "created_at", "expires_at", "used_at", "revoked_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "membership": {"type": "string", "format": "uuid", "description": "Whose it is."},
            "name": {"type": "string"},
            "scope": {"type": "string", "description": "The most it may be used for, in permissions."},
            "created_at": {"type": "string", "format": "date-time"},
            "expires_at": {"type": "string", "format": "date-time"},
            "used_at": {"type": ["string", "null"], "format": "date-time", "description": "When it was last used, to the minute."},
            "revoked_at": {"type": ["string", "null"], "format": "date-time"}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074", "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
            "name": "nightly report", "scope": "members:read", "created_at": "2026-11-15T02:52:03.000042Z",
            "expires_at": "2027-02-13T02:52:03.000042Z", "used_at": null, "revoked_at": null
        }]
    }"##,
};

/// What is shown once.
pub(crate) const ISSUED_API_KEY: Schema = Schema {
    name: "IssuedApiKey",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "secret", "membership", "name", "scope", "expires_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "secret": {"type": "string", "description": "The key itself. It is shown this once and never again."},
            "membership": {"type": "string", "format": "uuid"},
            "name": {"type": "string"},
            "scope": {"type": "string"},
            "expires_at": {"type": "string", "format": "date-time"}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074",
            "secret": "sn_ak_0000000000000000000000000000000000000000000000AA",
            "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "name": "nightly report",
            "scope": "members:read", "expires_at": "2027-02-13T02:52:03.000042Z"
        }]
    }"##,
};

/// What is sent to be issued one.
pub(crate) const NEW_API_KEY: Schema = Schema {
    name: "NewApiKey",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["membership", "name", "scope"],
        "properties": {
            "membership": {"type": "string", "format": "uuid", "description": "Whose it will be."},
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What its owner calls it."},
            "scope": {
                "type": "string", "minLength": 3, "maxLength": 4096,
                "description": "The most it may be used for: permissions, separated by spaces. Its holder and whoever issues it must hold all of them.",
                "pattern": "^[a-z][a-z0-9_.-]*:([a-z][a-z0-9_.-]*|\\*)( [a-z][a-z0-9_.-]*:([a-z][a-z0-9_.-]*|\\*))*$"
            },
            "lifetime_seconds": {
                "type": "integer", "minimum": 1, "maximum": 31536000, "default": 7776000,
                "description": "How long it works; at most 365 days, 90 days unless said."
            }
        },
        "examples": [{
            "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "name": "nightly report", "scope": "members:read"
        }]
    }"##,
};
