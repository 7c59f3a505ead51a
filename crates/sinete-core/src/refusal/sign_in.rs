//! Reasons to refuse a step of a sign-in, sign-up or other flow.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a step of a sign-in, sign-up or other flow is refused.
    SignInRefusal {
        SignUpClosed = Forbidden, "sign_up_closed",
            "Sign-up is closed on this instance. Ask for an invitation.";
        FlowNotFound = NotFound, "flow_not_found",
            "There is no such flow, or the flow token does not belong to it. Start a new flow.";
        FlowEnded = Gone, "flow_ended",
            "The flow has ended. Start a new one.";
        FlowEndedConflict = Conflict, "flow_ended_conflict",
            "The flow has ended. Start a new one.";
        FlowActionNotAvailable = Conflict, "flow_action_not_available",
            "This action is not available at the present step of the flow. Read the flow for its \
             available actions.";
        FlowActionUnknown = NotFound, "flow_action_unknown",
            "Flows have no action of this name. Read the flow for its available actions.";
        FlowCsrfTokenMissing = Forbidden, "flow_csrf_token_missing",
            "The request does not have the CSRF token of the flow. Send its csrf_token in the header \
             X-CSRF-Token.";
        FlowWithCookieAndSession = InvalidRequest, "flow_with_cookie_and_session",
            "A flow with a cookie cannot take a session from the Authorization header. Send only one \
             of them.";
        FlowOfAnotherBrowser = InvalidRequest, "flow_of_another_browser",
            "This sign-in was started in another browser or has ended. Start again in the \
             application.";
        CredentialWrong = Unprocessable, "credential_wrong",
            "The credential is not correct. Check what you entered.";
        TooManyAttempts = TooManyRequests, "too_many_attempts",
            "Too many attempts. Wait for the time in Retry-After.";
        PasswordCheckBusy = TemporarilyUnavailable, "password_check_busy",
            "The server is verifying too many passwords now. Try again in a moment.";
        LinkInvalid = NotFound, "link_invalid",
            "The link is unknown, used or expired. Request a new one.";
        AlertLinkInvalid = NotFound, "alert_link_invalid",
            "The link is unknown, used or expired. Sign in and check your account.";
        LinkInAnotherBrowser = Conflict, "link_in_another_browser",
            "This link belongs to a sign-in that was started in another browser. Open the link there, \
             or enter the code from the message there.";
        EmailTaken = Conflict, "email_taken",
            "An account with this e-mail address exists. Sign in to it.";
        EmailTakenMeanwhile = Conflict, "email_taken_meanwhile",
            "An account with this e-mail address was created in the meantime. Sign in to it.";
        EmailAlreadyYours = Conflict, "email_already_yours",
            "This e-mail address belongs to your account. You can make it the primary one.";
        EmailNotConfirmable = Conflict, "email_not_confirmable",
            "This e-mail address no longer belongs to your account. Add it again.";
        UnverifiedEmailNotFound = Conflict, "unverified_email_not_found",
            "Your account has no such unverified e-mail address. Add it first.";
        UnverifiedPhoneNotFound = Conflict, "unverified_phone_not_found",
            "Your account has no such unverified phone number. Add it first.";
        ContactLimit = Conflict, "contact_limit",
            "An account can have at most twenty e-mail addresses and phone numbers. Remove one first.";
        SmsNotAvailable = Conflict, "sms_not_available",
            "This instance does not send SMS. Choose another method.";
        SecondFactorMissing = Conflict, "second_factor_missing",
            "No second factor is set up. Set one up first.";
        CredentialLimit = Conflict, "credential_limit",
            "The account has the maximum number of credentials of this kind. Remove one first.";
        LastCredential = Conflict, "last_credential",
            "This is the last credential you can sign in with. Set up another one first.";
        DeviceAuthorizationNotAvailable = Conflict, "device_authorization_not_available",
            "Device authorization is not available here. Sign in on the device itself.";
        UserCodeUnknown = Unprocessable, "user_code_unknown",
            "The user code is unknown or expired. Check the code on the device.";
        UserCodeOfAnotherUser = Forbidden, "user_code_of_another_user",
            "The user code was entered by another user. Start again on the device for a new code.";
        ConsentOfAnotherUser = Forbidden, "consent_of_another_user",
            "The consent was requested from another user. Start again in the application.";
        ConnectionNotFound = Conflict, "connection_not_found",
            "None of your organizations has such an identity provider. Choose one that the flow \
             lists.";
        ProviderNotUsable = Unprocessable, "provider_not_usable",
            "This identity provider cannot be used to sign in now. Ask the administrator of your \
             organization.";
        ProviderResponseRejected = Unprocessable, "provider_response_rejected",
            "The response of the identity provider was not accepted. Try again, or ask the \
             administrator of your organization.";
        ProviderUnreachable = Unprocessable, "provider_unreachable",
            "The identity provider of your organization cannot be reached. Try again later.";
        ProviderBusy = TemporarilyUnavailable, "provider_busy",
            "Too many sign-ins with this identity provider are in progress. Try again in a moment.";
        ProviderAccountUnknown = Unprocessable, "provider_account_unknown",
            "Your identity provider confirmed your identity, but there is no account for it here. Ask \
             the administrator of your organization.";
        ProviderAccountMismatch = Unprocessable, "provider_account_mismatch",
            "The identity provider returned another account than the one you are signed in to. Sign \
             in there with the account that is linked to yours.";
        IdentityAlreadyLinked = Conflict, "identity_already_linked",
            "This account of the identity provider is already linked to your account. You can sign in \
             with it.";
        IdentityLinkedElsewhere = Conflict, "identity_linked_elsewhere",
            "This account of the identity provider is linked to another account. Unlink it there \
             first.";
    }
}
