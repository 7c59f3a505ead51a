//! Which hosts may publish client metadata documents: decided by the instance and by each organization.

use crate::json_schema::impl_value_schema;
use crate::limits::CLIENT_DOCUMENT_HOSTS_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether clients may identify themselves with a metadata document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ClientDocumentPolicy {
    /// From every host. Such clients are unverified, which is shown to users.
    #[default]
    On,
    /// From the listed hosts only.
    AllowList,
    /// Not at all.
    Off,
}

impl ClientDocumentPolicy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::On, Self::AllowList, Self::Off];

    /// The value in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::AllowList => "allow_list",
            Self::Off => "off",
        }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The policy with its hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
pub struct ClientDocumentRules {
    /// The policy.
    #[schemars(description = "From every host, from the listed hosts only, or not at all.")]
    #[serde(skip_serializing_if = "ClientDocumentPolicy::is_default")]
    #[schemars(extend("default" = "on"))]
    pub policy: ClientDocumentPolicy,
    /// The hosts of the policy `allow_list`.
    #[schemars(description = "The hosts of the policy allow_list.")]
    #[serde(skip_serializing_if = "ClientDocumentHosts::is_empty")]
    pub hosts: ClientDocumentHosts,
}

impl ClientDocumentRules {
    /// Whether these are the defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether documents of this host are accepted.
    pub fn accepts_host(&self, host: &str) -> bool {
        match self.policy {
            ClientDocumentPolicy::On => true,
            ClientDocumentPolicy::AllowList => self.hosts.0.iter().any(|it| it == host),
            ClientDocumentPolicy::Off => false,
        }
    }
}

/// A list of hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ClientDocumentHosts(Vec<String>);

/// The list is not one of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "at most {CLIENT_DOCUMENT_HOSTS_MAX} host names in lower case, without port and wildcard, such as app.example.com"
)]
pub struct InvalidDocumentHosts;

impl ClientDocumentHosts {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl_value_schema!(ClientDocumentHosts, {
    "type": "array",
    "maxItems": CLIENT_DOCUMENT_HOSTS_MAX,
    "uniqueItems": true,
    "items": {"type": "string", "minLength": 1, "maxLength": 253},
});

impl TryFrom<Vec<String>> for ClientDocumentHosts {
    type Error = InvalidDocumentHosts;

    fn try_from(hosts: Vec<String>) -> Result<Self, InvalidDocumentHosts> {
        let is_host = |host: &String| {
            let is_plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
            (1..=253).contains(&host.len()) && host.bytes().all(is_plain) && !host.starts_with('.')
        };
        let fits = hosts.len() <= CLIENT_DOCUMENT_HOSTS_MAX && hosts.iter().all(is_host);
        if fits { Ok(Self(hosts)) } else { Err(InvalidDocumentHosts) }
    }
}

impl From<ClientDocumentHosts> for Vec<String> {
    fn from(hosts: ClientDocumentHosts) -> Self {
        hosts.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_document_hosts_are_accepted_by_policy() {
        let hosts = ClientDocumentHosts::try_from(vec!["app.example".to_owned()]).unwrap();
        let accepts = |policy, host| ClientDocumentRules { policy, hosts: hosts.clone() }.accepts_host(host);
        for (policy, is_listed_accepted, other) in [
            (ClientDocumentPolicy::On, true, true),
            (ClientDocumentPolicy::AllowList, true, false),
            (ClientDocumentPolicy::Off, false, false),
        ] {
            assert_eq!(
                (accepts(policy, "app.example"), accepts(policy, "evil.app.example")),
                (is_listed_accepted, other)
            );
        }
        for bad in ["", "*.app.example", "App.example", "app.example:443", "https://app.example", ".example"]
        {
            assert_eq!(
                ClientDocumentHosts::try_from(vec![bad.to_owned()]),
                Err(InvalidDocumentHosts),
                "{bad}"
            );
        }
    }
}
