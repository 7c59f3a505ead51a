//! The fields that the user changed in an application's form. The form contains the displayed values, so that
//! only changed fields are saved: concurrent changes by others are kept, also when the form is submitted
//! again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::id::RoleId;
use sinete_core::secret::Digest;
use sinete_screens::console::applications::GRANT_TYPES;
use sinete_server::extract::params::FormParams;

/// The field with the displayed values.
const ORIGINAL_VALUES_FIELD: &str = "shown";

/// The text and selection fields.
pub(super) const TEXT_FIELDS: [&str; 8] =
    ["name", "purpose", "redirects", "proof", "keys", "scope", "claims", "role_claims"];

/// The length of a text's fingerprint: enough to detect a change.
const FINGERPRINT_BYTES: usize = 8;

/// The same in characters.
const FINGERPRINT_CHARACTERS: usize = 11;

/// An id in characters.
const ID_CHARACTERS: usize = 22;

/// The digest type of fingerprints.
enum ApplicationDigestDomain {}

/// Encodes the displayed values: fingerprints of the texts, the grant types and the roles.
pub(super) fn encode_original_values(values: [&str; 8], grants: &[&str], roles: &[RoleId]) -> String {
    let marks: String =
        TEXT_FIELDS.iter().zip(values).map(|(name, text)| fingerprint_text(name, text)).collect();
    let mut all = format!("{marks}.{}.", grants.join("-"));
    for role in roles {
        URL_SAFE_NO_PAD.encode_string(role.as_bytes(), &mut all);
    }
    all
}

/// The changed fields.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ApplicationChanges {
    texts: Vec<(&'static str, String)>,
    grant_types: Vec<(&'static str, bool)>,
    roles: Vec<(RoleId, bool)>,
    /// The displayed roles.
    pub(super) original_roles: Vec<RoleId>,
}

impl ApplicationChanges {
    /// Reads the changes from a form, if it contains the displayed values.
    pub(super) fn from_form(form: &FormParams) -> Option<Self> {
        let mut parts = form.get(ORIGINAL_VALUES_FIELD)?.splitn(3, '.');
        let (marks, grants, roles) = (parts.next()?, parts.next()?, parts.next()?);
        if marks.len() != TEXT_FIELDS.len() * FINGERPRINT_CHARACTERS {
            return None;
        }
        let marks = marks.as_bytes().chunks(FINGERPRINT_CHARACTERS);
        let original_grants: Vec<&str> = grants.split('-').collect();
        let id = |text: &[u8]| Some(RoleId::from_bytes(URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?));
        let role_ids: Vec<RoleId> = roles.as_bytes().chunks(ID_CHARACTERS).map(id).collect::<Option<_>>()?;
        // Fields that are not in the form are unchanged; an unticked checkbox is not in the form.
        let changed_texts = TEXT_FIELDS.into_iter().zip(marks).filter_map(|(name, before)| {
            let (_, value) = form.iter().find(|(key, _)| *key == name)?;
            (fingerprint_text(name, value).as_bytes() != before).then(|| (name, normalize_text(name, value)))
        });
        let is_ticked = |name: &str| form.iter().any(|(key, _)| key == name);
        let grants = GRANT_TYPES.iter().map(|it| (it.name, is_ticked(&format!("grant.{}", it.name))));
        let selected_roles = super::super::members::parse_chosen_roles(form);
        let added_roles =
            selected_roles.iter().filter(|role| !role_ids.contains(role)).map(|role| (*role, true));
        let removed_roles =
            role_ids.iter().filter(|role| !selected_roles.contains(role)).map(|role| (*role, false));
        Some(Self {
            texts: changed_texts.collect(),
            grant_types: grants
                .filter(|(name, is_selected)| *is_selected != original_grants.contains(name))
                .collect(),
            roles: added_roles.chain(removed_roles).collect(),
            original_roles: role_ids,
        })
    }

    /// The changed texts by field name.
    pub(super) fn changed_texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.texts.iter().map(|(name, text)| (*name, text.as_str()))
    }

    /// Whether a grant type is selected, if that was changed.
    pub(super) fn changed_grant(&self, name: &str) -> Option<bool> {
        self.grant_types.iter().find(|(key, _)| *key == name).map(|(_, is_selected)| *is_selected)
    }

    /// Whether any grant type was changed.
    pub(super) fn has_grant_changes(&self) -> bool {
        !self.grant_types.is_empty()
    }

    /// Whether a role is selected, if that was changed.
    pub(super) fn changed_role(&self, role: RoleId) -> Option<bool> {
        self.roles.iter().find(|(id, _)| *id == role).map(|(_, is_selected)| *is_selected)
    }

    /// The resulting roles; `None` if they were not changed.
    pub(super) fn resulting_roles(&self) -> Option<Vec<RoleId>> {
        let stay = self.original_roles.iter().filter(|role| self.changed_role(**role).is_none());
        let added_roles = self.roles.iter().filter(|(_, is_selected)| *is_selected).map(|(role, _)| role);
        (!self.roles.is_empty()).then(|| stay.chain(added_roles).copied().collect())
    }
}

/// Normalizes a text: line ends, and without trailing white space.
pub(super) fn normalize_text(name: &str, text: &str) -> String {
    match name {
        "redirects" => {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => text.trim().to_owned(),
    }
}

fn fingerprint_text(name: &str, text: &str) -> String {
    let digest = Digest::<ApplicationDigestDomain>::from_parts(&[
        name.as_bytes(),
        normalize_text(name, text).as_bytes(),
    ]);
    URL_SAFE_NO_PAD.encode(&digest.as_bytes()[..FINGERPRINT_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [RoleId; 3] =
        [RoleId::from_bytes([1; 16]), RoleId::from_bytes([2; 16]), RoleId::from_bytes([3; 16])];

    fn sent(fields: &[(&str, &str)], roles: &[RoleId]) -> Option<ApplicationChanges> {
        let original_texts =
            ["Ledger", "", "https://a.example/cb\nhttps://a.example/two", "none", "", "openid", "", ""];
        let original_values = encode_original_values(original_texts, &["code", "refresh"], &ROLES[..2]);
        let role_fields = roles.iter().map(|role| (format!("role.{role}"), "on".to_owned()));
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        ApplicationChanges::from_form(&FormParams::from_pairs(
            fields.chain(role_fields).chain([("shown".to_owned(), original_values)]).collect(),
        ))
    }

    #[test]
    fn application_form_unchanged_from_the_page_is_not_an_edit() {
        let lines = "https://a.example/cb\r\n https://a.example/two \r\n\r\n";
        let fields = [
            ("name", "Ledger "),
            ("purpose", ""),
            ("redirects", lines),
            ("proof", "none"),
            ("scope", "openid"),
            ("grant.code", "on"),
            ("grant.refresh", "on"),
        ];
        let touched = sent(&fields, &[ROLES[1], ROLES[0]]).unwrap();
        assert!(touched.texts.is_empty() && touched.grant_types.is_empty(), "{touched:?}");
        assert_eq!((touched.resulting_roles(), touched.original_roles), (None, ROLES[..2].to_vec()));
    }

    #[test]
    fn application_form_edits_are_detected_field_by_field() {
        let fields = [("name", "Books"), ("scope", ""), ("grant.code", "on"), ("grant.own", "on")];
        let touched = sent(&fields, &[ROLES[0], ROLES[2]]).unwrap();
        assert_eq!(touched.changed_texts().collect::<Vec<_>>(), [("name", "Books"), ("scope", "")]);
        let grants = ["code", "refresh", "own"].map(|name| touched.changed_grant(name));
        assert_eq!(grants, [None, Some(false), Some(true)]);
        assert_eq!(ROLES.map(|role| touched.changed_role(role)), [None, Some(false), Some(true)]);
        assert_eq!(touched.resulting_roles(), Some(vec![ROLES[0], ROLES[2]]));
    }

    #[test]
    fn application_form_without_the_displayed_values_is_refused() {
        let of = |original_values: &str| {
            ApplicationChanges::from_form(&FormParams::from_pairs(vec![(
                "shown".to_owned(),
                original_values.to_owned(),
            )]))
        };
        let good = encode_original_values([""; 8], &[], &[]);
        assert!(of(&good).is_some());
        for bad in ["", "x", "..", &good[1..], &format!("{good}A"), &format!("{good}!!!!!!!!!!!!!!!!!!!!!!")]
        {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
