//! Loads what an access evaluation depends on: the relevant relationships of an object, those of the objects
//! they lead to, and so on, and whether the subject is active. All of it is one statement, so that it is
//! consistent; the decision is made elsewhere.

use super::relationships::RelationshipScope;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::evaluation::{RelationshipEdge, RelationshipEdgeTarget};
use sinete_core::id::MembershipId;
use sinete_core::limits::{EVALUATION_READS_MAX, EVALUATION_RELATIONS_MAX};
use sinete_core::time::Timestamp;

/// An access evaluation: whether a subject has a relation to an object or may perform an action on it.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationQuery<'a> {
    /// The API and organization.
    pub scope: RelationshipScope,
    /// The object.
    pub object: &'a RelationObject,
    /// The relation or action.
    pub relation: &'a str,
    /// The subject.
    pub subject: EvaluationSubject,
}

/// The subject of an evaluation. A membership of the other kind does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationSubject {
    /// A user.
    Member(MembershipId),
    /// A service or agent.
    Client(MembershipId),
}

impl EvaluationSubject {
    /// The kind, as stored.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Member(_) => "member",
            Self::Client(_) => "client",
        }
    }

    pub(super) const fn membership(self) -> MembershipId {
        match self {
            Self::Member(membership) | Self::Client(membership) => membership,
        }
    }
}

/// The facts for an evaluation.
#[derive(Clone, Debug)]
pub enum EvaluationFacts {
    /// The API or the organization is not active, or the API is not offered there.
    Unavailable,
    /// More would have to be read than the limit allows.
    LimitExceeded,
    /// All relevant facts.
    Complete {
        /// The version of the API whose rules were used.
        api_version: i64,
        /// Whether the subject is an active member of the organization.
        is_active: bool,
        /// The relationships.
        edges: Vec<RelationshipEdge>,
    },
}

/// Reads everything that the evaluation depends on.
pub async fn load_evaluation_facts(
    store: &Store,
    question: &EvaluationQuery<'_>,
    now: Timestamp,
) -> Result<EvaluationFacts, StoreFailure> {
    let parameters = [
        question.scope.api.into(),
        question.scope.organization.into(),
        question.object.object_type().into(),
        question.object.id().into(),
        question.relation.into(),
        question.subject.membership().into(),
        now.into(),
        (EVALUATION_RELATIONS_MAX + 1).into(),
        // One more for the header row.
        (EVALUATION_READS_MAX + 2).into(),
        question.subject.kind().into(),
    ];
    let rows = store.read_list(&LOAD_REACHABLE, &parameters).await?;
    let limit = usize::try_from(EVALUATION_READS_MAX).unwrap_or(usize::MAX);
    // If rows were cut off, the header row may be among them.
    if rows.len() > limit + 1 {
        return Ok(EvaluationFacts::LimitExceeded);
    }
    let head = rows.iter().find(|row| row.integer("q.kind") == Ok(HEAD));
    let Some(head) = head else { return Ok(EvaluationFacts::Unavailable) };
    if head.integer("q.places")? > i64::from(EVALUATION_RELATIONS_MAX) {
        return Ok(EvaluationFacts::LimitExceeded);
    }
    let edges = rows
        .iter()
        .filter(|row| row.integer("q.kind") != Ok(HEAD))
        .map(read_edge)
        .collect::<Result<_, _>>()?;
    Ok(EvaluationFacts::Complete {
        api_version: head.integer("q.version")?,
        is_active: head.flag("q.is_alive")?,
        edges,
    })
}

/// The kinds of row.
const HEAD: i64 = 0;
const TO_EVALUATED_SUBJECT: i64 = 1;

/// Reads a relationship from a row.
pub(super) fn read_edge(row: &SqlRow) -> Result<RelationshipEdge, StoreFailure> {
    let other = || super::relationships::read_object(row, "q.subject_type", "q.subject_id");
    let leads = match (row.integer("q.kind")?, row.text("q.subject_relation")?) {
        (TO_EVALUATED_SUBJECT, _) => RelationshipEdgeTarget::ToEvaluatedSubject,
        (_, "") => RelationshipEdgeTarget::ToObject(other()?),
        (_, relation) => RelationshipEdgeTarget::ToSet(other()?, relation.to_owned()),
    };
    Ok(RelationshipEdge {
        object: super::relationships::read_object(row, "q.object_type", "q.object_id")?,
        relation: row.text("q.relation")?.to_owned(),
        target: leads,
    })
}

/// The relationships that a rule reads of a reached object. The joins fix the order: from the object to its
/// relationships, never from all of them.
macro_rules! read_at {
    ($places:literal, $of:literal) => {
        read_at!($places, "", $of)
    };
    ($places:literal, $more:literal, $of:literal) => {
        concat!(
            $places,
            " s CROSS JOIN relation_rules u CROSS JOIN relationships w",
            $more,
            " WHERE u.api_id = ?1 AND u.object_type = s.object_type AND u.held = s.held \
             AND w.api_id = ?1 AND w.organization_id = ?2 AND w.object_type = s.object_type \
             AND w.object_id = s.object_id AND w.relation = u.read_relation AND w.subject_kind",
            $of
        )
    };
}

/// Everything reachable from `?5` of the object `?3`, `?4`, up to the limit. Nothing is visited twice, so
/// that cycles end. The limit stops the traversal itself, not only its output.
macro_rules! places {
    () => {
        concat!(
            "reached (object_type, object_id, held) AS (\
             SELECT CAST(?3 AS TEXT), CAST(?4 AS TEXT), CAST(?5 AS TEXT) UNION SELECT w.subject_type, w.subject_id, \
             CASE WHEN u.then_held = '' THEN w.subject_relation ELSE u.then_held END FROM ",
            read_at!("reached", " = u.read_kind"),
            "), places (object_type, object_id, held) AS (SELECT object_type, object_id, held FROM reached LIMIT ?8)"
        )
    };
}

/// Holds if the membership belongs to the organization, has the given kind and is active.
macro_rules! membership_counts {
    ($kind:literal) => {
        concat!(
            "m.organization_id = ?2 AND m.condition = 'enabled' AND ((CAST(",
            $kind,
            " AS TEXT) = 'member' \
             AND EXISTS (SELECT 1 FROM accounts p WHERE p.id = m.account_id AND p.condition = 'enabled')) \
             OR (CAST(",
            $kind,
            " AS TEXT) = 'client' AND EXISTS (SELECT 1 FROM clients c WHERE c.id = m.client_id AND ",
            $crate::active_conditions::client_counts!("c"),
            ")))"
        )
    };
}

/// Holds if the API and the organization are active, and the API is offered there.
macro_rules! place_counts {
    () => {
        concat!(
            "a.id = ?1 AND a.condition = 'enabled' AND ",
            $crate::active_conditions::is_offered!("?2"),
            " AND ",
            $crate::active_conditions::organization_counts!("o", "?7")
        )
    };
}

pub(super) use {membership_counts, place_counts, places, read_at};

static LOAD_REACHABLE: SqlStatement = SqlStatement::new(
    "relationships.reach",
    concat!(
        "SELECT q.kind, q.object_type, q.object_id, q.relation, q.subject_type, q.subject_id, q.subject_relation, \
         q.version, q.is_alive, q.places FROM (WITH RECURSIVE ",
        places!(),
        " SELECT 0 AS kind, '' AS object_type, '' AS object_id, '' AS relation, '' AS subject_type, '' AS subject_id, \
         '' AS subject_relation, a.version AS version, CASE WHEN m.id IS NULL THEN 0 ELSE 1 END AS is_alive, \
         (SELECT COUNT(*) FROM places) AS places \
         FROM apis a JOIN organizations o ON o.id = ?2 LEFT JOIN memberships m ON m.id = ?6 AND ",
        membership_counts!("?10"),
        " WHERE ",
        place_counts!(),
        " UNION ALL SELECT 1, s.object_type, s.object_id, w.relation, '', '', '', 0, 0, 0 FROM ",
        read_at!("places", " = CAST(?10 AS TEXT) AND u.read_kind = 'set' AND w.subject_key = ?6"),
        " UNION ALL SELECT 1, s.object_type, s.object_id, w.relation, '', '', '', 0, 0, 0 FROM ",
        read_at!(
            "places",
            " CROSS JOIN membership_roles x CROSS JOIN roles r",
            " = 'role' AND u.read_kind = 'set' AND x.role_id = w.subject_key AND x.membership_id = ?6 \
             AND r.id = x.role_id AND r.organization_id = ?2 AND r.removed_at IS NULL"
        ),
        " UNION ALL SELECT 2, s.object_type, s.object_id, w.relation, w.subject_type, w.subject_id, w.subject_relation, \
         0, 0, 0 FROM ",
        read_at!("places", " = u.read_kind"),
        " LIMIT ?9) q"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&LOAD_REACHABLE];
