//! Declarative configuration: applying a document changes the instance, and applying it again changes
//! nothing.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::World;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::administration::declarative::plan::{
    DeclarativeChange, DeclarativePrunePolicy, plan_changes,
};
use sinete_core::administration::declarative::{DeclarativeConfig, SecretReference, validation};
use sinete_core::secret::{ClientSecret, Digest};
use sinete_core::time::Lifetime;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::organization_access;
use sinete_engine::administration::declarative;
use sinete_engine::oauth::clients;
use sinete_engine::organizations::members;

both_engines!(
    declarative_apply_twice_changes_nothing_the_second_time,
    declarative_export_recreates_the_same_configuration_on_another_instance,
    declarative_apply_changes_and_prunes_every_part_of_a_document,
    declarative_apply_to_a_suspended_organization_is_refused_before_any_change
);

fn document() -> DeclarativeConfig {
    let mut document: DeclarativeConfig = serde_json::from_value(serde_json::json!({
        "organizations": {
            "acme": {
                "name": "Acme", "settings": {"least_assurance": "aal2", "language": "pt"},
                "roles": {
                    "clerk": {"description": "Reads", "permissions": ["invoices:read", "members:read"]},
                    "keeper": {"permissions": ["stock:*"]}
                },
                "webhooks": {"events": {"address": "https://acme.example/events", "kinds": ["role.created"]}}
            },
            "operator": {"name": "Operator"},
            "other": {"name": "Other"}
        },
        "apis": {
            "invoices": {
                "offered_to": {"organizations": ["acme"]},
                "definition": {
                    "identifier": "https://invoices.example", "name": "Invoices",
                    "permissions": [
                        {"permission": "invoices:read", "english": "Read", "portuguese": "Ler"},
                        {"permission": "invoices:void", "english": "Void", "irreversible": true}
                    ],
                    "default_scope": "invoices:read", "token_lifetime_seconds": 120,
                    "detail_types": {"payment": {"type": "object"}}
                }
            },
            "stock": {
                "organization": "acme",
                "definition": {
                    "identifier": "urn:acme:stock", "name": "Stock",
                    "permissions": [{"permission": "stock:count", "english": "Count"}],
                    "object_types": {"shelf": {
                        "relations": {"keeper": {"subjects": ["member", "role"]}},
                        "actions": {"count": {"relations": ["keeper"], "scope": "stock:count"}}
                    }}
                }
            }
        },
        "clients": {
            "portal": {"kind": "application", "verified": true, "metadata": {
                "client_name": "Portal", "redirect_uris": ["https://portal.example/cb"],
                "token_endpoint_auth_method": "none", "scope": "openid members:read"
            }},
            "robot": {
                "kind": "agent", "organization": "acme", "purpose": "Reads invoices", "roles": ["clerk"],
                "metadata": {"client_name": "Robot", "grant_types": ["client_credentials"]}
            }
        },
        "webhooks": {"siem": {"address": "https://siem.example", "description": "Watches"}}
    }))
    .unwrap();
    set_secret(&mut document, 1);
    document
}

fn set_secret(document: &mut DeclarativeConfig, seed: u8) {
    let robot = document.clients.iter_mut().find(|(id, _)| id.as_str() == "robot").unwrap().1;
    robot.secret = Some(SecretReference::from(&Digest::<ClientSecret>::from_bytes([seed; 32])));
}

/// Applies the document and returns the lines of the changes.
async fn apply(
    world: &World,
    config: &DeclarativeConfig,
    unmentioned: DeclarativePrunePolicy,
) -> Vec<String> {
    let current = declarative::load_current(&world.engine).await.unwrap();
    let errors = validation::validate_against_instance(&current, config, unmentioned);
    assert!(errors.is_empty(), "{errors:?}");
    let changes = plan_changes(&current, config, unmentioned);
    let caller = world.system().await;
    for change in &changes {
        let secrets = declarative::DeclaredSecrets::default();
        declarative::apply_change(&world.engine, &caller, &current, change, &secrets)
            .await
            .unwrap_or_else(|error| panic!("{change}: {error:?}"));
    }
    changes.iter().map(DeclarativeChange::to_string).collect()
}

async fn declarative_apply_twice_changes_nothing_the_second_time(database: Database) {
    let world = World::new(database).await;
    let applied_changes = apply(&world, &document(), DeclarativePrunePolicy::Keep).await;
    let expected = [
        "+ organization acme",
        "~ organization operator",
        "+ organization other",
        "+ api invoices",
        "+ api stock",
        "+ role clerk of acme",
        "+ role keeper of acme",
        "+ client portal",
        "+ client robot",
        "+ webhook siem",
        "+ webhook events of acme",
    ];
    assert_eq!(applied_changes, expected);
    let records = world.records().await;
    for unmentioned in [DeclarativePrunePolicy::Keep, DeclarativePrunePolicy::Remove] {
        assert!(apply(&world, &document(), unmentioned).await.is_empty());
    }
    assert_eq!(world.records().await, records);
    // Each change is in the security log and in an audit log, by the command line.
    let system = "SELECT count(*) FROM audit WHERE actor_kind <> 'system'";
    assert_eq!(world.database.number(system).await, 0);
    let audit_log = world.list_audit_entries(world.id_of("acme").await).await;
    for kind in [
        "organization.created",
        "api.created",
        "role.created",
        "client.created",
        "api.changed",
        "webhook.created",
    ] {
        assert!(audit_log.iter().any(|entry| entry.kind == kind), "{kind}");
    }
    // The declared agent has exactly the permissions of its role.
    let inside = world.system_in("acme").await;
    let robot =
        clients::show(&world.engine, AdminScope::Organization(&inside), &"robot".parse().unwrap()).await;
    let member = robot.unwrap().member.unwrap();
    let key = world.key_of("acme", member.membership.id).await;
    let user = crate::fixture::Person {
        account: sinete_core::id::AccountId::from_bytes([0; 16]),
        membership: member.membership.id,
        key,
    };
    let authority = world.caller(&user).await.authority;
    let permission_names: Vec<_> = authority.permissions().iter().map(ToString::to_string).collect();
    assert_eq!(permission_names, ["invoices:read", "members:read"]);
}

async fn declarative_export_recreates_the_same_configuration_on_another_instance(database: Database) {
    let elsewhere = match &database {
        Database::Sqlite(_) => Database::sqlite(),
        Database::Postgres { .. } => Database::postgres().await,
    };
    let (world, other_world) = (World::new(database).await, World::new(elsewhere).await);
    // Ids contain their time, so an equal id came with the document.
    other_world.pass(Lifetime::from_days(1));
    apply(&world, &document(), DeclarativePrunePolicy::Keep).await;
    let config = declarative::export_instance(&world.engine).await.unwrap();
    assert!(config.validate().is_empty(), "{:?}", config.validate());
    apply(&other_world, &config, DeclarativePrunePolicy::Keep).await;
    let reexported_config = declarative::export_instance(&other_world.engine).await.unwrap();
    assert_eq!(reexported_config, config);
    assert!(
        reexported_config
            .iter_webhooks()
            .all(|(_, all)| all.values().all(|it| it.id.is_some() && it.secret.is_none()))
    );
    assert_eq!(reexported_config.iter_webhooks().map(|(_, all)| all.len()).sum::<usize>(), 2);
    assert_eq!(reexported_config.apis.len(), 2);
    assert!(reexported_config.organizations.values().any(|it| it.id.is_some()));
    // And in the other direction: what was exported equals what was declared.
    assert!(apply(&other_world, &document(), DeclarativePrunePolicy::Remove).await.is_empty());
}

async fn declarative_apply_changes_and_prunes_every_part_of_a_document(database: Database) {
    let world = World::new(database).await;
    apply(&world, &document(), DeclarativePrunePolicy::Keep).await;
    let mut raw = serde_json::to_value(document()).unwrap();
    raw["organizations"]["acme"]["name"] = "Acme Ltd".into();
    raw["organizations"]["acme"]["roles"]["clerk"]["permissions"] = serde_json::json!(["members:read"]);
    raw["apis"]["invoices"]["offered_to"] = serde_json::json!({"organizations": ["other"]});
    raw["apis"]["invoices"]["definition"]["name"] = "Bills".into();
    raw["clients"]["portal"]["verified"] = false.into();
    raw["clients"]["portal"]["metadata"]["scope"] = "openid".into();
    raw["clients"]["robot"]["roles"] = serde_json::json!(["clerk", "keeper"]);
    raw["webhooks"]["siem"]["kinds"] = serde_json::json!(["role.created"]);
    raw["organizations"]["acme"]["webhooks"]["events"]["description"] = "Tells".into();
    let mut config: DeclarativeConfig = serde_json::from_value(raw).unwrap();
    set_secret(&mut config, 2);
    let applied_changes = apply(&world, &config, DeclarativePrunePolicy::Keep).await;
    let expected = [
        "~ organization acme",
        "~ api invoices",
        "~ role clerk of acme",
        "~ client portal",
        "~ client robot",
        "~ webhook siem",
        "~ webhook events of acme",
    ];
    assert_eq!(applied_changes, expected);
    assert!(apply(&world, &config, DeclarativePrunePolicy::Keep).await.is_empty());

    // Without roles the agent has no membership.
    let robot = config.clients.values_mut().find(|it| it.organization.is_some()).unwrap();
    robot.roles.clear();
    robot.metadata = serde_json::from_value(serde_json::json!({
        "client_name": "Robot", "redirect_uris": ["https://robot.example/cb"], "token_endpoint_auth_method": "none"
    }))
    .unwrap();
    robot.secret = None;
    assert_eq!(apply(&world, &config, DeclarativePrunePolicy::Keep).await, ["~ client robot"]);
    assert!(apply(&world, &config, DeclarativePrunePolicy::Keep).await.is_empty());
    let inside = world.system_in("acme").await;
    assert!(members::list(&world.engine, &inside, None, 50).await.unwrap().is_empty());

    let mut less = config.clone();
    less.clients.clear();
    less.apis.clear();
    less.organizations.values_mut().for_each(|it| it.roles.clear());
    less.iter_webhooks_mut().for_each(|(_, all)| all.clear());
    let gone = apply(&world, &less, DeclarativePrunePolicy::Remove).await;
    let expected = [
        "- webhook siem-example",
        "- webhook acme-example of acme",
        "- client portal",
        "- client robot",
        "- role clerk of acme",
        "- role keeper of acme",
        "- api bills",
        "- api stock",
    ];
    assert_eq!(gone, expected);
    let remaining_config = declarative::load_current(&world.engine).await.unwrap();
    assert!(
        remaining_config.clients.is_empty()
            && remaining_config.apis.is_empty()
            && remaining_config.organizations.len() == 4
    );
}

async fn declarative_apply_to_a_suspended_organization_is_refused_before_any_change(database: Database) {
    let world = World::new(database).await;
    apply(&world, &document(), DeclarativePrunePolicy::Keep).await;
    world.put("acme", LifecycleCondition::Suspended).await;
    let mut config = document();
    set_secret(&mut config, 3);
    let current = declarative::load_current(&world.engine).await.unwrap();
    let changes = plan_changes(&current, &config, DeclarativePrunePolicy::Keep);
    let closed = declarative::find_unchangeable_organizations(&world.engine, &changes).await.unwrap();
    assert_eq!(closed.iter().map(|slug| slug.as_str()).collect::<Vec<_>>(), ["acme"]);
    // If it is suspended only now, the change is refused as usual.
    let secrets = declarative::DeclaredSecrets::default();
    let caller = world.system().await;
    let refused = declarative::apply_change(&world.engine, &caller, &current, &changes[0], &secrets).await;
    assert_eq!(
        refused.unwrap_err().into_refusal().unwrap().code(),
        sinete_core::refusal::RefusalCode::OrganizationSuspended
    );
    organization_access::authorize_in_organization(&world.engine, &world.system().await, "acme")
        .await
        .unwrap();
}
