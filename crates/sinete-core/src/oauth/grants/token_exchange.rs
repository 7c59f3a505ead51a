//! Token exchange (RFC 8693): the new token has no more authority and no longer lifetime than the subject
//! token, and names the actor.

use super::{TokenRequestParams, unauthorized_client};
use crate::access_control::scope::ScopeSet;
use crate::client_id::{ClientId, ClientKind};
use crate::id::OrganizationId;
use crate::refusal::Refusal;
use crate::refusal::oauth::OAuthRefusal;
use crate::time::{Lifetime, Timestamp};

/// The subject and actor tokens of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenExchangeRequest {
    /// The subject token.
    pub subject: SubjectToken,
    /// The actor token; `None` if the authenticated client is the actor.
    pub actor_token: Option<String>,
}

/// The token or API key of the subject.
#[derive(Clone, PartialEq, Eq)]
pub enum SubjectToken {
    /// An access token of ours.
    AccessToken(String),
    /// An API key of ours.
    ApiKey(String),
}

/// The token type of access tokens.
pub const ACCESS_TOKEN_TYPE: &str = "urn:ietf:params:oauth:token-type:access_token";
/// The token type of JWTs; here, also access tokens.
pub const JWT_TYPE: &str = "urn:ietf:params:oauth:token-type:jwt";
/// The token type of API keys.
pub const API_KEY_TYPE: &str = "urn:sinete:params:oauth:token-type:api-key";

impl TokenExchangeRequest {
    /// Parses the request. Without a subject token it never falls back to client credentials.
    pub(super) fn parse(parameters: &TokenRequestParams<'_>) -> Result<Self, Refusal> {
        let token = parameters.require_parameter("subject_token")?.to_owned();
        let subject = match parameters.require_parameter("subject_token_type")? {
            ACCESS_TOKEN_TYPE | JWT_TYPE => SubjectToken::AccessToken(token),
            API_KEY_TYPE => SubjectToken::ApiKey(token),
            _ => {
                return Err(exchange_refusal(OAuthRefusal::SubjectTokenTypeUnsupported));
            }
        };
        match parameters.get("requested_token_type") {
            None | Some(ACCESS_TOKEN_TYPE | JWT_TYPE) => {}
            Some(_) => {
                return Err(exchange_refusal(OAuthRefusal::RequestedTokenTypeUnsupported));
            }
        }
        let actor_token = match (parameters.get("actor_token"), parameters.get("actor_token_type")) {
            (None, None) => None,
            (Some(token), Some(ACCESS_TOKEN_TYPE | JWT_TYPE)) => Some(token.to_owned()),
            _ => {
                return Err(exchange_refusal(OAuthRefusal::ActorTokenTypeUnsupported));
            }
        };
        Ok(Self { subject, actor_token })
    }
}

fn exchange_refusal(reason: OAuthRefusal) -> Refusal {
    Refusal::because(reason, "")
}

/// Input for deciding whether a client may act with a token or key.
#[derive(Clone, Copy, Debug)]
pub struct TokenDelegationCheck<'a> {
    /// The requesting client.
    pub client: &'a ClientId,
    /// Its kind.
    pub kind: ClientKind,
    /// The organization it belongs to; `None` if it serves all of them.
    pub belongs_to: Option<OrganizationId>,
    /// The organization of the token or key.
    pub organization: OrganizationId,
    /// Whether that organization lets its own agents act for its members.
    pub own_agents: bool,
    /// The client the token was issued to.
    pub holder: &'a ClientId,
    /// Whether the client represents the API that the token is for.
    pub is_audience: bool,
    /// The scopes of the user's active grants to the requesting client.
    pub granted: &'a [ScopeSet],
    /// The requested scope.
    pub requested: &'a ScopeSet,
}

impl TokenDelegationCheck<'_> {
    /// Decides whether the client may act. A client that was not issued the token needs a grant from the user
    /// or a tie to their organization: possession of a token is not enough.
    pub fn check_delegation(&self) -> Result<(), Refusal> {
        if self.belongs_to.is_some_and(|organization| organization != self.organization) {
            return Err(unauthorized_client("the client belongs to another organization"));
        }
        let is_holder = self.client == self.holder;
        let is_own_machine = self.belongs_to == Some(self.organization)
            && matches!(self.kind, ClientKind::Agent | ClientKind::Service)
            && self.own_agents;
        let is_agreed_to = self.granted.iter().any(|granted| self.requested.is_within(granted));
        if is_holder || is_own_machine || is_agreed_to || self.is_audience {
            Ok(())
        } else {
            Err(unauthorized_client(
                "the client has no grant from the user and no relation to the organization",
            ))
        }
    }
}

/// The new token's lifetime: the usual one, limited by the subject token's expiry.
pub fn limit_lifetime(default_lifetime: Lifetime, subject_expires_at: Timestamp, now: Timestamp) -> Lifetime {
    default_lifetime.min(subject_expires_at.since(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<TokenExchangeRequest, RefusalCode> {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        TokenExchangeRequest::parse(&TokenRequestParams::new(pairs)).map_err(|refusal| refusal.code())
    }

    #[test]
    fn token_exchange_subject_token_is_read_with_its_type() {
        for kind in [ACCESS_TOKEN_TYPE, JWT_TYPE] {
            let result =
                read(&format!("subject_token=x&subject_token_type={kind}&requested_token_type={kind}"));
            assert!(result.is_ok_and(|it| it.subject == SubjectToken::AccessToken("x".to_owned())));
        }
        let result = read(&format!("subject_token=x&subject_token_type={API_KEY_TYPE}"));
        assert!(result.is_ok_and(|it| it.subject == SubjectToken::ApiKey("x".to_owned())));
    }

    #[test]
    fn token_exchange_with_missing_or_unsupported_token_types_is_refused() {
        let valid_form = format!("subject_token=x&subject_token_type={ACCESS_TOKEN_TYPE}");
        for text in [
            String::new(),
            "subject_token=x".to_owned(),
            format!("subject_token=&subject_token_type={ACCESS_TOKEN_TYPE}"),
            format!("subject_token_type={ACCESS_TOKEN_TYPE}"),
            "subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:id_token".to_owned(),
            "subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:refresh_token".to_owned(),
            format!("{valid_form}&requested_token_type=urn:ietf:params:oauth:token-type:refresh_token"),
            format!("{valid_form}&actor_token=y"),
            format!("{valid_form}&actor_token_type={ACCESS_TOKEN_TYPE}"),
            format!("{valid_form}&actor_token=y&actor_token_type={API_KEY_TYPE}"),
        ] {
            assert_eq!(read(&text).err(), Some(RefusalCode::InvalidRequest), "{text}");
        }
    }

    #[test]
    fn token_exchange_is_limited_to_holder_audience_consented_and_own_agent_clients() {
        let (client, holder): (ClientId, ClientId) = ("agent".parse().unwrap(), "app".parse().unwrap());
        let (own_organization, other_organization) =
            (OrganizationId::from_bytes([1; 16]), OrganizationId::from_bytes([2; 16]));
        let scopes: ScopeSet = "invoices:read".parse().unwrap();
        let granted = ["openid invoices:*".parse().unwrap()];
        let delegation_check = TokenDelegationCheck {
            client: &client,
            kind: ClientKind::Agent,
            belongs_to: None,
            organization: own_organization,
            own_agents: true,
            holder: &holder,
            is_audience: false,
            granted: &[],
            requested: &scopes,
        };
        assert!(delegation_check.check_delegation().is_err());
        assert!(TokenDelegationCheck { holder: &client, ..delegation_check }.check_delegation().is_ok());
        assert!(TokenDelegationCheck { granted: &granted, ..delegation_check }.check_delegation().is_ok());
        assert!(TokenDelegationCheck { is_audience: true, ..delegation_check }.check_delegation().is_ok());
        let wider: ScopeSet = "invoices:read files:read".parse().unwrap();
        assert!(
            TokenDelegationCheck { granted: &granted, requested: &wider, ..delegation_check }
                .check_delegation()
                .is_err()
        );
        let token_delegation_check =
            TokenDelegationCheck { belongs_to: Some(own_organization), ..delegation_check };
        assert!(token_delegation_check.check_delegation().is_ok());
        assert!(
            TokenDelegationCheck { own_agents: false, ..token_delegation_check }.check_delegation().is_err()
        );
        assert!(
            TokenDelegationCheck { kind: ClientKind::Application, ..token_delegation_check }
                .check_delegation()
                .is_err()
        );
        for foreign in [
            TokenDelegationCheck { belongs_to: Some(other_organization), ..delegation_check },
            TokenDelegationCheck {
                belongs_to: Some(other_organization),
                holder: &client,
                ..delegation_check
            },
            TokenDelegationCheck {
                belongs_to: Some(other_organization),
                granted: &granted,
                ..delegation_check
            },
        ] {
            assert!(foreign.check_delegation().is_err());
        }
    }

    proptest! {
        #[test]
        fn token_exchange_never_extends_the_lifetime(usual in 0_u32..4_000, left in -100_i64..8_000) {
            let now = Timestamp::from_seconds(1_000_000);
            let ends = Timestamp::from_seconds(1_000_000 + left);
            let lives = limit_lifetime(Lifetime::from_seconds(usual), ends, now);
            prop_assert!(now.plus(lives) <= ends.max(now));
            prop_assert!(lives <= Lifetime::from_seconds(usual));
        }
    }
}
