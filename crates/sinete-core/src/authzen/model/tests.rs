use super::*;
use serde_json::{Value, json};

fn model(value: Value) -> AuthorizationModel {
    serde_json::from_value(value).unwrap()
}

fn places(value: Value) -> Vec<String> {
    let errors = model(value).validate(|permission| permission.as_str() == "documents:read");
    errors.iter().map(|fault| fault.pointer.clone()).collect()
}

fn drive() -> Value {
    json!({
        "team": {"relations": {"member": {"subjects": ["member", "client", "team#member"]}}},
        "folder": {
            "relations": {
                "parent": {"subjects": ["folder"]},
                "owner": {"subjects": ["member"]},
                "viewer": {
                    "subjects": ["member", "role", "team#member"], "includes": ["owner"],
                    "through": [{"relation": "parent", "holders_of": "viewer"}],
                },
            },
            "actions": {"list": {"relations": ["viewer"], "scope": "documents:read"}},
        },
    })
}

fn with(pointer: &str, value: Value) -> Value {
    let mut changed = drive();
    let (at, name) = pointer.rsplit_once('/').unwrap();
    changed.pointer_mut(at).unwrap()[name] = value;
    changed
}

#[test]
fn authzen_model_that_is_complete_has_no_faults_and_round_trips() {
    assert_eq!(places(drive()), Vec::<String>::new());
    let model_json = serde_json::to_value(model(drive())).unwrap();
    assert_eq!(model(model_json), model(drive()));
    assert!(model(drive()).allows_relationship("folder", "viewer", &"team#member".parse().unwrap()));
    assert!(!model(drive()).allows_relationship("folder", "owner", &"role".parse().unwrap()));
    assert!(!model(drive()).allows_relationship("file", "owner", &"member".parse().unwrap()));
    assert_eq!(model(drive()).allowed_relationships().len(), 8);
}

#[test]
fn authzen_model_with_unknown_names_is_reported_with_locations() {
    for (pointer, value, expected_pointer) in [
        ("/folder/relations/owner/subjects", json!(["file"]), "/folder/relations/owner/subjects/0"),
        ("/folder/relations/owner/subjects", json!(["team#boss"]), "/folder/relations/owner/subjects/0"),
        ("/folder/relations/owner/subjects", json!(["folder#parent"]), "/folder/relations/owner/subjects/0"),
        ("/folder/relations/owner/subjects", json!(["Member"]), "/folder/relations/owner/subjects/0"),
        ("/folder/relations/viewer/includes", json!(["editor"]), "/folder/relations/viewer/includes/0"),
        ("/folder/relations/viewer/includes", json!(["parent"]), "/folder/relations/viewer/includes/0"),
        (
            "/folder/relations/viewer/through",
            json!([{"relation": "owner", "holders_of": "viewer"}]),
            "/folder/relations/viewer/through/0/relation",
        ),
        (
            "/folder/relations/viewer/through",
            json!([{"relation": "parent", "holders_of": "parent"}]),
            "/folder/relations/viewer/through/0/holders_of",
        ),
        ("/folder/actions/list/relations", json!([]), "/folder/actions/list/relations"),
        ("/folder/actions/list/relations", json!(["parent"]), "/folder/actions/list/relations/0"),
        ("/folder/actions/list/scope", json!("documents:burn"), "/folder/actions/list/scope"),
        ("/folder/actions/list/scope", json!("documents:*"), "/folder/actions/list/scope"),
        ("/folder/actions/list/scope", json!("read"), "/folder/actions/list/scope"),
        ("/folder/actions/Do~It", json!({"relations": ["viewer"]}), "/folder/actions/Do~0It"),
        ("/folder/relations/parent/subjects", json!(["folder", "member"]), "/folder/relations/parent"),
        ("/role", json!({"relations": {"x": {"subjects": ["member"]}}}), "/role"),
        ("/file", json!({}), "/file/relations"),
        ("/folder/relations/owner/subjects", json!(["member", "member"]), "/folder/relations/owner/subjects"),
    ] {
        assert!(
            places(with(pointer, value)).contains(&expected_pointer.to_owned()),
            "{pointer} {expected_pointer}"
        );
    }
}

#[test]
fn authzen_model_relation_without_any_subject_is_refused_and_a_reachable_cycle_is_not() {
    let circle = |subjects: Value| {
        json!({"team": {"relations": {
            "one": {"includes": ["other"]},
            "other": {"subjects": subjects, "includes": ["one"]},
        }}})
    };
    assert_eq!(places(circle(json!([]))), ["/team/relations/one", "/team/relations/other"]);
    assert_eq!(places(circle(json!(["team#one"]))), ["/team/relations/one", "/team/relations/other"]);
    assert_eq!(places(circle(json!(["role"]))), Vec::<String>::new());
    let parent_only = json!({"folder": {"relations": {
        "parent": {"subjects": ["folder"]},
        "viewer": {"through": [{"relation": "parent", "holders_of": "viewer"}]},
    }}});
    assert_eq!(places(parent_only), ["/folder/relations/viewer"]);
}

#[test]
fn authzen_model_size_is_bounded() {
    let relation = json!({"subjects": ["member"]});
    let relations: BTreeMap<String, Value> = (0..51).map(|n| (format!("r{n}"), relation.clone())).collect();
    assert_eq!(places(json!({"team": {"relations": relations}})), ["/team"]);
    let types: BTreeMap<String, Value> =
        (0..51).map(|n| (format!("t{n}"), json!({"relations": {"r": relation}}))).collect();
    assert_eq!(places(json!(types)), [""]);
    let many: Vec<String> = (0..21).map(|n| format!("r{n}")).collect();
    let mut all: BTreeMap<String, Value> = many.iter().map(|name| (name.clone(), relation.clone())).collect();
    all.insert("all".into(), json!({"includes": many}));
    assert_eq!(places(json!({"team": {"relations": all}})), ["/team/relations/all/includes"]);
    // Each of fifty relations includes the next, in a chain.
    let chain = |n: usize| {
        let includes = if n < 49 { vec![format!("r{}", n + 1)] } else { Vec::new() };
        (format!("r{n}"), json!({"subjects": ["member"], "includes": includes}))
    };
    let chain: BTreeMap<String, Value> = (0..50).map(chain).collect();
    assert_eq!(places(json!({"team": {"relations": chain}})), [""]);
}

#[test]
fn authzen_model_that_is_too_large_in_total_is_refused_before_analysis() {
    // Fifty types with one relation each and twenty subjects per relation: each is valid, but the total is
    // too large.
    let sets: Vec<String> = (0..20).map(|n| format!("t{n}#r0")).collect();
    let types = |relations: usize, subjects: usize| {
        let subjects = [&["member".to_owned()], &sets[..subjects - 1]].concat();
        let of_type: BTreeMap<String, Value> =
            (0..relations).map(|n| (format!("r{n}"), json!({"subjects": subjects}))).collect();
        let all: BTreeMap<String, Value> =
            (0..50).map(|n| (format!("t{n}"), json!({"relations": of_type}))).collect();
        json!(all)
    };
    assert_eq!(places(types(1, 20)), Vec::<String>::new());
    assert_eq!(places(types(20, 1)), Vec::<String>::new());
    assert_eq!(places(types(2, 11)), [""]);
    // Over the limit the model is rejected before it is checked whether the relations can have subjects.
    let loose: BTreeMap<String, Value> = (0..21).map(|n| (format!("r{n}"), json!({}))).collect();
    let loose: BTreeMap<String, Value> =
        (0..50).map(|n| (format!("t{n}"), json!({"relations": loose}))).collect();
    assert_eq!(places(json!(loose)), [""]);
    // A list that is too long is one error; its items are not reported.
    let unknown: Vec<String> = (0..5_000).map(|n| format!("x{n}")).collect();
    for (pointer, expected_pointer) in [
        ("/folder/relations/owner/subjects", "/folder/relations/owner/subjects"),
        ("/folder/relations/viewer/includes", "/folder/relations/viewer/includes"),
        ("/folder/actions/list/relations", "/folder/actions/list/relations"),
    ] {
        let told_all = places(with(pointer, json!(unknown)));
        assert!(told_all.contains(&expected_pointer.to_owned()) && told_all.len() <= 3, "{told_all:?}");
    }
}
