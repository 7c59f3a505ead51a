//! The attributes of users and groups: the table that all SCIM code uses.

use super::attribute::{ScimAttribute, ScimAttributeType};
use super::{ENTERPRISE_SCHEMA, ScimResourceType};

/// The common attributes (RFC 7643 §3.1).
pub const COMMON: &[ScimAttribute] = &[
    ScimAttribute::text("schemas", "The URIs of the schemas of the resource.")
        .multi_valued()
        .case_exact()
        .always_returned()
        .read_only(),
    ScimAttribute::text("id", "The id of the resource.").case_exact().always_returned().unique().read_only(),
    ScimAttribute::text("externalId", "The identifier that the directory uses.").case_exact(),
    ScimAttribute::complex("meta", "Metadata of the resource.", META).read_only(),
];

const META: &[ScimAttribute] = &[
    ScimAttribute::text("resourceType", "The resource type.").case_exact().read_only(),
    ScimAttribute::with_type(ScimAttributeType::DateTime, "created", "When it was created.").read_only(),
    ScimAttribute::with_type(ScimAttributeType::DateTime, "lastModified", "When it last changed.")
        .read_only(),
    ScimAttribute::with_type(ScimAttributeType::Reference, "location", "The URL of the resource.")
        .case_exact()
        .read_only(),
    ScimAttribute::text("version", "The version of the resource, equal to its ETag.")
        .case_exact()
        .read_only(),
];

/// The user attributes (RFC 7643 §4.1).
pub const USER: &[ScimAttribute] = &[
    ScimAttribute::text("userName", "The user name that the directory assigns, unique in the organization.")
        .required()
        .unique(),
    ScimAttribute::complex("name", "The components of the user's name.", NAME),
    ScimAttribute::text("displayName", "The name to display."),
    ScimAttribute::text("nickName", "The casual name of the user."),
    ScimAttribute::with_type(ScimAttributeType::Url, "profileUrl", "The URL of the user's profile page.")
        .case_exact(),
    ScimAttribute::text("title", "The job title."),
    ScimAttribute::text("userType", "The relationship to the organization, such as employee or contractor."),
    ScimAttribute::text("preferredLanguage", "The preferred language."),
    ScimAttribute::text("locale", "The locale for formatting, such as currency and dates."),
    ScimAttribute::text("timezone", "The time zone."),
    ScimAttribute::with_type(
        ScimAttributeType::Boolean,
        "active",
        "Whether the user can access the organization.",
    ),
    ScimAttribute::complex(
        "emails",
        "E-mail addresses of the user. They are not verified and cannot be used to sign in.",
        EMAIL,
    )
    .multi_valued(),
    ScimAttribute::complex("phoneNumbers", "Phone numbers of the user.", PHONE).multi_valued(),
    ScimAttribute::complex("addresses", "Postal addresses of the user.", ADDRESS).multi_valued(),
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
        "Entitlements as the directory sends them. They are stored and grant nothing.",
        LABEL,
    )
    .multi_valued(),
    ScimAttribute::complex(
        "roles",
        "Roles as the directory sends them. They are stored and grant nothing: groups assign roles.",
        LABEL,
    )
    .multi_valued(),
    ScimAttribute::complex(
        "groups",
        "The groups that the user is a member of. They are changed through the groups.",
        GROUPS,
    )
    .multi_valued()
    .read_only(),
];

const NAME: &[ScimAttribute] = &[
    ScimAttribute::text("formatted", "The full name, formatted for display."),
    ScimAttribute::text("familyName", "The family name."),
    ScimAttribute::text("givenName", "The given name."),
    ScimAttribute::text("middleName", "The middle name."),
    ScimAttribute::text("honorificPrefix", "The honorific prefix, such as Ms."),
    ScimAttribute::text("honorificSuffix", "The honorific suffix, such as III."),
];

const DISPLAY: ScimAttribute = ScimAttribute::text("display", "The text to display for the value.");
const PRIMARY: ScimAttribute = ScimAttribute::with_type(
    ScimAttributeType::Boolean,
    "primary",
    "Whether it is the primary value. At most one value is primary.",
);
const TYPE: ScimAttribute = ScimAttribute::text("type", "The label of the value, such as work.");

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
        ScimAttributeType::MultilineText,
        "formatted",
        "The full address, formatted for display or mailing.",
    ),
    ScimAttribute::with_type(ScimAttributeType::MultilineText, "streetAddress", "Street and number."),
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
    ScimAttribute::with_type(ScimAttributeType::Url, "value", "The URL.").case_exact().required(),
    DISPLAY,
    TYPE.with_canonical_values(&["photo", "thumbnail"]),
    PRIMARY,
];

/// Entra ID sends a whole app role as JSON in `value`, which is longer than a short text.
const LABEL: &[ScimAttribute] = &[
    ScimAttribute::with_type(ScimAttributeType::MultilineText, "value", "The value.").required(),
    DISPLAY,
    TYPE,
    PRIMARY,
];

const GROUPS: &[ScimAttribute] = &[
    ScimAttribute::text("value", "The id of the group.").case_exact().read_only(),
    ScimAttribute::reference("The URL of the group.", &["Group"]).read_only(),
    ScimAttribute::text("display", "The name of the group.").read_only(),
    ScimAttribute::text("type", "The kind of membership.").with_canonical_values(&["direct"]).read_only(),
];

/// The attributes of the enterprise user extension (RFC 7643 §4.3).
pub const ENTERPRISE: &[ScimAttribute] = &[
    ScimAttribute::text("employeeNumber", "The employee number."),
    ScimAttribute::text("costCenter", "The cost center."),
    ScimAttribute::text("organization", "The name of the organization."),
    ScimAttribute::text("division", "The division."),
    ScimAttribute::text("department", "The department."),
    ScimAttribute::complex("manager", "The manager of the user.", MANAGER),
];

const MANAGER: &[ScimAttribute] = &[
    ScimAttribute::text(
        "value",
        "The id of the user who is the manager, or another identifier of the directory.",
    )
    .case_exact(),
    ScimAttribute::reference("The URL of the manager.", &["User"]),
    ScimAttribute::text("displayName", "The name of the manager.").read_only(),
];

/// The group attributes (RFC 7643 §4.2).
pub const GROUP: &[ScimAttribute] = &[
    ScimAttribute::text("displayName", "The name of the group, unique in the organization.")
        .required()
        .unique(),
    ScimAttribute::complex("members", "The members of the group, who have the role.", MEMBER).multi_valued(),
];

const MEMBER: &[ScimAttribute] = &[
    ScimAttribute::text("value", "The id of the user.").case_exact().required().immutable(),
    ScimAttribute::reference("The URL of the user.", &["User"]).immutable(),
    ScimAttribute::text("type", "The type of the member.").with_canonical_values(&["User"]).immutable(),
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
        let attributes = self.attributes().iter().chain(COMMON);
        attributes.into_iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }
}
