//! Organization logos. The time of the change identifies a version, so that caches do not serve the old logo.

use crate::active_conditions::organization_counts;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::OrganizationId;
use sinete_core::organizations::branding::logo::{LogoImageFormat, OrganizationLogo};
use sinete_core::time::Timestamp;

/// A logo without its image data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogoDescription {
    /// The image format.
    pub kind: LogoImageFormat,
    /// Size in bytes.
    pub bytes: i64,
    /// When it was set.
    pub changed_at: Timestamp,
}

/// A logo with its image data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoRow {
    /// The image format.
    pub kind: LogoImageFormat,
    /// The image data.
    pub bytes: Vec<u8>,
    /// When it was set.
    pub changed_at: Timestamp,
}

/// Sets the logo, replacing the current one.
pub fn set_logo(organization: OrganizationId, logo: &OrganizationLogo, now: Timestamp) -> GuardedStatement {
    let media_type = logo.kind().media_type();
    GuardedStatement::exactly_one(
        &SET,
        [organization.into(), media_type.into(), logo.bytes().into(), now.into()],
    )
}

/// Removes the logo, if there is one.
pub fn remove_logo(organization: OrganizationId) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, [organization.into()])
}

/// The description of the organization's logo.
pub async fn find_logo_description(
    store: &Store,
    organization: OrganizationId,
) -> Result<Option<LogoDescription>, StoreFailure> {
    let row = store.read_first(&DESCRIBE, &[organization.into()]).await?;
    row.map(|row| {
        Ok(LogoDescription {
            kind: read_logo_format(&row, "media_type")?,
            bytes: row.integer("size")?,
            changed_at: row.timestamp("changed_at")?,
        })
    })
    .transpose()
}

/// The logo of an active organization.
pub async fn find_logo(
    store: &Store,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Option<LogoRow>, StoreFailure> {
    let row = store.read_first(&FIND, &[organization.into(), now.into()]).await?;
    row.map(|row| {
        Ok(LogoRow {
            kind: read_logo_format(&row, "l.media_type")?,
            bytes: row.blob("l.bytes")?.to_vec(),
            changed_at: row.timestamp("l.changed_at")?,
        })
    })
    .transpose()
}

fn read_logo_format(row: &SqlRow, column: &str) -> Result<LogoImageFormat, StoreFailure> {
    LogoImageFormat::from_media_type(row.text(column)?)
        .ok_or_else(|| row.damaged_column(column, "a kind of picture"))
}

static SET: SqlStatement = SqlStatement::new(
    "organization_logos.choose",
    "INSERT INTO organization_logos (organization_id, media_type, bytes, changed_at) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (organization_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes, \
     changed_at = excluded.changed_at",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "organization_logos.remove",
    "DELETE FROM organization_logos WHERE organization_id = ?1",
);
static DESCRIBE: SqlStatement = SqlStatement::new(
    "organization_logos.describe",
    "SELECT media_type, CAST(length(bytes) AS BIGINT) AS size, changed_at FROM organization_logos WHERE organization_id = ?1",
);
static FIND: SqlStatement = SqlStatement::new(
    "organization_logos.show",
    concat!(
        "SELECT l.media_type, l.bytes, l.changed_at FROM organization_logos l \
         JOIN organizations o ON o.id = l.organization_id WHERE l.organization_id = ?1 AND ",
        organization_counts!("o", "?2")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&SET, &REMOVE, &DESCRIBE, &FIND];
