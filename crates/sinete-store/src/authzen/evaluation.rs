//! What a question leads to: the relationships of an object that matter to it, those of the objects that they lead to, and
//! so on, with whether whoever is asked about counts. All of it is one statement, so that the answer is of one moment; and
//! nothing of it is an answer yet.

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

/// A question: whether somebody holds this of an object.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationQuery<'a> {
    /// Where.
    pub place: RelationshipScope,
    /// Of which object.
    pub object: &'a RelationObject,
    /// What: a relation, or an action.
    pub held: &'a str,
    /// Who.
    pub asked: EvaluationSubject,
}

/// Who is asked about. A membership of the other kind is nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationSubject {
    /// A person.
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

/// What was read for it.
#[derive(Clone, Debug)]
pub enum EvaluationFacts {
    /// The API or the organization does not count at this moment, or the API is not offered there.
    Nowhere,
    /// The question leads to more than is read.
    TooMuch,
    /// What matters to it.
    All {
        /// The version of the API by whose rules it was read.
        api_version: i64,
        /// Whether whoever is asked about belongs to the organization and counts.
        is_alive: bool,
        /// The relationships.
        edges: Vec<RelationshipEdge>,
    },
}

/// Reads everything that matters to the question.
pub async fn load_evaluation_facts(
    store: &Store,
    question: &EvaluationQuery<'_>,
    now: Timestamp,
) -> Result<EvaluationFacts, StoreFailure> {
    let parameters = [
        question.place.api.into(),
        question.place.organization.into(),
        question.object.object_type().into(),
        question.object.id().into(),
        question.held.into(),
        question.asked.membership().into(),
        now.into(),
        (EVALUATION_RELATIONS_MAX + 1).into(),
        // The first row says of all others what they are.
        (EVALUATION_READS_MAX + 2).into(),
        question.asked.kind().into(),
    ];
    let rows = store.read_list(&REACH, &parameters).await?;
    let most = usize::try_from(EVALUATION_READS_MAX).unwrap_or(usize::MAX);
    // Where something was left out, it may be the first row that was.
    if rows.len() > most + 1 {
        return Ok(EvaluationFacts::TooMuch);
    }
    let head = rows.iter().find(|row| row.integer(0) == Ok(HEAD));
    let Some(head) = head else { return Ok(EvaluationFacts::Nowhere) };
    if head.integer(9)? > i64::from(EVALUATION_RELATIONS_MAX) {
        return Ok(EvaluationFacts::TooMuch);
    }
    let edges =
        rows.iter().filter(|row| row.integer(0) != Ok(HEAD)).map(read_edge).collect::<Result<_, _>>()?;
    Ok(EvaluationFacts::All { api_version: head.integer(7)?, is_alive: head.flag(8)?, edges })
}

/// What a row is.
const HEAD: i64 = 0;
const TO_THEM: i64 = 1;

/// The relationship in a row.
pub(super) fn read_edge(row: &SqlRow) -> Result<RelationshipEdge, StoreFailure> {
    let other = || super::relationships::read_object(row, 4);
    let leads = match (row.integer(0)?, row.text(6)?) {
        (TO_THEM, _) => RelationshipEdgeTarget::ToThem,
        (_, "") => RelationshipEdgeTarget::ToObject(other()?),
        (_, relation) => RelationshipEdgeTarget::ToSet(other()?, relation.to_owned()),
    };
    Ok(RelationshipEdge {
        object: super::relationships::read_object(row, 1)?,
        relation: row.text(3)?.to_owned(),
        leads,
    })
}

/// The relationships that a rule reads of an object that was reached. The joins say in which order: from the object to its
/// relationships, and never from all of them.
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

/// What a question about `?5` of the object `?3`, `?4` leads to, as far as it is followed. What was reached is not reached
/// again, so that circles end. The limit stops the walk, not only its outcome.
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

/// Holds where a membership belongs to the organization, is of the kind that the parameter says, and counts.
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

/// Holds where the API and the organization count, and the API is offered there.
macro_rules! place_counts {
    () => {
        concat!(
            "a.id = ?1 AND a.condition = 'enabled' AND ",
            $crate::organizations::api_catalog::is_offered!("?2"),
            " AND ",
            $crate::active_conditions::organization_counts!("o", "?7")
        )
    };
}

pub(super) use {membership_counts, place_counts, places, read_at};

static REACH: SqlStatement = SqlStatement::new(
    "relationships.reach",
    concat!(
        "SELECT q.* FROM (WITH RECURSIVE ",
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

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&REACH];
