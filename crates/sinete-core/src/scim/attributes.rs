//! The attributes of users and groups: the one table that everything else follows.

use super::attribute::{Attribute, Kind};
use super::{ENTERPRISE_SCHEMA, ResourceKind};

/// What everything has (RFC 7643 §3.1).
pub const COMMON: &[Attribute] = &[
    Attribute::text("schemas", "The schemas that say what is in it.").many().exact().always().ours(),
    Attribute::text("id", "What we know it by.").exact().always().unique().ours(),
    Attribute::text("externalId", "What the directory knows it by.").exact(),
    Attribute::compound("meta", "What there is to say about the resource itself.", META).ours(),
];

const META: &[Attribute] = &[
    Attribute::text("resourceType", "What kind of thing it is.").exact().ours(),
    Attribute::of(Kind::Moment, "created", "When it was made.").ours(),
    Attribute::of(Kind::Moment, "lastModified", "When it last changed.").ours(),
    Attribute::of(Kind::Reference, "location", "Where it is.").exact().ours(),
    Attribute::text("version", "The version that is shown, as its ETag says it.").exact().ours(),
];

/// What users have (RFC 7643 §4.1).
pub const USER: &[Attribute] = &[
    Attribute::text(
        "userName",
        "The name the directory gives the user, different for each in the organization.",
    )
    .required()
    .unique(),
    Attribute::compound("name", "The parts of the user's name.", NAME),
    Attribute::text("displayName", "The whole name, as the organization shows it."),
    Attribute::text("nickName", "What the user is called among friends."),
    Attribute::of(Kind::WebAddress, "profileUrl", "A page about the user.").exact(),
    Attribute::text("title", "What the user is in the organization."),
    Attribute::text("userType", "What kind of member the user is, in the organization's words."),
    Attribute::text("preferredLanguage", "The language the user reads."),
    Attribute::text("locale", "The language and region the user reads in."),
    Attribute::text("timezone", "The time zone the user lives in."),
    Attribute::of(
        Kind::Boolean,
        "active",
        "Whether the membership counts: where it does not, nothing of it does.",
    ),
    Attribute::compound(
        "emails",
        "E-mail addresses, as the organization knows them. They prove nothing and sign nobody in.",
        EMAIL,
    )
    .many(),
    Attribute::compound("phoneNumbers", "Telephone numbers, as the organization knows them.", PHONE).many(),
    Attribute::compound("addresses", "Where the user is reached by post.", ADDRESS).many(),
    Attribute::compound("groups", "The groups the user is in. They are changed through the groups.", GROUPS)
        .many()
        .ours(),
];

const NAME: &[Attribute] = &[
    Attribute::text("formatted", "The whole name, as it is written."),
    Attribute::text("familyName", "The family name."),
    Attribute::text("givenName", "The given name."),
    Attribute::text("middleName", "The middle name."),
    Attribute::text("honorificPrefix", "What stands before the name."),
    Attribute::text("honorificSuffix", "What stands behind the name."),
];

const DISPLAY: Attribute = Attribute::text("display", "What is shown in its place.");
const PRIMARY: Attribute =
    Attribute::of(Kind::Boolean, "primary", "Whether it is the usual one; at most one is.");
const TYPE: Attribute = Attribute::text("type", "What it is for.");

const EMAIL: &[Attribute] = &[
    Attribute::of(Kind::Email, "value", "The address.").required(),
    DISPLAY,
    TYPE.usually(&["work", "home", "other"]),
    PRIMARY,
];

const PHONE: &[Attribute] = &[
    Attribute::text("value", "The number.").required(),
    DISPLAY,
    TYPE.usually(&["work", "home", "mobile", "fax", "pager", "other"]),
    PRIMARY,
];

const ADDRESS: &[Attribute] = &[
    Attribute::of(Kind::Lines, "formatted", "The whole address, as it is written on a letter."),
    Attribute::of(Kind::Lines, "streetAddress", "Street and number."),
    Attribute::text("locality", "City."),
    Attribute::text("region", "State or province."),
    Attribute::text("postalCode", "Postal code."),
    Attribute::text("country", "Country."),
    TYPE.usually(&["work", "home", "other"]),
    PRIMARY,
];

const GROUPS: &[Attribute] = &[
    Attribute::text("value", "The id of the group.").exact().ours(),
    Attribute::reference("Where the group is.", &["Group"]).ours(),
    Attribute::text("display", "What the group is called.").ours(),
    Attribute::text("type", "How the user is in it.").usually(&["direct"]).ours(),
];

/// What enterprises know about users (RFC 7643 §4.3).
pub const ENTERPRISE: &[Attribute] = &[
    Attribute::text("employeeNumber", "The number the organization knows the user by."),
    Attribute::text("costCenter", "Who is charged for the user."),
    Attribute::text("organization", "What the user's part of the enterprise is called."),
    Attribute::text("division", "The division."),
    Attribute::text("department", "The department."),
    Attribute::compound("manager", "Whom the user reports to.", MANAGER),
];

const MANAGER: &[Attribute] = &[
    Attribute::text("value", "The id of the user who is the manager.").exact(),
    Attribute::reference("Where the manager is.", &["User"]),
    Attribute::text("displayName", "What the manager is called.").ours(),
];

/// What groups have (RFC 7643 §4.2).
pub const GROUP: &[Attribute] = &[
    Attribute::text("displayName", "What the group is called, different for each in the organization.")
        .required()
        .unique(),
    Attribute::compound("members", "Who carries the role.", MEMBER).many(),
];

const MEMBER: &[Attribute] = &[
    Attribute::text("value", "The id of the user.").exact().required().with_whole(),
    Attribute::reference("Where the user is.", &["User"]).with_whole(),
    Attribute::text("type", "What kind of member it is.").usually(&["User"]).with_whole(),
];

impl ResourceKind {
    /// What things of this kind have of their own.
    pub const fn attributes(self) -> &'static [Attribute] {
        match self {
            Self::User => USER,
            Self::Group => GROUP,
        }
    }

    /// What else they may have, with the schema it stands under.
    pub const fn extension(self) -> Option<(&'static str, &'static [Attribute])> {
        match self {
            Self::User => Some((ENTERPRISE_SCHEMA, ENTERPRISE)),
            Self::Group => None,
        }
    }

    /// The attribute of this name, without what an extension has.
    pub fn attribute(self, name: &str) -> Option<&'static Attribute> {
        let known = self.attributes().iter().chain(COMMON);
        known.into_iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }
}
