//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use serde::Serialize;

/// Which of them [`crate::management::Management::list_instance_clients`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListInstanceClientsQuery {
    /// Whether the operators' own clients are listed, or those that registered themselves. One of
    /// `operator`, `self`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}
