//! The hash chain of the security log: events get positions, and the signed head advances. Nothing here
//! changes or removes what was written; only the origin of an event's request can be erased.

use crate::events::log_archive;
use crate::events::security_log::{read_hash, read_personal_data};
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use compact_str::CompactString;
use sinete_core::events::log_chain::{LogChainHash, LogChainHead, LogChainLink, LoggedEvent};
use sinete_core::id::EventId;

/// The stored head, with the end of the chain as of the same moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChainHead {
    /// The signed head.
    pub head: LogChainHead,
    /// The id of the signing key.
    pub kid: String,
    /// The signature.
    pub signature: Vec<u8>,
    /// The event and hash at the head's position, if the chain has that position.
    pub last: Option<(EventId, LogChainHash)>,
    /// The highest position in the chain; `None` if it is empty.
    pub chain_end: Option<i64>,
}

/// The start of a page of the chain: after this position and this event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogChainCursor {
    position: i64,
    event: EventId,
}

/// An event and whether it has a position. The id is as stored, whatever its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventChainStatus {
    /// The id, as bytes.
    pub id: Vec<u8>,
    /// Whether the chain contains it.
    pub has_position: bool,
}

/// Finds the head. Every instance has one from its first start.
pub async fn find_chain_head(store: &Store) -> Result<Option<StoredChainHead>, StoreFailure> {
    let Some(row) = store.read_first(&HEAD, &[]).await? else { return Ok(None) };
    let last = match row.optional_id("c.event_id")? {
        Some(event) => Some((event, read_hash(&row, "c.hash")?)),
        None => None,
    };
    let head = LogChainHead {
        position: row.integer("h.position")?,
        hash: read_hash(&row, "h.hash")?,
        sealed_at: row.timestamp("h.sealed_at")?,
    };
    Ok(Some(StoredChainHead {
        head,
        kid: row.text("h.kid")?.to_owned(),
        signature: row.blob("h.signature")?.to_vec(),
        last,
        chain_end: row.optional_integer("last_position")?,
    }))
}

/// Lists events from `floor` on that have no position yet, oldest first.
pub async fn list_unsealed_events(
    store: &Store,
    floor: EventId,
    limit: u32,
) -> Result<Vec<LoggedEvent>, StoreFailure> {
    let rows = store.read_list(&LIST_UNSEALED, &[floor.into(), limit.into()]).await?;
    rows.iter().map(read_event).collect()
}

/// Whether all events from `floor` up to and including `last`, the latest with a position, have positions.
/// Counting takes a tenth of the work of checking each.
pub async fn are_all_sealed(store: &Store, floor: EventId, last: EventId) -> Result<bool, StoreFailure> {
    let row =
        store.read_list(&COUNT_EVENTS_AND_LINKS, &[floor.into(), last.into()]).await?.into_iter().next();
    let row = row.ok_or_else(|| StoreFailure::Other("the count returned no row".into()))?;
    Ok(row.integer("events")? == row.integer("links")?)
}

/// Counts the events from `floor` on that have no position yet.
pub async fn count_unsealed_events(store: &Store, floor: EventId) -> Result<u64, StoreFailure> {
    let row = store.read_list(&COUNT_UNSEALED, &[floor.into()]).await?.into_iter().next();
    let row = row.ok_or_else(|| StoreFailure::Other("the count returned no row".into()))?;
    row.integer("total").map(i64::unsigned_abs)
}

/// Lists chain links in order, each with its event and the origin of its request unless erased, up to and
/// including a position.
pub async fn list_chain_links(
    store: &Store,
    after: LogChainCursor,
    up_to: i64,
    limit: u32,
) -> Result<Vec<LogChainLink>, StoreFailure> {
    let parameters = [after.position.into(), after.event.into(), up_to.into(), limit.into()];
    store.read_list(&PAGE, &parameters).await?.iter().map(read_link).collect()
}

/// Lists the positions in the chain after one, up to and including another. For when a page cannot be read
/// because one of its rows is damaged.
pub async fn list_chain_positions(
    store: &Store,
    after: i64,
    up_to: i64,
    limit: u32,
) -> Result<Vec<i64>, StoreFailure> {
    let rows = store.read_list(&POSITIONS, &[after.into(), up_to.into(), limit.into()]).await?;
    rows.iter().map(|row| row.integer("position")).collect()
}

/// Lists events by id, after `after` and below `below`, with whether the chain contains them.
pub async fn list_event_placements(
    store: &Store,
    after: &[u8],
    below: EventId,
    limit: u32,
) -> Result<Vec<EventChainStatus>, StoreFailure> {
    let rows = store.read_list(&PLACEMENTS, &[after.into(), below.into(), limit.into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(EventChainStatus { id: row.blob("e.id")?.to_vec(), has_position: row.flag("is_placed")? })
        })
        .collect()
}

/// Creates the first head, of an empty chain. An existing one stays.
pub fn create_first_chain_head(head: &LogChainHead, kid: &str, signature: &[u8]) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CREATE_HEAD,
        [
            head.position.into(),
            SqlValue::from(*head.hash.as_bytes()),
            head.sealed_at.into(),
            kid.into(),
            signature.into(),
        ],
    )
}

/// Advances the head, unless another node has advanced it since it was read.
pub fn advance_chain_head(
    from: &LogChainHead,
    to: &LogChainHead,
    kid: &str,
    signature: &[u8],
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADVANCE_HEAD,
        [
            from.position.into(),
            SqlValue::from(*from.hash.as_bytes()),
            to.position.into(),
            SqlValue::from(*to.hash.as_bytes()),
            to.sealed_at.into(),
            kid.into(),
            signature.into(),
        ],
    )
}

/// The position of an event, and the hash there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogChainPosition {
    /// The position.
    pub position: i64,
    /// The event.
    pub event: EventId,
    /// The hash.
    pub hash: LogChainHash,
}

/// Assigns positions to events, several per statement.
pub fn seal_events(places: &[LogChainPosition]) -> Vec<GuardedStatement> {
    let values = |chain_position: &LogChainPosition| {
        [
            chain_position.position.into(),
            chain_position.event.into(),
            SqlValue::from(*chain_position.hash.as_bytes()),
        ]
    };
    let (many, rest) = places.as_chunks::<LINKS_PER_STATEMENT>();
    let many = many.iter().map(|places| {
        GuardedStatement::any_number(&INSERT_LINKS, places.iter().flat_map(values).collect::<Vec<_>>())
    });
    many.chain(
        rest.iter().map(|chain_position| GuardedStatement::exactly_one(&INSERT_LINK, values(chain_position))),
    )
    .collect()
}

/// Erases the origin of the requests of every event with this account or membership as actor or subject. The
/// events and the chain stay. What is archived is erased by the next process that archives the log.
pub fn erase_personal_data(principal_id: &str) -> [GuardedStatement; 2] {
    [
        GuardedStatement::any_number(&ERASE_PERSONAL, [SqlValue::from(principal_id)]),
        log_archive::request_erasure(principal_id),
    ]
}

impl LogChainCursor {
    /// Before everything, including positions that no valid chain has.
    pub const START: Self = Self { position: i64::MIN, event: EventId::from_bytes([0; 16]) };

    /// After this link.
    pub const fn after_link(link: &LogChainLink) -> Self {
        Self { position: link.position, event: link.event_id }
    }

    /// After everything at this position.
    pub const fn after_position(position: i64) -> Self {
        Self { position, event: EventId::from_bytes([0xff; 16]) }
    }
}

fn read_link(row: &SqlRow) -> Result<LogChainLink, StoreFailure> {
    let event = row.optional_blob("e.id")?.map(|_| read_event(row)).transpose()?;
    let personal = read_personal_data(row)?;
    Ok(LogChainLink {
        position: row.integer("c.position")?,
        event_id: row.id("c.event_id")?,
        hash: read_hash(row, "c.hash")?,
        event,
        personal,
    })
}

/// Reads the event `e` of a row.
fn read_event(row: &SqlRow) -> Result<LoggedEvent, StoreFailure> {
    let text = |column| row.optional_text(column).map(|text| text.map(CompactString::from));
    Ok(LoggedEvent {
        id: row.id("e.id")?,
        at: row.timestamp("e.at")?,
        kind: row.text("e.kind")?.into(),
        actor_kind: row.text("e.actor_kind")?.into(),
        actor_id: text("e.actor_id")?,
        subject_kind: text("e.subject_kind")?,
        subject_id: text("e.subject_id")?,
        organization: row.optional_id("e.organization_id")?,
        client: text("e.client_id")?,
        request: row.optional_id("e.request_id")?,
        detail: row.text("e.detail")?.into(),
        personal_hash: match row.optional_blob("e.personal_hash")? {
            Some(_) => Some(read_hash(row, "e.personal_hash")?),
            None => None,
        },
    })
}

/// The columns of an event, in hashing order.
macro_rules! event_columns {
    () => {
        "e.id, e.at, e.kind, e.actor_kind, e.actor_id, e.subject_kind, e.subject_id, e.organization_id, \
         e.client_id, e.request_id, e.detail, e.personal_hash"
    };
}

static HEAD: SqlStatement = SqlStatement::new(
    "log_head.find",
    "SELECT h.position, h.hash, h.sealed_at, h.kid, h.signature, c.event_id, c.hash, \
     (SELECT max(position) FROM log_chain) AS last_position \
     FROM log_head h LEFT JOIN log_chain c ON c.position = h.position WHERE h.id = 1",
);
// The floor is on both sides of the join, so that neither engine reads the chain from its start.
static LIST_UNSEALED: SqlStatement = SqlStatement::new(
    "log_chain.waiting",
    concat!(
        "SELECT ",
        event_columns!(),
        " FROM security_log e LEFT JOIN log_chain c ON c.event_id = e.id AND c.event_id >= ?1 \
         WHERE e.id >= ?1 AND c.event_id IS NULL ORDER BY e.id LIMIT ?2"
    ),
);
static COUNT_UNSEALED: SqlStatement = SqlStatement::new(
    "log_chain.count_waiting",
    "SELECT count(*) AS total FROM security_log e LEFT JOIN log_chain c ON c.event_id = e.id AND c.event_id >= ?1 \
     WHERE e.id >= ?1 AND c.event_id IS NULL",
);
static COUNT_EVENTS_AND_LINKS: SqlStatement = SqlStatement::new(
    "log_chain.count_both",
    "SELECT count(*) AS events, (SELECT count(*) FROM log_chain WHERE event_id >= ?1 AND event_id <= ?2) AS links \
     FROM security_log WHERE id >= ?1 AND id <= ?2",
);
static PAGE: SqlStatement = SqlStatement::new(
    "log_chain.page",
    concat!(
        "SELECT c.position, c.event_id, c.hash, ",
        event_columns!(),
        ", e.salt, e.address, e.user_agent FROM log_chain c LEFT JOIN security_log e ON e.id = c.event_id \
         WHERE (c.position, c.event_id) > (?1, ?2) AND c.position <= ?3 \
         ORDER BY c.position, c.event_id LIMIT ?4"
    ),
);
static POSITIONS: SqlStatement = SqlStatement::new(
    "log_chain.positions",
    "SELECT position FROM log_chain WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3",
);
static PLACEMENTS: SqlStatement = SqlStatement::new(
    "log_chain.placements",
    "SELECT e.id, CAST(CASE WHEN c.event_id IS NULL THEN 0 ELSE 1 END AS BIGINT) AS is_placed \
     FROM security_log e LEFT JOIN log_chain c ON c.event_id = e.id \
     WHERE e.id > ?1 AND e.id < ?2 ORDER BY e.id LIMIT ?3",
);
static CREATE_HEAD: SqlStatement = SqlStatement::new(
    "log_head.begin",
    "INSERT INTO log_head (id, position, hash, sealed_at, kid, signature) VALUES (1, ?1, ?2, ?3, ?4, ?5)",
);
static ADVANCE_HEAD: SqlStatement = SqlStatement::new(
    "log_head.advance",
    "UPDATE log_head SET position = ?3, hash = ?4, sealed_at = ?5, kid = ?6, signature = ?7 \
     WHERE id = 1 AND position = ?1 AND hash = ?2",
);
static INSERT_LINK: SqlStatement = SqlStatement::new(
    "log_chain.place",
    "INSERT INTO log_chain (position, event_id, hash) VALUES (?1, ?2, ?3)",
);
/// Positions assigned per statement.
const LINKS_PER_STATEMENT: usize = 20;
static INSERT_LINKS: SqlStatement = SqlStatement::new(
    "log_chain.place_many",
    "INSERT INTO log_chain (position, event_id, hash) VALUES \
     (?1, ?2, ?3), (?4, ?5, ?6), (?7, ?8, ?9), (?10, ?11, ?12), (?13, ?14, ?15), (?16, ?17, ?18), \
     (?19, ?20, ?21), (?22, ?23, ?24), (?25, ?26, ?27), (?28, ?29, ?30), (?31, ?32, ?33), (?34, ?35, \
     ?36), (?37, ?38, ?39), (?40, ?41, ?42), (?43, ?44, ?45), (?46, ?47, ?48), (?49, ?50, ?51), (?52, \
     ?53, ?54), (?55, ?56, ?57), (?58, ?59, ?60)",
);
static ERASE_PERSONAL: SqlStatement = SqlStatement::new(
    "security_log.erase_personal",
    "UPDATE security_log SET salt = NULL, address = NULL, user_agent = NULL WHERE salt IS NOT NULL AND id IN \
     (SELECT id FROM security_log WHERE actor_id = ?1 AND actor_kind IN ('account', 'membership') UNION ALL \
      SELECT id FROM security_log WHERE subject_id = ?1 AND subject_kind IN ('account', 'membership'))",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &HEAD,
    &LIST_UNSEALED,
    &COUNT_UNSEALED,
    &COUNT_EVENTS_AND_LINKS,
    &PAGE,
    &POSITIONS,
    &PLACEMENTS,
    &CREATE_HEAD,
    &ADVANCE_HEAD,
    &INSERT_LINK,
    &INSERT_LINKS,
    &ERASE_PERSONAL,
];
