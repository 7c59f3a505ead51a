//! Providers that know whose account this is.

use super::{begin, paged};
use crate::call::Call;
use crate::manage::page::Viewed;
use crate::reply::json::{At, nothing};
use crate::reply::{Answer, Declined};
use crate::schema::Schema;
use crate::state::State;
use serde::Serialize;
use sinete_engine::account::identities::{self, Linkable, Shown};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    let all = identities::list(errand.engine(), &errand.caller).await?;
    paged(&errand, all)
}

pub(crate) async fn linkable(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    let all = identities::linkable(errand.engine(), &errand.caller).await?;
    paged(&errand, all)
}

pub(crate) async fn unlink(state: State, call: Call) -> Answer {
    let errand = begin(state, call).await?;
    identities::unlink(errand.engine(), &errand.caller, errand.named("identity")).await??;
    Ok(nothing())
}

#[derive(Serialize)]
struct IdentityView<'a> {
    id: &'a str,
    issuer: &'a str,
    subject: &'a str,
    works: bool,
    created_at: At,
}

impl Viewed for Shown {
    fn place(&self) -> String {
        self.id.clone()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        Ok(IdentityView {
            id: &self.id,
            issuer: &self.issuer,
            subject: &self.subject,
            works: self.is_usable,
            created_at: At(self.created_at),
        })
    }
}

#[derive(Serialize)]
struct LinkableView<'a> {
    connection: String,
    name: &'a str,
    issuer: &'a str,
    organization: &'a str,
}

impl Viewed for Linkable {
    fn place(&self) -> String {
        self.connection.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        Ok(LinkableView {
            connection: self.connection.id.to_string(),
            name: &self.connection.chosen.name,
            issuer: self.connection.issuer.as_str(),
            organization: &self.organization,
        })
    }
}

pub(crate) const SCHEMAS: &[&Schema] = &[&IDENTITY, &LINKABLE];

/// A provider that knows whose account this is.
pub(crate) const IDENTITY: Schema = Schema {
    name: "Identity",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "issuer", "subject", "works", "created_at"],
        "properties": {
            "id": {"type": "string"},
            "issuer": {"type": "string", "description": "Who the provider is."},
            "subject": {"type": "string", "description": "Who the person is there."},
            "works": {"type": "boolean", "description": "Whether one can sign in with it now."},
            "created_at": {"type": "string", "format": "date-time"}
        }
    }"##,
};

/// A provider that could.
pub(crate) const LINKABLE: Schema = Schema {
    name: "LinkableProvider",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["connection", "name", "issuer", "organization"],
        "properties": {
            "connection": {"type": "string", "format": "uuid", "description": "What a flow of the kind link_identity takes."},
            "name": {"type": "string"},
            "issuer": {"type": "string"},
            "organization": {"type": "string", "description": "Whose provider it is."}
        }
    }"##,
};
