//! Relationships of subjects to the objects of an API, in one organization.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::relationships::{Relationship, RelationshipSubject};
use sinete_core::id::{ApiId, Id, OrganizationId, RelationshipId};
use sinete_core::limits::RELATIONSHIPS_MAX;
use sinete_core::time::Timestamp;

/// The API and organization that a relationship belongs to. Scopes are isolated from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationshipScope {
    /// The API.
    pub api: ApiId,
    /// The organization.
    pub organization: OrganizationId,
}

/// A relationship as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationshipRow {
    /// Its id.
    pub id: RelationshipId,
    /// Its content.
    pub relationship: Relationship,
    /// When it was added.
    pub created_at: Timestamp,
}

/// A filter on relationships.
#[derive(Clone, Debug)]
pub enum RelationshipFilter<'a> {
    /// No filter.
    All,
    /// Those of one object.
    Object(&'a RelationObject),
    /// Those with a subject of this type and id: `member`, `client`, `role`, or an object type.
    Subject(&'a str, &'a str),
}

/// Locks the relationships of a scope and changes their count by `more`, within the limit.
pub fn lock_relationships(scope: RelationshipScope, delta: i64) -> GuardedStatement {
    let parameters = [scope.api.into(), scope.organization.into(), delta.into(), RELATIONSHIPS_MAX.into()];
    GuardedStatement::exactly_one(&LOCK_AND_COUNT, parameters)
}

/// Whether the batch was rejected because of the limit or a concurrent change of that count.
pub fn is_lock_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == LOCK_AND_COUNT.name()
}

/// Whether the limit allows this many more.
pub async fn has_relationship_capacity(
    store: &Store,
    scope: RelationshipScope,
    delta: i64,
) -> Result<bool, StoreFailure> {
    let book = store.read_first(&FIND_ENTRY_COUNT, &[scope.api.into(), scope.organization.into()]).await?;
    let entries = book.map_or(Ok(0), |row| row.integer("entries"))?;
    Ok(entries.saturating_add(delta) <= RELATIONSHIPS_MAX)
}

/// Adds a new relationship, if the API has not changed since it was read and the subject belongs to the
/// organization. Place it after [`lock_relationships`] and [`crate::authzen::model::lock_model`].
pub fn add_relationship(
    scope: RelationshipScope,
    id: RelationshipId,
    version: i64,
    relationship: &Relationship,
    now: Timestamp,
) -> GuardedStatement {
    let statement = match &relationship.subject {
        RelationshipSubject::Member(_) => &ADD_MEMBER,
        RelationshipSubject::Client(..) => &ADD_CLIENT,
        RelationshipSubject::Role(_) => &ADD_ROLE,
        RelationshipSubject::Object(_) | RelationshipSubject::Set(..) => &ADD_OBJECT,
    };
    let mut parameters = columns_of(scope, relationship).to_vec();
    parameters.extend([id.into(), version.into(), now.into()]);
    GuardedStatement::exactly_one(statement, parameters)
}

/// Removes an existing relationship.
pub fn remove_relationship(scope: RelationshipScope, id: RelationshipId) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, [id.into(), scope.api.into(), scope.organization.into()])
}

/// Requires that the relationship still exists. Place it after [`lock_relationships`].
pub fn require_relationship(scope: RelationshipScope, id: RelationshipId) -> GuardedStatement {
    GuardedStatement::exactly_one(&REQUIRE_PRESENT, [id.into(), scope.api.into(), scope.organization.into()])
}

/// Requires that the relationship still does not exist. Place it after [`lock_relationships`].
pub fn require_no_relationship(scope: RelationshipScope, relationship: &Relationship) -> GuardedStatement {
    GuardedStatement::exactly_one(&REQUIRE_ABSENT, columns_of(scope, relationship))
}

/// Finds the relationship.
pub async fn find_relationship(
    store: &Store,
    scope: RelationshipScope,
    relationship: &Relationship,
) -> Result<Option<RelationshipId>, StoreFailure> {
    store.read_first(&FIND, &columns_of(scope, relationship)).await?.map(|row| row.id("id")).transpose()
}

/// Finds equal relationships. A client that left and rejoined has the same name as before.
pub async fn find_equal_relationships(
    store: &Store,
    scope: RelationshipScope,
    relationship: &Relationship,
) -> Result<Vec<RelationshipId>, StoreFailure> {
    let columns = columns_of(scope, relationship);
    let [.., _key, of_type, id, relation] = columns.clone();
    let parameters = [&columns[..6], &[of_type, id, relation]].concat();
    store.read_all(&FIND_EQUAL, &parameters).await?.iter().map(|row| row.id("id")).collect()
}

/// Lists a page of relationships, oldest first.
pub async fn list_relationships(
    store: &Store,
    scope: RelationshipScope,
    filter: RelationshipFilter<'_>,
    after: Option<RelationshipId>,
    limit: u32,
) -> Result<Vec<RelationshipRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let mut parameters = vec![scope.api.into(), scope.organization.into(), after, limit.into()];
    let rows = match filter {
        RelationshipFilter::All => store.read_list(&PAGE, &parameters).await?,
        RelationshipFilter::Object(object) => {
            parameters.extend([object.object_type().into(), object.id().into()]);
            store.read_list(&PAGE_OF_OBJECT, &parameters).await?
        }
        RelationshipFilter::Subject(of_type, id) => {
            let name = if is_subject_type(of_type) { "" } else { of_type };
            let kind = if is_subject_type(of_type) { of_type } else { "" };
            parameters.extend([name.into(), id.into(), kind.into()]);
            store.read_list(&PAGE_WITH_SUBJECT, &parameters).await?
        }
    };
    rows.iter().map(read).collect()
}

fn is_subject_type(of_type: &str) -> bool {
    sinete_core::authzen::RESERVED_TYPE_NAMES.contains(&of_type)
}

fn columns_of(scope: RelationshipScope, relationship: &Relationship) -> [SqlValue; 10] {
    let subject = &relationship.subject;
    let subject_type = subject.subject_type();
    let (key, id): (SqlValue, SqlValue) = match subject {
        RelationshipSubject::Member(membership) => (membership.into(), membership.to_string().into()),
        RelationshipSubject::Client(client, membership) => (membership.into(), client.into()),
        RelationshipSubject::Role(role) => (role.into(), role.to_string().into()),
        RelationshipSubject::Object(object) | RelationshipSubject::Set(object, _) => {
            (SqlValue::empty_bytes(), object.id().into())
        }
    };
    [
        scope.api.into(),
        scope.organization.into(),
        relationship.object.object_type().into(),
        relationship.object.id().into(),
        relationship.relation.as_str().into(),
        subject_type.kind().into(),
        key,
        subject_type.object_type().into(),
        id,
        subject_type.relation().into(),
    ]
}

fn read(row: &SqlRow) -> Result<RelationshipRow, StoreFailure> {
    let key = || -> Result<Id<_>, StoreFailure> { row.id("subject_key") };
    let subject = match row.text("subject_kind")? {
        "member" => RelationshipSubject::Member(key()?),
        "client" => RelationshipSubject::Client(row.client_id("subject_id")?, key()?),
        "role" => RelationshipSubject::Role(row.id("subject_key")?),
        "object" => RelationshipSubject::Object(read_object(row, "subject_type", "subject_id")?),
        "set" => RelationshipSubject::Set(
            read_object(row, "subject_type", "subject_id")?,
            row.text("subject_relation")?.to_owned(),
        ),
        _ => return Err(row.damaged_column("subject_kind", "a kind of subject")),
    };
    let relation = row.text("relation")?.to_owned();
    Ok(RelationshipRow {
        id: row.id("id")?,
        relationship: Relationship {
            object: read_object(row, "object_type", "object_id")?,
            relation,
            subject,
        },
        created_at: row.timestamp("created_at")?,
    })
}

/// Reads an object from the columns of its type and its id.
pub(super) fn read_object(row: &SqlRow, of_type: &str, id: &str) -> Result<RelationObject, StoreFailure> {
    RelationObject::new(row.text(of_type)?, row.text(id)?).map_err(|_| row.damaged_column(id, "an object"))
}

/// Holds while the subject still belongs to the organization: other relationships are treated as absent
/// (docs/contribute/decisions/0202-authzen-relationships-of-removed-subjects.md). Evaluated per row, for the reason
/// given in [`crate::active_conditions`].
macro_rules! is_no_leftover {
    () => {
        "(subject_kind IN ('object', 'set') \
         OR (subject_kind IN ('member', 'client') AND EXISTS (SELECT 1 FROM memberships m WHERE m.id = subject_key \
         AND m.condition <> 'ended' LIMIT 1 OFFSET 0)) \
         OR (subject_kind = 'role' AND EXISTS (SELECT 1 FROM roles r WHERE r.id = subject_key \
         AND r.removed_at IS NULL LIMIT 1 OFFSET 0)))"
    };
}
pub(crate) use is_no_leftover;

/// The columns that [`read`] expects.
macro_rules! columns {
    ($more:literal) => {
        concat!(
            "SELECT id, object_type, object_id, relation, subject_kind, subject_key, subject_type, subject_id, \
             subject_relation, created_at FROM relationships \
             WHERE api_id = ?1 AND organization_id = ?2 AND id > ?3 ",
            $more,
            " AND ",
            is_no_leftover!(),
            " ORDER BY id LIMIT ?4"
        )
    };
}

/// Adds a new relationship, if the API has not changed since it was read and the given condition holds.
macro_rules! add {
    ($from:literal) => {
        concat!(
            "INSERT INTO relationships (id, api_id, organization_id, object_type, object_id, relation, subject_kind, \
             subject_key, subject_type, subject_id, subject_relation, created_at) \
             SELECT ?11, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?13 FROM apis a",
            $from,
            " AND a.id = ?1 AND a.version = ?12 AND a.condition = 'enabled' \
             ON CONFLICT (api_id, organization_id, object_type, object_id, relation, subject_kind, subject_key, \
             subject_type, subject_id, subject_relation) DO NOTHING"
        )
    };
}

/// Matches exactly this relationship.
macro_rules! is_this {
    () => {
        concat!(
            "api_id = ?1 AND organization_id = ?2 AND object_type = ?3 AND object_id = ?4 AND relation = ?5 \
             AND subject_kind = ?6 AND subject_key = ?7 AND subject_type = ?8 AND subject_id = ?9 \
             AND subject_relation = ?10 AND ",
            is_no_leftover!()
        )
    };
}

static LOCK_AND_COUNT: SqlStatement = SqlStatement::new(
    "relationships.take_turn",
    "INSERT INTO relationship_books (api_id, organization_id, entries) VALUES (?1, ?2, ?3) \
     ON CONFLICT (api_id, organization_id) DO UPDATE SET entries = relationship_books.entries + excluded.entries, \
     version = relationship_books.version + 1 WHERE relationship_books.entries + excluded.entries <= ?4",
);
static FIND_ENTRY_COUNT: SqlStatement = SqlStatement::new(
    "relationships.entries",
    "SELECT entries FROM relationship_books WHERE api_id = ?1 AND organization_id = ?2",
);
static ADD_MEMBER: SqlStatement = SqlStatement::new(
    "relationships.add_member",
    add!(
        " JOIN memberships m ON m.id = ?7 AND m.organization_id = ?2 WHERE m.client_id IS NULL \
         AND m.condition <> 'ended'"
    ),
);
static ADD_CLIENT: SqlStatement = SqlStatement::new(
    "relationships.add_client",
    add!(
        " JOIN memberships m ON m.id = ?7 AND m.organization_id = ?2 WHERE m.client_id = ?9 \
         AND m.condition <> 'ended'"
    ),
);
static ADD_ROLE: SqlStatement = SqlStatement::new(
    "relationships.add_role",
    add!(" JOIN roles r ON r.id = ?7 AND r.organization_id = ?2 WHERE r.removed_at IS NULL"),
);
static ADD_OBJECT: SqlStatement = SqlStatement::new("relationships.add_object", add!(" WHERE 1 = 1"));
static REMOVE: SqlStatement = SqlStatement::new(
    "relationships.remove",
    "DELETE FROM relationships WHERE id = ?1 AND api_id = ?2 AND organization_id = ?3",
);
static REQUIRE_PRESENT: SqlStatement = SqlStatement::new(
    "relationships.must_be",
    concat!(
        "UPDATE relationships SET created_at = created_at WHERE id = ?1 AND api_id = ?2 AND organization_id = ?3 AND ",
        is_no_leftover!()
    ),
);
static REQUIRE_ABSENT: SqlStatement = SqlStatement::new(
    "relationships.must_not_be",
    concat!(
        "UPDATE relationship_books SET version = version WHERE api_id = ?1 AND organization_id = ?2 \
         AND NOT EXISTS (SELECT 1 FROM relationships WHERE ",
        is_this!(),
        ")"
    ),
);
static FIND: SqlStatement =
    SqlStatement::new("relationships.find", concat!("SELECT id FROM relationships WHERE ", is_this!()));
static FIND_EQUAL: SqlStatement = SqlStatement::new(
    "relationships.named",
    "SELECT id FROM relationships WHERE api_id = ?1 AND organization_id = ?2 AND object_type = ?3 AND object_id = ?4 \
     AND relation = ?5 AND subject_kind = ?6 AND subject_type = ?7 AND subject_id = ?8 AND subject_relation = ?9",
);
static PAGE: SqlStatement = SqlStatement::new("relationships.page", columns!(""));
static PAGE_OF_OBJECT: SqlStatement =
    SqlStatement::new("relationships.page_of", columns!("AND object_type = ?5 AND object_id = ?6"));
static PAGE_WITH_SUBJECT: SqlStatement = SqlStatement::new(
    "relationships.page_with",
    columns!("AND subject_type = ?5 AND subject_id = ?6 AND (?7 = '' OR subject_kind = ?7)"),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &LOCK_AND_COUNT,
    &FIND_ENTRY_COUNT,
    &ADD_MEMBER,
    &ADD_CLIENT,
    &ADD_ROLE,
    &ADD_OBJECT,
    &REMOVE,
    &REQUIRE_PRESENT,
    &REQUIRE_ABSENT,
    &FIND,
    &FIND_EQUAL,
    &PAGE,
    &PAGE_OF_OBJECT,
    &PAGE_WITH_SUBJECT,
];
