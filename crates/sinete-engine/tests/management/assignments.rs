//! Assignments: by another operator, with a reason and an expiry, and visible to the organization.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, faults, refused};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::refusal::RefusalCode::{Conflict, InsufficientScope, InvalidScope, NotFound};
use sinete_core::time::Lifetime;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::organization_access;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::ClientOrigin;
use sinete_engine::organizations::assignments;
use sinete_engine::organizations::assignments::{
    AssignmentRequest, OperatorAssignmentKind, OperatorAssignmentRight,
};
use sinete_engine::organizations::{api_keys, members};

both_engines!(
    assignment_by_another_operator_admits_an_operator_to_an_organization,
    assignment_to_the_caller_or_to_a_non_operator_is_refused,
    assignment_needs_a_reason_and_an_end,
    impersonation_target_must_be_a_user_of_that_organization,
    api_key_for_an_assignment_is_issued_only_to_its_operator
);

fn wanted(world: &World, holder: sinete_core::id::MembershipId) -> AssignmentRequest {
    AssignmentRequest {
        task: OperatorAssignmentKind::Administer,
        holder,
        organization: "acme".to_owned(),
        reason: "Ticket 42".to_owned(),
        ends_at: world.now().plus(Lifetime::from_hours(8)),
    }
}

async fn assignment_by_another_operator_admits_an_operator_to_an_organization(database: Database) {
    let world = World::new(database).await;
    let acme = world.organization("acme").await;
    let engine = &world.engine;
    let [one, other] =
        [world.person("operator", &["operator"]).await, world.person("operator", &["operator"]).await];
    let owner = world.person("acme", &["owner"]).await;
    let into = async |user| {
        organization_access::authorize_in_organization(engine, &world.caller(user).await, "acme").await
    };
    assert_eq!(refused(into(&one).await), NotFound);
    let assigning = world.operating(&other).await;
    let result = assignments::create(engine, &assigning, &wanted(&world, one.membership)).await;
    let assignment = result.unwrap();
    assert_eq!(
        (assignment.assignment.allows, assignment.organization),
        (OperatorAssignmentRight::Administering, acme)
    );
    assert!(assignment.made_by.starts_with("api_key "));
    let log_entry = world.list_audit_entries(acme).await.pop().unwrap();
    assert_eq!((log_entry.kind.as_str(), log_entry.reason.as_str()), ("assignment.made", "Ticket 42"));

    let inside = into(&one).await.unwrap();
    assert!(inside.is_owner);
    assert_eq!(refused(into(&other).await), NotFound);
    // Reads and changes are both in the audit log, with the reason.
    members::list(engine, &inside, None, 50).await.unwrap();
    members::disable(engine, &inside, owner.membership).await.unwrap_err().into_refusal().unwrap();
    let clerk = world.person("acme", &["member"]).await;
    members::disable(engine, &inside, clerk.membership).await.unwrap();
    let audit_log = world.list_audit_entries(acme).await;
    for kind in ["membership.disabled", "organization.administered"] {
        assert!(audit_log.iter().any(|it| it.kind == kind && it.reason == "Ticket 42"), "{kind}");
    }

    // The organization and operators see the assignment, others do not.
    let by_owner = world.acting(&owner, "acme").await;
    assert_eq!(assignments::list(engine, &by_owner, None, 50).await.unwrap().len(), 1);
    let assignment_rows = assignments::list_for_operator(engine, &assigning, "acme", None, 50).await.unwrap();
    assert_eq!(assignment_rows, std::slice::from_ref(&assignment));
    assert_eq!(assignments::show(engine, &assigning, assignment.assignment.id).await.unwrap(), assignment);
    let instance_admin = world.operating(&owner).await;
    assert_eq!(
        refused(assignments::list_for_operator(engine, &instance_admin, "acme", None, 50).await),
        InsufficientScope
    );
    assert_eq!(
        refused(assignments::end(engine, &instance_admin, assignment.assignment.id).await),
        InsufficientScope
    );

    let by_one = world.operating(&one).await;
    assignments::end(engine, &by_one, assignment.assignment.id).await.unwrap();
    assignments::end(engine, &by_one, assignment.assignment.id).await.unwrap();
    assert_eq!(refused(into(&one).await), NotFound);
    let ended =
        world.list_audit_entries(acme).await.into_iter().filter(|it| it.kind == "assignment.ended").count();
    assert_eq!(ended, 1);
    // An assignment that is not ended expires.
    assignments::create(engine, &assigning, &wanted(&world, one.membership)).await.unwrap();
    assert!(into(&one).await.is_ok());
    world.pass(Lifetime::from_hours(8));
    assert_eq!(refused(into(&one).await), NotFound);
}

async fn assignment_to_the_caller_or_to_a_non_operator_is_refused(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let operator = world.person("operator", &["operator"]).await;
    let (owner, plain) = (world.person("acme", &["owner"]).await, world.person("operator", &["owner"]).await);
    let instance_admin = world.operating(&operator).await;
    let result = assignments::create(engine, &instance_admin, &wanted(&world, operator.membership)).await;
    assert_eq!(refused(result), InsufficientScope);
    for user in [&owner, &plain] {
        let instance_admin = world.operating(user).await;
        let result = assignments::create(engine, &instance_admin, &wanted(&world, operator.membership)).await;
        assert_eq!(refused(result), InsufficientScope);
    }
    let result = assignments::create(engine, &instance_admin, &wanted(&world, owner.membership)).await;
    assert_eq!(faults(result), ["/holder"]);
    // The assigner may hold a machine's keys; the command line may assign it.
    let house = world.system_in("operator").await;
    let roles = vec![world.role("operator", "operator").await];
    let service = clients::NewClientRequest { roles, ..crate::clients::service() };
    let machine = clients::create(engine, AdminScope::Organization(&house), &service).await;
    let machine = machine.unwrap().overview;
    assert!(matches!(machine.client.origin, ClientOrigin::Organization(_)));
    let machine = machine.member.unwrap().membership.id;
    let result = assignments::create(engine, &instance_admin, &wanted(&world, machine)).await;
    assert_eq!(faults(result), ["/holder"]);
    let by_hand = world.system_operating().await;
    let assignment = assignments::create(engine, &by_hand, &wanted(&world, machine)).await.unwrap();
    assert_eq!(assignment.made_by, "system");
    // Operators need no assignment in their own organization, and have none elsewhere.
    let mut at_home = wanted(&world, plain.membership);
    at_home.organization = "operator".to_owned();
    assert_eq!(refused(assignments::create(engine, &instance_admin, &at_home).await), Conflict);
    at_home.organization = "nowhere".to_owned();
    assert_eq!(refused(assignments::create(engine, &instance_admin, &at_home).await), NotFound);
    assert_eq!(world.database.number("SELECT count(*) FROM assignments").await, 1);
}

async fn assignment_needs_a_reason_and_an_end(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let operator = world.person("operator", &["operator"]).await;
    let by_hand = world.system_operating().await;
    let plain = wanted(&world, operator.membership);
    let month = world.now().plus(Lifetime::from_days(30));
    for (reason, ends_at, places) in [
        ("", plain.ends_at, &["/reason"][..]),
        ("a\nb", plain.ends_at, &["/reason"]),
        ("Ticket", world.now(), &["/ends_at"]),
        ("Ticket", month.plus(Lifetime::from_micros(1)), &["/ends_at"]),
        (" ", world.now(), &["/reason", "/ends_at"]),
    ] {
        let request = AssignmentRequest { reason: reason.to_owned(), ends_at, ..plain.clone() };
        assert_eq!(faults(assignments::create(engine, &by_hand, &request).await), places, "{reason:?}");
    }
    let longest = AssignmentRequest { ends_at: month, ..plain };
    assert!(assignments::create(engine, &by_hand, &longest).await.is_ok());
}

async fn impersonation_target_must_be_a_user_of_that_organization(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    world.organization("other").await;
    let engine = &world.engine;
    let operator = world.person("operator", &["operator"]).await;
    let (user, other_user) =
        (world.person("acme", &["member"]).await, world.person("other", &["member"]).await);
    let by_hand = world.system_operating().await;
    let as_member = |member| AssignmentRequest {
        task: OperatorAssignmentKind::Impersonate(member),
        ..wanted(&world, operator.membership)
    };
    let result = assignments::create(engine, &by_hand, &as_member(other_user.membership)).await;
    assert_eq!(faults(result), ["/member"]);
    let assignment = assignments::create(engine, &by_hand, &as_member(user.membership)).await.unwrap();
    assert_eq!(assignment.assignment.allows, OperatorAssignmentRight::Impersonating(user.account));
    // Permission to impersonate does not include administering the organization.
    let into =
        organization_access::authorize_in_organization(engine, &world.caller(&operator).await, "acme").await;
    assert_eq!(refused(into), NotFound);
    world.put("acme", LifecycleCondition::Ended).await;
    let late = assignments::create(engine, &by_hand, &as_member(user.membership)).await;
    assert_eq!(refused(late), NotFound);
}

async fn api_key_for_an_assignment_is_issued_only_to_its_operator(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let one = world.person("operator", &["operator", "owner"]).await;
    let other = world.person("operator", &["operator"]).await;
    let key = |membership| api_keys::ApiKeyRequest {
        membership,
        name: "into organizations".to_owned(),
        scope: "organizations:administer".parse().unwrap(),
        lifetime: None,
    };
    let inside = world.acting(&one, "operator").await;
    assert!(api_keys::issue(engine, &inside, &key(one.membership)).await.is_ok());
    assert_eq!(refused(api_keys::issue(engine, &inside, &key(other.membership)).await), InsufficientScope);
    // In another organization there is no such access.
    let owner = world.person("acme", &["owner"]).await;
    let elsewhere = world.acting(&owner, "acme").await;
    assert_eq!(refused(api_keys::issue(engine, &elsewhere, &key(owner.membership)).await), InvalidScope);
}
