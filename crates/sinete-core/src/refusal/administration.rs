//! Reasons to refuse an import, a declarative plan or a change to signing keys.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why an import, a declarative plan or a change to signing keys is refused.
    AdministrationRefusal {
        PlanOutdated = Conflict, "plan_outdated",
            "The plan is outdated: something that it refers to has changed. Run it again.";
        ImportedEmailTaken = Conflict, "imported_email_taken",
            "The e-mail address belongs to an existing account. Leave the account out of the import, \
             or invite its user.";
        ImportOfOwner = Forbidden, "import_of_owner",
            "An import cannot give the role owner. Send an invitation instead.";
        ImportOfOperator = Forbidden, "import_of_operator",
            "An import cannot create operators. Send an invitation instead.";
        SigningKeyAnnounced = Conflict, "signing_key_announced",
            "The next signing key is published and does not sign yet. Wait until it does.";
        SigningKeyMissing = Conflict, "signing_key_missing",
            "There is no signing key for this algorithm. Create one first.";
        SigningKeyConfigured = Conflict, "signing_key_configured",
            "The signing keys of this algorithm are set in the configuration. Replace them there.";
        MessageNotResendable = Conflict, "message_not_resendable",
            "The message has expired or is being sent. Start the process that it belongs to again.";
        SigningKeyNotRotatable = Conflict, "signing_key_not_rotatable",
            "The signing key cannot be rotated now. The log of the server has the cause.";
    }
}
