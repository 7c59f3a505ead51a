//! Reasons to refuse a change to an organization, its members, roles, domains, APIs or API keys.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a change to an organization, its members, roles, domains, APIs or API keys is refused.
    OrganizationRefusal {
        OrganizationIdTaken = Conflict, "organization_id_taken",
            "The id or slug is in use, or was used by an organization before. Choose another one.";
        BuiltInOrganization = Conflict, "built_in_organization",
            "The operators' organization and the home organization cannot be suspended or deleted. \
             Suspend or delete other organizations only.";
        OrganizationHasUsers = Conflict, "organization_has_users",
            "A user has joined this organization. Ask one of its owners to invite others, or another \
             operator to assign you.";
        RoleNameTaken = Conflict, "role_name_taken",
            "The organization already has a role with this name. Choose another name.";
        BuiltInRole = Conflict, "built_in_role",
            "A built-in role cannot be changed or removed. Create a role of your own instead.";
        RoleInvalid = Unprocessable, "role_invalid",
            "The name, description or permissions of the role are not valid. The member errors names \
             each field.";
        RolePermissionNotOffered = Unprocessable, "role_permission_not_offered",
            "A role can contain only management permissions and permissions of APIs that are offered \
             to the organization. Remove the others, or offer the API to the organization.";
        RoleWiderThanCaller = InsufficientScope, "role_wider_than_caller",
            "The role would have permissions that you, or the scope of your credential, do not have. \
             Remove them, or use a credential whose scope contains them.";
        RoleNotFound = Unprocessable, "role_not_found",
            "One of the roles does not exist in this organization. Send ids of its roles.";
        RoleMissing = Unprocessable, "role_missing",
            "A membership needs at least one role. Add one.";
        RoleChangeWiderThanCaller = InsufficientScope, "role_change_wider_than_caller",
            "The change would give permissions that you, or the scope of your credential, do not \
             have. Use a credential whose scope contains them, or ask a member who has them.";
        OwnerRoleReserved = InsufficientScope, "owner_role_reserved",
            "Only an owner can give or take the role owner. Ask an owner of the organization.";
        LastOwner = Conflict, "last_owner",
            "An organization needs at least one owner. Make another member an owner first.";
        ApiIdentifierTaken = Conflict, "api_identifier_taken",
            "An API with this identifier or id exists. Choose another one.";
        ApiOfAnotherOrganization = InsufficientScope, "api_of_another_organization",
            "The API belongs to another organization or to the instance. Change it there.";
        ApiKeyWiderThanHolder = InvalidScope, "api_key_wider_than_holder",
            "The API key would have permissions that its holder, you, or the scope of your credential \
             do not have. Narrow its scope.";
        ApiKeyOfAnotherPerson = InsufficientScope, "api_key_of_another_person",
            "Only the person themselves can create an API key for their account. Create a key for a \
             service instead.";
        ApiKeyOfOwnerService = InsufficientScope, "api_key_of_owner_service",
            "Only an owner can create an API key for a service that has the role owner. Ask an owner \
             of the organization.";
        InvitationPending = Conflict, "invitation_pending",
            "An invitation to this e-mail address is pending. Revoke it first.";
        InvitationAccepted = Conflict, "invitation_accepted",
            "The invitation has been accepted. Change or remove the member instead.";
        InvitationInvalid = NotFound, "invitation_invalid",
            "The invitation is unknown, used, revoked or expired, or was sent to another e-mail \
             address. Ask the organization for a new one.";
        InvitationRateLimited = TooManyRequests, "invitation_rate_limited",
            "This e-mail address was invited too often. Try again after Retry-After.";
        MembershipDisabled = Conflict, "organization_membership_disabled",
            "The membership is disabled. Enable it first.";
        AlreadyMember = Conflict, "already_member",
            "You are already a member of this organization. Sign in to it.";
        DomainAlreadyAdded = Conflict, "domain_already_added",
            "The organization already has this domain. Verify it if it is not verified.";
        DomainLimit = Conflict, "domain_limit",
            "An organization can have at most 50 domains. Remove one first.";
        DomainOfAnotherOrganization = Conflict, "domain_of_another_organization",
            "Another organization has verified this domain. It becomes available 3 days after that \
             organization removes its DNS record.";
        DnsUnavailable = Conflict, "dns_unavailable",
            "The DNS server did not answer. Try again later.";
        DomainRecordNotFound = Conflict, "domain_record_not_found",
            "The DNS record was not found. Publish it exactly as shown, and wait until it is visible.";
        LogoNotFound = NotFound, "logo_not_found",
            "The organization has no logo. Upload one first.";
        AssignmentByService = InsufficientScope, "assignment_by_service",
            "An assignment must be made by a person, not by a service. Use the token of a person.";
        AssignmentForOneself = InsufficientScope, "assignment_for_oneself",
            "You cannot assign yourself. Ask another operator.";
        AssignmentToOwnOrganization = Conflict, "assignment_to_own_organization",
            "Operators act in the operators' organization as members. No assignment is needed.";
        MemberSearchNotReady = TemporarilyUnavailable, "member_search_not_ready",
            "The member search is still being indexed. Try again in a minute.";
        ApiKeyInvalid(
            expectation: &'static str,
            "An API key can be valid for at most 365 days. Send a shorter time."
        ) = Unprocessable, "api_key_invalid",
            "{expectation}";
    }
}
