//! Limits of authorization models, relationships and their evaluation.

/// Maximum object types of one API.
pub const OBJECT_TYPES_MAX: usize = 50;
/// Maximum relations, and maximum actions, of one object type.
pub const RELATIONS_PER_TYPE_MAX: usize = 50;
/// Maximum names in one list of a relation or action.
pub const RELATION_NAMES_MAX: usize = 20;
/// Maximum characters in the name of an object type, relation or action.
pub const RELATION_NAME_CHARACTERS_MAX: usize = 64;
/// Maximum rules derived from one model.
pub const RELATION_RULES_MAX: usize = 1_000;
/// Maximum subject types of all relations of one API together.
pub const RELATION_SUBJECTS_MAX: usize = 1_000;
/// Maximum bytes in the id of a subject.
pub const SUBJECT_ID_BYTES_MAX: usize = 256;
/// Maximum bytes in the id of an object.
pub const OBJECT_ID_BYTES_MAX: usize = 128;
/// Maximum relationships that one request adds or removes, and maximum preconditions.
pub const RELATIONSHIP_CHANGES_MAX: usize = 100;
/// Maximum relationships at one API in one organization.
pub const RELATIONSHIPS_MAX: i64 = 1_000_000;
/// Maximum relations of objects that one evaluation visits.
pub const EVALUATION_RELATIONS_MAX: u32 = 1_000;
/// Maximum relationships that one evaluation reads.
pub const EVALUATION_READS_MAX: u32 = 10_000;
/// Maximum depth of an evaluation.
pub const EVALUATION_DEPTH_MAX: usize = 25;
/// Maximum relations of objects that one search visits.
pub const SEARCH_RELATIONS_MAX: u32 = 10_000;
/// Default page size of a search.
pub const SEARCH_PAGE_DEFAULT: u64 = 50;
/// Maximum page size of a search.
pub const SEARCH_PAGE_MAX: u64 = 200;
/// Maximum evaluations in one request.
pub const EVALUATIONS_MAX: usize = 50;
