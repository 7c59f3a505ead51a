//! What is left of those who are gone: relationships of somebody who is not of the organization any more, or of a role that
//! was removed. They count for nothing and nobody comes back to them, so that they can go at any time.

use super::{Place, is_no_leftover};
use crate::act::{Act, Conflict};
use crate::failed::Failed;
use crate::statement::Statement;
use crate::store::Store;
use crate::value::Value;
use sinete_core::id::RelationshipId;

/// A part of all relationships, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The last that was looked at; none at the end.
    pub last: Option<RelationshipId>,
    /// What is left of those who are gone, with where it is.
    pub leftover: Vec<(Place, RelationshipId)>,
}

/// Looks at the relationships after this one.
pub async fn after(store: &Store, after: Option<RelationshipId>, most: u32) -> Result<Part, Failed> {
    // No id is smaller than no bytes at all.
    let after = after.map_or_else(Value::no_bytes, Value::from);
    let rows = store.list(&PART, &[after, most.into()]).await?;
    let mut part = Part::default();
    for row in &rows {
        let id = row.id(0)?;
        part.last = Some(id);
        if row.flag(3)? {
            part.leftover.push((Place { api: row.id(1)?, organization: row.id(2)? }, id));
        }
    }
    Ok(part)
}

/// Removes what is left at one place, and counts that there.
pub async fn remove(
    store: &Store,
    place: Place,
    leftover: &[RelationshipId],
) -> Result<Result<(), Conflict>, Failed> {
    let fewer = i64::try_from(leftover.len()).unwrap_or(i64::MAX);
    let act = Act::new()
        .with(super::take_turn(place, -fewer))
        .with_all(leftover.iter().map(|id| super::remove(place, *id)));
    Ok(store.commit(act).await?.map(drop))
}

static PART: Statement = Statement::new(
    "relationships.part",
    concat!(
        "SELECT id, api_id, organization_id, CASE WHEN ",
        is_no_leftover!(),
        " THEN 0 ELSE 1 END FROM relationships WHERE id > ?1 ORDER BY id LIMIT ?2"
    ),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&PART];
