//! The keys of a client: registered by value, or published at its `jwks_uri`.

use crate::Engine;
use crate::oauth::cache::client::CachedClient;
use crate::oauth::mtls::ClientCertificate;
use crate::platform::jwks_uri_cache::{JwksFetchBusy, JwksPurpose, load_published_keys};
use crate::platform::outbound_owner::client_outbound_owner;
use sinete_core::platform::outbound::{OutboundPurpose, OutboundTarget};
use sinete_crypto::oauth::client_assertion::{VerificationKeySet, read_claimed_algorithm};
use std::sync::Arc;

/// The keys that can verify a JWS signed by the client. `None` if its algorithm is not allowed by the
/// client's profile.
pub(in crate::oauth) async fn find_signing_keys(
    engine: &Engine,
    client: &CachedClient,
    signed: &str,
) -> Result<Option<Arc<VerificationKeySet>>, JwksFetchBusy> {
    let profile = client.metadata.security_profile;
    if !read_claimed_algorithm(signed).is_some_and(|algorithm| profile.allows_algorithm(algorithm)) {
        return Ok(None);
    }
    registered_or_published(engine, client, JwksPurpose::Signed(signed)).await
}

/// The keys that can match a certificate.
pub(in crate::oauth) async fn find_certificate_keys(
    engine: &Engine,
    client: &CachedClient,
    certificate: &ClientCertificate,
) -> Result<Option<Arc<VerificationKeySet>>, JwksFetchBusy> {
    registered_or_published(engine, client, JwksPurpose::Certificate(certificate)).await
}

async fn registered_or_published(
    engine: &Engine,
    client: &CachedClient,
    needed: JwksPurpose<'_>,
) -> Result<Option<Arc<VerificationKeySet>>, JwksFetchBusy> {
    if let Some(registered) = client.registered_keys() {
        return Ok(Some(registered));
    }
    match jwks_uri(client) {
        Some(target) => load_published_keys(engine, &target, needed).await,
        None => Ok(None),
    }
}

/// The `jwks_uri` of the client, if it has one.
fn jwks_uri(client: &CachedClient) -> Option<OutboundTarget<'_>> {
    let url = client.metadata.jwks_uri.as_deref()?;
    Some(OutboundTarget {
        purpose: OutboundPurpose::ClientKeys,
        owner: client_outbound_owner(&client.client),
        url,
    })
}
