//! What bounds relationships, and what is read to answer a question about them.

/// Most types of objects that one API defines.
pub const OBJECT_TYPES_MAX: usize = 50;
/// Most relations that one type of objects has, and most actions.
pub const RELATIONS_PER_TYPE_MAX: usize = 50;
/// Most subjects, relations or ways that one relation or action names in one place.
pub const RELATION_NAMES_MAX: usize = 20;
/// Most characters in the name of a type, a relation or an action.
pub const RELATION_NAME_CHARACTERS_MAX: usize = 64;
/// Most rules that follow from what an API defines.
pub const RELATION_RULES_MAX: usize = 1_000;
/// Most subjects that the relations of an API name, all together.
pub const RELATION_SUBJECTS_MAX: usize = 1_000;
/// Most bytes in the id of whoever is looked for among relationships.
pub const SUBJECT_ID_BYTES_MAX: usize = 256;
/// Most bytes in the id of an object.
pub const OBJECT_ID_BYTES_MAX: usize = 128;
/// Most relationships that one request adds or removes, and most that it stands on.
pub const RELATIONSHIP_CHANGES_MAX: usize = 100;
/// Most relationships at one API in one organization.
pub const RELATIONSHIPS_MAX: i64 = 1_000_000;
/// Most relations of objects that one question leads to.
pub const EVALUATION_RELATIONS_MAX: u32 = 1_000;
/// Most relationships that are read to answer one question.
pub const EVALUATION_READS_MAX: u32 = 10_000;
/// Most steps from an object to whoever it is asked about.
pub const EVALUATION_DEPTH_MAX: usize = 25;
/// Most relations of objects that are looked through for what somebody may do something with.
pub const SEARCH_RELATIONS_MAX: u32 = 10_000;
/// How many of what was found come together where nobody says how many.
pub const SEARCH_PAGE_DEFAULT: u64 = 50;
/// How many come together at most.
pub const SEARCH_PAGE_MAX: u64 = 200;
/// Most questions that are asked together.
pub const EVALUATIONS_MAX: usize = 50;
