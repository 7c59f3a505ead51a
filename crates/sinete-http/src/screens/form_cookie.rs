//! Cookies that store form data between a form and the next page: for a short time, only for our own pages,
//! and never a secret.

use axum::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sinete_core::id::RoleId;
use sinete_server::extract::params::FormParams;
use sinete_server::security_headers::IssuerScheme;

/// Maximum length: browsers store 4096 bytes of a cookie with its attributes.
const COOKIE_BYTES_MAX: usize = 2800;

/// The length of an encoded id.
const ID_CHARACTERS: usize = 22;

/// The field prefix of roles.
const ROLE_FIELD_PREFIX: &str = "role.";

/// The field prefix of event types.
const EVENT_KIND_FIELD_PREFIX: &str = "kind.";

/// Fields that are never stored: the client secret of a provider, and its metadata, which is too large.
const NEVER_STORED_FIELDS: [&str; 2] = ["client_secret", "metadata"];

/// The field that names one of those if it had an input: it must be entered again.
pub(crate) const RETYPE_FIELD: &str = "again";

/// The fields of a form that can be stored, without these.
pub(crate) fn storable_fields(form: &FormParams, left_out: &[&str]) -> Vec<(String, String)> {
    let fields = form.iter().filter(|(name, _)| !left_out.contains(name));
    let fields = fields.map(|(name, value)| match (NEVER_STORED_FIELDS.contains(&name), value) {
        (true, text) if !text.is_empty() => (RETYPE_FIELD, name),
        _ => (name, value),
    });
    fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Stored form fields: selected roles as a list of ids, so that as many fit as a form can have, and selected
/// event types by name.
#[derive(Serialize, Deserialize)]
struct PackedFormFields(Vec<(String, String)>, String, String);

/// Serializes the fields of a form.
pub(crate) fn serialize<S: Serializer>(fields: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    let mut form_fields = PackedFormFields(Vec::new(), String::new(), String::new());
    let mut kinds = Vec::new();
    for (name, value) in fields {
        let role = name.strip_prefix(ROLE_FIELD_PREFIX).filter(|_| value == "on");
        let id = role.and_then(|text| text.parse().ok().filter(|id: &RoleId| id.to_string() == text));
        let kind =
            name.strip_prefix(EVENT_KIND_FIELD_PREFIX).filter(|kind| value == "on" && !kind.is_empty());
        match (id, kind.filter(|kind| !kind.contains(' '))) {
            (Some(id), _) => URL_SAFE_NO_PAD.encode_string(id.as_bytes(), &mut form_fields.1),
            (None, Some(kind)) => kinds.push(kind),
            (None, None) => form_fields.0.push((name.clone(), value.clone())),
        }
    }
    form_fields.2 = kinds.join(" ");
    form_fields.serialize(to)
}

/// Deserializes the fields of a form.
pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    let PackedFormFields(mut fields, roles, kinds) = PackedFormFields::deserialize(from)?;
    for text in roles.as_bytes().chunks(ID_CHARACTERS) {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
        let id = bytes.map(RoleId::from_bytes).ok_or_else(|| D::Error::custom("not the id of a role"))?;
        fields.push((format!("{ROLE_FIELD_PREFIX}{id}"), "on".to_owned()));
    }
    for kind in kinds.split(' ').filter(|kind| !kind.is_empty()) {
        fields.push((format!("{EVENT_KIND_FIELD_PREFIX}{kind}"), "on".to_owned()));
    }
    Ok(fields)
}

/// A cookie for form data.
#[derive(Clone, Copy)]
pub(crate) struct FormCookie {
    /// The name, without the host prefix.
    pub(crate) name: &'static str,
    /// The lifetime in seconds.
    pub(crate) seconds: i64,
    /// Its `SameSite` policy.
    pub(crate) scope: FormCookieScope,
}

/// The `SameSite` policy.
#[derive(Clone, Copy)]
pub(crate) enum FormCookieScope {
    /// Only with requests from our own pages.
    SameSiteStrict,
    /// Also with navigation from other sites: it contains only one of our paths.
    SameSiteLax,
}

impl FormCookie {
    /// Reads the cookie. Unreadable data is ignored.
    pub(crate) fn read_cookie<T: DeserializeOwned>(
        self,
        headers: &HeaderMap,
        scheme: IssuerScheme,
    ) -> Option<T> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
        let name = self.cookie_name(scheme);
        let (_, value) = pairs.map(|(it, value)| (it.trim(), value.trim())).find(|(it, _)| *it == name)?;
        let bytes = URL_SAFE_NO_PAD.decode(value).ok().filter(|bytes| bytes.len() <= COOKIE_BYTES_MAX)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Sets the cookie, unless it is too long; returns whether it was set.
    pub(crate) fn set_cookie(
        self,
        response: &mut Response,
        scheme: IssuerScheme,
        value: &impl Serialize,
    ) -> bool {
        match serde_json::to_vec(value) {
            Ok(bytes) if bytes.len() <= COOKIE_BYTES_MAX => {
                self.write_cookie(response, scheme, &URL_SAFE_NO_PAD.encode(bytes), self.seconds);
                true
            }
            Ok(_) | Err(_) => false,
        }
    }

    /// Removes the cookie.
    pub(crate) fn clear_cookie(self, response: &mut Response, scheme: IssuerScheme) {
        self.write_cookie(response, scheme, "", 0);
    }

    fn cookie_name(self, scheme: IssuerScheme) -> String {
        match scheme {
            IssuerScheme::Https => format!("__Host-{}", self.name),
            IssuerScheme::Http => format!("sinete_{}", self.name),
        }
    }

    fn write_cookie(self, response: &mut Response, scheme: IssuerScheme, value: &str, seconds: i64) {
        let secure = match scheme {
            IssuerScheme::Https => "; Secure",
            IssuerScheme::Http => "",
        };
        let name = self.cookie_name(scheme);
        let site = match self.scope {
            FormCookieScope::SameSiteStrict => "Strict",
            FormCookieScope::SameSiteLax => "Lax",
        };
        let line = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={site}{secure}");
        if let Ok(line) = HeaderValue::try_from(line) {
            response.headers_mut().append(SET_COOKIE, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct KeptForm(#[serde(with = "super")] Vec<(String, String)>);

    #[test]
    fn form_cookie_compresses_roles_and_keeps_other_fields() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let roles = (0..97).map(|it| field(&format!("role.{}", RoleId::from_bytes([it; 16])), "on"));
        let odd = [field("role.none", "on"), field(&format!("role.{}", RoleId::from_bytes([9; 16])), "off")];
        let form = KeptForm(odd.into_iter().chain([field("email", "a@b.example")]).chain(roles).collect());
        let serialized_form = serde_json::to_vec(&form).unwrap();
        assert!(serialized_form.len() < COOKIE_BYTES_MAX - 400, "{}", serialized_form.len());
        assert_eq!(serde_json::from_slice::<KeptForm>(&serialized_form).unwrap(), form);
        for damaged in ["[[],\"A\",\"\"]", "[[],\"!!!!!!!!!!!!!!!!!!!!!!\",\"\"]", "[[],\"\"]", "[[]]", "{}"]
        {
            assert!(serde_json::from_str::<KeptForm>(damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn form_cookie_fits_every_offered_event_kind() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let event_kinds: Vec<&str> = sinete_screens::console::audit_log::EVENT_KIND_GROUPS
            .iter()
            .flat_map(|heading| heading.kinds)
            .copied()
            .collect();
        let odd = ["kind.", "kind.a b"].map(|name| field(name, "on"));
        let other_fields =
            [field("kind.role.created", "off"), field("shown", &"x".repeat(8 * event_kinds.len()))];
        let kind_fields = event_kinds.iter().map(|kind| field(&format!("kind.{kind}"), "on"));
        let form = KeptForm(odd.into_iter().chain(other_fields).chain(kind_fields).collect());
        let serialized_form = serde_json::to_vec(&form).unwrap();
        assert!(serialized_form.len() < COOKIE_BYTES_MAX - 400, "{}", serialized_form.len());
        assert_eq!(serde_json::from_slice::<KeptForm>(&serialized_form).unwrap(), form);
    }

    #[test]
    fn form_cookie_stores_neither_secrets_nor_long_documents() {
        let form = FormParams::parse(b"csrf=c&name=A&client_secret=hush&metadata=").unwrap();
        let stored_fields = storable_fields(&form, &["csrf"]);
        let stored_fields: Vec<(&str, &str)> =
            stored_fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(stored_fields, [("name", "A"), ("again", "client_secret"), ("metadata", "")]);
    }
}
