//! Subject and resource searches. Each is one consistent statement with the limits of an evaluation; a search
//! that would exceed them has no result.

use super::evaluation::{EvaluationSubject, membership_counts, place_counts, places, read_at};
use super::relationships::RelationshipScope;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::evaluation::RelationshipEdge;
use sinete_core::authzen::model::AuthorizationModel;
use sinete_core::client_id::ClientId;
use sinete_core::id::MembershipId;
use sinete_core::limits::{
    EVALUATION_DEPTH_MAX, EVALUATION_READS_MAX, EVALUATION_RELATIONS_MAX, SEARCH_RELATIONS_MAX,
};
use sinete_core::time::Timestamp;
use std::collections::BTreeSet;

/// The kind of subject to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectSearchKind {
    /// Users.
    Members,
    /// Services and agents.
    Clients,
}

/// A subject that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundSubject {
    /// A user.
    Member(MembershipId),
    /// A service or agent.
    Client(ClientId),
}

/// The result of a search.
#[derive(Clone, Debug)]
pub enum SearchOutcome<T> {
    /// The API or the organization is not active, or the API is not offered there.
    ApiUnavailable,
    /// More would have to be read than the limit allows.
    LimitExceeded,
    /// The complete result.
    Complete {
        /// The version of the API whose rules were used.
        api_version: i64,
        /// The matches.
        matches: T,
    },
}

/// The active subjects with this relation to the object or permission for this action, with the relationships
/// that lead there.
pub async fn search_subjects(
    store: &Store,
    scope: RelationshipScope,
    object: &RelationObject,
    relation: &str,
    kind: SubjectSearchKind,
    now: Timestamp,
) -> Result<SearchOutcome<(BTreeSet<FoundSubject>, Vec<RelationshipEdge>)>, StoreFailure> {
    let kind = match kind {
        SubjectSearchKind::Members => "member",
        SubjectSearchKind::Clients => "client",
    };
    let parameters = [
        scope.api.into(),
        scope.organization.into(),
        object.object_type().into(),
        object.id().into(),
        relation.into(),
        kind.into(),
        now.into(),
        (EVALUATION_RELATIONS_MAX + 1).into(),
        (EVALUATION_READS_MAX + 1).into(),
    ];
    let rows = store.read_list(&SUBJECTS, &parameters).await?;
    let of_kind = |kind: i64| rows.iter().filter(move |row| row.integer("q.kind") == Ok(kind));
    let Some(head) = of_kind(HEAD).next() else { return Ok(SearchOutcome::ApiUnavailable) };
    let limit = usize::try_from(EVALUATION_READS_MAX).unwrap_or(usize::MAX);
    let is_over = head.integer("q.places")? > i64::from(EVALUATION_RELATIONS_MAX);
    if is_over || of_kind(SUBJECT).count() > limit || of_kind(EDGE).count() > limit {
        return Ok(SearchOutcome::LimitExceeded);
    }
    let subjects = of_kind(SUBJECT).map(read_subject).collect::<Result<_, _>>()?;
    let edges = of_kind(EDGE).map(super::evaluation::read_edge).collect::<Result<_, _>>()?;
    Ok(SearchOutcome::Complete { api_version: head.integer("q.version")?, matches: (subjects, edges) })
}

/// The objects of a type that a subject has this relation to, by id. Only rules that can lead there are
/// followed.
pub async fn search_objects(
    store: &Store,
    scope: RelationshipScope,
    of_type: &str,
    relation: &str,
    subject: EvaluationSubject,
    model: &AuthorizationModel,
    now: Timestamp,
) -> Result<SearchOutcome<BTreeSet<String>>, StoreFailure> {
    let leading: Vec<String> = model
        .find_granting_relations(of_type, relation)
        .into_iter()
        .map(|(of_type, relation)| format!("{of_type}#{relation}"))
        .collect();
    let steps = i64::try_from(EVALUATION_DEPTH_MAX).unwrap_or(i64::MAX);
    let parameters = [
        scope.api.into(),
        scope.organization.into(),
        of_type.into(),
        relation.into(),
        format!(" {} ", leading.join(" ")).into(),
        subject.membership().into(),
        now.into(),
        (SEARCH_RELATIONS_MAX + 1).into(),
        steps.into(),
        subject.kind().into(),
    ];
    let rows = store.read_list(&OBJECTS, &parameters).await?;
    let Some(head) = rows.iter().find(|row| row.integer("q.kind") == Ok(HEAD)) else {
        return Ok(SearchOutcome::ApiUnavailable);
    };
    if head.integer("q.places")? > i64::from(SEARCH_RELATIONS_MAX) || head.flag("q.is_beyond")? {
        return Ok(SearchOutcome::LimitExceeded);
    }
    let sql_rows = rows.iter().filter(|row| row.integer("q.kind") != Ok(HEAD));
    let object_ids = sql_rows.map(|row| Ok(row.text("q.object_id")?.to_owned())).collect::<Result<_, _>>()?;
    Ok(SearchOutcome::Complete { api_version: head.integer("q.version")?, matches: object_ids })
}

fn read_subject(row: &SqlRow) -> Result<FoundSubject, StoreFailure> {
    match row.optional_client_id("q.subject_id")? {
        Some(client) => Ok(FoundSubject::Client(client)),
        None => row.id("q.their_id").map(FoundSubject::Member),
    }
}

/// The kinds of row.
const HEAD: i64 = 0;
const EDGE: i64 = 2;
const SUBJECT: i64 = 3;

static SUBJECTS: SqlStatement = SqlStatement::new(
    "relationships.subjects",
    concat!(
        "SELECT q.kind, q.object_type, q.object_id, q.relation, q.subject_type, q.subject_id, q.subject_relation, \
         q.version, q.places, q.their_id FROM (WITH RECURSIVE ",
        places!(),
        " SELECT 0 AS kind, '' AS object_type, '' AS object_id, '' AS relation, '' AS subject_type, '' AS subject_id, \
         '' AS subject_relation, a.version AS version, (SELECT COUNT(*) FROM places) AS places, a.id AS their_id \
         FROM apis a JOIN organizations o ON o.id = ?2 WHERE ",
        place_counts!(),
        " UNION ALL SELECT e.* FROM (SELECT 2, s.object_type, s.object_id, w.relation, w.subject_type, w.subject_id, \
         w.subject_relation, 0, 0, w.api_id FROM ",
        read_at!("places", " = u.read_kind LIMIT ?9"),
        ") e UNION ALL SELECT f.* FROM (SELECT 3, '', '', '', '', m.client_id, '', 0, 0, m.id FROM ",
        read_at!(
            "places",
            " CROSS JOIN memberships m",
            " = CAST(?6 AS TEXT) AND u.read_kind = 'set' AND m.id = w.subject_key AND "
        ),
        membership_counts!("?6"),
        " LIMIT ?9) f UNION ALL SELECT g.* FROM (SELECT 3, '', '', '', '', m.client_id, '', 0, 0, m.id FROM ",
        read_at!(
            "places",
            " CROSS JOIN roles r CROSS JOIN membership_roles x CROSS JOIN memberships m",
            " = 'role' AND u.read_kind = 'set' AND r.id = w.subject_key AND r.organization_id = ?2 \
             AND r.removed_at IS NULL AND x.role_id = r.id AND m.id = x.membership_id AND "
        ),
        membership_counts!("?6"),
        " LIMIT ?9) g) q"
    ),
);

/// Restricts the traversal to rules that can lead to the searched relation. An underscore in a name matches
/// any character in `LIKE`, which may include too much but never too little: results are compared exactly.
macro_rules! leads {
    () => {
        "u.api_id = ?1 AND u.object_type = w.object_type AND u.read_relation = w.relation \
         AND CAST(?5 AS TEXT) LIKE '% ' || u.object_type || '#' || u.held || ' %'"
    };
}

// From the subject, step by step to the objects; each step once, so that cycles end. One step more than
// allowed is followed: what only that step reaches shows that the limit was exceeded.
static OBJECTS: SqlStatement = SqlStatement::new(
    "relationships.objects",
    concat!(
        "SELECT q.kind, q.object_id, q.version, q.places, q.is_beyond FROM (WITH RECURSIVE them (kind, their_id) AS (\
         SELECT CAST(?10 AS TEXT), m.id FROM memberships m WHERE m.id = ?6 AND ",
        membership_counts!("?10"),
        " UNION ALL SELECT 'role', x.role_id FROM memberships m CROSS JOIN membership_roles x CROSS JOIN roles r \
         WHERE m.id = ?6 AND x.membership_id = m.id AND r.id = x.role_id AND r.organization_id = ?2 \
         AND r.removed_at IS NULL AND ",
        membership_counts!("?10"),
        "), reached (steps, object_type, object_id, held) AS (\
         SELECT CAST(0 AS BIGINT), w.object_type, w.object_id, u.held \
         FROM them k CROSS JOIN relationships w CROSS JOIN relation_rules u \
         WHERE w.api_id = ?1 AND w.organization_id = ?2 AND w.subject_key = k.their_id AND w.subject_kind = k.kind \
         AND u.then_held = '' AND ",
        leads!(),
        " UNION SELECT s.steps + 1, w.object_type, w.object_id, u.held \
         FROM reached s CROSS JOIN relationships w CROSS JOIN relation_rules u \
         WHERE s.steps <= ?9 AND w.api_id = ?1 AND w.organization_id = ?2 AND w.subject_type = s.object_type \
         AND w.subject_id = s.object_id AND ((w.subject_kind = 'set' AND w.subject_relation = s.held \
         AND u.then_held = '') OR (w.subject_kind = 'object' AND u.then_held = s.held)) AND ",
        leads!(),
        "), places (steps, object_type, object_id, held) AS (\
         SELECT steps, object_type, object_id, held FROM reached LIMIT ?8) \
         SELECT 0 AS kind, '' AS object_id, a.version AS version, (SELECT COUNT(*) FROM places) AS places, \
         CASE WHEN EXISTS (SELECT 1 FROM places GROUP BY object_type, object_id, held HAVING MIN(steps) > ?9) \
         THEN 1 ELSE 0 END AS is_beyond \
         FROM apis a JOIN organizations o ON o.id = ?2 WHERE ",
        place_counts!(),
        " UNION ALL SELECT 1, d.object_id, 0, 0, 0 FROM (SELECT DISTINCT object_id FROM places \
         WHERE object_type = ?3 AND held = ?4) d) q"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&SUBJECTS, &OBJECTS];
