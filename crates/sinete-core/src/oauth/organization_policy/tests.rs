//! Checks every combination of settings, client, authentication and grant against an independent oracle: the
//! table of docs/reference/organization-settings.md.

use super::*;
use crate::assurance::AuthenticationProof;
use crate::organizations::api_catalog::ApiDefinition;
use serde_json::{Value, json};

const HERE: OrganizationId = OrganizationId::from_bytes([1; 16]);
const NOW: Timestamp = Timestamp::from_seconds(1_000_000);
const ELSEWHERE: OrganizationId = OrganizationId::from_bytes([2; 16]);

/// An approval for unrelated tests.
pub(crate) fn approval() -> PolicyApproval {
    let request = PolicyRequest {
        organization: HERE,
        source: TokenSource::Session,
        derivation: TokenDerivation::Direct,
        client: None,
        user: None,
    };
    check_token_policy(&OrganizationSettings::default(), &request).unwrap()
}

fn api(unverified_clients: &str) -> ApiDefinition {
    serde_json::from_value(json!({
        "identifier": "https://api.example", "name": "Invoices", "unverified_clients": unverified_clients,
        "detail_types": {"payment": {"type": "object"}},
        "permissions": [{"permission": "invoices:read", "english": "Read"},
            {"permission": "invoices:void", "english": "Void", "irreversible": true}],
    }))
    .unwrap()
}

/// The ways to a token: source, step, whether a user authenticated, and the grants involved.
const WAYS: &[(TokenSource, TokenDerivation, bool, &[&str])] = &[
    (TokenSource::AuthorizationCode, TokenDerivation::Direct, true, &[]),
    (TokenSource::AuthorizationCode, TokenDerivation::Refresh, true, &[]),
    (TokenSource::AuthorizationCode, TokenDerivation::Exchange, true, &["token_exchange"]),
    (TokenSource::DeviceAuthorization, TokenDerivation::Direct, true, &["device_code"]),
    (TokenSource::DeviceAuthorization, TokenDerivation::Refresh, true, &["device_code"]),
    (TokenSource::DeviceAuthorization, TokenDerivation::Exchange, true, &["device_code", "token_exchange"]),
    (TokenSource::Ciba, TokenDerivation::Direct, true, &["backchannel"]),
    (TokenSource::Ciba, TokenDerivation::Refresh, true, &["backchannel"]),
    (TokenSource::Ciba, TokenDerivation::Exchange, true, &["backchannel", "token_exchange"]),
    (TokenSource::ApiKey, TokenDerivation::Exchange, false, &["api_key", "token_exchange"]),
    (TokenSource::ClientCredentials, TokenDerivation::Direct, false, &["client_credentials"]),
    (
        TokenSource::ClientCredentials,
        TokenDerivation::Exchange,
        false,
        &["client_credentials", "token_exchange"],
    ),
    (TokenSource::Impersonation, TokenDerivation::Direct, false, &[]),
];

struct PolicyCase<'a> {
    settings: &'a Value,
    api: &'a str,
    verified: bool,
    proof: &'a str,
    way: &'a (TokenSource, TokenDerivation, bool, &'a [&'a str]),
    scope: &'a str,
}

/// The documented behaviour.
fn oracle(case: &PolicyCase<'_>) -> bool {
    let (settings, &(source, step, by_user, grants)) = (case.settings, case.way);
    let void = case.scope.contains("void");
    let across = matches!(source, TokenSource::DeviceAuthorization | TokenSource::Ciba);
    let lasting = across && (step == TokenDerivation::Refresh || case.scope.contains("offline_access"));
    let client_ok = case.verified
        || settings["unverified_clients"] == "allow"
            && match case.api {
                "allow" => !(void && across),
                "irreversible_refused" => !void,
                _ => false,
            }
            && !lasting;
    let refused = settings["refused_grants"].as_array().unwrap();
    let grants_ok = grants.iter().all(|grant| !refused.contains(&json!(grant)));
    if !by_user {
        return client_ok && grants_ok;
    }
    let proof = case.proof;
    let kind = if proof.starts_with("sso") { "single_sign_on" } else { proof };
    let accepted = settings["allowed_credentials"].as_array().is_none_or(|it| it.contains(&json!(kind)))
        && proof != "sso_elsewhere"
        && (settings["single_sign_on"] == "optional" || proof == "sso_here");
    let strong_enough = settings["least_assurance"] == "aal1" || proof == "passkey";
    client_ok && grants_ok && accepted && strong_enough
}

fn evidence(proof: &str) -> (AuthenticationEvidence, AssuranceLevel) {
    let sso =
        |organization| AuthenticationProof::SingleSignOn { assurance: AssuranceLevel::One, organization };
    match proof {
        "passkey" => {
            let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: false };
            (AuthenticationEvidence::from_proof(passkey), AssuranceLevel::Two)
        }
        "password" => {
            (AuthenticationEvidence::from_proof(AuthenticationProof::Password), AssuranceLevel::One)
        }
        "sso_here" => (AuthenticationEvidence::from_proof(sso(HERE)), AssuranceLevel::One),
        _ => (AuthenticationEvidence::from_proof(sso(ELSEWHERE)), AssuranceLevel::One),
    }
}

/// Values parsed once, because there are many combinations.
struct ParsedCase {
    settings: OrganizationSettings,
    api: ApiDefinition,
    proof: (AuthenticationEvidence, AssuranceLevel),
    scopes: ScopeSet,
}

fn judged(case: &PolicyCase<'_>, parsed: &ParsedCase) -> bool {
    let (details, (evidence, assurance)) = (AuthorizationDetails::default(), &parsed.proof);
    let &(source, step, by_user, _) = case.way;
    let request = PolicyRequest {
        organization: HERE,
        source,
        derivation: step,
        client: Some(RequestedClientAccess {
            client_trust: if case.verified { ClientTrust::Operator } else { ClientTrust::SelfRegistered },
            document_host: None,
            target: TargetResource::Api(&parsed.api),
            scopes: &parsed.scopes,
            details: &details,
        }),
        user: by_user.then_some(UserAuthentication { evidence, assurance: *assurance, now: NOW }),
    };
    check_token_policy(&parsed.settings, &request).is_ok()
}

/// Every combination of token-related settings.
fn all_settings() -> Vec<Value> {
    let grants = ["client_credentials", "token_exchange", "device_code", "backchannel", "api_key"];
    let mut refused: Vec<Value> = grants.iter().map(|grant| json!([grant])).collect();
    refused.extend([json!([]), json!(grants)]);
    let allowed = [json!(null), json!(["passkey"]), json!(["password", "single_sign_on"]), json!([])];
    let mut all = Vec::new();
    for (unverified, least) in [("allow", "aal1"), ("allow", "aal2"), ("refuse", "aal1"), ("refuse", "aal2")]
    {
        for (sso, allowed) in
            ["optional", "required"].iter().flat_map(|sso| allowed.iter().map(move |it| (sso, it)))
        {
            all.extend(refused.iter().map(|refused| {
                json!({
                    "unverified_clients": unverified, "least_assurance": least, "allowed_credentials": allowed,
                    "single_sign_on": sso, "refused_grants": refused,
                })
            }));
        }
    }
    all
}

#[test]
fn token_policy_decides_every_combination_as_the_oracle_does() {
    let clients = [
        ("allow", true),
        ("refuse", true),
        ("allow", false),
        ("irreversible_refused", false),
        ("refuse", false),
    ];
    let scopes = ["invoices:read", "invoices:void", "openid offline_access invoices:read"];
    let mut outcome_counts = [0_u32; 2];
    let everything = all_settings();
    for (api_says, verified) in clients {
        for proof in ["passkey", "password", "sso_here", "sso_elsewhere"] {
            for scope in scopes {
                let mut parsed = ParsedCase {
                    settings: OrganizationSettings::default(),
                    api: api(api_says),
                    proof: evidence(proof),
                    scopes: scope.parse().unwrap(),
                };
                for settings in &everything {
                    parsed.settings = serde_json::from_value(settings.clone()).unwrap();
                    for issuance_path in WAYS {
                        let case = PolicyCase {
                            settings,
                            api: api_says,
                            verified,
                            proof,
                            way: issuance_path,
                            scope,
                        };
                        let expected = oracle(&case);
                        outcome_counts[usize::from(expected)] += 1;
                        assert_eq!(
                            judged(&case, &parsed),
                            expected,
                            "{settings} {api_says} {verified} {proof} {issuance_path:?} {scope}"
                        );
                    }
                }
            }
        }
    }
    assert!(outcome_counts.iter().all(|count| *count > 1_000), "{outcome_counts:?}");
}

#[test]
fn token_policy_violations_map_to_each_endpoints_error() {
    use crate::refusal::RefusalCode::{InvalidGrant, InvalidScope, UnauthorizedClient};
    for (violation, refusal_code, unnamed, asks_user) in [
        (PolicyViolation::UnverifiedClient, UnauthorizedClient, UnauthorizedClient, false),
        (PolicyViolation::ClientDocument, UnauthorizedClient, UnauthorizedClient, false),
        (PolicyViolation::UnverifiedClientScope, InvalidScope, InvalidGrant, false),
        (PolicyViolation::UnverifiedClientDevice, InvalidScope, InvalidGrant, false),
        (PolicyViolation::GrantDisabled, UnauthorizedClient, UnauthorizedClient, false),
        (PolicyViolation::CredentialNotAllowed, InvalidGrant, InvalidGrant, true),
        (PolicyViolation::AssuranceTooLow, InvalidGrant, InvalidGrant, true),
    ] {
        assert_eq!(violation.token_error(true).code(), refusal_code, "{violation}");
        assert_eq!(violation.token_error(false).code(), unnamed, "{violation}");
        assert_eq!(violation.authorization_error().is_none(), asks_user, "{violation}");
    }
}

#[test]
fn token_policy_applies_to_console_sessions_too() {
    let ask = |settings: Value, proof: &str| {
        let settings: OrganizationSettings = serde_json::from_value(settings).unwrap();
        let (evidence, assurance) = evidence(proof);
        let request = PolicyRequest {
            organization: HERE,
            source: TokenSource::Session,
            derivation: TokenDerivation::Direct,
            client: None,
            user: Some(UserAuthentication { evidence: &evidence, assurance, now: NOW }),
        };
        check_token_policy(&settings, &request).err()
    };
    let everything_off =
        json!({"unverified_clients": "refuse", "refused_grants": ["token_exchange", "api_key"]});
    assert_eq!(ask(everything_off, "password"), None);
    let passkey_only = json!({"allowed_credentials": ["passkey"]});
    assert_eq!(ask(passkey_only.clone(), "passkey"), None);
    assert_eq!(ask(passkey_only, "password"), Some(PolicyViolation::CredentialNotAllowed));
    let required = json!({"single_sign_on": "required"});
    assert_eq!(ask(required.clone(), "sso_here"), None);
    assert_eq!(ask(required, "sso_elsewhere"), Some(PolicyViolation::CredentialNotAllowed));
    assert_eq!(ask(json!({"least_assurance": "aal2"}), "password"), Some(PolicyViolation::AssuranceTooLow));
}

#[test]
fn token_policy_never_treats_an_old_authentication_as_renewed_by_a_newer_one() {
    let settings = OrganizationSettings { least_assurance: AssuranceLevel::Two, ..Default::default() };
    let ago = |hours: i64| Timestamp::from_seconds(NOW.seconds() - hours * 3_600);
    let ask = |passkey_at, password_at| {
        let passkey = AuthenticationEvidence::from_proof(AuthenticationProof::Passkey {
            user_verified: true,
            device_bound: false,
        })
        .date_undated_proofs(passkey_at);
        let evidence = passkey.with_proof(AuthenticationProof::Password).date_undated_proofs(password_at);
        let user = UserAuthentication { evidence: &evidence, assurance: AssuranceLevel::Two, now: NOW };
        let (source, step) = (TokenSource::AuthorizationCode, TokenDerivation::Refresh);
        let request =
            PolicyRequest { organization: HERE, source, derivation: step, client: None, user: Some(user) };
        check_token_policy(&settings, &request).err()
    };
    assert_eq!(ask(ago(1), ago(30)), None);
    assert_eq!(ask(ago(30), ago(1)), Some(PolicyViolation::AssuranceTooLow));
}

#[test]
fn token_policy_excludes_unverified_clients_from_built_in_apis_and_authorization_details() {
    let issuer = "https://id.example".parse().unwrap();
    let (none, payment) =
        (AuthorizationDetails::default(), r#"[{"type":"payment"}]"#.parse::<AuthorizationDetails>().unwrap());
    let refusing = api("refuse");
    let ask_of = |settings: &OrganizationSettings,
                  client_trust,
                  target,
                  scope: &str,
                  details: &AuthorizationDetails| {
        let scopes: ScopeSet = scope.parse().unwrap();
        let client =
            RequestedClientAccess { client_trust, document_host: None, target, scopes: &scopes, details };
        let request = PolicyRequest {
            organization: HERE,
            source: TokenSource::AuthorizationCode,
            derivation: TokenDerivation::Refresh,
            client: Some(client),
            user: None,
        };
        check_token_policy(settings, &request).err()
    };
    let default_settings = OrganizationSettings::default();
    let ask = |client_trust, target, scope: &str, details: &AuthorizationDetails| {
        ask_of(&default_settings, client_trust, target, scope, details)
    };
    let (ours, resource) = (TargetResource::Instance(&issuer), TargetResource::Api(&refusing));
    let strict =
        OrganizationSettings { unverified_clients: UnverifiedClientPolicy::Refuse, ..Default::default() };
    let refused = Some(PolicyViolation::UnverifiedClientScope);
    assert_eq!(ask(ClientTrust::SelfRegistered, ours, "openid", &none), None);
    assert_eq!(ask(ClientTrust::SelfRegistered, ours, "members:read", &none), refused);
    assert_eq!(ask(ClientTrust::SelfRegistered, resource, "openid", &none), None);
    assert_eq!(ask(ClientTrust::SelfRegistered, resource, "openid", &payment), refused);
    let unverified = Some(PolicyViolation::UnverifiedClient);
    assert_eq!(
        ask_of(&strict, ClientTrust::SelfRegistered, resource, "openid", &none),
        unverified,
        "not even the identity"
    );
    for client_trust in [ClientTrust::Operator, ClientTrust::Organization] {
        assert_eq!(ask_of(&strict, client_trust, resource, "openid", &none), None);
        assert_eq!(ask(client_trust, ours, "members:read", &none), None);
        assert_eq!(ask(client_trust, resource, "invoices:void", &payment), None);
    }
}
