//! Client metadata about certificates (RFC 8705), and its validation.

use super::{ClientAuthMethod, ClientMetadata};
use crate::limits::CERTIFICATE_NAME_BYTES_MAX;
use crate::oauth::mtls::distinguished_name::DistinguishedName;
use crate::oauth::mtls::{ClientCertificatePolicy, RegisteredCertificateName};
use crate::validation::ValidationErrors;

impl ClientMetadata {
    /// The name expected in the certificate, if exactly one valid name is registered.
    pub fn certificate_name(&self) -> Option<RegisteredCertificateName> {
        match &self.certificate_names()[..] {
            [(member, text)] => parse_certificate_name(member, text),
            _ => None,
        }
    }

    /// Reports members that need certificates but are unavailable under the instance's policy. Tokens must
    /// not be promised as bound where no connection ever presents a certificate.
    pub fn find_unavailable_mtls_features(
        &self,
        certificate_policy: ClientCertificatePolicy,
    ) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        if !self.token_endpoint_auth_method.is_available(certificate_policy) {
            errors.add(
                "/token_endpoint_auth_method",
                "mTLS is not enabled on this instance; choose another method",
            );
        }
        if self.tls_client_certificate_bound_access_tokens && !certificate_policy.accepts_any() {
            let pointer = "/tls_client_certificate_bound_access_tokens";
            errors.add(pointer, "mTLS is not enabled on this instance; use dpop_bound_access_tokens");
        }
        errors
    }

    /// Validates the mTLS members.
    pub(super) fn validate_mtls(&self, errors: &mut ValidationErrors) {
        let names = self.certificate_names();
        let by_name = self.token_endpoint_auth_method == ClientAuthMethod::TlsClientAuth;
        match (by_name, &names[..]) {
            (true, [_]) | (false, []) => {}
            (true, _) => errors.add(
                "/token_endpoint_auth_method",
                "tls_client_auth needs exactly one of the members tls_client_auth_subject_dn, _san_dns, \
                 _san_uri, _san_ip and _san_email",
            ),
            (false, [(member, _), ..]) => {
                errors.add(format!("/{member}"), "is only for the method tls_client_auth")
            }
        }
        for (member, text) in &names {
            if parse_certificate_name(member, text).is_none() {
                errors.add(format!("/{member}"), "is not a name that a certificate can have");
            }
        }
    }

    fn certificate_names(&self) -> Vec<(&'static str, &str)> {
        [
            (SUBJECT, &self.tls_client_auth_subject_dn),
            (DNS, &self.tls_client_auth_san_dns),
            (URI, &self.tls_client_auth_san_uri),
            (IP, &self.tls_client_auth_san_ip),
            (EMAIL, &self.tls_client_auth_san_email),
        ]
        .into_iter()
        .filter_map(|(member, text)| Some((member, text.as_deref()?)))
        .collect()
    }
}

const SUBJECT: &str = "tls_client_auth_subject_dn";
const DNS: &str = "tls_client_auth_san_dns";
const URI: &str = "tls_client_auth_san_uri";
const IP: &str = "tls_client_auth_san_ip";
const EMAIL: &str = "tls_client_auth_san_email";

fn parse_certificate_name(member: &str, text: &str) -> Option<RegisteredCertificateName> {
    let fits = (1..=CERTIFICATE_NAME_BYTES_MAX).contains(&text.len());
    let plain = || (fits && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| text.to_owned());
    match member {
        SUBJECT => text.parse::<DistinguishedName>().ok().map(RegisteredCertificateName::Subject),
        DNS => plain().map(RegisteredCertificateName::Dns),
        URI => plain().filter(|text| url::Url::parse(text).is_ok()).map(RegisteredCertificateName::Uri),
        IP => text.parse().ok().map(RegisteredCertificateName::Ip),
        EMAIL => plain().filter(|text| text.contains('@')).map(RegisteredCertificateName::Email),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(members: &str) -> ClientMetadata {
        serde_json::from_str(&format!(
            r#"{{"client_name":"x","grant_types":["client_credentials"],{members}}}"#
        ))
        .unwrap()
    }

    fn places(members: &str) -> Vec<String> {
        of(members).validate().iter().map(|fault| fault.pointer.clone()).collect()
    }

    #[test]
    fn tls_client_auth_needs_exactly_one_subject_name() {
        let one = r#""token_endpoint_auth_method":"tls_client_auth","tls_client_auth_san_dns":"a.example""#;
        assert!(places(one).is_empty());
        assert_eq!(of(one).certificate_name(), Some(RegisteredCertificateName::Dns("a.example".to_owned())));
        assert_eq!(
            places(r#""token_endpoint_auth_method":"tls_client_auth""#),
            ["/token_endpoint_auth_method"]
        );
        let two = format!(r#"{one},"tls_client_auth_san_email":"a@a.example""#);
        assert_eq!(places(&two), ["/token_endpoint_auth_method"]);
        assert_eq!(of(&two).certificate_name(), None);
    }

    #[test]
    fn tls_client_auth_name_with_invalid_syntax_is_refused() {
        assert_eq!(places(r#""tls_client_auth_san_dns":"a.example""#), ["/tls_client_auth_san_dns"]);
        for (member, text) in [
            ("subject_dn", "billing"),
            ("san_dns", "a b"),
            ("san_uri", "not an address"),
            ("san_ip", "300.0.0.1"),
            ("san_email", "nobody"),
        ] {
            let member = format!("tls_client_auth_{member}");
            let text = format!(r#""token_endpoint_auth_method":"tls_client_auth","{member}":"{text}""#);
            assert_eq!(places(&text), [format!("/{member}")]);
        }
    }

    #[test]
    fn self_signed_tls_client_auth_needs_registered_keys() {
        let method = r#""token_endpoint_auth_method":"self_signed_tls_client_auth""#;
        assert_eq!(places(method), ["/jwks"]);
        assert!(places(&format!(r#"{method},"jwks_uri":"https://a.example/keys""#)).is_empty());
    }

    #[test]
    fn mtls_metadata_is_refused_where_the_instance_accepts_no_certificates() {
        let bound = of(r#""tls_client_certificate_bound_access_tokens":true"#);
        assert!(!bound.find_unavailable_mtls_features(ClientCertificatePolicy::None).is_empty());
        assert!(bound.find_unavailable_mtls_features(ClientCertificatePolicy::Registered).is_empty());
        let vouched = of(r#""token_endpoint_auth_method":"tls_client_auth","tls_client_auth_san_ip":"::1""#);
        assert!(!vouched.find_unavailable_mtls_features(ClientCertificatePolicy::Registered).is_empty());
        assert!(vouched.find_unavailable_mtls_features(ClientCertificatePolicy::CaIssued).is_empty());
        assert!(
            of(r#""token_endpoint_auth_method":"none""#)
                .find_unavailable_mtls_features(ClientCertificatePolicy::None)
                .is_empty()
        );
    }
}
