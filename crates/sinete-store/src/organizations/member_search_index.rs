//! The words that members are found by. They go with whatever they were made of, in the transaction that changes it, by
//! triggers of the database; here they are written again, and searched (docs/decisions/0205-member-search-by-word-prefix.md).

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

/// No letter has this byte: behind a word it comes after everything that begins with the word.
const BEHIND: u8 = 0xff;

/// A member whose words are to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleMemberIndex {
    /// Where.
    pub organization: OrganizationId,
    /// Who.
    pub membership: MembershipId,
    /// What stands there until the words are written, another after each change.
    mark: Vec<u8>,
}

/// Some members of the organization whose words are to be written.
pub async fn list_stale_members_in(
    store: &Store,
    organization: OrganizationId,
    most: u32,
) -> Result<Vec<StaleMemberIndex>, StoreFailure> {
    store.read_list(&DUE_IN, &[organization.into(), most.into()]).await?.iter().map(read_due).collect()
}

/// Some members whose words are to be written, of whatever organization: behind this one.
pub async fn list_stale_members(
    store: &Store,
    after: Option<&StaleMemberIndex>,
    most: u32,
) -> Result<Vec<StaleMemberIndex>, StoreFailure> {
    // No id is smaller than no bytes at all.
    let place = after.map_or_else(
        || [SqlValue::empty_bytes(), SqlValue::empty_bytes()],
        |it| [it.organization.into(), it.membership.into()],
    );
    let [organization, membership] = place;
    store.read_list(&DUE, &[organization, membership, most.into()]).await?.iter().map(read_due).collect()
}

/// A word that a member is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberSearchWord<'a> {
    /// The word, folded.
    pub text: &'a str,
    /// Whether only those find by it who may read clients.
    pub is_of_client: bool,
}

/// Writes the words of a member in place of those there are, if nothing they are made of has changed since it was read.
pub fn write_member_words<'a>(
    due: &StaleMemberIndex,
    words: impl IntoIterator<Item = MemberSearchWord<'a>>,
) -> Vec<GuardedStatement> {
    let StaleMemberIndex { organization, membership, mark } = due;
    // First of all, because whoever changes something begins there as well.
    let taken = GuardedStatement::exactly_one(
        &TAKE,
        [organization.into(), membership.into(), mark.as_slice().into()],
    );
    let mut steps = vec![taken, GuardedStatement::any_number(&FORGET, [membership.into()])];
    for word in words {
        let text = SqlValue::from(word.text.as_bytes());
        let parameters = [organization.into(), text, membership.into(), word.is_of_client.into()];
        steps.push(GuardedStatement::exactly_one(&ADD, parameters));
    }
    steps
}

/// A member that was found, and the first of its words by which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSearchMatch {
    /// The word.
    pub word: String,
    /// The member.
    pub membership: MembershipRow,
}

/// A word of a member: a place in the order of all words.
pub type MemberWordPosition = (String, MembershipId);

/// What a walk along words has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberSearchPage {
    /// Those who were found, no more than were wanted.
    pub found: Vec<MemberSearchMatch>,
    /// The last word that was looked at, where there are others behind it.
    pub end: Option<MemberWordPosition>,
}

/// What is looked for, and where that goes on.
#[derive(Clone, Copy, Debug)]
pub struct MemberSearchQuery<'a> {
    /// The words.
    pub search: &'a MemberSearch,
    /// Whether the names of clients count.
    pub with_clients: bool,
    /// Behind this word of this member.
    pub after: Option<(&'a str, MembershipId)>,
    /// Not this one, who was found otherwise.
    pub without: Option<MembershipId>,
    /// No more than so many.
    pub most: u32,
    /// Along no more than so many words that can be found by.
    pub walked: u32,
}

/// The members of the organization who have not ended and have a word for each that is looked for, in the order of their first
/// word that begins with the longest of these. That order is the index's, which is read no further than needed, and never
/// further than so many words: most of them may be of members who lack one of the others.
pub async fn search_members(
    store: &Store,
    organization: OrganizationId,
    wanted: &MemberSearchQuery<'_>,
) -> Result<MemberSearchPage, StoreFailure> {
    let mut words = wanted.search.words();
    let Some(first) = words.next() else { return Ok(MemberSearchPage::default()) };
    let (after, of) = match wanted.after {
        // No id is smaller than no bytes at all.
        None => (first, SqlValue::empty_bytes()),
        Some((word, id)) => (word, id.into()),
    };
    let range = [organization.into(), after.as_bytes().into(), of, behind(first)];
    let end = find_walk_end(store, &range, wanted).await?;
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
        wanted.with_clients.into(),
        wanted.without.map_or_else(SqlValue::empty_bytes, SqlValue::from),
        wanted.most.into(),
    ];
    // Where there are fewer words than the statement asks for, it asks for the first once more.
    for word in words.chain(std::iter::repeat(first)).take(MEMBER_SEARCH_WORDS_MAX - 1) {
        parameters.extend([word.as_bytes().into(), behind(word)]);
    }
    parameters.push(of_last);
    let rows = store.read_list(&FIND, &parameters).await?;
    Ok(MemberSearchPage { found: rows.iter().map(found).collect::<Result<_, _>>()?, end })
}

/// Where the walk through this range ends, where it ends before the range does. It is looked for first, so that everything up
/// to there is looked at, whatever is written meanwhile. Words that do not count are no place: it is handed out.
async fn find_walk_end(
    store: &Store,
    range: &[SqlValue; 4],
    wanted: &MemberSearchQuery<'_>,
) -> Result<Option<MemberWordPosition>, StoreFailure> {
    let before = wanted.walked.saturating_sub(1);
    let parameters: Vec<SqlValue> =
        range.iter().cloned().chain([wanted.with_clients.into(), before.into()]).collect();
    match store.read_list(&END, &parameters).await?.as_slice() {
        [last, _behind] => Ok(Some((word(last, 0)?, last.id(1)?))),
        _ => Ok(None),
    }
}

/// The member that a directory knows by exactly this name.
pub async fn find_member_by_external_id(
    store: &Store,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<MembershipRow>, StoreFailure> {
    let row = store.read_first(&BY_EXTERNAL_ID, &[organization.into(), external_id.into()]).await?;
    row.as_ref().map(read_membership_row).transpose()
}

fn behind(word: &str) -> SqlValue {
    SqlValue::from([word.as_bytes(), &[BEHIND]].concat())
}

fn read_due(row: &SqlRow) -> Result<StaleMemberIndex, StoreFailure> {
    Ok(StaleMemberIndex { organization: row.id(0)?, membership: row.id(1)?, mark: row.blob(2)?.to_vec() })
}

fn found(row: &SqlRow) -> Result<MemberSearchMatch, StoreFailure> {
    Ok(MemberSearchMatch { word: word(row, 9)?, membership: read_membership_row(row)? })
}

fn word(row: &SqlRow, column: usize) -> Result<String, StoreFailure> {
    String::from_utf8(row.blob(column)?.to_vec()).map_err(|_| row.damaged_column(column, "a word"))
}

static DUE_IN: SqlStatement = SqlStatement::new(
    "member_words.due_in",
    "SELECT organization_id, membership_id, mark FROM member_words_due WHERE organization_id = ?1 \
     ORDER BY membership_id LIMIT ?2",
);
static DUE: SqlStatement = SqlStatement::new(
    "member_words.due",
    "SELECT organization_id, membership_id, mark FROM member_words_due \
     WHERE (organization_id, membership_id) > (?1, ?2) ORDER BY organization_id, membership_id LIMIT ?3",
);
static TAKE: SqlStatement = SqlStatement::new(
    "member_words.take",
    "DELETE FROM member_words_due WHERE organization_id = ?1 AND membership_id = ?2 AND mark = ?3",
);
static FORGET: SqlStatement =
    SqlStatement::new("member_words.forget", "DELETE FROM member_words WHERE membership_id = ?1");
static ADD: SqlStatement = SqlStatement::new(
    "member_words.add",
    "INSERT INTO member_words (organization_id, word, membership_id, is_of_client) VALUES (?1, ?2, ?3, ?4)",
);

/// That the member has a word that begins with this one, too: asked of each row by itself, so that nobody begins here.
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

/// The last word of a walk, and the one behind it.
static END: SqlStatement = SqlStatement::new(
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
static BY_EXTERNAL_ID: SqlStatement = SqlStatement::new(
    "member_words.by_external_id",
    concat!(
        crate::organizations::memberships::columns!(),
        "organization_id = ?1 AND external_id = ?2 AND condition <> 'ended'"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&DUE_IN, &DUE, &TAKE, &FORGET, &ADD, &END, &FIND, &BY_EXTERNAL_ID];
