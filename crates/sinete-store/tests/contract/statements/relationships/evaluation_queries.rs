//! Queries for an evaluation or a search read the relationships that matter for it, within limits, and nothing through inactive rows.

use super::{drive, object, stands};
use crate::authzen::evaluation::{EvaluationFacts, EvaluationSubject};
use crate::authzen::relationships::RelationshipScope;
use crate::authzen::search;
use crate::authzen::search::{FoundSubject, SearchOutcome, SubjectSearchKind};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::contract::statements::{Database, Scene};
use crate::organizations::memberships;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::evaluation;
use sinete_core::authzen::evaluation::{RelationshipEdge, RelationshipEdgeTarget};
use sinete_core::authzen::relationships::{Relationship, RelationshipSubject};
use sinete_core::authzen::rules::action_key;
use sinete_core::entropy::{DangerouslySeededEntropy, Entropy as _};
use std::collections::BTreeSet;

both_engines!(
    relationship_query_reads_enough_for_the_evaluation,
    relationship_query_is_bounded,
    relationship_query_reaches_nothing_through_inactive_rows
);

impl Scene {
    /// Whether the user is found by the object, and the objects found by the user.
    async fn searched(
        &self,
        scope: RelationshipScope,
        object: &RelationObject,
        action: &str,
    ) -> (bool, BTreeSet<String>) {
        let (relation, model) = (action_key(action), drive().object_types);
        let subjects =
            search::search_subjects(&self.store, scope, object, &relation, SubjectSearchKind::Members, NOW)
                .await
                .unwrap();
        let subject = EvaluationSubject::Member(self.world.membership);
        let objects = search::search_objects(&self.store, scope, "folder", &relation, subject, &model, NOW)
            .await
            .unwrap();
        let (
            SearchOutcome::Complete { matches: (found_subjects, _), .. },
            SearchOutcome::Complete { matches: found_objects, .. },
        ) = (subjects, objects)
        else {
            panic!("nothing is searched");
        };
        (found_subjects.contains(&FoundSubject::Member(self.world.membership)), found_objects)
    }
}

/// Many small random models: the result from the relationships read equals that from all of them.
async fn relationship_query_reads_enough_for_the_evaluation(database: Database) {
    let scene = Scene::set(database).await;
    let scope = scene.drive().await;
    let (membership, role) = (scene.world.membership, scene.world.role);
    let chance = DangerouslySeededEntropy::new(28);
    let below = |limit: usize| {
        let mut byte = [0];
        chance.fill(&mut byte);
        usize::from(byte[0]) % limit
    };
    let (mut yes, mut no) = (0, 0);
    for round in 0..12 {
        // Each model has its own objects.
        use RelationshipEdgeTarget::{ToEvaluatedSubject, ToObject, ToSet};
        let folder = |n: usize| object("folder", round * 10 + n);
        let team = |n: usize| object("team", round * 10 + n);
        let mut all: Vec<(Relationship, RelationshipEdgeTarget)> = Vec::new();
        for _ in 0..14 {
            let set = |object: RelationObject, relation: &str| {
                let leads = ToSet(object.clone(), relation.to_owned());
                (RelationshipSubject::Set(object, relation.to_owned()), leads)
            };
            let ((subject, leads), relation, at) = match below(8) {
                0 => {
                    ((RelationshipSubject::Member(membership), ToEvaluatedSubject), "owner", folder(below(5)))
                }
                1 => ((RelationshipSubject::Role(role), ToEvaluatedSubject), "member", team(below(3))),
                2 => (set(team(below(3)), "member"), "member", team(below(3))),
                3 | 4 => (set(team(below(3)), "member"), "viewer", folder(below(5))),
                5 => (set(folder(below(5)), "viewer"), "viewer", folder(below(5))),
                _ => {
                    let other = folder(below(5));
                    (
                        (RelationshipSubject::Object(other.clone()), ToObject(other)),
                        "parent",
                        folder(below(5)),
                    )
                }
            };
            let one = stands(subject, relation, at);
            if all.iter().all(|(relationship, _)| *relationship != one) {
                all.push((one, leads));
            }
        }
        let stored: Vec<Relationship> = all.iter().map(|(it, _)| it.clone()).collect();
        scene.add(scope, &stored).await;
        let edge = |(it, leads): &(Relationship, RelationshipEdgeTarget)| RelationshipEdge {
            object: it.object.clone(),
            relation: it.relation.clone(),
            target: leads.clone(),
        };
        let everything: Vec<RelationshipEdge> = all.iter().map(edge).collect();
        for (n, action) in (0..5).flat_map(|n| [(n, "read"), (n, "own")]) {
            let rules = drive().object_types.derive_rules();
            let expected =
                evaluation::evaluate_relation(&rules, &folder(n), &action_key(action), &everything).unwrap();
            assert_eq!(scene.answered(scope, &folder(n), action).await, expected, "{n} {action} {all:?}");
            let answers = if expected { &mut yes } else { &mut no };
            *answers += 1;
            let (has_subject, found_objects) = scene.searched(scope, &folder(n), action).await;
            assert_eq!(
                (has_subject, found_objects.contains(folder(n).id())),
                (expected, expected),
                "{n} {action} {all:?}"
            );
        }
    }
    assert!(yes > 10 && no > 10, "{yes} {no}");
}

async fn relationship_query_is_bounded(database: Database) {
    let scene = Scene::set(database).await;
    let scope = scene.drive().await;
    let chain: Vec<_> = (0..3_000)
        .map(|n| stands(RelationshipSubject::Object(object("folder", n + 1)), "parent", object("folder", n)))
        .collect();
    scene.add(scope, &chain).await;
    assert!(matches!(
        scene.reached(scope, &object("folder", 0), "read").await,
        EvaluationFacts::LimitExceeded
    ));
    // The last thousand are as many as are read, and no evaluation reads more than it needs.
    let EvaluationFacts::Complete { edges, .. } =
        scene.reached(scope, &object("folder", 2_002), "read").await
    else {
        panic!("a thousand are reached");
    };
    assert_eq!(edges.len(), 998);
    assert!(
        matches!(scene.reached(scope, &object("folder", 0), "own").await, EvaluationFacts::Complete { edges, .. } if edges.is_empty())
    );
    // A folder that thousands of others may see does not slow down the evaluation.
    let others: Vec<_> = (0..2_000).map(|n| object("team", n)).collect();
    let see: Vec<_> = others
        .iter()
        .map(|team| {
            stands(
                RelationshipSubject::Set(team.clone(), "member".to_owned()),
                "viewer",
                object("folder", 9_000),
            )
        })
        .collect();
    scene.add(scope, &see[..900]).await;
    scene
        .add(scope, &[stands(RelationshipSubject::Role(scene.world.role), "member", object("team", 899))])
        .await;
    assert!(scene.answered(scope, &object("folder", 9_000), "read").await);
    scene.add(scope, &see[900..]).await;
    assert!(matches!(
        scene.reached(scope, &object("folder", 9_000), "read").await,
        EvaluationFacts::LimitExceeded
    ));
    // More relationships than are read, between few objects: there is no result, whichever of them were left
    // out.
    let many: Vec<_> = (0..101)
        .flat_map(|n| (0..100).map(move |m| (n, m)))
        .map(|(n, m)| {
            let set = RelationshipSubject::Set(object("team", 20_000 + m), "member".to_owned());
            stands(set, "member", object("team", 20_000 + n))
        })
        .collect();
    scene.add(scope, &many).await;
    scene
        .add(
            scope,
            &[stands(
                RelationshipSubject::Set(object("team", 20_100), "member".to_owned()),
                "viewer",
                object("folder", 9_001),
            )],
        )
        .await;
    assert!(matches!(
        scene.reached(scope, &object("folder", 9_001), "read").await,
        EvaluationFacts::LimitExceeded
    ));
    scene.change("UPDATE apis SET condition = 'suspended'").await;
    assert!(matches!(
        scene.reached(scope, &object("folder", 9_001), "read").await,
        EvaluationFacts::LimitExceeded
    ));
}

async fn relationship_query_reaches_nothing_through_inactive_rows(database: Database) {
    let scene = Scene::set(database).await;
    let scope = scene.drive().await;
    let folder = object("folder", 1);
    let by_role = stands(RelationshipSubject::Role(scene.world.role), "viewer", folder.clone());
    scene
        .add(
            scope,
            &[by_role, stands(RelationshipSubject::Member(scene.world.membership), "owner", folder.clone())],
        )
        .await;
    assert!(scene.answered(scope, &folder, "read").await && scene.answered(scope, &folder, "own").await);
    for (change, remedy) in [
        ("UPDATE memberships SET condition = 'suspended'", "UPDATE memberships SET condition = 'enabled'"),
        ("UPDATE accounts SET condition = 'suspended'", "UPDATE accounts SET condition = 'enabled'"),
    ] {
        scene.change(change).await;
        let reached = scene.reached(scope, &folder, "read").await;
        assert!(matches!(reached, EvaluationFacts::Complete { is_active: false, .. }), "{change}");
        scene.change(remedy).await;
        assert!(scene.answered(scope, &folder, "read").await);
    }
    for (change, remedy) in [
        (
            "UPDATE organizations SET condition = 'suspended'",
            "UPDATE organizations SET condition = 'enabled'",
        ),
        ("UPDATE apis SET condition = 'suspended'", "UPDATE apis SET condition = 'enabled'"),
        ("UPDATE organizations SET ends_at = 1800000000000000", "UPDATE organizations SET ends_at = NULL"),
    ] {
        scene.change(change).await;
        assert!(
            matches!(scene.reached(scope, &folder, "read").await, EvaluationFacts::Unavailable),
            "{change}"
        );
        scene.change(remedy).await;
        assert!(scene.answered(scope, &folder, "read").await);
    }
    // Without a direct relation there is the role's, until the role is removed.
    scene.change("DELETE FROM relationships WHERE subject_kind = 'member'").await;
    assert!(scene.answered(scope, &folder, "read").await && !scene.answered(scope, &folder, "own").await);
    scene.change("UPDATE roles SET removed_at = 1").await;
    assert!(!scene.answered(scope, &folder, "read").await);
    scene.change("UPDATE roles SET removed_at = NULL").await;
    scene.happens([memberships::remove_role(scene.world.membership, scene.world.role, NOW)]).await;
    assert!(!scene.answered(scope, &folder, "read").await);
    let membership = memberships::find_membership(&scene.store, scope.organization, scene.world.membership)
        .await
        .unwrap()
        .unwrap();
    scene
        .happens([memberships::change_membership_condition(&membership, LifecycleCondition::Ended, NOW)])
        .await;
    let owner_relationship = stands(RelationshipSubject::Member(scene.world.membership), "owner", folder);
    scene.is_refused(scene.adding(scope, 1, &[owner_relationship]), "relationships.add_member").await;
}
