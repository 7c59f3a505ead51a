//! The authorization models of APIs, stored as rules that evaluations follow.

use crate::authzen::relationships::is_no_leftover;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::authzen::model::{AllowedRelationship, AuthorizationModel};
use sinete_core::id::ApiId;

/// Replaces the model of an API, if no relationship exists that would no longer fit. Place it in the batch
/// that changes the API, whose version is the one read.
pub(crate) fn replace_model(
    api: ApiId,
    before: &AuthorizationModel,
    after: &AuthorizationModel,
) -> Vec<GuardedStatement> {
    if before == after {
        return Vec::new();
    }
    let mut steps = vec![GuardedStatement::exactly_one(&ADVANCE, [api.into()])];
    let unfit = find_dropped_relationships(before, after);
    steps.extend(
        unfit
            .iter()
            .map(|fit| GuardedStatement::exactly_one(&REQUIRE_UNUSED, relationship_parameters(api, fit))),
    );
    steps.push(GuardedStatement::any_number(&DELETE_RULES, [api.into()]));
    steps.extend(after.derive_rules().iter().map(|(object_type, relation, reading)| {
        let kind = if reading.subject_relation.is_some() { "object" } else { "set" };
        let then = reading.subject_relation.as_deref().unwrap_or_default();
        let columns = [object_type, relation, &reading.relation, kind, then].map(SqlValue::from);
        GuardedStatement::exactly_one(&ADD_RULE, [vec![api.into()], columns.to_vec()].concat())
    }));
    steps
}

/// The kinds of relationship that the old model allowed and the new one does not.
pub fn find_dropped_relationships(
    before: &AuthorizationModel,
    after: &AuthorizationModel,
) -> Vec<AllowedRelationship> {
    before.allowed_relationships().difference(&after.allowed_relationships()).cloned().collect()
}

/// Whether the API has such relationships, in any organization.
pub async fn has_dropped_relationship(
    store: &Store,
    api: ApiId,
    fit: &AllowedRelationship,
) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_USED, &relationship_parameters(api, fit)).await?.is_some())
}

/// Whether the batch was rejected because such a relationship was added meanwhile.
pub fn is_model_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == REQUIRE_UNUSED.name()
}

/// Locks the model of the API until the transaction ends.
pub fn lock_model(api: ApiId) -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [api.into()])
}

fn relationship_parameters(api: ApiId, fit: &AllowedRelationship) -> [SqlValue; 6] {
    [
        api.into(),
        fit.object_type.as_str().into(),
        fit.relation.as_str().into(),
        fit.subject_type.kind().into(),
        fit.subject_type.object_type().into(),
        fit.subject_type.relation().into(),
    ]
}

static ADVANCE: SqlStatement = SqlStatement::new(
    "relation_models.advance",
    "INSERT INTO relation_models (api_id) VALUES (?1) \
     ON CONFLICT (api_id) DO UPDATE SET version = relation_models.version + 1",
);
static REQUIRE_UNUSED: SqlStatement = SqlStatement::new(
    "relation_models.must_be_unused",
    concat!(
        "UPDATE relation_models SET version = version WHERE api_id = ?1 AND NOT EXISTS (SELECT 1 FROM relationships w \
         WHERE w.api_id = ?1 AND w.object_type = ?2 AND w.relation = ?3 AND w.subject_kind = ?4 \
         AND w.subject_type = ?5 AND w.subject_relation = ?6 AND ",
        is_no_leftover!(),
        ")"
    ),
);
static IS_USED: SqlStatement = SqlStatement::new(
    "relation_models.is_used",
    concat!(
        "SELECT 1 FROM relationships WHERE api_id = ?1 AND object_type = ?2 AND relation = ?3 AND subject_kind = ?4 \
         AND subject_type = ?5 AND subject_relation = ?6 AND ",
        is_no_leftover!(),
        " LIMIT 1"
    ),
);
// A no-op update takes the row lock.
static LOCK: SqlStatement = SqlStatement::new(
    "relation_models.hold",
    "UPDATE relation_models SET version = version WHERE api_id = ?1",
);
static DELETE_RULES: SqlStatement =
    SqlStatement::new("relation_models.forget_rules", "DELETE FROM relation_rules WHERE api_id = ?1");
static ADD_RULE: SqlStatement = SqlStatement::new(
    "relation_models.add_rule",
    "INSERT INTO relation_rules (api_id, object_type, held, read_relation, read_kind, then_held) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ADVANCE, &REQUIRE_UNUSED, &IS_USED, &LOCK, &DELETE_RULES, &ADD_RULE];
