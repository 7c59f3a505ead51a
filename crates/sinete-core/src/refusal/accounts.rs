//! Reasons to refuse a change to an account.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a change to an account is refused.
    AccountRefusal {
        NameInvalid = Unprocessable, "name_invalid",
            "The name is empty, too long or contains characters that are not allowed. Enter 1 to 100 \
             visible characters.";
        PictureInvalid = Unprocessable, "picture_invalid",
            "The picture is not a PNG, JPEG or WebP image, or it is too large. Send such an image of at most the size that the page Limits of \
             the documentation gives.";
        PictureNotFound = NotFound, "picture_not_found",
            "The account has no picture. Set one first.";
        MembershipDisabled = Conflict, "membership_disabled",
            "The membership is disabled, and only the organization can end it. Ask an administrator \
             of the organization.";
        LastOwnerDeletion = Conflict, "last_owner_deletion",
            "You are the last owner of an organization. Make another member an owner, or delete the \
             organization first.";
        OwnAccountDisable = Conflict, "own_account_disable",
            "You cannot disable your own account. Ask another operator.";
        AccountDisabled = Conflict, "account_disabled",
            "The account is disabled or was deleted. Restore it first if it is disabled.";
        VerifiedEmailMissing = Conflict, "verified_email_missing",
            "The account has no verified e-mail address. Verify one first.";
        MessageRateLimited = TooManyRequests, "message_rate_limited",
            "This account received such a message recently. Try again after Retry-After.";
        ContactExists = Conflict, "contact_exists",
            "Your account already has this e-mail address or phone number. Verify it if it is not \
             verified.";
        ContactLimit = Conflict, "account_contact_limit",
            "An account can have at most twenty e-mail addresses and phone numbers. Remove one first.";
        ContactNotVerified = Conflict, "contact_not_verified",
            "This e-mail address or phone number is not verified. Verify it first.";
        PrimaryContact = Conflict, "primary_contact",
            "This is the primary e-mail address. Make another one primary first.";
    }
}
