//! Client assertions (RFC 7523 §3, `private_key_jwt`): short-lived, with only this server as audience, and
//! signed with a key that the client registered.

mod decoy;

use crate::oauth::mtls::{ClientCertificate, RegisteredCertificateKey};
use crate::platform::jwt::{EMBEDDED_KEY_HEADERS, JwtRejection, VerifiedJwtClaims, parse_object};
use crate::platform::signing_keys::PublicKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::limits::{
    CLIENT_ASSERTION_JTI_BYTES_MAX, CLIENT_ASSERTION_LIFETIME_MAX, CLIENT_JWKS_KEYS_MAX, CLOCK_TOLERANCE,
    TOKEN_BYTES_MAX,
};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;

/// The parsed keys of a client's JWKS.
///
/// A key is for one algorithm. An RSA key without `alg` is accepted for both RSA algorithms, because its
/// holder chooses the padding; a signature with one padding is never valid with the other.
#[derive(Debug, Default)]
pub struct VerificationKeySet {
    signing_keys: Vec<PublicKey>,
    certificate_keys: Vec<RegisteredCertificateKey>,
}

/// The expected values of a client assertion.
#[derive(Clone, Copy, Debug)]
pub struct ClientAssertionExpectations<'a> {
    /// The expected `iss` and `sub`.
    pub client: &'a str,
    /// The identifiers of this server; `aud` must contain only these.
    pub audiences: &'a [String],
    /// The allowed form of `aud`.
    pub audience_form: AssertionAudienceForm,
    /// The algorithm that the client registered; `None` allows every supported one.
    pub algorithm: Option<SigningAlgorithm>,
    /// The time of validation.
    pub now: Timestamp,
}

/// The form of `aud`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssertionAudienceForm {
    /// A single string or a list.
    OneOrList,
    /// A single string only (FAPI 2.0 §5.3.2.1).
    One,
}

/// A valid client assertion, apart from the replay check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedClientAssertion {
    /// The `jti`, which is accepted once.
    pub id: String,
    /// When the assertion is too old to be accepted; its `jti` is stored until then.
    pub replay_expires_at: Timestamp,
}

/// Why a client assertion is rejected. The reason is only for our log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientAssertionRejection {
    /// It is not a valid JWT.
    #[error(transparent)]
    Token(#[from] JwtRejection),
    /// `iss` and `sub` differ from each other or from the client of the request.
    #[error("the assertion is from or about another client")]
    WrongClient,
    /// Its lifetime exceeds the maximum.
    #[error("the lifetime of the assertion is too long")]
    TooLongLived,
}

impl VerificationKeySet {
    /// Reads the keys of a JWKS that can verify signatures or match a certificate. Others, such as encryption
    /// keys, are ignored.
    pub fn from_jwks(set: &Value, registered: Option<SigningAlgorithm>) -> Self {
        let keys = set.get("keys").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let keys = &keys[..keys.len().min(CLIENT_JWKS_KEYS_MAX)];
        Self {
            signing_keys: keys
                .iter()
                .flat_map(|key| parse_usable_keys(&key.to_string(), registered))
                .collect(),
            certificate_keys: keys.iter().filter_map(RegisteredCertificateKey::from_jwk).collect(),
        }
    }

    /// Whether there are no signing keys.
    pub fn is_empty(&self) -> bool {
        self.signing_keys.is_empty()
    }

    /// Whether the client registered the certificate (RFC 8705 §2.2).
    pub fn contains_certificate(&self, certificate: &ClientCertificate) -> bool {
        self.certificate_keys.iter().any(|key| key.matches_certificate(certificate))
    }

    /// Whether a key fits the header of this assertion. If none does, the client may have published a new
    /// one.
    pub fn can_verify(&self, assertion: &str) -> bool {
        parse_header(assertion).is_ok_and(|header| self.find_key(&header, None).is_ok())
    }

    /// Finds the key by `kid`, or the only key for the algorithm if there is no `kid`.
    pub(crate) fn find_key(
        &self,
        header: &Map<String, Value>,
        registered: Option<SigningAlgorithm>,
    ) -> Result<&PublicKey, JwtRejection> {
        let text = |member: &str| header.get(member).and_then(Value::as_str);
        let algorithm = text("alg").and_then(|name| name.parse::<SigningAlgorithm>().ok());
        let algorithm = algorithm.ok_or(JwtRejection::WrongAlgorithm)?;
        if registered.is_some_and(|registered| registered != algorithm) {
            return Err(JwtRejection::WrongAlgorithm);
        }
        let kid = match header.get("kid") {
            Some(kid) => Some(kid.as_str().ok_or(JwtRejection::Malformed)?),
            None => None,
        };
        let matches_kid = |key: &&PublicKey| kid.is_none_or(|kid| key.kid() == kid);
        if kid.is_some() && !self.signing_keys.iter().any(|key| matches_kid(&key)) {
            return Err(JwtRejection::UnknownKey);
        }
        // RFC 8725 §3.1: the algorithm is a property of the key, not a choice of the token.
        let mut fitting =
            self.signing_keys.iter().filter(matches_kid).filter(|key| key.algorithm() == algorithm);
        match (fitting.next(), fitting.next()) {
            (Some(key), None) => Ok(key),
            (None, _) => Err(JwtRejection::WrongAlgorithm),
            (Some(_), Some(_)) => Err(JwtRejection::UnknownKey),
        }
    }
}

/// Parses a JWK once for each algorithm it may be used with.
fn parse_usable_keys(jwk: &str, registered: Option<SigningAlgorithm>) -> Vec<PublicKey> {
    match PublicKey::from_jwk(jwk, None) {
        Ok(key) => vec![key],
        Err(_) => [SigningAlgorithm::Rs256, SigningAlgorithm::Ps256]
            .into_iter()
            .filter(|algorithm| registered.is_none_or(|registered| registered == *algorithm))
            .filter_map(|algorithm| PublicKey::from_jwk(jwk, Some(algorithm)).ok())
            .collect(),
    }
}

/// Reads the unverified `sub` of an assertion, to look up the client's keys.
pub fn read_claimed_client(assertion: &str) -> Option<String> {
    let (_, payload, _) = split_jws(assertion).ok()?;
    Some(parse_object(payload).ok()?.get("sub")?.as_str()?.to_owned())
}

/// Reads the unverified `alg` of a JWS.
pub fn read_claimed_algorithm(signed: &str) -> Option<SigningAlgorithm> {
    parse_header(signed).ok()?.get("alg")?.as_str()?.parse().ok()
}

/// Verifies and validates an assertion.
pub fn verify_client_assertion(
    assertion: &str,
    keys: &VerificationKeySet,
    expected: &ClientAssertionExpectations<'_>,
) -> Result<VerifiedClientAssertion, ClientAssertionRejection> {
    let payload = check_signature(assertion, keys, expected.algorithm, &mut verify_signature)?;
    let claims = VerifiedJwtClaims::from_verified(parse_object(payload)?);
    if claims.text_claim("iss") != Some(expected.client) || claims.text_claim("sub") != Some(expected.client)
    {
        return Err(ClientAssertionRejection::WrongClient);
    }
    check_audience(&claims, expected)?;
    let forgotten_at = check_lifetime(&claims, expected.now)?;
    let id = claims.text_claim("jti").filter(|id| (1..=CLIENT_ASSERTION_JTI_BYTES_MAX).contains(&id.len()));
    let id = id.ok_or(JwtRejection::BadClaim("jti"))?.to_owned();
    Ok(VerifiedClientAssertion { id, replay_expires_at: forgotten_at })
}

/// Performs the work of verifying an assertion if there is no key for it: the client does not exist, or
/// authenticates in another way. Otherwise the response time would reveal which clients exist.
pub fn verify_decoy_assertion(assertion: &str) {
    // The result is irrelevant.
    let _refused =
        check_signature(assertion, &VerificationKeySet::default(), None, &mut verify_signature).is_err();
}

/// Verifies a signature of a message with a key.
type VerifySignature<'a> = dyn FnMut(&PublicKey, &[u8], &[u8]) -> bool + 'a;

fn verify_signature(key: &PublicKey, signed: &[u8], signature: &[u8]) -> bool {
    key.verify_signature(signed, signature).is_ok()
}

/// Returns the payload of an assertion signed by one of the keys. If no key fits, a decoy key is used
/// instead, so that the amount of work does not depend on the registered keys.
fn check_signature<'a>(
    assertion: &'a str,
    keys: &VerificationKeySet,
    registered: Option<SigningAlgorithm>,
    verifies: &mut VerifySignature<'_>,
) -> Result<&'a str, JwtRejection> {
    let (signed, payload, signature) = split_jws(assertion)?;
    let header = parse_header(assertion)?;
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical);
    }
    if EMBEDDED_KEY_HEADERS.iter().any(|member| header.contains_key(*member)) {
        return Err(JwtRejection::EmbeddedKey);
    }
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| JwtRejection::Malformed)?;
    match keys.find_key(&header, registered) {
        Ok(key) if verifies(key, signed.as_bytes(), &signature) => Ok(payload),
        Ok(_) => Err(JwtRejection::WrongSignature),
        Err(rejection) => {
            if let Some(decoy) = decoy::decoy_key(read_claimed_algorithm(assertion)) {
                verifies(decoy, signed.as_bytes(), &signature);
            }
            Err(rejection)
        }
    }
}

/// Splits a JWS into signing input, payload and signature.
pub(crate) fn split_jws(assertion: &str) -> Result<(&str, &str, &str), JwtRejection> {
    if assertion.len() > TOKEN_BYTES_MAX {
        return Err(JwtRejection::TooLong);
    }
    let (signed, signature) = assertion.rsplit_once('.').ok_or(JwtRejection::Malformed)?;
    let (_, payload) = signed.split_once('.').ok_or(JwtRejection::Malformed)?;
    if payload.contains('.') { Err(JwtRejection::Malformed) } else { Ok((signed, payload, signature)) }
}

pub(crate) fn parse_header(assertion: &str) -> Result<Map<String, Value>, JwtRejection> {
    split_jws(assertion)?;
    parse_object(assertion.split('.').next().unwrap_or_default())
}

/// Checks `aud`. An assertion that is also for another server could have been sent to that server and
/// replayed here.
fn check_audience(
    claims: &VerifiedJwtClaims,
    expected: &ClientAssertionExpectations<'_>,
) -> Result<(), JwtRejection> {
    let is_ours =
        |one: &Value| one.as_str().is_some_and(|one| expected.audiences.iter().any(|name| name == one));
    match (claims.members().get("aud"), expected.audience_form) {
        (Some(one @ Value::String(_)), AssertionAudienceForm::One | AssertionAudienceForm::OneOrList)
            if is_ours(one) =>
        {
            Ok(())
        }
        (Some(Value::Array(audiences)), AssertionAudienceForm::OneOrList)
            if !audiences.is_empty() && audiences.iter().all(is_ours) =>
        {
            Ok(())
        }
        _ => Err(JwtRejection::WrongAudience),
    }
}

/// Checks the lifetime, and returns when the assertion becomes too old.
fn check_lifetime(claims: &VerifiedJwtClaims, now: Timestamp) -> Result<Timestamp, ClientAssertionRejection> {
    let latest = now.plus(CLOCK_TOLERANCE);
    let expires = claims.time_claim("exp")?.ok_or(JwtRejection::BadClaim("exp"))?;
    let issued = claims.time_claim("iat")?;
    let refused_from = expires.plus(CLOCK_TOLERANCE);
    if refused_from <= now {
        return Err(JwtRejection::Expired.into());
    }
    if issued.is_some_and(|issued| issued > latest)
        || claims.time_claim("nbf")?.is_some_and(|from| from > latest)
    {
        return Err(JwtRejection::NotYetValid.into());
    }
    let lives_too_long = |from: Timestamp| expires > from.plus(CLIENT_ASSERTION_LIFETIME_MAX);
    if lives_too_long(latest) || issued.is_some_and(lives_too_long) {
        return Err(ClientAssertionRejection::TooLongLived);
    }
    Ok(refused_from)
}

#[cfg(test)]
mod tests;
