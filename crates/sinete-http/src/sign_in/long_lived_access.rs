//! Access that outlives sessions, as returned by flows and by the account.

use schemars::JsonSchema;
use serde::Serialize;
use sinete_engine::sign_in::long_lived_access::LongLivedAccess;
use sinete_server::reply::json::JsonTimestamp;

/// Lasting access, as returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LongLivedAccessView {
    /// The id, with which a request can keep this access.
    id: String,
    #[schemars(extend("enum" = ["application", "api_key"]))]
    kind: &'static str,
    name: String,
    /// The name of the organization it acts in.
    organization: String,
    since: JsonTimestamp,
}

impl From<LongLivedAccess> for LongLivedAccessView {
    fn from(access: LongLivedAccess) -> Self {
        let (kind, since) = (access.kind.name(), JsonTimestamp(access.granted_at));
        Self { id: access.id, kind, name: access.name, organization: access.organization_name, since }
    }
}
