//! Cache of the serialized discovery document, rebuilt only when the signing algorithms change.

use super::RouteEntry;
use sinete_core::oauth::discovery::{MtlsCapabilities, ServerCapabilities, build_discovery_document};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::secret::Digest;
use sinete_engine::oauth::mtls::MtlsSettings;
use sinete_server::base_address::BaseAddress;
use sinete_server::reply::document::StaticDocument;
use sinete_server::route::{RouteAvailability, RouteListener};
use std::sync::{Arc, PoisonError, RwLock};

/// The discovery document.
///
/// - Holds: the last serialized document.
/// - Confirmed by: the signing algorithms that it was built from, compared at every use.
/// - Dropped: when another one is built.
#[derive(Debug, Default)]
pub(crate) struct MetadataCache(RwLock<Option<(SigningSupport, Arc<StaticDocument>)>>);

/// For each algorithm, whether a key signs with it.
pub(crate) type SigningSupport = [bool; SigningAlgorithm::ALL.len()];

/// The variable parts of the metadata.
pub(crate) struct PublishedMetadata<'a> {
    /// The routes.
    pub(crate) routes: &'static [RouteEntry],
    /// The current signing algorithms.
    pub(crate) signing_support: SigningSupport,
    /// Whether there is an interface for users.
    pub(crate) has_interaction: bool,
    /// Whether anyone may create an account.
    pub(crate) has_sign_up: bool,
    /// The mTLS settings, which do not change while the server runs.
    pub(crate) certificates: Option<&'a MtlsSettings>,
    /// Whether a client id may be the URL of a metadata document.
    pub(crate) client_documents: bool,
}

impl MetadataCache {
    /// Returns the cached document, or builds it.
    pub(crate) fn get_or_build(
        &self,
        base: &BaseAddress,
        published: PublishedMetadata<'_>,
    ) -> Option<Arc<StaticDocument>> {
        let cache = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, document)) = cache.as_ref().filter(|(of, _)| *of == published.signing_support) {
            return Some(Arc::clone(document));
        }
        drop(cache);
        let document = Arc::new(render_discovery_document(base, &published)?);
        let entry = Some((published.signing_support, Arc::clone(&document)));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = entry;
        Some(document)
    }
}

/// The digest type of the document.
enum MetadataDigestDomain {}

fn render_discovery_document(
    base: &BaseAddress,
    published: &PublishedMetadata<'_>,
) -> Option<StaticDocument> {
    let is_served = |path: &str| {
        let is_on = |route: &RouteEntry| {
            route.availability != RouteAvailability::WithInteraction || published.has_interaction
        };
        published
            .routes
            .iter()
            .any(|it| it.path == path && it.listener.includes(RouteListener::Public) && is_on(it))
    };
    let certificates = published.certificates.map_or_else(MtlsCapabilities::default, |it| MtlsCapabilities {
        certificate_policy: it.accepted_certificates(),
        address: Some(it.address.as_str()).filter(|address| *address != base.issuer()),
    });
    let signs = SigningAlgorithm::ALL
        .into_iter()
        .zip(published.signing_support)
        .filter_map(|(it, signs)| signs.then_some(it));
    let signs: Vec<_> = signs.collect();
    let serving = ServerCapabilities {
        issuer: base.issuer(),
        is_served: &is_served,
        signing_algorithms: &signs,
        certificates,
        has_sign_up: published.has_sign_up,
        client_documents: published.client_documents,
    };
    let bytes = serde_json::to_vec(&build_discovery_document(&serving)).ok()?;
    let digest = Digest::<MetadataDigestDomain>::from_parts(&[&bytes]);
    let tag: String = digest.as_bytes().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    StaticDocument::new(bytes, &tag, "application/json", "public, max-age=300").ok()
}
