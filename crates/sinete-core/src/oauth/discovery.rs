//! The discovery document (OpenID Connect Discovery, RFC 8414), built from the same closed sets that requests
//! are parsed with and from the paths that are actually served.

use crate::access_control::scope::IdentityScope;
use crate::accounts::language::Language;
use crate::assurance::AssuranceLevel;
use crate::oauth::authorize::redirectable_request::ResponseMode;
use crate::oauth::claims::CLAIMS;
use crate::oauth::client_metadata::{
    CibaDeliveryMode, ClientAuthMethod, GrantType, ResponseType, SubjectType,
};
use crate::oauth::mtls::ClientCertificatePolicy;
use crate::platform::signing_keys::SigningAlgorithm;
use serde_json::{Map, Value, json};

/// What this instance serves.
pub struct ServerCapabilities<'a> {
    /// The issuer identifier.
    pub issuer: &'a str,
    /// Whether a path is served.
    pub is_served: &'a dyn Fn(&str) -> bool,
    /// The algorithms of the current signing keys.
    pub signing_algorithms: &'a [SigningAlgorithm],
    /// The support for client certificates.
    pub certificates: MtlsCapabilities<'a>,
    /// Whether anyone may create an account.
    pub has_sign_up: bool,
    /// Whether a client id may be the URL of a metadata document.
    pub client_documents: bool,
}

/// The support for client certificates.
#[derive(Clone, Copy, Debug, Default)]
pub struct MtlsCapabilities<'a> {
    /// The certificate policy.
    pub certificate_policy: ClientCertificatePolicy,
    /// The base URL where connections request a client certificate, if it differs from the issuer's.
    pub address: Option<&'a str>,
}

/// A metadata member and its path, published if the path is served.
#[derive(Clone, Copy, Debug)]
struct PublishedEndpoint {
    member: &'static str,
    path: &'static str,
}

/// The path of the JWK Set, relative to the issuer.
pub const KEYS_PATH: &str = "/.well-known/jwks.json";

const AUTHORIZATION: PublishedEndpoint =
    PublishedEndpoint { member: "authorization_endpoint", path: "/connect/authorize" };
const TOKEN: PublishedEndpoint = PublishedEndpoint { member: "token_endpoint", path: "/connect/token" };
const USERINFO: PublishedEndpoint =
    PublishedEndpoint { member: "userinfo_endpoint", path: "/connect/userinfo" };
const KEYS: PublishedEndpoint = PublishedEndpoint { member: "jwks_uri", path: KEYS_PATH };
const REGISTRATION: PublishedEndpoint =
    PublishedEndpoint { member: "registration_endpoint", path: "/connect/register" };
const PUSHED_AUTHORIZATION_REQUEST: PublishedEndpoint =
    PublishedEndpoint { member: "pushed_authorization_request_endpoint", path: "/connect/par" };
const INTROSPECTION: PublishedEndpoint =
    PublishedEndpoint { member: "introspection_endpoint", path: "/connect/introspect" };
const REVOCATION: PublishedEndpoint =
    PublishedEndpoint { member: "revocation_endpoint", path: "/connect/revoke" };
const DEVICE_AUTHORIZATION: PublishedEndpoint =
    PublishedEndpoint { member: "device_authorization_endpoint", path: "/connect/device" };
const BACKCHANNEL_AUTHENTICATION: PublishedEndpoint =
    PublishedEndpoint { member: "backchannel_authentication_endpoint", path: "/connect/backchannel" };
const LOGOUT: PublishedEndpoint =
    PublishedEndpoint { member: "end_session_endpoint", path: "/connect/logout" };

/// All endpoints that can be published.
const ENDPOINTS: [PublishedEndpoint; 11] = [
    AUTHORIZATION,
    TOKEN,
    USERINFO,
    KEYS,
    REGISTRATION,
    PUSHED_AUTHORIZATION_REQUEST,
    INTROSPECTION,
    REVOCATION,
    DEVICE_AUTHORIZATION,
    BACKCHANNEL_AUTHENTICATION,
    LOGOUT,
];

/// The claims of an ID token.
const ID_TOKEN_CLAIMS: [&str; 11] =
    ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash"];

/// Builds the discovery document.
pub fn build_discovery_document(serving: &ServerCapabilities<'_>) -> Map<String, Value> {
    let serves = |endpoint: PublishedEndpoint| (serving.is_served)(endpoint.path);
    let mut members = Map::new();
    members.insert("issuer".to_owned(), serving.issuer.into());
    for endpoint in ENDPOINTS.into_iter().filter(|endpoint| serves(*endpoint)) {
        members.insert(endpoint.member.to_owned(), format!("{}{}", serving.issuer, endpoint.path).into());
    }
    let certificate_policy = serving.certificates.certificate_policy;
    let algorithms: Vec<_> = SigningAlgorithm::ALL.map(SigningAlgorithm::as_str).to_vec();
    let signs: Vec<_> = serving.signing_algorithms.iter().map(|algorithm| algorithm.as_str()).collect();
    let grants = GrantType::ALL.into_iter().filter(|grant| match grant {
        GrantType::AuthorizationCode => serves(AUTHORIZATION) && serves(TOKEN),
        GrantType::DeviceCode => serves(DEVICE_AUTHORIZATION) && serves(TOKEN),
        GrantType::Ciba => serves(BACKCHANNEL_AUTHENTICATION) && serves(TOKEN),
        GrantType::RefreshToken | GrantType::ClientCredentials | GrantType::TokenExchange => serves(TOKEN),
    });
    let mut add = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    add("scopes_supported", json!(IdentityScope::ALL.map(IdentityScope::as_str)));
    add("grant_types_supported", json!(grants.map(GrantType::as_str).collect::<Vec<_>>()));
    add("subject_types_supported", json!(SubjectType::ALL.map(SubjectType::as_str)));
    add("id_token_signing_alg_values_supported", json!(signs));
    add("claim_types_supported", json!(["normal"]));
    if serves(AUTHORIZATION) {
        add("response_types_supported", json!(ResponseType::ALL.map(ResponseType::as_str)));
        add("response_modes_supported", json!(ResponseMode::ALL.map(ResponseMode::as_str)));
        add("code_challenge_methods_supported", json!(["S256"]));
        add("acr_values_supported", json!([AssuranceLevel::One, AssuranceLevel::Two].map(|it| it.acr())));
        let create = serving.has_sign_up.then_some("create");
        let prompts = ["none", "login", "consent", "select_account"].into_iter().chain(create);
        add("prompt_values_supported", json!(prompts.collect::<Vec<_>>()));
        add("claims_parameter_supported", json!(serves(USERINFO)));
        add("request_parameter_supported", json!(true));
        add("request_uri_parameter_supported", json!(false));
        add("request_object_signing_alg_values_supported", json!(algorithms));
        add("authorization_response_iss_parameter_supported", json!(true));
        add("require_pushed_authorization_requests", json!(false));
        add("client_id_metadata_document_supported", json!(serving.client_documents));
        add("ui_locales_supported", json!(Language::ALL.map(Language::tag)));
    }
    if serves(BACKCHANNEL_AUTHENTICATION) {
        add(
            "backchannel_token_delivery_modes_supported",
            json!(CibaDeliveryMode::ALL.map(CibaDeliveryMode::as_str)),
        );
        add("backchannel_authentication_request_signing_alg_values_supported", json!(algorithms));
        add("backchannel_user_code_parameter_supported", json!(false));
    }
    for (endpoint, prefix) in [
        (TOKEN, "token_endpoint"),
        (INTROSPECTION, "introspection_endpoint"),
        (REVOCATION, "revocation_endpoint"),
    ] {
        if serves(endpoint) {
            let methods = ClientAuthMethod::ALL.into_iter().filter(|it| it.is_available(certificate_policy));
            let methods: Vec<_> = methods.map(ClientAuthMethod::as_str).collect();
            add(&format!("{prefix}_auth_methods_supported"), json!(methods));
            add(&format!("{prefix}_auth_signing_alg_values_supported"), json!(algorithms));
        }
    }
    let mut claims = ID_TOKEN_CLAIMS.to_vec();
    if serves(USERINFO) {
        claims.extend(CLAIMS.iter().map(|claim| claim.name));
        add("userinfo_signing_alg_values_supported", json!(signs));
    }
    add("claims_supported", json!(claims));
    members.extend(describe_logout(&serves));
    members.extend(describe_token_binding(serving.certificates, &serves));
    members
}

/// The members about logout.
fn describe_logout(serves: &dyn Fn(PublishedEndpoint) -> bool) -> Map<String, Value> {
    let members = ["backchannel_logout_supported", "backchannel_logout_session_supported"];
    members.into_iter().filter(|_| serves(LOGOUT)).map(|name| (name.to_owned(), json!(true))).collect()
}

/// The members about sender-constrained tokens.
fn describe_token_binding(
    certificates: MtlsCapabilities<'_>,
    serves: &dyn Fn(PublishedEndpoint) -> bool,
) -> Map<String, Value> {
    let mut members = Map::new();
    if serves(TOKEN) {
        let algorithms = json!(SigningAlgorithm::ALL.map(SigningAlgorithm::as_str));
        members.insert("dpop_signing_alg_values_supported".to_owned(), algorithms);
    }
    if certificates.certificate_policy.accepts_any() {
        members.insert("tls_client_certificate_bound_access_tokens".to_owned(), json!(true));
    }
    if let Some(address) = certificates.address.filter(|_| certificates.certificate_policy.accepts_any()) {
        members.insert("mtls_endpoint_aliases".to_owned(), describe_mtls_endpoints(address, serves));
    }
    members
}

/// Builds `mtls_endpoint_aliases` (RFC 8705 §5). It has no endpoints that users' browsers visit.
fn describe_mtls_endpoints(address: &str, serves: &dyn Fn(PublishedEndpoint) -> bool) -> Value {
    let for_people = [AUTHORIZATION, KEYS, LOGOUT].map(|endpoint| endpoint.member);
    let asked_directly = ENDPOINTS.into_iter().filter(|it| !for_people.contains(&it.member) && serves(*it));
    let aliases = asked_directly.map(|it| (it.member.to_owned(), format!("{address}{}", it.path).into()));
    Value::Object(aliases.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serving(is_served: &dyn Fn(&str) -> bool) -> Map<String, Value> {
        let signs = [SigningAlgorithm::Rs256, SigningAlgorithm::Es256];
        taking(is_served, &signs, MtlsCapabilities::default())
    }

    fn taking(
        is_served: &dyn Fn(&str) -> bool,
        signs: &[SigningAlgorithm],
        certificates: MtlsCapabilities<'_>,
    ) -> Map<String, Value> {
        build_discovery_document(&ServerCapabilities {
            issuer: "https://id.example/a",
            is_served,
            signing_algorithms: signs,
            certificates,
            has_sign_up: certificates.address.is_none(),
            client_documents: true,
        })
    }

    #[test]
    fn discovery_publishes_mtls_only_as_far_as_configured() {
        let none = serving(&|_| true);
        assert!(!none.contains_key("mtls_endpoint_aliases"));
        assert!(!none.contains_key("tls_client_certificate_bound_access_tokens"));
        assert!(!none["token_endpoint_auth_methods_supported"].to_string().contains("tls"));
        assert_eq!(none["prompt_values_supported"][4], "create");
        let address = Some("https://mtls.id.example/a");
        let registered =
            MtlsCapabilities { certificate_policy: ClientCertificatePolicy::Registered, address };
        let some = taking(&|path| path != DEVICE_AUTHORIZATION.path, &[], registered);
        assert_eq!(some["tls_client_certificate_bound_access_tokens"], true);
        assert_eq!(some["prompt_values_supported"].as_array().unwrap().len(), 4, "sign-up is closed");
        let methods = some["introspection_endpoint_auth_methods_supported"].to_string();
        assert!(
            methods.contains("\"self_signed_tls_client_auth\"") && !methods.contains("\"tls_client_auth\"")
        );
        let aliases = some["mtls_endpoint_aliases"].as_object().unwrap();
        assert_eq!(aliases["token_endpoint"], "https://mtls.id.example/a/connect/token");
        for member in
            ["authorization_endpoint", "jwks_uri", "end_session_endpoint", DEVICE_AUTHORIZATION.member]
        {
            assert!(!aliases.contains_key(member), "{member}");
        }
        let vouched = taking(
            &|_| true,
            &[],
            MtlsCapabilities { certificate_policy: ClientCertificatePolicy::CaIssued, address: None },
        );
        assert!(vouched["token_endpoint_auth_methods_supported"].to_string().contains("\"tls_client_auth\""));
        assert!(!vouched.contains_key("mtls_endpoint_aliases"));
    }

    #[test]
    fn discovery_publishes_served_endpoints_below_the_issuer() {
        let all = serving(&|_| true);
        assert_eq!(all["issuer"], "https://id.example/a");
        for endpoint in ENDPOINTS {
            assert_eq!(all[endpoint.member], format!("https://id.example/a{}", endpoint.path));
        }
        assert_eq!(all["id_token_signing_alg_values_supported"], json!(["RS256", "ES256"]));
        assert_eq!(all["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(all["response_types_supported"], json!(["code"]));
        assert_eq!(all["request_uri_parameter_supported"], false);
    }

    #[test]
    fn discovery_omits_endpoints_that_are_not_served() {
        let little = serving(&|path| path == KEYS.path || path == REGISTRATION.path);
        assert_eq!(little["grant_types_supported"], json!([]));
        for member in [
            "authorization_endpoint",
            "token_endpoint",
            "userinfo_endpoint",
            "response_types_supported",
            "token_endpoint_auth_methods_supported",
            "backchannel_logout_supported",
            "backchannel_authentication_endpoint",
            "backchannel_token_delivery_modes_supported",
        ] {
            assert!(!little.contains_key(member), "{member}");
        }
        let tokens = serving(&|path| path == TOKEN.path);
        assert!(!tokens["grant_types_supported"].to_string().contains("authorization_code"));
        assert!(!tokens["claims_supported"].to_string().contains("email"));
    }

    #[test]
    fn discovery_names_no_deprecated_feature() {
        let text = Value::Object(serving(&|_| true)).to_string();
        for word in ["implicit", "\"password\"", "\"token\"", "fragment", "plain", "\"none\"]", "HS256"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
