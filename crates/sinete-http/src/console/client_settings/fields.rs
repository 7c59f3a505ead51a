//! The fields of a client in the management API, as fields of forms. The settings pages and the registration of a client
//! share them.

use crate::console::operations::Phrase;
use crate::console::operations::form::{FieldKind, FormField};

pub(in crate::console) const NAME: FormField = FormField {
    pointer: "/metadata/client_name",
    label: |w| w.applications.name,
    hint: |w| w.applications.name_hint,
    is_required: true,
    ..FormField::TEXT
};
pub(in crate::console) const PURPOSE: FormField =
    text_field("/purpose", |w| w.applications.purpose, |w| w.applications.purpose_hint);
pub(in crate::console) const OWNER: FormField =
    text_field("/owner", |w| w.applications.owner, |w| w.client_settings.owner_hint);
pub(in crate::console) const REDIRECT_URIS: FormField =
    lines_field("/metadata/redirect_uris", |w| w.applications.redirects, |w| w.applications.redirects_hint);
pub(in crate::console) const AUTH_METHOD: FormField = FormField {
    hint: |w| w.applications.proof_hint,
    ..choice_field("/metadata/token_endpoint_auth_method", |w| w.applications.proof, AUTH_METHODS)
};
pub(in crate::console) const GRANTS: FormField = FormField {
    pointer: "/metadata/grant_types",
    label: |w| w.applications.grants,
    kind: FieldKind::Checkboxes(GRANT_TYPES),
    // None is an error; without the member, the default grant types would apply.
    is_required: true,
    ..FormField::TEXT
};
pub(in crate::console) const SCOPE: FormField = FormField {
    kind: FieldKind::TextOrEmpty,
    ..text_field("/metadata/scope", |w| w.applications.scope, |w| w.applications.scope_hint)
};
pub(in crate::console) const JWKS_URI: FormField =
    text_field("/metadata/jwks_uri", |w| w.applications.keys, |w| w.applications.keys_hint);
/// For whom a client of the instance is.
pub(in crate::console) const SERVES: FormField = FormField {
    hint: |w| w.client_settings.serves_hint,
    initial: "any",
    ..choice_field("/metadata/serves", |w| w.client_settings.serves, SERVED_USERS)
};
/// What it is; the settings that are left out follow from it.
pub(in crate::console) const TYPE: FormField = choice_field("/type", |w| w.applications.kind, TYPES);
pub(in crate::console) const KIND: FormField = choice_field("/kind", |w| w.applications.kind, KINDS);
pub(in crate::console) const CLIENT_ID: FormField =
    text_field("/id", |w| w.applications.client_id, |w| w.client_settings.id_hint);

/// Grant types and the addresses they need.
pub(super) const GRANT_AND_URL_FIELDS: &[FormField] = &[
    choice_field("/metadata/application_type", |w| w.client_settings.application_type, APPLICATION_TYPES),
    GRANTS,
    FormField {
        pointer: "/metadata/response_types",
        label: |w| w.client_settings.response_types,
        hint: |w| w.client_settings.response_types_hint,
        kind: FieldKind::Checkboxes(&[("code", |_| "code")]),
        ..FormField::TEXT
    },
    REDIRECT_URIS,
    text_field(
        "/metadata/initiate_login_uri",
        |w| w.client_settings.initiate_login,
        |w| w.client_settings.initiate_login_hint,
    ),
];

/// Sign-in and consent. The users that a client serves are set only for clients of the instance.
pub(super) const SIGN_IN: &[FormField] =
    &[CONSENT, MAX_AGE, AUTH_TIME, ACR_VALUES, REQUIRE_PAR, REQUEST_ALGORITHM, INTERACTION_URL];
pub(super) const INSTANCE_SIGN_IN: &[FormField] =
    &[SERVES, CONSENT, MAX_AGE, AUTH_TIME, ACR_VALUES, REQUIRE_PAR, REQUEST_ALGORITHM, INTERACTION_URL];

const CONSENT: FormField = FormField {
    hint: |w| w.client_settings.consent_hint,
    initial: "ask",
    ..choice_field("/metadata/consent", |w| w.client_settings.consent, CONSENT_MODES)
};
const MAX_AGE: FormField = FormField {
    kind: FieldKind::Number,
    ..text_field(
        "/metadata/default_max_age",
        |w| w.client_settings.max_age,
        |w| w.client_settings.max_age_hint,
    )
};
const AUTH_TIME: FormField = checkbox_field("/metadata/require_auth_time", |w| w.client_settings.auth_time);
const ACR_VALUES: FormField = lines_field(
    "/metadata/default_acr_values",
    |w| w.client_settings.acr_values,
    |w| w.client_settings.acr_values_hint,
);
const REQUIRE_PAR: FormField =
    checkbox_field("/metadata/require_pushed_authorization_requests", |w| w.instance.require_par);
const REQUEST_ALGORITHM: FormField = FormField {
    hint: |w| w.client_settings.needs_keys,
    ..choice_field(
        "/metadata/request_object_signing_alg",
        |w| w.client_settings.request_algorithm,
        OPTIONAL_ALGORITHMS,
    )
};
const INTERACTION_URL: FormField = text_field(
    "/metadata/interaction_url",
    |w| w.client_settings.interaction_url,
    |w| w.client_settings.interaction_url_hint,
);

/// What tokens contain and how they are bound.
pub(super) const TOKENS: &[FormField] = &[
    SCOPE,
    lines_field(
        "/metadata/authorization_details_types",
        |w| w.client_settings.detail_types,
        |w| w.client_settings.detail_types_hint,
    ),
    checkbox_field("/metadata/include_claims_in_id_token", |w| w.client_settings.id_token_claims),
    FormField {
        pointer: "/metadata/role_claims",
        label: |w| w.applications.role_claims,
        hint: |w| w.applications.role_claims_hint,
        kind: FieldKind::Checkboxes(&[("groups", |_| "groups"), ("roles", |_| "roles")]),
        ..FormField::TEXT
    },
    choice_field(
        "/metadata/id_token_signed_response_alg",
        |w| w.client_settings.id_token_algorithm,
        DEFAULT_ALGORITHMS,
    ),
    choice_field(
        "/metadata/userinfo_signed_response_alg",
        |w| w.client_settings.userinfo_algorithm,
        OPTIONAL_ALGORITHMS,
    ),
    checkbox_field("/metadata/dpop_bound_access_tokens", |w| w.instance.require_dpop),
    checkbox_field("/metadata/tls_client_certificate_bound_access_tokens", |w| {
        w.client_settings.certificate_bound
    }),
];

/// Logout.
pub(super) const LOGOUT: &[FormField] = &[
    lines_field(
        "/metadata/post_logout_redirect_uris",
        |w| w.instance.post_logout,
        |w| w.client_settings.post_logout_hint,
    ),
    text_field(
        "/metadata/backchannel_logout_uri",
        |w| w.instance.backchannel_logout,
        |w| w.client_settings.backchannel_logout_hint,
    ),
    checkbox_field("/metadata/backchannel_logout_session_required", |w| w.client_settings.logout_session),
];

/// Client authentication and keys.
pub(super) const KEYS: &[FormField] = &[
    AUTH_METHOD,
    choice_field(
        "/metadata/token_endpoint_auth_signing_alg",
        |w| w.client_settings.assertion_algorithm,
        ANY_ALGORITHMS,
    ),
    JWKS_URI,
    FormField {
        kind: FieldKind::Json,
        ..text_field("/metadata/jwks", |w| w.client_settings.jwks, |w| w.client_settings.jwks_hint)
    },
    text_field(
        "/metadata/tls_client_auth_subject_dn",
        |w| w.client_settings.subject_dn,
        |w| w.client_settings.subject_dn_hint,
    ),
    certificate_name("/metadata/tls_client_auth_san_dns", |w| w.client_settings.san_dns),
    certificate_name("/metadata/tls_client_auth_san_uri", |w| w.client_settings.san_uri),
    certificate_name("/metadata/tls_client_auth_san_ip", |w| w.client_settings.san_ip),
    certificate_name("/metadata/tls_client_auth_san_email", |w| w.client_settings.san_email),
];

/// The texts that users see.
pub(super) const DISPLAY_FIELDS: &[FormField] = &[
    NAME,
    PURPOSE,
    text_field("/metadata/client_uri", |w| w.instance.client_uri, |w| w.client_settings.consent_page_hint),
    text_field("/metadata/logo_uri", |w| w.instance.logo_uri, |w| w.client_settings.logo_hint),
    text_field("/metadata/tos_uri", |w| w.client_settings.terms, |w| w.client_settings.consent_page_hint),
    text_field("/metadata/policy_uri", |w| w.client_settings.policy, |w| w.client_settings.consent_page_hint),
    lines_field("/metadata/contacts", |w| w.instance.contacts, |w| w.client_settings.contacts_hint),
    FormField {
        kind: FieldKind::Json,
        ..text_field(
            "/metadata/localized",
            |w| w.client_settings.localized,
            |w| w.client_settings.localized_hint,
        )
    },
    text_field(
        "/metadata/software_id",
        |w| w.client_settings.software_id,
        |w| w.client_settings.software_id_hint,
    ),
    text_field("/metadata/software_version", |w| w.client_settings.software_version, |_| ""),
];

/// The security profile, CIBA and identifiers.
pub(super) const ADVANCED: &[FormField] = &[
    FormField {
        hint: |w| w.client_settings.profile_hint,
        initial: "standard",
        ..choice_field("/metadata/security_profile", |w| w.client_settings.profile, SECURITY_PROFILES)
    },
    choice_field(
        "/metadata/backchannel_token_delivery_mode",
        |w| w.client_settings.delivery_mode,
        CIBA_DELIVERY_MODES,
    ),
    text_field(
        "/metadata/backchannel_client_notification_endpoint",
        |w| w.client_settings.notification_endpoint,
        |w| w.client_settings.notification_endpoint_hint,
    ),
    FormField {
        hint: |w| w.client_settings.needs_keys,
        ..choice_field(
            "/metadata/backchannel_authentication_request_signing_alg",
            |w| w.client_settings.ciba_algorithm,
            OPTIONAL_ALGORITHMS,
        )
    },
    choice_field("/metadata/subject_type", |w| w.client_settings.subject_type, SUBJECT_TYPES),
    text_field(
        "/metadata/sector_identifier_uri",
        |w| w.client_settings.sector_identifier,
        |w| w.client_settings.sector_identifier_hint,
    ),
];

type Options = &'static [(&'static str, Phrase)];

const AUTH_METHODS: Options = &[
    ("client_secret_basic", |w| w.applications.by_basic),
    ("client_secret_post", |w| w.applications.by_post),
    ("private_key_jwt", |w| w.applications.by_keys),
    ("tls_client_auth", |w| w.client_settings.by_certificate),
    ("self_signed_tls_client_auth", |w| w.client_settings.by_own_certificate),
    ("none", |w| w.applications.by_nothing),
];
const GRANT_TYPES: Options = &[
    ("authorization_code", |w| w.applications.code),
    ("refresh_token", |w| w.applications.refresh),
    ("client_credentials", |w| w.applications.own),
    ("urn:ietf:params:oauth:grant-type:token-exchange", |w| w.applications.exchange),
    ("urn:ietf:params:oauth:grant-type:device_code", |w| w.applications.device),
    ("urn:openid:params:grant-type:ciba", |w| w.applications.approval),
];
/// A service acts for itself, which a client of the instance cannot.
const TYPES: Options = &[
    ("web", |w| w.applications.type_web),
    ("spa", |w| w.applications.type_spa),
    ("native", |w| w.applications.type_native),
];
const KINDS: Options = &[
    ("application", |w| w.applications.application),
    ("service", |w| w.applications.service),
    ("agent", |w| w.applications.agent),
];
const APPLICATION_TYPES: Options = &[
    ("web", |w| w.client_settings.application_type_web),
    ("native", |w| w.client_settings.application_type_native),
];
const CONSENT_MODES: Options = &[
    ("ask", |w| w.client_settings.consent_ask),
    ("ask_for_permissions", |w| w.client_settings.consent_permissions),
    ("implied", |w| w.client_settings.consent_implied),
];
const SERVED_USERS: Options = &[
    ("any", |w| w.client_settings.serves_any),
    ("everyone", |w| w.client_settings.serves_everyone),
    ("organizations", |w| w.client_settings.serves_organizations),
];
const SECURITY_PROFILES: Options =
    &[("standard", |w| w.client_settings.profile_standard), ("fapi2", |w| w.client_settings.profile_fapi2)];
const CIBA_DELIVERY_MODES: Options = &[
    ("", |w| w.client_settings.not_set),
    ("poll", |w| w.client_settings.delivery_poll),
    ("ping", |w| w.client_settings.delivery_ping),
];
const SUBJECT_TYPES: Options = &[("", |w| w.client_settings.not_set), ("public", |_| "public")];

/// The signing algorithms after the text of a choice of none.
const fn algorithm_options(none: Phrase) -> [(&'static str, Phrase); 5] {
    [
        ("", none),
        ("RS256", |_| "RS256"),
        ("PS256", |_| "PS256"),
        ("ES256", |_| "ES256"),
        ("EdDSA", |_| "EdDSA"),
    ]
}
const ANY_ALGORITHMS: Options = &algorithm_options(|w| w.client_settings.any_algorithm);
const DEFAULT_ALGORITHMS: Options = &algorithm_options(|w| w.client_settings.usual_algorithm);
const OPTIONAL_ALGORITHMS: Options = &algorithm_options(|w| w.client_settings.not_signed);

const fn text_field(pointer: &'static str, label: Phrase, hint: Phrase) -> FormField {
    FormField { pointer, label, hint, ..FormField::TEXT }
}

const fn lines_field(pointer: &'static str, label: Phrase, hint: Phrase) -> FormField {
    FormField { kind: FieldKind::Lines, ..text_field(pointer, label, hint) }
}

const fn choice_field(pointer: &'static str, label: Phrase, options: Options) -> FormField {
    FormField { pointer, label, kind: FieldKind::Choice(options), ..FormField::TEXT }
}

const fn checkbox_field(pointer: &'static str, label: Phrase) -> FormField {
    FormField { pointer, label, kind: FieldKind::Checkbox, ..FormField::TEXT }
}

const fn certificate_name(pointer: &'static str, label: Phrase) -> FormField {
    text_field(pointer, label, |_| "")
}
