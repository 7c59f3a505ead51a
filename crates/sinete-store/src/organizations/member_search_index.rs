//! The word index for member search. Database triggers delete a member's words in the transaction that
//! changes their source; this module rewrites and searches them
//! (docs/contribute/decisions/0205-member-search-by-word-prefix.md).

use crate::failure::StoreFailure;
use crate::organizations::memberships::{MembershipRow, read_membership_row};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::limits::MEMBER_SEARCH_WORDS_MAX;
use sinete_core::organizations::member_search::MemberSearch;

/// No UTF-8 text contains this byte: a word followed by it sorts after everything with that prefix.
const PREFIX_END_BYTE: u8 = 0xff;

/// A member whose words must be rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleMemberIndex {
    /// The organization.
    pub organization: OrganizationId,
    /// The member.
    pub membership: MembershipId,
    /// The stale marker, which is different after each change.
    mark: Vec<u8>,
}

/// Lists some members of the organization whose words must be rewritten.
pub async fn list_stale_members_in(
    store: &Store,
    organization: OrganizationId,
    limit: u32,
) -> Result<Vec<StaleMemberIndex>, StoreFailure> {
    store
        .read_list(&LIST_STALE_IN_ORGANIZATION, &[organization.into(), limit.into()])
        .await?
        .iter()
        .map(read_due)
        .collect()
}

/// Lists some members of any organization whose words must be rewritten, after this one.
pub async fn list_stale_members(
    store: &Store,
    after: Option<&StaleMemberIndex>,
    limit: u32,
) -> Result<Vec<StaleMemberIndex>, StoreFailure> {
    // Empty bytes sort before every id.
    let sql_values = after.map_or_else(
        || [SqlValue::empty_bytes(), SqlValue::empty_bytes()],
        |it| [it.organization.into(), it.membership.into()],
    );
    let [organization, membership] = sql_values;
    store
        .read_list(&LIST_STALE, &[organization, membership, limit.into()])
        .await?
        .iter()
        .map(read_due)
        .collect()
}

/// An indexed word of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberSearchWord<'a> {
    /// The case-folded word.
    pub text: &'a str,
    /// Whether only callers who may read clients can match it.
    pub is_of_client: bool,
}

/// Replaces the words of a member, if nothing they derive from has changed since it was read.
pub fn write_member_words<'a>(
    due: &StaleMemberIndex,
    search_words: impl IntoIterator<Item = MemberSearchWord<'a>>,
) -> Vec<GuardedStatement> {
    let StaleMemberIndex { organization, membership, mark } = due;
    // First, because every change locks this row first too.
    let statement = GuardedStatement::exactly_one(
        &DELETE_STALE_MARK,
        [organization.into(), membership.into(), mark.as_slice().into()],
    );
    let mut steps = vec![statement, GuardedStatement::any_number(&DELETE, [membership.into()])];
    for search_word in search_words {
        let text = SqlValue::from(search_word.text.as_bytes());
        let parameters = [organization.into(), text, membership.into(), search_word.is_of_client.into()];
        steps.push(GuardedStatement::exactly_one(&ADD, parameters));
    }
    steps
}

/// A member that matched, with the first matching word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSearchMatch {
    /// The word.
    pub word: String,
    /// The member.
    pub membership: MembershipRow,
}

/// A position in the index: a word and its member.
pub type MemberWordPosition = (String, MembershipId);

/// The result of an index scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberSearchPage {
    /// The matches, at most as many as requested.
    pub matches: Vec<MemberSearchMatch>,
    /// The last scanned position; `None` if the scan reached the end.
    pub end: Option<MemberWordPosition>,
}

/// A member search and where it continues.
#[derive(Clone, Copy, Debug)]
pub struct MemberSearchQuery<'a> {
    /// The search words.
    pub search: &'a MemberSearch,
    /// Whether client names match too.
    pub with_clients: bool,
    /// Continue after this position.
    pub after: Option<(&'a str, MembershipId)>,
    /// A member to leave out, because it was found otherwise.
    pub excluded: Option<MembershipId>,
    /// Maximum number of matches.
    pub limit: u32,
    /// Maximum number of index entries to scan.
    pub scan_limit: u32,
}

/// Index entries of the first part of a scan. Each further part has four times as many.
const FIRST_SCAN_ENTRIES: u32 = 250;

/// Finds the members of the organization that have not ended and match every search word, ordered by their
/// first word that starts with the longest search word. That is the order of the index, which is scanned no
/// further than needed and never beyond the limit: most entries may belong to members that lack one of the
/// other words. It is scanned in parts, because finding the end of one costs as much as its length: a search
/// that finds enough in the first part pays for no more.
pub async fn search_members(
    store: &Store,
    organization: OrganizationId,
    query: &MemberSearchQuery<'_>,
) -> Result<MemberSearchPage, StoreFailure> {
    let mut page = MemberSearchPage::default();
    let (mut remaining, mut part) = (query.scan_limit, FIRST_SCAN_ENTRIES);
    loop {
        let found_count = u32::try_from(page.matches.len()).unwrap_or(u32::MAX);
        let after = page.end.as_ref().map(|(word, id)| (word.as_str(), *id)).or(query.after);
        let limit = query.limit.saturating_sub(found_count);
        let walk = MemberSearchQuery { after, limit, scan_limit: part.min(remaining), ..*query };
        let MemberSearchPage { matches: search_matches, end } =
            scan_members(store, organization, &walk).await?;
        remaining = remaining.saturating_sub(walk.scan_limit);
        part = part.saturating_mul(4);
        page.matches.extend(search_matches);
        page.end = end;
        let is_full = page.matches.len() >= usize::try_from(query.limit).unwrap_or(usize::MAX);
        if page.end.is_none() || is_full || remaining == 0 {
            return Ok(page);
        }
    }
}

/// Scans one part of the index.
async fn scan_members(
    store: &Store,
    organization: OrganizationId,
    query: &MemberSearchQuery<'_>,
) -> Result<MemberSearchPage, StoreFailure> {
    let mut words = query.search.words();
    let Some(first) = words.next() else { return Ok(MemberSearchPage::default()) };
    let (after, of) = match query.after {
        // Empty bytes sort before every id.
        None => (first, SqlValue::empty_bytes()),
        Some((word, id)) => (word, id.into()),
    };
    let range = [organization.into(), after.as_bytes().into(), of, word_upper_bound(first)];
    let end = find_scan_end(store, &range, query).await?;
    let [organization, after, of, behind_all] = range;
    let (last, of_last) = match &end {
        None => (behind_all, SqlValue::empty_bytes()),
        Some((word, id)) => (word.as_bytes().into(), (*id).into()),
    };
    let mut parameters = vec![
        organization,
        after,
        of,
        last,
        first.as_bytes().into(),
        query.with_clients.into(),
        query.excluded.map_or_else(SqlValue::empty_bytes, SqlValue::from),
        query.limit.into(),
    ];
    // Unused parameters repeat the first word.
    for word in words.chain(std::iter::repeat(first)).take(MEMBER_SEARCH_WORDS_MAX - 1) {
        parameters.extend([word.as_bytes().into(), word_upper_bound(word)]);
    }
    parameters.push(of_last);
    let rows = store.read_list(&FIND, &parameters).await?;
    Ok(MemberSearchPage { matches: rows.iter().map(read_match).collect::<Result<_, _>>()?, end })
}

/// Where a scan of this range ends, if it ends before the range does. It is determined first, so that
/// everything up to there is scanned, whatever is written meanwhile. The position is returned to callers, so
/// that words they may not match cannot be one.
async fn find_scan_end(
    store: &Store,
    range: &[SqlValue; 4],
    query: &MemberSearchQuery<'_>,
) -> Result<Option<MemberWordPosition>, StoreFailure> {
    let before = query.scan_limit.saturating_sub(1);
    let parameters: Vec<SqlValue> =
        range.iter().cloned().chain([query.with_clients.into(), before.into()]).collect();
    match store.read_list(&FIND_SCAN_END, &parameters).await?.as_slice() {
        [last, _behind] => Ok(Some((read_word(last, "word")?, last.id("membership_id")?))),
        _ => Ok(None),
    }
}

/// Finds the member with exactly this external id.
pub async fn find_member_by_external_id(
    store: &Store,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<MembershipRow>, StoreFailure> {
    let row = store.read_first(&FIND_BY_EXTERNAL_ID, &[organization.into(), external_id.into()]).await?;
    row.as_ref().map(read_membership_row).transpose()
}

fn word_upper_bound(word: &str) -> SqlValue {
    SqlValue::from([word.as_bytes(), &[PREFIX_END_BYTE]].concat())
}

fn read_due(row: &SqlRow) -> Result<StaleMemberIndex, StoreFailure> {
    Ok(StaleMemberIndex {
        organization: row.id("organization_id")?,
        membership: row.id("membership_id")?,
        mark: row.blob("mark")?.to_vec(),
    })
}

fn read_match(row: &SqlRow) -> Result<MemberSearchMatch, StoreFailure> {
    Ok(MemberSearchMatch { word: read_word(row, "w.word")?, membership: read_membership_row(row)? })
}

fn read_word(row: &SqlRow, column: &str) -> Result<String, StoreFailure> {
    String::from_utf8(row.blob(column)?.to_vec()).map_err(|_| row.damaged_column(column, "a word"))
}

static LIST_STALE_IN_ORGANIZATION: SqlStatement = SqlStatement::new(
    "member_words.due_in",
    "SELECT organization_id, membership_id, mark FROM member_words_due WHERE organization_id = ?1 \
     ORDER BY membership_id LIMIT ?2",
);
static LIST_STALE: SqlStatement = SqlStatement::new(
    "member_words.due",
    "SELECT organization_id, membership_id, mark FROM member_words_due \
     WHERE (organization_id, membership_id) > (?1, ?2) ORDER BY organization_id, membership_id LIMIT ?3",
);
static DELETE_STALE_MARK: SqlStatement = SqlStatement::new(
    "member_words.take",
    "DELETE FROM member_words_due WHERE organization_id = ?1 AND membership_id = ?2 AND mark = ?3",
);
static DELETE: SqlStatement =
    SqlStatement::new("member_words.forget", "DELETE FROM member_words WHERE membership_id = ?1");
static ADD: SqlStatement = SqlStatement::new(
    "member_words.add",
    "INSERT INTO member_words (organization_id, word, membership_id, is_of_client) VALUES (?1, ?2, ?3, ?4)",
);

/// Requires another word with this prefix, checked per row so that the scan does not start here.
macro_rules! has_too {
    ($from:literal, $behind:literal) => {
        concat!(
            " AND (SELECT 1 FROM member_words y WHERE y.membership_id = w.membership_id AND y.word >= ",
            $from,
            " AND y.word < ",
            $behind,
            " AND y.is_of_client <= ?6 LIMIT 1) = 1"
        )
    };
}

/// The last entry of a scan, and the one after it.
static FIND_SCAN_END: SqlStatement = SqlStatement::new(
    "member_words.end",
    "SELECT word, membership_id FROM member_words WHERE organization_id = ?1 AND (word, membership_id) > (?2, ?3) \
     AND word < ?4 AND is_of_client <= ?5 ORDER BY word, membership_id LIMIT 2 OFFSET ?6",
);
static FIND: SqlStatement = SqlStatement::new(
    "member_words.find",
    concat!(
        "SELECT m.id, m.organization_id, m.account_id, m.client_id, m.condition, m.profile, m.external_id, m.created_at, \
         m.version, w.word FROM member_words w CROSS JOIN memberships m \
         WHERE w.organization_id = ?1 AND (w.word, w.membership_id) > (?2, ?3) \
         AND (w.word, w.membership_id) <= (?4, ?23) AND w.is_of_client <= ?6 \
         AND m.id = w.membership_id AND m.organization_id = ?1 AND m.condition <> 'ended' AND m.id <> ?7 \
         AND (SELECT 1 FROM member_words x WHERE x.membership_id = w.membership_id AND x.word >= ?5 \
         AND x.word < w.word AND x.is_of_client <= ?6 LIMIT 1) IS NULL",
        has_too!("?9", "?10"),
        has_too!("?11", "?12"),
        has_too!("?13", "?14"),
        has_too!("?15", "?16"),
        has_too!("?17", "?18"),
        has_too!("?19", "?20"),
        has_too!("?21", "?22"),
        " ORDER BY w.word, w.membership_id LIMIT ?8"
    ),
);
static FIND_BY_EXTERNAL_ID: SqlStatement = SqlStatement::new(
    "member_words.by_external_id",
    concat!(
        crate::organizations::memberships::columns!(),
        "organization_id = ?1 AND external_id = ?2 AND condition <> 'ended'"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &LIST_STALE_IN_ORGANIZATION,
    &LIST_STALE,
    &DELETE_STALE_MARK,
    &DELETE,
    &ADD,
    &FIND_SCAN_END,
    &FIND,
    &FIND_BY_EXTERNAL_ID,
];
