//! The userinfo endpoint (OpenID Connect Core §5.3).

use crate::oauth::access_token;
use crate::oauth::access_token::LiveAccessToken;
use crate::oauth::cache::client;
use crate::oauth::cache::client::CachedClient;
use crate::oauth::impersonation;
use crate::oauth::presented_credential::PresentedCredential;
use crate::organizations::domains;
use crate::platform::signing_keys;
use crate::{Engine, Error, Failure};
use serde_json::{Map, Value, json};
use sinete_core::access_control::scope::{IdentityScope, ScopeSet};
use sinete_core::access_control::subject::{ActiveSubject, TokenSubject};
use sinete_core::id::{AccountId, GrantId, MembershipId};
use sinete_core::oauth::access_token::list_role_names;
use sinete_core::oauth::authorize::stored_grant_params::RequestedClaims;
use sinete_core::oauth::scope_ceiling::ScopeCeiling;
use sinete_core::oauth::userinfo::{
    ClaimConsent, ContactClaim, UserInfoSource, select_id_token_claims, select_released_claims,
    select_requested_claims,
};
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, ContactRow};
use sinete_store::oauth::{authorization_codes, clients};
use sinete_store::organizations::memberships;
use std::sync::Arc;

/// A userinfo response.
#[derive(Debug)]
pub enum UserinfoResponse {
    /// Plain claims.
    Claims(Map<String, Value>),
    /// Signed claims, if the client registered `userinfo_signed_response_alg`.
    SignedJwt(String),
}

/// Loads the userinfo for an access token.
pub async fn load_userinfo(
    engine: &Engine,
    credential: impl Into<PresentedCredential<'_>>,
) -> Result<UserinfoResponse, Error> {
    let credential = credential.into();
    let live = access_token::load_active_token(engine, credential.text)
        .await
        .map_err(|error| error.into_error(|reason| invalid_token(reason.to_string())))?;
    credential.verify_token_binding(engine, &live.claims).await?;
    if !live.claims.combine_scope().contains(IdentityScope::OpenId) {
        return Err(Refusal::because(OAuthRefusal::UserinfoScopeMissing, "a token without openid").into());
    }
    let Some(client) = load_client(engine, &live).await? else {
        return Err(invalid_token("the client is gone".to_owned()).into());
    };
    impersonation::record_read(engine, &live, "userinfo").await?;
    let mut claims = Map::from_iter([("sub".to_owned(), json!(live.claims.subject()))]);
    if let TokenSubject::User { account, membership } = *live.subject.subject() {
        let mut names = select_released_claims(live.claims.combine_scope());
        names.extend(list_requested_claims(engine, &live, &client).await?);
        names.extend(client.metadata.role_claims.iter().map(|claim| claim.as_str()));
        claims
            .extend(load_user_claims(engine, &live.subject, account, membership).await?.build_claims(&names));
    }
    Ok(match client.metadata.userinfo_signed_response_alg {
        None => UserinfoResponse::Claims(claims),
        Some(algorithm) => {
            claims.insert("iss".to_owned(), json!(engine.settings().issuer));
            claims.insert("aud".to_owned(), json!(live.claims.client()));
            claims.insert("iat".to_owned(), json!(engine.now().seconds()));
            UserinfoResponse::SignedJwt(signing_keys::sign_claims(
                engine,
                algorithm,
                JwtType::UserInfo,
                &claims,
                engine.now(),
            )?)
        }
    })
}

/// The claims of the ID token about the user, with their current values: those requested by name, as far as
/// consented, and those that the client's metadata adds. A refreshed ID token contains the same ones.
pub(crate) async fn load_id_token_claims(
    engine: &Engine,
    subject: &ActiveSubject,
    client: &CachedClient,
    ceiling: &ScopeCeiling<'_>,
    requested: &RequestedClaims,
    scopes: &ScopeSet,
) -> Result<Map<String, Value>, Failure> {
    if !scopes.contains(IdentityScope::OpenId) {
        return Ok(Map::new());
    }
    let names = select_id_token_claims(&client.metadata, requested, ceiling, scopes);
    if names.is_empty() {
        return Ok(Map::new());
    }
    match *subject.subject() {
        TokenSubject::User { .. } if UserInfoSource::suffices_for(&names) => {
            Ok(UserInfoSource::from_roles(subject.organization(), list_role_names(subject))
                .build_claims(&names))
        }
        TokenSubject::User { account, membership } => {
            Ok(load_user_claims(engine, subject, account, membership).await?.build_claims(&names))
        }
        TokenSubject::Machine { .. } => Ok(Map::new()),
    }
}

/// Loads the client that the token was issued to.
async fn load_client(engine: &Engine, live: &LiveAccessToken) -> Result<Option<Arc<CachedClient>>, Failure> {
    let id = live.claims.client();
    // The version read with the token is that of the grant's client; after an exchange the client is another
    // one.
    if let (None, Some(version)) = (live.claims.jti().delegation, live.client_version)
        && let Some(client) = client::load_client_at_version(engine, id, version).await?
    {
        return Ok(Some(client));
    }
    let Some(client) = clients::find_client(engine.store(), id).await? else { return Ok(None) };
    Ok(Some(Arc::new(CachedClient::from_client(client)?)))
}

/// The claims requested by name. An exchanged token has none.
async fn list_requested_claims(
    engine: &Engine,
    live: &LiveAccessToken,
    client: &CachedClient,
) -> Result<Vec<&'static str>, Failure> {
    let jti = live.claims.jti();
    let (Some(grant), None) = (jti.grant(), jti.delegation) else { return Ok(Vec::new()) };
    let Some(request) = load_code_request(engine, grant).await? else { return Ok(Vec::new()) };
    let claim_consent = ClaimConsent { scopes: live.claims.combine_scope(), claims: &request.agreed_claims };
    let ceiling = client.scope_ceiling(engine, None);
    Ok(select_requested_claims(&request.claims, "userinfo", &ceiling, claim_consent))
}

async fn load_code_request(engine: &Engine, grant: GrantId) -> Result<Option<RequestedClaims>, Failure> {
    let request = authorization_codes::find_grant_request(engine.store(), grant).await?;
    Ok(request.map(|request| request.parse()).transpose()?)
}

/// Loads all claims about a user in one organization.
async fn load_user_claims(
    engine: &Engine,
    subject: &ActiveSubject,
    account: AccountId,
    membership: MembershipId,
) -> Result<UserInfoSource, Failure> {
    let (store, organization) = (engine.store(), subject.organization());
    let account_row = accounts::find_account(store, account).await?;
    let member = memberships::find_membership(store, organization, membership).await?;
    let contacts = contacts::list_account_contacts(store, account).await?;
    let member: MemberProfile = member.map(|member| member.profile.parse()).transpose()?.unwrap_or_default();
    let vouched = match &member.email {
        Some(address) if domains::is_verified_address(engine, organization, address).await? => {
            Some(address.as_str())
        }
        Some(_) | None => None,
    };
    let vouched = vouched.map(|address| ContactClaim { address: address.to_owned(), is_verified: true });
    Ok(UserInfoSource {
        claims: account_row.as_ref().map(|account| account.profile.parse()).transpose()?.unwrap_or_default(),
        member,
        language: account_row.and_then(|account| account.language),
        email: vouched.or_else(|| select_contact(&contacts, ContactKind::Email)),
        phone: select_contact(&contacts, ContactKind::Phone),
        organization,
        roles: list_role_names(subject),
    })
}

/// Selects the contact: the primary one if verified, else a verified one, else the primary one, else any.
fn select_contact(contacts: &[ContactRow], kind: ContactKind) -> Option<ContactClaim> {
    let best = |contact: &&ContactRow| (contact.verified_at.is_some(), contact.is_primary);
    let contact = contacts.iter().filter(|contact| contact.kind == kind).max_by_key(best)?;
    Some(ContactClaim { address: contact.address.clone(), is_verified: contact.verified_at.is_some() })
}

fn invalid_token(reason: String) -> Refusal {
    Refusal::because(OAuthRefusal::AccessTokenInvalid, reason)
}
