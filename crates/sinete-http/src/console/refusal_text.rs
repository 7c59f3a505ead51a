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
const fn notice(notice: ConsoleNotice) -> RefusalText {
    RefusalText { notice, has_sentence: false }
}

/// A notice that the sentence of the reason explains.
const fn explained(notice: ConsoleNotice) -> RefusalText {
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
        RefusalReason::Administration(_) => explained(ConsoleNotice::Conflicting),
        // The console submits no flow, SCIM request or evaluation.
        RefusalReason::SignIn(_) | RefusalReason::Scim(_) | RefusalReason::AuthZen(_) => {
            explained(ConsoleNotice::NothingChanged)
        }
    }
}

const fn access_text(reason: AccessRefusal) -> RefusalText {
    match reason {
        AccessRefusal::PermissionMissing(_)
        | AccessRefusal::OperatorPermissionMissing(_)
        | AccessRefusal::ApiKeyScopeMissing(_)
        | AccessRefusal::TokenScopeMissing(_) => notice(ConsoleNotice::NotAllowed),
        AccessRefusal::OrganizationSuspended => notice(ConsoleNotice::Suspended),
        AccessRefusal::CredentialInvalid
        | AccessRefusal::AssuranceTooLow
        | AccessRefusal::SessionMissing
        | AccessRefusal::SessionInvalid
        | AccessRefusal::SessionEnded
        | AccessRefusal::ReauthenticationNeeded
        | AccessRefusal::FlowTokenMissing => notice(ConsoleNotice::SignInAgain),
    }
}

const fn account_text(reason: AccountRefusal) -> RefusalText {
    match reason {
        AccountRefusal::PictureNotFound => notice(ConsoleNotice::Gone),
        AccountRefusal::MessageRateLimited => notice(ConsoleNotice::RateLimited),
        AccountRefusal::NameInvalid | AccountRefusal::PictureInvalid => {
            explained(ConsoleNotice::FieldsInvalid)
        }
        AccountRefusal::MembershipDisabled
        | AccountRefusal::LastOwnerDeletion
        | AccountRefusal::OwnAccountDisable
        | AccountRefusal::AccountDisabled
        | AccountRefusal::VerifiedEmailMissing
        | AccountRefusal::ContactExists
        | AccountRefusal::ContactLimit
        | AccountRefusal::ContactNotVerified
        | AccountRefusal::PrimaryContact => explained(ConsoleNotice::Conflicting),
    }
}

const fn event_text(reason: EventRefusal) -> RefusalText {
    match reason {
        EventRefusal::WebhookPaused => notice(ConsoleNotice::IsPaused),
        EventRefusal::WebhookLimit => notice(ConsoleNotice::NoMoreWebhooks),
        EventRefusal::WebhookSecretOverlapTooLong => explained(ConsoleNotice::NotPossible),
        EventRefusal::StreamLimit => notice(ConsoleNotice::Busy),
    }
}

const fn identity_provider_text(reason: IdentityProviderRefusal) -> RefusalText {
    match reason {
        IdentityProviderRefusal::ConnectionLimit => notice(ConsoleNotice::NoMoreConnections),
        IdentityProviderRefusal::ConnectionDomainInUse => explained(ConsoleNotice::DomainInUse),
        IdentityProviderRefusal::ProviderNotDiscovered => explained(ConsoleNotice::NotDiscovered),
        IdentityProviderRefusal::ConnectionNeedsOwner => notice(ConsoleNotice::OwnersDecide),
        IdentityProviderRefusal::SetupLinkNeedsOwner => explained(ConsoleNotice::NotAllowed),
        IdentityProviderRefusal::SetupLinkLimit
        | IdentityProviderRefusal::SetupLinkEnded
        | IdentityProviderRefusal::SetupLinkEmpty => explained(ConsoleNotice::Conflicting),
        IdentityProviderRefusal::SetupLinkUnusable => notice(ConsoleNotice::Gone),
    }
}

/// Of the reasons of the protocol, those that registering a client and denying a CIBA request have.
const fn oauth_text(reason: OAuthRefusal) -> RefusalText {
    match reason {
        OAuthRefusal::ClientSecretLimit | OAuthRefusal::ClientHasNoSecret => {
            notice(ConsoleNotice::NoMoreSecrets)
        }
        OAuthRefusal::ClientSecretInUse => notice(ConsoleNotice::LastSecret),
        OAuthRefusal::ClientWiderThanCaller => notice(ConsoleNotice::NotYours),
        OAuthRefusal::ImpliedConsentTooWide => explained(ConsoleNotice::NotYours),
        OAuthRefusal::ClientSecretOverlapTooLong => explained(ConsoleNotice::NotPossible),
        OAuthRefusal::ClientIdTaken => explained(ConsoleNotice::Conflicting),
        OAuthRefusal::CibaRequestNotPending => explained(ConsoleNotice::NotPossible),
        _ => explained(ConsoleNotice::NothingChanged),
    }
}

const fn organization_text(reason: OrganizationRefusal) -> RefusalText {
    match reason {
        OrganizationRefusal::RoleNameTaken => notice(ConsoleNotice::NameTaken),
        OrganizationRefusal::BuiltInRole => explained(ConsoleNotice::NotPossible),
        OrganizationRefusal::RoleInvalid | OrganizationRefusal::RolePermissionNotOffered => {
            notice(ConsoleNotice::BadPermissions)
        }
        OrganizationRefusal::RoleWiderThanCaller
        | OrganizationRefusal::RoleChangeWiderThanCaller
        | OrganizationRefusal::OwnerRoleReserved
        | OrganizationRefusal::ApiKeyWiderThanHolder
        | OrganizationRefusal::ApiKeyOfAnotherPerson
        | OrganizationRefusal::ApiKeyOfOwnerService => notice(ConsoleNotice::NotYours),
        OrganizationRefusal::RoleNotFound => notice(ConsoleNotice::RoleGone),
        OrganizationRefusal::RoleMissing => notice(ConsoleNotice::NoRoles),
        OrganizationRefusal::LastOwner => notice(ConsoleNotice::LastOwner),
        OrganizationRefusal::InvitationPending => notice(ConsoleNotice::AlreadyInvited),
        OrganizationRefusal::InvitationAccepted => notice(ConsoleNotice::Accepted),
        OrganizationRefusal::InvitationRateLimited => notice(ConsoleNotice::TooMany),
        OrganizationRefusal::InvitationInvalid | OrganizationRefusal::LogoNotFound => {
            notice(ConsoleNotice::Gone)
        }
        OrganizationRefusal::DomainAlreadyAdded | OrganizationRefusal::DomainLimit => {
            notice(ConsoleNotice::DomainTaken)
        }
        OrganizationRefusal::DomainOfAnotherOrganization => notice(ConsoleNotice::DomainOfAnother),
        OrganizationRefusal::DnsUnavailable => notice(ConsoleNotice::DnsSilent),
        OrganizationRefusal::DomainRecordNotFound => notice(ConsoleNotice::NotProven),
        OrganizationRefusal::MemberSearchNotReady => notice(ConsoleNotice::Busy),
        OrganizationRefusal::ApiOfAnotherOrganization
        | OrganizationRefusal::AssignmentByService
        | OrganizationRefusal::AssignmentForOneself => explained(ConsoleNotice::NotAllowed),
        OrganizationRefusal::ApiKeyInvalid(_) => explained(ConsoleNotice::FieldsInvalid),
        OrganizationRefusal::OrganizationIdTaken
        | OrganizationRefusal::OrganizationHasUsers
        | OrganizationRefusal::BuiltInOrganization
        | OrganizationRefusal::ApiIdentifierTaken
        | OrganizationRefusal::MembershipDisabled
        | OrganizationRefusal::AlreadyMember
        | OrganizationRefusal::AssignmentToOwnOrganization => explained(ConsoleNotice::Conflicting),
    }
}

/// Of the reasons of HTTP requests, those that a form of the console has.
const fn request_text(reason: RequestRefusal) -> RefusalText {
    match reason {
        RequestRefusal::VersionChanged | RequestRefusal::ConcurrentChange => notice(ConsoleNotice::Changed),
        RequestRefusal::AlreadyCreated => notice(ConsoleNotice::MadeBefore),
        RequestRefusal::IdempotencyKeyInvalid | RequestRefusal::IdempotencyKeyReused => {
            notice(ConsoleNotice::NotPossible)
        }
        RequestRefusal::NotFound | RequestRefusal::PathNotFound => notice(ConsoleNotice::Gone),
        RequestRefusal::RateLimited => notice(ConsoleNotice::RateLimited),
        RequestRefusal::Unavailable | RequestRefusal::TooManyConnections | RequestRefusal::NotReady(_) => {
            notice(ConsoleNotice::Busy)
        }
        RequestRefusal::BodyTooLarge | RequestRefusal::TooManyParameters => notice(ConsoleNotice::TooMuch),
        RequestRefusal::ValidationFailed => explained(ConsoleNotice::FieldsInvalid),
        RequestRefusal::MemberSearchTooLong | RequestRefusal::MemberSearchInvalid => {
            notice(ConsoleNotice::BadSearch)
        }
        RequestRefusal::EventKindUnknown => notice(ConsoleNotice::BadKind),
        _ => explained(ConsoleNotice::NothingChanged),
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
        let texts = [
            OrganizationRefusal::LastOwner,
            OrganizationRefusal::InvitationPending,
            OrganizationRefusal::RoleNameTaken,
            OrganizationRefusal::DomainLimit,
        ]
        .map(|reason| {
            assert_eq!(RefusalReason::from(reason).code().status(), 409);
            refusal_text(reason.into()).notice.name()
        });
        assert_eq!(texts, ["last_owner", "already_invited", "name_taken", "domain_taken"]);
    }
}
