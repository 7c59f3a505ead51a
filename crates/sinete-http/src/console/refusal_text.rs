//! The text that a console page shows for a refusal. It follows from the reason, never from the status or the
//! page (docs/contribute/decisions/0302-console-text-of-a-refusal-by-its-reason.md).

use sinete_core::refusal::RefusalReason;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_core::refusal::events::EventRefusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_screens::console::notices::ConsoleNotice;

/// The text of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RefusalText {
    /// The notice, in the language of the page.
    pub(super) notice: ConsoleNotice,
    /// Whether the sentence of the reason follows, which is in English: the notice alone is not enough.
    pub(super) has_sentence: bool,
}

/// A notice that needs no further sentence.
const fn notice_only(notice: ConsoleNotice) -> RefusalText {
    RefusalText { notice, has_sentence: false }
}

/// A notice that the sentence of the reason explains.
const fn notice_with_explanation(notice: ConsoleNotice) -> RefusalText {
    RefusalText { notice, has_sentence: true }
}

/// The text of a reason.
pub(super) const fn refusal_text(reason: RefusalReason) -> RefusalText {
    match reason {
        RefusalReason::Access(reason) => access_text(reason),
        RefusalReason::Accounts(reason) => account_text(reason),
        RefusalReason::Events(reason) => event_text(reason),
        RefusalReason::IdentityProviders(reason) => identity_provider_text(reason),
        RefusalReason::OAuth(reason) => oauth_text(reason),
        RefusalReason::Organizations(reason) => organization_text(reason),
        RefusalReason::Request(reason) => request_text(reason),
        // These concern the state of the instance, and are for operators.
        RefusalReason::Administration(_) => notice_with_explanation(ConsoleNotice::Conflicting),
        // The console submits no flow, SCIM request or evaluation.
        RefusalReason::SignIn(_) | RefusalReason::Scim(_) | RefusalReason::AuthZen(_) => {
            notice_with_explanation(ConsoleNotice::NothingChanged)
        }
    }
}

const fn access_text(reason: AccessRefusal) -> RefusalText {
    match reason {
        AccessRefusal::PermissionMissing(_)
        | AccessRefusal::OperatorPermissionMissing(_)
        | AccessRefusal::ApiKeyScopeMissing(_)
        | AccessRefusal::TokenScopeMissing(_) => notice_only(ConsoleNotice::NotAllowed),
        AccessRefusal::OrganizationSuspended => notice_only(ConsoleNotice::Suspended),
        AccessRefusal::CredentialInvalid
        | AccessRefusal::AssuranceTooLow
        | AccessRefusal::SessionMissing
        | AccessRefusal::SessionInvalid
        | AccessRefusal::SessionEnded
        | AccessRefusal::ReauthenticationNeeded
        | AccessRefusal::FlowTokenMissing => notice_only(ConsoleNotice::SignInAgain),
    }
}

const fn account_text(reason: AccountRefusal) -> RefusalText {
    match reason {
        AccountRefusal::PictureNotFound => notice_only(ConsoleNotice::Gone),
        AccountRefusal::MessageRateLimited => notice_only(ConsoleNotice::RateLimited),
        AccountRefusal::NameInvalid | AccountRefusal::PictureInvalid => {
            notice_with_explanation(ConsoleNotice::FieldsInvalid)
        }
        AccountRefusal::MembershipDisabled
        | AccountRefusal::LastOwnerDeletion
        | AccountRefusal::OwnAccountDisable
        | AccountRefusal::AccountDisabled
        | AccountRefusal::VerifiedEmailMissing
        | AccountRefusal::ContactExists
        | AccountRefusal::ContactLimit
        | AccountRefusal::ContactNotVerified
        | AccountRefusal::PrimaryContact => notice_with_explanation(ConsoleNotice::Conflicting),
    }
}

const fn event_text(reason: EventRefusal) -> RefusalText {
    match reason {
        EventRefusal::WebhookPaused => notice_only(ConsoleNotice::IsPaused),
        EventRefusal::WebhookLimit => notice_only(ConsoleNotice::NoMoreWebhooks),
        EventRefusal::WebhookSecretOverlapTooLong => notice_with_explanation(ConsoleNotice::NotPossible),
        EventRefusal::StreamLimit => notice_only(ConsoleNotice::Busy),
    }
}

const fn identity_provider_text(reason: IdentityProviderRefusal) -> RefusalText {
    match reason {
        IdentityProviderRefusal::ConnectionLimit => notice_only(ConsoleNotice::NoMoreConnections),
        IdentityProviderRefusal::ConnectionDomainInUse => notice_with_explanation(ConsoleNotice::DomainInUse),
        IdentityProviderRefusal::ProviderNotDiscovered => {
            notice_with_explanation(ConsoleNotice::NotDiscovered)
        }
        IdentityProviderRefusal::ConnectionNeedsOwner => notice_only(ConsoleNotice::OwnersDecide),
        IdentityProviderRefusal::SetupLinkNeedsOwner => notice_with_explanation(ConsoleNotice::NotAllowed),
        IdentityProviderRefusal::SetupLinkLimit
        | IdentityProviderRefusal::SetupLinkEnded
        | IdentityProviderRefusal::SetupLinkEmpty => notice_with_explanation(ConsoleNotice::Conflicting),
        IdentityProviderRefusal::SetupLinkUnusable => notice_only(ConsoleNotice::Gone),
    }
}

/// Of the reasons of the protocol, those that registering a client and denying a CIBA request have.
const fn oauth_text(reason: OAuthRefusal) -> RefusalText {
    match reason {
        OAuthRefusal::ClientSecretLimit | OAuthRefusal::ClientHasNoSecret => {
            notice_only(ConsoleNotice::NoMoreSecrets)
        }
        OAuthRefusal::ClientSecretInUse => notice_only(ConsoleNotice::LastSecret),
        OAuthRefusal::ClientWiderThanCaller => notice_only(ConsoleNotice::NotYours),
        OAuthRefusal::ImpliedConsentTooWide => notice_with_explanation(ConsoleNotice::NotYours),
        OAuthRefusal::ClientSecretOverlapTooLong => notice_with_explanation(ConsoleNotice::NotPossible),
        OAuthRefusal::ClientIdTaken => notice_with_explanation(ConsoleNotice::Conflicting),
        OAuthRefusal::CibaRequestNotPending => notice_with_explanation(ConsoleNotice::NotPossible),
        _ => notice_with_explanation(ConsoleNotice::NothingChanged),
    }
}

const fn organization_text(reason: OrganizationRefusal) -> RefusalText {
    match reason {
        OrganizationRefusal::RoleNameTaken => notice_only(ConsoleNotice::NameTaken),
        OrganizationRefusal::BuiltInRole => notice_with_explanation(ConsoleNotice::NotPossible),
        OrganizationRefusal::RoleInvalid | OrganizationRefusal::RolePermissionNotOffered => {
            notice_only(ConsoleNotice::BadPermissions)
        }
        OrganizationRefusal::RoleWiderThanCaller
        | OrganizationRefusal::RoleChangeWiderThanCaller
        | OrganizationRefusal::OwnerRoleReserved
        | OrganizationRefusal::ApiKeyWiderThanHolder
        | OrganizationRefusal::ApiKeyOfAnotherPerson
        | OrganizationRefusal::ApiKeyOfOwnerService => notice_only(ConsoleNotice::NotYours),
        OrganizationRefusal::RoleNotFound => notice_only(ConsoleNotice::RoleGone),
        OrganizationRefusal::RoleMissing => notice_only(ConsoleNotice::NoRoles),
        OrganizationRefusal::LastOwner => notice_only(ConsoleNotice::LastOwner),
        OrganizationRefusal::InvitationPending => notice_only(ConsoleNotice::AlreadyInvited),
        OrganizationRefusal::InvitationAccepted => notice_only(ConsoleNotice::Accepted),
        OrganizationRefusal::InvitationRateLimited => notice_only(ConsoleNotice::TooMany),
        OrganizationRefusal::InvitationInvalid | OrganizationRefusal::LogoNotFound => {
            notice_only(ConsoleNotice::Gone)
        }
        OrganizationRefusal::DomainAlreadyAdded | OrganizationRefusal::DomainLimit => {
            notice_only(ConsoleNotice::DomainTaken)
        }
        OrganizationRefusal::DomainOfAnotherOrganization => notice_only(ConsoleNotice::DomainOfAnother),
        OrganizationRefusal::DnsUnavailable => notice_only(ConsoleNotice::DnsSilent),
        OrganizationRefusal::DomainRecordNotFound => notice_only(ConsoleNotice::NotProven),
        OrganizationRefusal::MemberSearchNotReady => notice_only(ConsoleNotice::Busy),
        OrganizationRefusal::ApiOfAnotherOrganization
        | OrganizationRefusal::AssignmentByService
        | OrganizationRefusal::AssignmentForOneself => notice_with_explanation(ConsoleNotice::NotAllowed),
        OrganizationRefusal::ApiKeyInvalid(_) => notice_with_explanation(ConsoleNotice::FieldsInvalid),
        OrganizationRefusal::OrganizationIdTaken
        | OrganizationRefusal::OrganizationHasUsers
        | OrganizationRefusal::BuiltInOrganization
        | OrganizationRefusal::ApiIdentifierTaken
        | OrganizationRefusal::MembershipDisabled
        | OrganizationRefusal::AlreadyMember
        | OrganizationRefusal::AssignmentToOwnOrganization => {
            notice_with_explanation(ConsoleNotice::Conflicting)
        }
    }
}

/// Of the reasons of HTTP requests, those that a form of the console has.
const fn request_text(reason: RequestRefusal) -> RefusalText {
    match reason {
        RequestRefusal::VersionChanged | RequestRefusal::ConcurrentChange => {
            notice_only(ConsoleNotice::Changed)
        }
        RequestRefusal::AlreadyCreated => notice_only(ConsoleNotice::MadeBefore),
        RequestRefusal::IdempotencyKeyInvalid | RequestRefusal::IdempotencyKeyReused => {
            notice_only(ConsoleNotice::NotPossible)
        }
        RequestRefusal::NotFound | RequestRefusal::PathNotFound => notice_only(ConsoleNotice::Gone),
        RequestRefusal::RateLimited => notice_only(ConsoleNotice::RateLimited),
        RequestRefusal::Unavailable | RequestRefusal::TooManyConnections | RequestRefusal::NotReady(_) => {
            notice_only(ConsoleNotice::Busy)
        }
        RequestRefusal::BodyTooLarge | RequestRefusal::TooManyParameters => {
            notice_only(ConsoleNotice::TooMuch)
        }
        RequestRefusal::ValidationFailed => notice_with_explanation(ConsoleNotice::FieldsInvalid),
        RequestRefusal::MemberSearchTooLong | RequestRefusal::MemberSearchInvalid => {
            notice_only(ConsoleNotice::BadSearch)
        }
        RequestRefusal::EventKindUnknown => notice_only(ConsoleNotice::BadKind),
        _ => notice_with_explanation(ConsoleNotice::NothingChanged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_screens::language::UiLanguage;

    #[test]
    fn refusal_reason_has_a_console_text_in_every_language() {
        for reason in RefusalReason::all() {
            let RefusalText { notice, has_sentence } = refusal_text(reason);
            assert!(notice.is_error(), "{}", reason.name());
            let english = notice.text(UiLanguage::English);
            for language in UiLanguage::ALL {
                let text = notice.text(language);
                assert!(!text.is_empty(), "{} in {language:?}", reason.name());
                assert_eq!(text == english, language == UiLanguage::English, "{}: {text}", reason.name());
            }
            assert!(!has_sentence || !reason.sentence().is_empty(), "{}", reason.name());
        }
    }

    #[test]
    fn refusal_reasons_with_the_same_status_have_texts_of_their_own() {
        let message_keys = [
            OrganizationRefusal::LastOwner,
            OrganizationRefusal::InvitationPending,
            OrganizationRefusal::RoleNameTaken,
            OrganizationRefusal::DomainLimit,
        ]
        .map(|reason| {
            assert_eq!(RefusalReason::from(reason).code().status(), 409);
            refusal_text(reason.into()).notice.name()
        });
        assert_eq!(message_keys, ["last_owner", "already_invited", "name_taken", "domain_taken"]);
    }
}
