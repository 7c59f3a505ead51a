//! The keys of Client ID Metadata Documents.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use sinete_core::organizations::client_documents::{ClientDocumentHosts, ClientDocumentPolicy};

/// Whether a client id may be the URL of a metadata document.
pub static CLIENT_DOCUMENTS_POLICY: ConfigKey<ClientDocumentPolicy> = ConfigKey::text(
    ConfigKeyEntry::new(
        "client_documents.policy",
        "Whether a `client_id` may be the https URL of a client metadata document, which Sinete fetches \
         (Client ID Metadata Documents). Such clients are unverified, and the consent page says so. An \
         organization may allow less.",
        "`on`, `allow_list` or `off`",
        "\"allow_list\"",
    )
    .with_default("on"),
    |text| {
        let document_policy = ClientDocumentPolicy::ALL.into_iter().find(|policy| policy.as_str() == text);
        document_policy.ok_or_else(|| "it is none of them".to_owned())
    },
);

/// The hosts of the allow-list.
pub static CLIENT_DOCUMENTS_HOSTS: ConfigKey<ClientDocumentHosts> = ConfigKey::list(
    ConfigKeyEntry::new(
        "client_documents.hosts",
        "The hosts whose client metadata documents are accepted with `client_documents.policy = \"allow_list\"`.",
        "host names, without port and wildcard",
        "[\"app.example.com\"]",
    )
    .with_unset_meaning("with the policy `allow_list`, no document is accepted"),
    |hosts| ClientDocumentHosts::try_from(hosts.to_vec()).map_err(|document_hosts| document_hosts.to_string()),
);
