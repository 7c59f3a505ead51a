//! What a security event counts as.

use super::UsageCounter;
use crate::events::log_chain::LoggedEvent;
use crate::events::security_event::EventKind;
use crate::id::{AccountId, GrantId, MembershipId, OrganizationId};
use serde::Deserialize;
use std::borrow::Cow;

/// What an event adds to the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageObservation {
    /// The counter, if any.
    pub counter: Option<UsageCounter>,
    /// How much it is increased by.
    pub count: u32,
    /// Where it is counted.
    pub reach: UsageReach,
    /// The organization, if the event names it. Otherwise it is that of the member or the grant.
    pub organization: Option<OrganizationId>,
    /// The member it was done by or for, if the event names it.
    pub member: Option<MembershipId>,
    /// The grant it was done with.
    pub grant: Option<GrantId>,
    /// Whether the member was active by it.
    pub is_activity: bool,
    /// The account that signed in.
    pub account: Option<AccountId>,
}

/// Where an event is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageReach {
    /// For the instance, and for its organization if it has one.
    Everywhere,
    /// For the instance only: an account signs in to the instance, not to an organization.
    Instance,
    /// For the organization only: for the instance, the sign-in of the account was counted.
    Organization,
}

/// The details of events that are counted by.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CountedDetail<'a> {
    #[serde(borrow)]
    membership: Option<Cow<'a, str>>,
    #[serde(borrow)]
    factor: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    looked_at: Option<Cow<'a, str>>,
    methods: Vec<Cow<'a, str>>,
    unrecorded: u32,
}

/// What an event counts as; `None` if it is not counted.
pub fn observe_event(event: &LoggedEvent) -> Option<UsageObservation> {
    let kind: EventKind = event.kind.parse().ok()?;
    // The detail of other kinds is not read.
    if !is_counted(kind) {
        return None;
    }
    let detail: CountedDetail<'_> = serde_json::from_str(&event.detail).unwrap_or_default();
    let (reach, counter) = match kind {
        EventKind::SessionStarted => (UsageReach::Instance, Some(sign_in_method(&detail.methods))),
        EventKind::GrantGiven => {
            // Grants to devices and by CIBA have a kind. They are counted as approvals.
            let counter = detail.kind.is_none().then(|| sign_in_method(&detail.methods));
            (UsageReach::Organization, counter)
        }
        EventKind::MembershipImpersonated if detail.looked_at.is_some() => return None,
        _ => (UsageReach::Everywhere, Some(resolve_counter(kind, detail.factor.as_deref())?)),
    };
    let actor = |actor_kind: &str| event.actor_id.as_deref().filter(|_| event.actor_kind == actor_kind);
    let member = match kind {
        EventKind::GrantGiven => actor("membership"),
        _ => detail.membership.as_deref(),
    };
    let grant = event.subject_id.as_deref().filter(|_| event.subject_kind.as_deref() == Some("grant"));
    Some(UsageObservation {
        counter,
        count: detail.unrecorded.saturating_add(1),
        reach,
        organization: event.organization,
        member: member.and_then(|id| id.parse().ok()),
        grant: grant.and_then(|id| id.parse().ok()),
        is_activity: is_activity(kind),
        account: actor("account")
            .filter(|_| kind == EventKind::SessionStarted)
            .and_then(|id| id.parse().ok()),
    })
}

fn is_counted(kind: EventKind) -> bool {
    matches!(kind, EventKind::SessionStarted | EventKind::GrantGiven) || resolve_counter(kind, None).is_some()
}

/// Whether the user was active: a user who signs in to an application, or whose application gets tokens.
const fn is_activity(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::GrantGiven
            | EventKind::CodeRedeemed
            | EventKind::RefreshTokenRotated
            | EventKind::RefreshTokenUsed
            | EventKind::DeviceCodeRedeemed
            | EventKind::ApprovalRedeemed
    )
}

/// The method of a sign-in, by the values of its `amr` claim (RFC 8176).
fn sign_in_method(methods: &[Cow<'_, str>]) -> UsageCounter {
    let has = |value: &str| methods.iter().any(|method| method == value);
    match () {
        () if has("fed") => UsageCounter::SignInBySingleSignOn,
        () if has("pwd") && has("mfa") => UsageCounter::SignInByPasswordMfa,
        () if has("pwd") => UsageCounter::SignInByPassword,
        () if has("hwk") || has("swk") => UsageCounter::SignInByPasskey,
        () if has("email") => UsageCounter::SignInByEmail,
        () if has("sms") => UsageCounter::SignInBySms,
        () => UsageCounter::SignInByOther,
    }
}

/// The method of a failed attempt, by the name of the factor.
fn failed_method(factor: Option<&str>) -> UsageCounter {
    match factor {
        Some("passkey") => UsageCounter::FailureOfPasskey,
        Some("password") => UsageCounter::FailureOfPassword,
        Some("totp" | "recovery_code" | "recovery_codes") => UsageCounter::FailureOfSecondFactor,
        Some("mailed_code" | "magic_link") => UsageCounter::FailureOfEmail,
        Some("texted_code") => UsageCounter::FailureOfSms,
        Some("single_sign_on") => UsageCounter::FailureOfSingleSignOn,
        Some(_) | None => UsageCounter::FailureOfOther,
    }
}

/// The counter of a kind of event that counts as one thing.
fn resolve_counter(kind: EventKind, factor: Option<&str>) -> Option<UsageCounter> {
    Some(match kind {
        EventKind::CredentialFailed => failed_method(factor),
        EventKind::CodeRedeemed => UsageCounter::TokenByAuthorizationCode,
        EventKind::RefreshTokenRotated | EventKind::RefreshTokenUsed => UsageCounter::TokenByRefreshToken,
        EventKind::TokenIssued => UsageCounter::TokenByClientCredentials,
        EventKind::TokenExchanged => UsageCounter::TokenByTokenExchange,
        EventKind::DeviceCodeRedeemed => UsageCounter::TokenByDeviceCode,
        EventKind::ApprovalRedeemed => UsageCounter::TokenByCiba,
        EventKind::MembershipImpersonated => UsageCounter::TokenByImpersonation,
        EventKind::ConsentGiven => UsageCounter::ConsentGiven,
        EventKind::ConsentDenied => UsageCounter::ConsentDenied,
        EventKind::DeviceAllowed => UsageCounter::DeviceApproved,
        EventKind::DeviceDenied => UsageCounter::DeviceDenied,
        EventKind::ApprovalGiven => UsageCounter::CibaApproved,
        EventKind::ApprovalDenied => UsageCounter::CibaDenied,
        EventKind::ClientProofFailed => UsageCounter::ClientAuthenticationFailed,
        EventKind::CodeReplayed
        | EventKind::DeviceCodeReplayed
        | EventKind::ApprovalReplayed
        | EventKind::RefreshTokenReused => UsageCounter::TokenReplayed,
        EventKind::CodeMisdirected
        | EventKind::DeviceCodeMisdirected
        | EventKind::ApprovalMisdirected
        | EventKind::RefreshTokenMisdirected => UsageCounter::TokenMisdirected,
        EventKind::UserCodeFailed => UsageCounter::UserCodeFailed,
        EventKind::CredentialDisabled => UsageCounter::CredentialLocked,
        EventKind::MessageGivenUp => UsageCounter::MessageUndelivered,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::EventId;
    use crate::time::Timestamp;

    fn event(kind: &str, detail: &str) -> LoggedEvent {
        LoggedEvent {
            id: EventId::from_bytes([1; 16]),
            at: Timestamp::from_seconds(1_800_000_000),
            kind: kind.into(),
            actor_kind: "anonymous".into(),
            actor_id: None,
            subject_kind: None,
            subject_id: None,
            organization: None,
            client: None,
            request: None,
            detail: detail.into(),
            personal_hash: None,
        }
    }

    fn counted(kind: &str, detail: &str) -> Option<(&'static str, u32)> {
        let observation = observe_event(&event(kind, detail))?;
        observation.counter.map(|counter| (counter.name(), observation.count))
    }

    #[test]
    fn usage_classification_names_the_method_of_a_sign_in() {
        for (methods, name) in [
            (r#"["pwd"]"#, "sign_ins.password"),
            (r#"["email","pwd"]"#, "sign_ins.password"),
            (r#"["mfa","otp","pwd"]"#, "sign_ins.password_mfa"),
            (r#"["mfa","swk","user"]"#, "sign_ins.passkey"),
            (r#"["hwk"]"#, "sign_ins.passkey"),
            (r#"["email"]"#, "sign_ins.email"),
            (r#"["sms"]"#, "sign_ins.sms"),
            (r#"["fed"]"#, "sign_ins.single_sign_on"),
            ("[]", "sign_ins.other"),
        ] {
            let detail = format!(r#"{{"methods":{methods}}}"#);
            assert_eq!(counted("session.started", &detail), Some((name, 1)), "{methods}");
        }
        assert_eq!(counted("session.started", "no JSON"), Some(("sign_ins.other", 1)));
    }

    #[test]
    fn usage_classification_adds_the_failures_that_were_not_recorded() {
        let failed = counted("client.proof_failed", r#"{"reason":"x","unrecorded":41}"#);
        assert_eq!(failed, Some(("failures.client_authentication", 42)));
        assert_eq!(
            counted("credential.failed", r#"{"factor":"totp"}"#),
            Some(("sign_in_failures.second_factor", 1))
        );
        assert_eq!(counted("credential.failed", r#"{"factor":"new"}"#), Some(("sign_in_failures.other", 1)));
    }

    #[test]
    fn usage_classification_counts_a_grant_to_a_device_as_activity_but_not_as_a_sign_in() {
        let observation = observe_event(&event("grant.given", r#"{"kind":"device"}"#)).unwrap();
        assert_eq!((observation.counter, observation.is_activity), (None, true));
        let observation = observe_event(&event("grant.given", r#"{"methods":["swk"]}"#)).unwrap();
        assert_eq!(observation.counter, Some(UsageCounter::SignInByPasskey));
        assert_eq!(observation.reach, UsageReach::Organization);
    }

    #[test]
    fn usage_classification_ignores_other_events() {
        for kind in ["role.created", "session.renewed", "server.started", "unknown"] {
            assert_eq!(observe_event(&event(kind, "{}")), None, "{kind}");
        }
        let read = event("membership.impersonated", r#"{"looked_at":"account"}"#);
        assert_eq!(observe_event(&read), None, "a read under an impersonation is no token");
    }
}
