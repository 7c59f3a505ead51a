//! Reasons to refuse an authorization decision or a change to relationships.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why an authorization decision or a change to relationships is refused.
    AuthZenRefusal {
        EvaluatorNotAllowed = Forbidden, "evaluator_not_allowed",
            "Only a service of the organization that owns the API can ask for decisions about it. Use \
             the token of such a service.";
        OrganizationMissing = InvalidRequest, "organization_missing",
            "The member context.organization is missing. Send the id of the organization, unless the \
             subject is a token.";
        EvaluationTooDeep = Unprocessable, "evaluation_too_deep",
            "The evaluation needs more relationships than the limit allows, so there is no decision. \
             Shorten the chains of relationships.";
        RelationshipChanged = PreconditionFailed, "relationship_changed",
            "A relationship in the preconditions of the request is not as stated. Read it again and \
             repeat the request.";
    }
}
