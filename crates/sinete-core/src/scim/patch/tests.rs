use super::*;
use crate::refusal::RefusalCode;
use proptest::prelude::*;
use serde_json::json;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("{value}") };
    object
}

const CRM: &str = "urn:example:crm:1.0:User";

fn settings(unknown_attributes: UnknownAttributePolicy) -> ScimSettings {
    ScimSettings { unknown_attributes, extension_schemas: vec![CRM.to_owned()].try_into().unwrap() }
}

fn outcome(
    kind: ScimResourceType,
    before: Value,
    operations: Value,
    unknown: UnknownAttributePolicy,
) -> Result<PatchedResource, RefusalCode> {
    let patch_request = json!({"schemas": [SCHEMA], "Operations": operations});
    let operations = parse_patch(&patch_request).map_err(|refusal| refusal.code())?;
    let patched = apply_patch(kind, &object(before), &operations, &settings(unknown));
    patched.map_err(|refusal| refusal.code())
}

fn patched_as(kind: ScimResourceType, before: Value, operations: Value) -> Result<Value, RefusalCode> {
    let patched = outcome(kind, before, operations, UnknownAttributePolicy::Log)?;
    Ok(Value::Object(patched.resource))
}

fn patched(before: Value, operations: Value) -> Result<Value, RefusalCode> {
    patched_as(ScimResourceType::User, before, operations)
}

#[test]
fn scim_patch_of_okta_replaces_without_a_path() {
    let after = patched(
        json!({"userName": "ana", "active": true}),
        json!([{"op": "replace", "value": {"active": false, "id": "7", "schemas": []}}]),
    );
    assert_eq!(after, Ok(json!({"userName": "ana", "active": false})));
}

#[test]
fn scim_patch_of_entra_id_with_capitalized_ops_and_text_booleans_is_accepted() {
    let after = patched(
        json!({"userName": "ana", "active": true}),
        json!([
            {"op": "Replace", "path": "active", "value": "False"},
            {"op": "Add", "path": "emails[type eq \"work\"].value", "value": "ana@example.org"},
            {"op": "Add", "path": "name.givenName", "value": "Ana"},
            {"op": "Replace", "path": "displayName", "value": [{"$ref": null, "value": "Ana S."}]},
            {"op": "Add",
             "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", "value": "7"},
            {"op": "Add", "value": {
                "name.familyName": "Souza",
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "Books",
                "urn:example:custom:1.0:User:tag": "x"}},
        ]),
    );
    let expected = json!({
        "userName": "ana", "active": false, "displayName": "Ana S.",
        "name": {"givenName": "Ana", "familyName": "Souza"},
        "emails": [{"type": "work", "value": "ana@example.org"}],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":
            {"manager": {"value": "7"}, "department": "Books"},
    });
    assert_eq!(after, Ok(expected));
}

#[test]
fn scim_patch_adds_and_removes_group_members_in_either_form() {
    let group = |operations| {
        let before = json!({"displayName": "x", "members": [{"value": "1"}, {"value": "2"}]});
        patched_as(ScimResourceType::Group, before, operations).map(|after| after["members"].clone())
    };
    let two = json!([{"op": "Add", "path": "members", "value": [{"value": "2"}, {"value": "3"}]}]);
    assert_eq!(group(two), Ok(json!([{"value": "1"}, {"value": "2"}, {"value": "3"}])));
    let okta = json!([{"op": "remove", "path": "members[value eq \"2\"]"}]);
    assert_eq!(group(okta), Ok(json!([{"value": "1"}])));
    let entra = json!([{"op": "Remove", "path": "members", "value": [{"value": "1"}]}]);
    assert_eq!(group(entra), Ok(json!([{"value": "2"}])));
    assert_eq!(group(json!([{"op": "remove", "path": "members"}])), Ok(Value::Null));
    let all = json!([{"op": "replace", "path": "members", "value": [{"value": "9"}]}]);
    assert_eq!(group(all), Ok(json!([{"value": "9"}])));
}

#[test]
fn scim_patch_keeps_at_most_one_primary_value() {
    let before = json!({"emails": [{"value": "a@x.org", "primary": true}]});
    let added = json!([{"op": "add", "path": "emails", "value": [{"value": "b@x.org", "primary": true}]}]);
    let expected = json!({"emails": [
        {"value": "a@x.org", "primary": false}, {"value": "b@x.org", "primary": true}]});
    assert_eq!(patched(before, added), Ok(expected));
}

#[test]
fn scim_patch_removes_attributes_by_remove_or_null() {
    let before = json!({
        "userName": "ana", "title": "x", "nickName": "y", "name": {"givenName": "Ana", "middleName": "B"},
        "emails": [{"value": "a@x.org", "type": "work"}, {"value": "b@x.org", "type": "home"}],
    });
    let after = patched(
        before,
        json!([
            {"op": "remove", "path": "title"},
            {"op": "replace", "path": "nickName", "value": ""},
            {"op": "remove", "path": "name.middleName"},
            {"op": "remove", "path": "emails[type eq \"home\"]"},
            {"op": "remove", "path": "phoneNumbers[type eq \"work\"]"},
        ]),
    );
    let expected = json!({
        "userName": "ana", "name": {"givenName": "Ana"}, "emails": [{"value": "a@x.org", "type": "work"}]});
    assert_eq!(after, Ok(expected));
}

#[test]
fn scim_patch_with_an_invalid_operation_is_refused_as_a_whole() {
    let refused = |operation: Value| patched(json!({"userName": "ana"}), json!([operation])).unwrap_err();
    for (operation, code) in [
        (json!({"op": "replace", "path": "id", "value": "7"}), RefusalCode::Mutability),
        (json!({"op": "add", "path": "groups", "value": [{"value": "7"}]}), RefusalCode::Mutability),
        (json!({"op": "replace", "path": "meta.version", "value": "7"}), RefusalCode::Mutability),
        (json!({"op": "replace", "path": "pass word", "value": "7"}), RefusalCode::InvalidPath),
        (json!({"op": "replace", "path": "name..givenName", "value": "7"}), RefusalCode::InvalidPath),
        (json!({"op": "replace", "path": "emails[type eq \"work\"", "value": "7"}), RefusalCode::InvalidPath),
        (
            json!({"op": "replace", "path": "emails[type eq \"work\"]x", "value": "7"}),
            RefusalCode::InvalidPath,
        ),
        (
            json!({"op": "replace", "path": "urn:example:crm:1.0:User:x[a eq 1]", "value": "7"}),
            RefusalCode::InvalidPath,
        ),
        (
            json!({"op": "replace", "path": "urn:example:crm:1.0:User", "value": "7"}),
            RefusalCode::InvalidValue,
        ),
        (json!({"op": "replace", "path": "userName[type eq \"x\"]", "value": "7"}), RefusalCode::InvalidPath),
        (
            json!({"op": "replace", "path": "emails[x eq \"work\"].value", "value": "7"}),
            RefusalCode::InvalidFilter,
        ),
        (json!({"op": "remove"}), RefusalCode::NoTarget),
        (json!({"op": "replace", "value": "7"}), RefusalCode::InvalidValue),
        (json!({"op": "replace", "path": "active", "value": "maybe"}), RefusalCode::InvalidValue),
        (json!({"op": "move", "path": "title"}), RefusalCode::InvalidSyntax),
        (
            json!({"op": "add", "path": "emails[type eq \"work\"]", "value": {"display": "x"}}),
            RefusalCode::InvalidValue,
        ),
    ] {
        assert_eq!(refused(operation.clone()), code, "{operation}");
    }
    assert_eq!(parse_patch(&json!({"Operations": []})).unwrap_err().code(), RefusalCode::InvalidSyntax);
    assert_eq!(parse_patch(&json!([])).unwrap_err().code(), RefusalCode::InvalidSyntax);
}

#[test]
fn scim_patch_ignores_unknown_attributes_and_applies_the_others() {
    let operations = json!([
        {"op": "Replace", "path": "password", "value": "kettle"},
        {"op": "Add", "path": "urn:example:other:1.0:User:tag", "value": "x"},
        {"op": "Add", "path": "faxes[value eq \"ana@example.org\"].value", "value": "x"},
        {"op": "remove", "path": "name.nick"},
        {"op": "Replace", "path": "title", "value": "Contadora"},
        {"op": "Add", "value": {"nickName": "A", "shoeSize": 7}},
    ]);
    let before = || json!({"userName": "ana"});
    let patch = |unknown| outcome(ScimResourceType::User, before(), operations.clone(), unknown);
    let patched = patch(UnknownAttributePolicy::Log).unwrap();
    assert_eq!(
        Value::Object(patched.resource.clone()),
        json!({"userName": "ana", "title": "Contadora", "nickName": "A"})
    );
    // Names only: the filter of a path can hold personal data.
    let ignored = ["password", "urn:example:other:1.0:User:tag", "faxes", "name.nick", "shoeSize"];
    assert_eq!(patched.ignored, ignored);
    assert_eq!(patch(UnknownAttributePolicy::Ignore), Ok(patched));
    assert_eq!(patch(UnknownAttributePolicy::Refuse), Err(RefusalCode::InvalidPath));
}

#[test]
fn scim_patch_removes_a_sub_attribute_of_the_values_that_match() {
    let before = || {
        json!({"emails": [
            {"value": "a@x.org", "type": "work", "display": "A"}, {"value": "b@x.org", "type": "home", "display": "B"}]})
    };
    let after = |operation: Value| patched(before(), json!([operation])).map(|after| after["emails"].clone());
    let remove_operation = json!({"op": "remove", "path": "emails[type eq \"work\"].display"});
    let expected =
        json!([{"value": "a@x.org", "type": "work"}, {"value": "b@x.org", "type": "home", "display": "B"}]);
    assert_eq!(after(remove_operation), Ok(expected));
    // Entra ID removes an address by its value.
    let home_only = json!([{"value": "b@x.org", "type": "home", "display": "B"}]);
    for operation in [
        json!({"op": "Remove", "path": "emails[type eq \"work\"].value"}),
        json!({"op": "Replace", "path": "emails[type eq \"work\"].value", "value": null}),
        json!({"op": "Replace", "path": "emails[type eq \"work\"].value", "value": ""}),
    ] {
        assert_eq!(after(operation.clone()), Ok(home_only.clone()), "{operation}");
    }
    assert_eq!(after(json!({"op": "remove", "path": "emails.value"})), Ok(Value::Null));
    let none = json!({"op": "remove", "path": "emails[type eq \"other\"].value"});
    assert_eq!(after(none), Ok(before()["emails"].clone()));
}

#[test]
fn scim_patch_changes_registered_extensions() {
    let after = patched(
        json!({"userName": "ana", CRM: {"tag": "gold", "sites": ["a"], "owner": {"name": "Rui", "level": 1}}}),
        json!([
            {"op": "Replace", "path": "urn:example:crm:1.0:User:TAG", "value": "silver"},
            {"op": "Add", "path": "urn:example:crm:1.0:User:sites", "value": ["a", "b"]},
            {"op": "Remove", "path": "urn:example:crm:1.0:User:owner.level"},
            {"op": "Add", "value": {"urn:example:crm:1.0:User": {"vip": true}}},
        ]),
    );
    let expected = json!({"tag": "silver", "sites": ["a", "b"], "owner": {"name": "Rui"}, "vip": true});
    assert_eq!(after.map(|after| after[CRM].clone()), Ok(expected));
    let gone = patched(json!({CRM: {"tag": "gold"}}), json!([{"op": "remove", "path": CRM}]));
    assert_eq!(gone, Ok(json!({})));
    let group = json!([{"op": "add", "path": "urn:example:crm:1.0:User:tag", "value": "x"}]);
    assert_eq!(patched_as(ScimResourceType::Group, json!({}), group), Ok(json!({})));
}

fn operation() -> impl Strategy<Value = Value> {
    let select = proptest::sample::select(vec!["add", "Replace", "remove"]);
    let path = proptest::sample::select(vec![
        "title",
        "active",
        "name",
        "name.givenName",
        "emails",
        "emails.display",
        "emails[type eq \"work\"]",
        "emails[type eq \"work\"].value",
        "emails[primary eq true].display",
        "emails[type eq \"work\"].display",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
        "urn:example:crm:1.0:User:tag",
    ]);
    let value = proptest::sample::select(vec![
        json!("a@x.org"),
        json!("b@x.org"),
        json!("True"),
        json!(false),
        json!(null),
        json!([{"value": "a@x.org", "type": "work", "primary": true}, {"value": "c@x.org"}]),
        json!({"value": "d@x.org", "primary": true}),
        json!({"givenName": "Ana", "familyName": ""}),
        json!({"department": "Books", "division": null}),
    ]);
    (select, path, value).prop_map(|(op, path, value)| json!({"op": op, "path": path, "value": value}))
}

proptest! {
    #[test]
    fn scim_patch_is_idempotent(first in operation(), second in operation()) {
        let start = json!({"userName": "ana", "emails": [{"value": "w@x.org", "type": "work"}]});
        let Ok(before) = patched(start, json!([first])) else { return Ok(()) };
        let Ok(once) = patched(before, json!([second.clone()])) else { return Ok(()) };
        let again = patched(once.clone(), json!([second]));
        prop_assert_eq!(again, Ok(once));
    }

    #[test]
    fn scim_patch_result_is_a_valid_resource(operation in operation()) {
        let start = json!({"userName": "ana", "emails": [{"value": "w@x.org", "type": "work"}]});
        let Ok(after) = patched(start, json!([operation])) else { return Ok(()) };
        let registered = settings(UnknownAttributePolicy::Log).extension_schemas;
        let sent = normalization::normalize_resource(ScimResourceType::User, &after, &registered).map(Value::Object);
        prop_assert_eq!(sent.map_err(|refusal| refusal.code()), Ok(after));
    }
}
