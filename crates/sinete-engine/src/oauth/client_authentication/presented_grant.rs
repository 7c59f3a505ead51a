//! Loads the client's state together with the grant of the request, in one query.

use crate::{Engine, Failure};
use sinete_core::oauth::grants::AuthorizationGrant;
use sinete_core::secret::{AuthorizationCodeSecret, RefreshTokenSecret};
use sinete_core::time::Timestamp;
use sinete_store::DependencySnapshot;
use sinete_store::oauth::subject_state::token_lookup;
use sinete_store::oauth::subject_state::token_lookup::ClientLookup;
use sinete_store::oauth::{authorization_codes, client_authentication, refresh_tokens};

/// The presented grant, unverified.
pub(crate) enum PresentedGrant {
    /// Not loaded: the grant type reads its own data. The dependency snapshot of the client authentication.
    NotLoaded(DependencySnapshot),
    /// The machine in its organization, if it has roles there.
    Machine(Option<token_lookup::ServiceLookup>),
    /// A refresh token, if it exists.
    RefreshToken(Option<token_lookup::TokenLookup<refresh_tokens::RefreshTokenStatus>>),
    /// An authorization code, if it exists.
    Code(Option<token_lookup::TokenLookup<authorization_codes::AuthorizationCodeStatus>>),
}

impl PresentedGrant {
    /// The dependency snapshot of the client authentication, if known.
    pub(in crate::oauth) fn dependency_snapshot(&self) -> Option<DependencySnapshot> {
        match self {
            Self::NotLoaded(facts) => Some(*facts),
            Self::Code(found) => found.as_ref().map(|found| found.facts),
            Self::RefreshToken(found) => found.as_ref().map(|found| found.facts),
            Self::Machine(_) => None,
        }
    }

    /// Whether the presented code or refresh token does not exist.
    pub(crate) const fn is_missing(&self, grant: Option<&AuthorizationGrant>) -> bool {
        let names_one = matches!(
            grant,
            Some(AuthorizationGrant::AuthorizationCode { .. } | AuthorizationGrant::RefreshToken { .. })
        );
        names_one && !matches!(self, Self::Code(Some(_)) | Self::RefreshToken(Some(_)))
    }
}

/// Loads the client's state with the presented grant; `None` for an unknown client.
pub(in crate::oauth) async fn load_presented_grant(
    engine: &Engine,
    grant: Option<&AuthorizationGrant>,
    asker: ClientLookup<'_>,
    now: Timestamp,
) -> Result<Option<(client_authentication::ClientAuthState, PresentedGrant)>, Failure> {
    let store = engine.store();
    Ok(match grant {
        Some(AuthorizationGrant::ClientCredentials) => {
            let found = token_lookup::load_service(store, asker, now).await?;
            if let Some((_, Some(service))) = &found {
                engine.shared.newest_dependency_version.record_version(service.facts.version);
            }
            found.map(|(client, found)| (client, PresentedGrant::Machine(found)))
        }
        Some(AuthorizationGrant::RefreshToken { token })
            if let Ok(token) = RefreshTokenSecret::parse(token) =>
        {
            let found = token_lookup::load_refresh_token(store, asker, &token.digests(), now).await?;
            if let Some((_, Some(found))) = &found {
                engine.shared.newest_dependency_version.record_version(found.facts.version);
            }
            found.map(|(client, found)| (client, PresentedGrant::RefreshToken(found)))
        }
        Some(AuthorizationGrant::AuthorizationCode { code, .. })
            if let Ok(code) = AuthorizationCodeSecret::parse(code) =>
        {
            let found = token_lookup::load_authorization_code(store, asker, &code.digest(), now).await?;
            if let Some((_, Some(found))) = &found {
                engine.shared.newest_dependency_version.record_version(found.facts.version);
            }
            found.map(|(client, found)| (client, PresentedGrant::Code(found)))
        }
        _ => {
            let found =
                client_authentication::find_client_auth_state(store, asker.client, asker.secret, now).await?;
            if let Some((_, facts)) = &found {
                engine.shared.newest_dependency_version.record_version(facts.version);
            }
            found.map(|(client, facts)| (client, PresentedGrant::NotLoaded(facts)))
        }
    })
}
