//! The attributes of users and groups: the table that all SCIM code uses.

use super::attribute::{ScimAttribute, ScimAttributeType};
use super::{ENTERPRISE_SCHEMA, ScimResourceType};

/// The common attributes (RFC 7643 §3.1).
pub const COMMON: &[ScimAttribute] = &[
    ScimAttribute::text("schemas", "The schemas that say what is in it.")
        .multi_valued()
        .case_exact()
        .always_returned()
        .read_only(),
    ScimAttribute::text("id", "What we know it by.").case_exact().always_returned().unique().read_only(),
    ScimAttribute::text("externalId", "What the directory knows it by.").case_exact(),
    ScimAttribute::complex("meta", "What there is to say about the resource itself.", META).read_only(),
];

const META: &[ScimAttribute] = &[
    ScimAttribute::text("resourceType", "What kind of thing it is.").case_exact().read_only(),
    ScimAttribute::with_type(ScimAttributeType::Moment, "created", "When it was made.").read_only(),
    ScimAttribute::with_type(ScimAttributeType::Moment, "lastModified", "When it last changed.").read_only(),
    ScimAttribute::with_type(ScimAttributeType::Reference, "location", "Where it is.")
        .case_exact()
        .read_only(),
    ScimAttribute::text("version", "The version that is shown, as its ETag says it.")
        .case_exact()
        .read_only(),
];

/// The user attributes (RFC 7643 §4.1).
pub const USER: &[ScimAttribute] = &[
    ScimAttribute::text(
        "userName",
        "The name the directory gives the user, different for each in the organization.",
    )
    .required()
    .unique(),
    ScimAttribute::complex("name", "The parts of the user's name.", NAME),
    ScimAttribute::text("displayName", "The whole name, as the organization shows it."),
    ScimAttribute::text("nickName", "What the user is called among friends."),
    ScimAttribute::with_type(ScimAttributeType::WebAddress, "profileUrl", "A page about the user.")
        .case_exact(),
    ScimAttribute::text("title", "What the user is in the organization."),
    ScimAttribute::text("userType", "What kind of member the user is, in the organization's words."),
    ScimAttribute::text("preferredLanguage", "The language the user reads."),
    ScimAttribute::text("locale", "The language and region the user reads in."),
    ScimAttribute::text("timezone", "The time zone the user lives in."),
    ScimAttribute::with_type(
        ScimAttributeType::Boolean,
        "active",
        "Whether the membership counts: where it does not, nothing of it does.",
    ),
    ScimAttribute::complex(
        "emails",
        "E-mail addresses, as the organization knows them. They prove nothing and sign nobody in.",
        EMAIL,
    )
    .multi_valued(),
    ScimAttribute::complex("phoneNumbers", "Telephone numbers, as the organization knows them.", PHONE)
        .multi_valued(),
    ScimAttribute::complex("addresses", "Where the user is reached by post.", ADDRESS).multi_valued(),
    ScimAttribute::complex("ims", "Instant messaging addresses of the user.", INSTANT_MESSAGING)
        .multi_valued(),
    ScimAttribute::complex(
        "photos",
        "URLs of pictures of the user. They are stored and never fetched.",
        PHOTO,
    )
    .multi_valued(),
    ScimAttribute::complex(
        "entitlements",
        "Entitlements, in the directory's words. They are stored and grant nothing.",
        LABEL,
    )
    .multi_valued(),
    ScimAttribute::complex(
        "roles",
        "Roles, in the directory's words. They are stored and grant nothing: groups assign roles.",
        LABEL,
    )
    .multi_valued(),
    ScimAttribute::complex(
        "groups",
        "The groups the user is in. They are changed through the groups.",
        GROUPS,
    )
    .multi_valued()
    .read_only(),
];

const NAME: &[ScimAttribute] = &[
    ScimAttribute::text("formatted", "The whole name, as it is written."),
    ScimAttribute::text("familyName", "The family name."),
    ScimAttribute::text("givenName", "The given name."),
    ScimAttribute::text("middleName", "The middle name."),
    ScimAttribute::text("honorificPrefix", "What stands before the name."),
    ScimAttribute::text("honorificSuffix", "What stands behind the name."),
];

const DISPLAY: ScimAttribute = ScimAttribute::text("display", "What is shown in its place.");
const PRIMARY: ScimAttribute = ScimAttribute::with_type(
    ScimAttributeType::Boolean,
    "primary",
    "Whether it is the usual one; at most one is.",
);
const TYPE: ScimAttribute = ScimAttribute::text("type", "What it is for.");

const EMAIL: &[ScimAttribute] = &[
    ScimAttribute::with_type(ScimAttributeType::Email, "value", "The address.").required(),
    DISPLAY,
    TYPE.with_canonical_values(&["work", "home", "other"]),
    PRIMARY,
];

const PHONE: &[ScimAttribute] = &[
    ScimAttribute::text("value", "The number.").required(),
    DISPLAY,
    TYPE.with_canonical_values(&["work", "home", "mobile", "fax", "pager", "other"]),
    PRIMARY,
];

const ADDRESS: &[ScimAttribute] = &[
    ScimAttribute::with_type(
        ScimAttributeType::Lines,
        "formatted",
        "The whole address, as it is written on a letter.",
    ),
    ScimAttribute::with_type(ScimAttributeType::Lines, "streetAddress", "Street and number."),
    ScimAttribute::text("locality", "City."),
    ScimAttribute::text("region", "State or province."),
    ScimAttribute::text("postalCode", "Postal code."),
    ScimAttribute::text("country", "Country."),
    TYPE.with_canonical_values(&["work", "home", "other"]),
    PRIMARY,
];

const INSTANT_MESSAGING: &[ScimAttribute] =
    &[ScimAttribute::text("value", "The address.").required(), DISPLAY, TYPE, PRIMARY];

const PHOTO: &[ScimAttribute] = &[
    ScimAttribute::with_type(ScimAttributeType::WebAddress, "value", "The URL.").case_exact().required(),
    DISPLAY,
    TYPE.with_canonical_values(&["photo", "thumbnail"]),
    PRIMARY,
];

/// Entra ID sends a whole app role as JSON in `value`, which is longer than a short text.
const LABEL: &[ScimAttribute] = &[
    ScimAttribute::with_type(ScimAttributeType::Lines, "value", "The value.").required(),
    DISPLAY,
    TYPE,
    PRIMARY,
];

const GROUPS: &[ScimAttribute] = &[
    ScimAttribute::text("value", "The id of the group.").case_exact().read_only(),
    ScimAttribute::reference("Where the group is.", &["Group"]).read_only(),
    ScimAttribute::text("display", "What the group is called.").read_only(),
    ScimAttribute::text("type", "How the user is in it.").with_canonical_values(&["direct"]).read_only(),
];

/// The attributes of the enterprise user extension (RFC 7643 §4.3).
pub const ENTERPRISE: &[ScimAttribute] = &[
    ScimAttribute::text("employeeNumber", "The number the organization knows the user by."),
    ScimAttribute::text("costCenter", "Who is charged for the user."),
    ScimAttribute::text("organization", "What the user's part of the enterprise is called."),
    ScimAttribute::text("division", "The division."),
    ScimAttribute::text("department", "The department."),
    ScimAttribute::complex("manager", "Whom the user reports to.", MANAGER),
];

const MANAGER: &[ScimAttribute] = &[
    ScimAttribute::text(
        "value",
        "The id of the user who is the manager, or another identifier of the directory.",
    )
    .case_exact(),
    ScimAttribute::reference("Where the manager is.", &["User"]),
    ScimAttribute::text("displayName", "What the manager is called.").read_only(),
];

/// The group attributes (RFC 7643 §4.2).
pub const GROUP: &[ScimAttribute] = &[
    ScimAttribute::text("displayName", "What the group is called, different for each in the organization.")
        .required()
        .unique(),
    ScimAttribute::complex("members", "Who carries the role.", MEMBER).multi_valued(),
];

const MEMBER: &[ScimAttribute] = &[
    ScimAttribute::text("value", "The id of the user.").case_exact().required().immutable(),
    ScimAttribute::reference("Where the user is.", &["User"]).immutable(),
    ScimAttribute::text("type", "What kind of member it is.").with_canonical_values(&["User"]).immutable(),
];

impl ScimResourceType {
    /// The attributes of the type's core schema.
    pub const fn attributes(self) -> &'static [ScimAttribute] {
        match self {
            Self::User => USER,
            Self::Group => GROUP,
        }
    }

    /// The extension schema of the type and its attributes.
    pub const fn extension(self) -> Option<(&'static str, &'static [ScimAttribute])> {
        match self {
            Self::User => Some((ENTERPRISE_SCHEMA, ENTERPRISE)),
            Self::Group => None,
        }
    }

    /// Finds an attribute by name, except those of the extension.
    pub fn find_attribute(self, name: &str) -> Option<&'static ScimAttribute> {
        let known = self.attributes().iter().chain(COMMON);
        known.into_iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }
}
