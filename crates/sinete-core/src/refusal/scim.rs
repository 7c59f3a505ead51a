//! Reasons to refuse a SCIM request (RFC 7644).

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a SCIM request (RFC 7644) is refused.
    ScimRefusal {
        FilterOnServiceConfiguration = Forbidden, "filter_on_service_configuration",
            "This endpoint does not support filters (RFC 7644 section 4).";
        RoleNotProvisioned = Mutability, "role_not_provisioned",
            "This group is a role that was not created by SCIM. It can be changed only in the \
             management API or console.";
        TooManyMembers = TooMany, "too_many_members",
            "The request changes too many members. Send several smaller requests.";
        TooManyUsers = TooMany, "too_many_users",
            "The organization has too many users for this filter. Filter by userName, externalId or \
             id.";
        RateLimited = TooManyRequests, "scim_rate_limited",
            "Too many SCIM requests with this token. Wait for the time in Retry-After.";
        SortByNotSupported = InvalidPath, "sort_by_not_supported",
            "The parameter sortBy names an attribute by which the list cannot be sorted.";
        PathUnknown = InvalidPath, "path_unknown",
            "The path names an unknown attribute.";
        AttributeReadOnly = Mutability, "attribute_read_only",
            "The attribute is read-only.";
        PathMissing = NoTarget, "path_missing",
            "The operation remove needs a path.";
        ValueNotObject = InvalidValue, "value_not_object",
            "An operation without a path needs an object as value.";
        ExtensionNotObject = InvalidValue, "extension_not_object",
            "The value of a schema extension must be an object.";
        SearchNotObject = InvalidSyntax, "search_not_object",
            "The search request must be a JSON object.";
        BulkTooLarge = TooLarge, "bulk_too_large",
            "The bulk request has more operations than the server accepts.";
        BulkOperationSkipped = TemporarilyUnavailable, "bulk_operation_skipped",
            "The operation was not performed. Send it again.";
        BulkReferenceUnresolved = Conflict, "bulk_reference_unresolved",
            "The operation refers to a bulkId whose resource was not created.";
        FilterInvalid(expectation: &'static str) = InvalidFilter, "filter_invalid",
            "{expectation}";
        SyntaxInvalid(expectation: &'static str) = InvalidSyntax, "syntax_invalid",
            "{expectation}";
        ValueInvalid(expectation: &'static str) = InvalidValue, "value_invalid",
            "{expectation}";
        NotUnique(conflict: &'static str) = Uniqueness, "not_unique",
            "{conflict}";
    }
}
