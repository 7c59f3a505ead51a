//! What an API does with an access token of Sinete (RFC 9068): signature, type, issuer, audience, time, what it is bound
//! to, and then the organization and the scope.

mod settings;
mod shown;

pub use settings::{GuardSettings, Misconfigured};
pub use shown::{Needs, Shown};

use crate::client::Client;
use crate::encoding::{Members, text_in, time_if_there, time_in};
use crate::identity::Identity;
use crate::keys::Keys;
use crate::proofs::{Asked, Remembered, Unproven, address_of, judge};
use crate::refused::{Challenger, INSUFFICIENT, INVALID_PROOF, INVALID_TOKEN, Refused, Scheme};
use crate::service::{Answered, Service};
use crate::signatures::SignedText;
use serde_json::Value;
use settings::Checked;
use std::sync::Arc;

const TOKEN_BYTES_MAX: usize = 16_384;

/// Guards one API behind one instance. It is made once and shared.
pub struct Guard {
    service: Arc<Service>,
    keys: Keys,
    settings: Checked,
}

/// What a token is bound to.
#[derive(Default)]
struct Binding<'a> {
    key: Option<&'a str>,
    certificate: Option<&'a str>,
}

impl Guard {
    /// A guard with these settings. Nothing is asked of the instance yet.
    pub fn new(settings: GuardSettings) -> Result<Self, Misconfigured> {
        let (service, settings) = settings.checked()?;
        Ok(Self { service: Arc::new(service), keys: Keys::default(), settings })
    }

    /// Who asks, if the request shows a token that counts and holds what is needed.
    pub async fn check(&self, shown: &Shown<'_>, needs: &Needs<'_>) -> Result<Identity, Refused> {
        let credential = shown.credential();
        let scheme = credential.map(|(scheme, _)| scheme);
        let metadata = self.settings.resource_metadata.as_deref();
        let challenger = Challenger { scheme, scopes: needs.scopes, metadata };
        let Some((scheme, token)) = credential else {
            return Err(challenger.refuse(None, "the request shows no token"));
        };
        let invalid = |reason: &'static str| challenger.refuse(INVALID_TOKEN, reason);
        let claims = self.verified(token, &challenger).await?;
        let identity = Identity::of(claims).ok_or_else(|| invalid("a claim is missing or malformed"))?;
        let proof = self.bound(shown, (scheme, token), &identity.claims, &challenger)?;
        let identity = match &self.settings.introspection {
            None => identity,
            Some(client) => {
                let said = self.asked(client, token, identity.claims).await?;
                said.ok_or_else(|| invalid("the token counts no more"))?
            }
        };
        if needs.organization.is_some_and(|needed| identity.organization != needed) {
            return Err(challenger.refuse(INSUFFICIENT, "the token speaks for another organization"));
        }
        if !needs.scopes.iter().all(|scope| identity.allows(scope)) {
            return Err(challenger.refuse(INSUFFICIENT, "the token allows less"));
        }
        if let Some(proof) = proof {
            self.remember(&proof, &challenger).await?;
        }
        Ok(identity)
    }

    /// The claims of a token that the instance signed for this API, while it counts.
    async fn verified(&self, token: &str, challenger: &Challenger<'_>) -> Result<Members, Refused> {
        let refuse = |reason: &'static str| challenger.refuse(INVALID_TOKEN, reason);
        let read = SignedText::read(token, TOKEN_BYTES_MAX);
        let read = read.ok_or_else(|| refuse("the text is no signed token"))?;
        if read.is_strange(None) || text_in(&read.header, "typ") != Some("at+jwt") {
            return Err(refuse("the token is of another type"));
        }
        let algorithm = text_in(&read.header, "alg").and_then(|name| name.parse().ok());
        let algorithm = algorithm.filter(|it| self.settings.algorithms.contains(it));
        let algorithm = algorithm.ok_or_else(|| refuse("the algorithm is not one of those accepted here"))?;
        let kid = text_in(&read.header, "kid").ok_or_else(|| refuse("the token names no key"))?;
        let key = self.keys.find(&self.service, kid).await.map_err(Refused::unavailable)?;
        let key = key.ok_or_else(|| refuse("the token names an unknown key"))?;
        if key.algorithm != algorithm {
            return Err(refuse("the token names another algorithm than its key's"));
        }
        if !key.verifies(read.signed, &read.signature) {
            return Err(refuse("the signature is wrong"));
        }
        if text_in(&read.claims, "iss") != Some(&self.service.issuer) {
            return Err(refuse("the token is from another issuer"));
        }
        if text_in(&read.claims, "aud") != Some(&self.settings.audience) {
            return Err(refuse("the token is for another audience"));
        }
        self.timely(&read.claims).map_err(refuse)?;
        Ok(read.claims)
    }

    /// Whether the token counts at this moment. Its end is kept to the second; its beginning may lie a little ahead.
    fn timely(&self, claims: &Members) -> Result<(), &'static str> {
        let times = (time_in(claims, "exp"), time_in(claims, "iat"), time_if_there(claims, "nbf"));
        let (Some(ends), Some(issued), Ok(begins)) = times else {
            return Err("a time is missing or malformed");
        };
        let now = self.service.now();
        let latest = now.saturating_add(self.settings.leeway);
        if ends <= now {
            return Err("the token has expired");
        }
        if issued > latest || begins.is_some_and(|begins| begins > latest) {
            return Err("the token does not count yet");
        }
        Ok(())
    }

    /// Whether whoever shows the token is whom it was issued to, and what must be remembered of the proof.
    fn bound(
        &self,
        shown: &Shown<'_>,
        (scheme, token): (Scheme, &str),
        claims: &Members,
        challenger: &Challenger<'_>,
    ) -> Result<Option<Remembered>, Refused> {
        let invalid = |reason: &'static str| challenger.refuse(INVALID_TOKEN, reason);
        let unproven = |reason: &'static str| challenger.refuse(INVALID_PROOF, reason);
        let binding =
            Binding::of(claims).ok_or_else(|| invalid("the token is bound to something unknown"))?;
        if (scheme == Scheme::Dpop) != binding.key.is_some() {
            return Err(invalid("the scheme is not that of what the token is bound to"));
        }
        if binding.certificate.is_some() && binding.certificate != shown.certificate {
            return Err(invalid("the certificate of the token was not shown"));
        }
        let Some(key) = binding.key else { return Ok(None) };
        let proof = shown.dpop.as_deref().filter(|proof| !proof.is_empty());
        let proof = proof.ok_or_else(|| unproven("there is no proof"))?;
        let path = Some(shown.path).filter(|path| path.starts_with('/'));
        let address = path.and_then(|path| address_of(&format!("{}{path}", self.settings.address)));
        let address = address.ok_or_else(|| unproven("the request has no address"))?;
        let now = self.service.now();
        let asked = Asked { method: shown.method, address: &address, token, key, now };
        judge(proof, &asked).map(Some).map_err(|why| match why {
            Unproven::Proof(why) => unproven(why),
            Unproven::AnotherKey => invalid("the proof is by another key"),
        })
    }

    /// Comes last: a proof is used up by the request that it lets in, and by no other.
    async fn remember(&self, proof: &Remembered, challenger: &Challenger<'_>) -> Result<(), Refused> {
        let used = self.settings.replays.first_use(&proof.id, proof.until, proof.now, &proof.key);
        match used.await {
            Ok(true) => Ok(()),
            Ok(false) => Err(challenger.refuse(INVALID_PROOF, "the proof was used before")),
            Err(reason) => Err(Refused::unavailable(reason)),
        }
    }

    /// What the instance says of the token at this moment (RFC 7662).
    async fn asked(
        &self,
        client: &Client,
        token: &str,
        mut claims: Members,
    ) -> Result<Option<Identity>, Refused> {
        let address = self.service.endpoint("introspection_endpoint").await.map_err(Refused::unavailable)?;
        let shown = client.shown(&self.service.issuer, self.service.now()).map_err(Refused::unavailable)?;
        let mut form = vec![("token", token), ("token_type_hint", "access_token")];
        form.extend(shown.form.iter().map(|(name, value)| (*name, value.as_str())));
        let mut request = self.service.web().post(address).form(&form);
        if let Some(authorization) = shown.authorization {
            request = request.header("authorization", authorization);
        }
        let said = match self.service.ask(request).await.map_err(Refused::unavailable)? {
            Answered { status: 200, json: Some(said), .. } => said,
            Answered { status, .. } => {
                return Err(Refused::unavailable(format!("introspection answered {status}")));
            }
        };
        let is_same = ["iss", "sub", "aud", "org"].iter().all(|name| said.get(*name) == claims.get(*name));
        if said.get("active") != Some(&Value::Bool(true)) || !is_same {
            return Ok(None);
        }
        for name in ["scope", "role"] {
            claims.insert(name.to_owned(), said.get(name).cloned().unwrap_or_else(|| "".into()));
        }
        Ok(Identity::of(claims))
    }
}

impl<'a> Binding<'a> {
    /// What the token is bound to; nothing where that is something we could not check.
    fn of(claims: &'a Members) -> Option<Self> {
        let Some(cnf) = claims.get("cnf") else { return Some(Self::default()) };
        let mut binding = Self::default();
        for (name, value) in cnf.as_object().filter(|cnf| !cnf.is_empty())? {
            let value = value.as_str().filter(|value| !value.is_empty());
            match name.as_str() {
                "jkt" => binding.key = Some(value?),
                "x5t#S256" => binding.certificate = Some(value?),
                _ => return None,
            }
        }
        Some(binding)
    }
}
