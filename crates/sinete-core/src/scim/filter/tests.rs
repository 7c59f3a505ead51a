use super::*;
use crate::refusal::RefusalCode;
use proptest::prelude::*;
use serde_json::json;

fn read(text: &str) -> Result<ScimFilter, RefusalCode> {
    ScimFilter::parse(ScimResourceType::User, FilterAttributeScope::SearchedType, text)
        .map_err(|refusal| refusal.code())
}

fn ana() -> Map<String, Value> {
    let Value::Object(ana) = json!({
        "id": "7", "userName": "Ana@Example.org", "externalId": "00uA", "active": true,
        "name": {"familyName": "Souza"},
        "emails": [
            {"value": "ana@work.example", "type": "work", "primary": true},
            {"value": "ana@home.example", "type": "home"},
        ],
        "meta": {"lastModified": "2026-11-15T12:00:00.000000Z"},
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Books"},
    }) else {
        panic!()
    };
    ana
}

#[test]
fn scim_filter_expressions_of_common_clients_match() {
    for text in [
        r#"userName eq "ana@example.org""#,
        r#"USERNAME Eq "ANA@example.org""#,
        r#"externalId eq "00uA""#,
        "active eq true",
        r#"active eq "True""#,
        r#"name.familyName co "ou" and emails pr"#,
        r#"emails[type eq "work" and value co "@work.example"]"#,
        r#"emails[type eq "work"].value eq "ana@work.example""#,
        r#"emails.value eq "ANA@home.example""#,
        r#"emails eq "ana@home.example""#,
        r#"not (userName sw "bo") and (title pr or meta.lastModified ge "2026-11-15T09:00:00-03:00")"#,
        r#"urn:ietf:params:scim:schemas:core:2.0:User:userName ew ".org""#,
        r#"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "books""#,
        r#"title eq null"#,
        r#"title ne "x""#,
        r#"userName eq "x" or userName eq "y" or externalId pr"#,
    ] {
        assert!(read(text).unwrap_or_else(|code| panic!("{text}: {code:?}")).matches(&ana()), "{text}");
    }
}

#[test]
fn scim_filter_that_is_false_does_not_match() {
    for text in [
        r#"externalId eq "00ua""#,
        r#"emails[type eq "home" and primary eq true]"#,
        r#"emails[type eq "home"].value eq "ana@work.example""#,
        r#"meta.lastModified gt "2026-11-15T12:00:00Z""#,
        "not (active eq true)",
        "title pr",
        r#"userName eq "a" and userName pr or title pr"#,
    ] {
        assert!(!read(text).unwrap().matches(&ana()), "{text}");
    }
}

#[test]
fn scim_filter_with_invalid_syntax_is_refused() {
    for text in [
        "",
        " ",
        "userName",
        "userName eq",
        "userName eq ana",
        r#"userName eq "ana"#,
        r#"userName eq "a" and"#,
        r#"userName eq "a")"#,
        r#"(userName eq "a""#,
        r#"not userName eq "a""#,
        r#"password eq "x""#,
        r#"userName like "x""#,
        r#"active gt true"#,
        r#"active eq "yes""#,
        r#"name eq "x""#,
        r#"meta.created gt "yesterday""#,
        r#"userName eq 7"#,
        r#"emails[type eq "work""#,
        r#"userName[type eq "work"]"#,
        r#"emails[emails[type eq "x"]]"#,
        r#"userName eq "\x""#,
        "userName\neq \"a\"",
    ] {
        assert_eq!(read(text), Err(RefusalCode::InvalidFilter), "{text}");
    }
}

#[test]
fn scim_filter_depth_length_and_terms_are_bounded() {
    let deep = |levels: usize| format!("{}userName pr{}", "(".repeat(levels), ")".repeat(levels));
    assert!(read(&deep(10)).is_ok());
    for levels in [1_000, 100_000] {
        assert_eq!(read(&deep(levels)), Err(RefusalCode::InvalidFilter));
    }
    let nots = format!("{}userName pr{}", "not (".repeat(400), ")".repeat(400));
    assert_eq!(read(&nots), Err(RefusalCode::InvalidFilter));
    let long = format!("userName eq \"{}\"", "x".repeat(10_000));
    assert_eq!(read(&long), Err(RefusalCode::InvalidFilter));
    let many = vec!["userName pr"; 101].join(" or ");
    assert_eq!(read(&many), Err(RefusalCode::InvalidFilter));
}

#[test]
fn scim_filter_by_unique_attribute_is_answered_by_lookup() {
    let exactly = |text| read(text).unwrap().find_unique_lookup().map(|it| format!("{it:?}"));
    assert_eq!(exactly(r#"userName eq "Ana""#).as_deref(), Some("UserName(\"Ana\")"));
    assert_eq!(exactly(r#"active eq true and id eq "7""#).as_deref(), Some("Id(\"7\")"));
    for text in [r#"userName eq "a" or active eq true"#, r#"not (id eq "7")"#, r#"userName sw "a""#] {
        assert_eq!(exactly(text), None, "{text}");
    }
}

#[test]
fn scim_filter_on_an_attribute_of_another_resource_type_matches_nothing() {
    let text = r#"displayName eq "x" or userName eq "ana""#;
    assert!(ScimFilter::parse(ScimResourceType::Group, FilterAttributeScope::SearchedType, text).is_err());
    let filter = ScimFilter::parse(ScimResourceType::Group, FilterAttributeScope::AllTypes, text).unwrap();
    let group = |name: &str| Map::from_iter([("displayName".to_owned(), json!(name))]);
    assert!(filter.matches(&group("X")) && !filter.matches(&group("ana")));
    let emails = r#"emails[type eq "work"] or displayName pr"#;
    assert!(
        ScimFilter::parse(ScimResourceType::Group, FilterAttributeScope::AllTypes, emails)
            .unwrap()
            .matches(&group("y"))
    );
    assert!(
        ScimFilter::parse(ScimResourceType::Group, FilterAttributeScope::AllTypes, "nothing pr").is_err()
    );
}

/// The oracle's own expression tree, over a few texts and one list.
#[derive(Clone, Debug)]
enum OracleFilter {
    Equals(&'static str, String),
    Contains(&'static str, String),
    Present(&'static str),
    ElementEquals(String, String),
    And(Box<OracleFilter>, Box<OracleFilter>),
    Or(Box<OracleFilter>, Box<OracleFilter>),
    Not(Box<OracleFilter>),
}

#[derive(Clone, Debug)]
struct OracleResource {
    texts: [Option<String>; 3],
    list: Vec<(String, String)>,
}

const TEXTS: [&str; 3] = ["userName", "title", "externalId"];

impl OracleFilter {
    fn to_scim(&self) -> String {
        match self {
            Self::Equals(name, text) => format!("{name} eq {}", json!(text)),
            Self::Contains(name, text) => format!("{name} co {}", json!(text)),
            Self::Present(name) => format!("{name}   PR"),
            Self::ElementEquals(kind, text) => {
                format!("phoneNumbers[type eq {} and value eq {}]", json!(kind), json!(text))
            }
            Self::And(one, other) => format!("({}) and ({})", one.to_scim(), other.to_scim()),
            Self::Or(one, other) => format!("({}) or ({})", one.to_scim(), other.to_scim()),
            Self::Not(one) => format!("not ({})", one.to_scim()),
        }
    }

    fn matches(&self, resource: &OracleResource) -> bool {
        let text = |name: &str| resource.texts[TEXTS.iter().position(|it| *it == name).unwrap()].as_deref();
        let folded = |name: &str, text: &str| match name {
            "externalId" => text.to_owned(),
            _ => text.to_lowercase(),
        };
        match self {
            Self::Equals(name, operand) => {
                text(name).is_some_and(|it| folded(name, it) == folded(name, operand))
            }
            Self::Contains(name, operand) => {
                text(name).is_some_and(|it| folded(name, it).contains(&folded(name, operand)))
            }
            Self::Present(name) => text(name).is_some(),
            Self::ElementEquals(kind, operand) => resource.list.iter().any(|(one, other)| {
                one.to_lowercase() == kind.to_lowercase() && other.to_lowercase() == operand.to_lowercase()
            }),
            Self::And(one, other) => one.matches(resource) && other.matches(resource),
            Self::Or(one, other) => one.matches(resource) || other.matches(resource),
            Self::Not(one) => !one.matches(resource),
        }
    }
}

fn short() -> impl Strategy<Value = String> {
    // Quotes, backslashes, brackets and letters of either case, so that escaping matters.
    proptest::collection::vec(proptest::sample::select(vec!['a', 'A', 'b', '"', '\\', ' ', ']', 'é']), 1..4)
        .prop_map(|characters| characters.into_iter().collect())
}

fn oracle_filter() -> impl Strategy<Value = OracleFilter> {
    let name = || proptest::sample::select(TEXTS.to_vec());
    let leaf = prop_oneof![
        (name(), short()).prop_map(|(name, text)| OracleFilter::Equals(name, text)),
        (name(), short()).prop_map(|(name, text)| OracleFilter::Contains(name, text)),
        name().prop_map(OracleFilter::Present),
        (short(), short()).prop_map(|(kind, text)| OracleFilter::ElementEquals(kind, text)),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(one, other)| OracleFilter::And(Box::new(one), Box::new(other))),
            pair.prop_map(|(one, other)| OracleFilter::Or(Box::new(one), Box::new(other))),
            inner.prop_map(|one| OracleFilter::Not(Box::new(one))),
        ]
    })
}

fn oracle_resource() -> impl Strategy<Value = OracleResource> {
    let text = || proptest::option::of(short());
    let list = proptest::collection::vec((short(), short()), 0..3);
    ([text(), text(), text()], list)
        .prop_map(|(attribute_texts, list)| OracleResource { texts: attribute_texts, list })
}

proptest! {
    #[test]
    fn scim_filter_matches_the_oracle_and_round_trips(asked in oracle_filter(), known in oracle_resource()) {
        let mut resource = Map::new();
        for (name, text) in TEXTS.iter().zip(&known.texts) {
            if let Some(text) = text {
                resource.insert((*name).to_owned(), json!(text));
            }
        }
        let list: Vec<_> = known.list.iter().map(|(kind, text)| json!({"type": kind, "value": text})).collect();
        resource.insert("phoneNumbers".to_owned(), list.into());
        let filter = read(&asked.to_scim()).unwrap();
        prop_assert_eq!(filter.matches(&resource), asked.matches(&known), "{}", filter);
        prop_assert_eq!(read(&filter.to_string()), Ok(filter));
    }

    #[test]
    fn scim_filter_parsing_never_panics(text in "[a-zA-Z \"\\\\()\\[\\].:éor nd]{0,60}") {
        let _ = read(&text);
    }
}
