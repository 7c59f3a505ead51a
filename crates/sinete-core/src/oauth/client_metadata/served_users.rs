//! In which organizations the users of an instance's client act.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which organizations the users of a client act. A client of an organization serves only that one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ServedUsers {
    /// In any of their organizations; users of several choose.
    #[default]
    Any,
    /// Everyone who can sign up: members of the home organization act there and are not asked to choose.
    Everyone,
    /// In any organization but the home organization, which is no customer.
    Organizations,
}

impl ServedUsers {
    /// Whether this is the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
