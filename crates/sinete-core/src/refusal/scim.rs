//! Reasons to refuse a SCIM request (RFC 7644).

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a SCIM request (RFC 7644) is refused.
    ScimRefusal {
        FilterOnServiceConfiguration = Forbidden, "filter_on_service_configuration",
            "This endpoint does not support filters (RFC 7644 section 4). Send the request without \
             the parameter filter.";
        RoleNotProvisioned = Mutability, "role_not_provisioned",
            "This group is a role that was not created by SCIM. Change it in the management API or on \
             the console.";
        TooManyMembers = TooMany, "too_many_members",
            "The request changes too many members. Send several smaller requests.";
        TooManyUsers = TooMany, "too_many_users",
            "The organization has too many users for this filter. Filter by userName, externalId or \
             id.";
        RateLimited = TooManyRequests, "scim_rate_limited",
            "Too many SCIM requests with this token. Wait for the time in Retry-After.";
        SortByNotSupported = InvalidPath, "sort_by_not_supported",
            "The parameter sortBy names an attribute by which the list cannot be sorted. Leave it \
             out, or name an attribute with a single value.";
        PathUnknown = InvalidPath, "path_unknown",
            "The path names an unknown attribute. GET /scim/v2/Schemas lists the attributes.";
        AttributeReadOnly = Mutability, "attribute_read_only",
            "The attribute is read-only. Leave it out.";
        PathMissing = NoTarget, "path_missing",
            "The operation remove has no path. Send the path of the attribute to remove.";
        ValueNotObject = InvalidValue, "value_not_object",
            "The value of an operation without a path is not an object. Send an object with the \
             attributes to change.";
        ExtensionNotObject = InvalidValue, "extension_not_object",
            "The value of a schema extension is not an object. Send an object with its attributes.";
        SearchNotObject = InvalidSyntax, "search_not_object",
            "The search request is not a JSON object. Send one with the schema \
             urn:ietf:params:scim:api:messages:2.0:SearchRequest.";
        BulkTooLarge = TooLarge, "bulk_too_large",
            "The bulk request has more operations than the server accepts. Send several smaller \
             requests; ServiceProviderConfig has the maximum.";
        BulkOperationSkipped = TemporarilyUnavailable, "bulk_operation_skipped",
            "The operation was not performed. Send it again.";
        BulkReferenceUnresolved = Conflict, "bulk_reference_unresolved",
            "The operation refers to a bulkId whose resource was not created. Correct the operation \
             that creates it.";
        FilterInvalid(
            expectation: &'static str,
            "The filter names an unknown attribute. GET /scim/v2/Schemas lists the attributes."
        ) = InvalidFilter, "filter_invalid",
            "{expectation}";
        SyntaxInvalid(
            expectation: &'static str,
            "The member op has an unknown value. Send add, replace or remove."
        ) = InvalidSyntax, "syntax_invalid",
            "{expectation}";
        ValueInvalid(
            expectation: &'static str,
            "must be a boolean: true or false"
        ) = InvalidValue, "value_invalid",
            "{expectation}";
        NotUnique(
            conflict: &'static str,
            "Another user has this userName. Use that user, or choose another userName."
        ) = Uniqueness, "not_unique",
            "{conflict}";
    }
}
