//! Pages that show the outcome of a flow or request.

use crate::page::{PageFrame, render_template};
use askama::Template;

/// An outcome.
#[derive(Clone, Copy, Debug)]
pub enum OutcomeNotice {
    /// The user is signed out.
    SignedOut,
    /// The e-mail address is verified.
    EmailVerified,
    /// The password was changed.
    PasswordChanged,
    /// The user reported a sign-in, and all sessions ended.
    SignInReported,
    /// A replaced e-mail address was restored, and all sessions ended.
    EmailRestored,
    /// The device authorization was approved.
    DeviceAllowed,
    /// The device authorization was denied.
    DeviceDenied,
    /// The device authorization was denied, because the user may not approve it.
    DeviceRefused,
    /// The CIBA request was approved.
    RequestApproved,
    /// The CIBA request was denied.
    RequestDenied,
    /// The CIBA request was denied, because the user may not approve it.
    RequestRefused,
    /// The CIBA request was already answered or has expired.
    RequestClosed,
    /// The link was already used or has expired.
    LinkUsedOrExpired,
    /// The link was opened in another browser than the one that requested it.
    OpenedInOtherBrowser,
    /// The flow has expired or was completed elsewhere.
    FlowEnded,
    /// Sign-up requires an invitation.
    InvitationRequired,
    /// The CSRF check of a form failed.
    FormRefused,
    /// The identity provider cannot be reached, or its connection is disabled.
    ProviderUnavailable,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    detail: &'static str,
    is_success: bool,
    button: Option<(&'static str, &'static str)>,
}

impl OutcomeNotice {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let (phrases, device) = (&frame.phrases().messages, &frame.phrases().device);
        let approval = &frame.phrases().ciba;
        let sign_in = ("/sign-in", phrases.sign_in_again);
        let account = ("/my-account", frame.phrases().landing.account);
        let start_again = ("/sign-in", phrases.start_again);
        let new_password = ("/reset-password", phrases.set_new_password);
        let (title, detail, calm, button) = match self {
            Self::SignedOut => (phrases.signed_out, phrases.signed_out_detail, true, Some(sign_in)),
            Self::EmailVerified => {
                (phrases.email_verified, phrases.email_verified_detail, true, Some(account))
            }
            Self::PasswordChanged => {
                (phrases.password_changed, phrases.password_changed_detail, true, Some(sign_in))
            }
            Self::SignInReported => (phrases.disavowed, phrases.disavowed_detail, true, Some(new_password)),
            Self::EmailRestored => {
                (phrases.email_restored, phrases.email_restored_detail, true, Some(new_password))
            }
            Self::DeviceAllowed => (device.allowed, device.allowed_detail, true, Some(account)),
            Self::DeviceDenied => (device.denied, device.denied_detail, true, Some(account)),
            Self::DeviceRefused => {
                (device.refused, device.refused_detail, false, Some(("/device", device.another)))
            }
            Self::RequestApproved => (approval.approved, approval.approved_detail, true, Some(account)),
            Self::RequestDenied => (approval.denied, approval.denied_detail, true, Some(account)),
            Self::RequestRefused => (approval.refused, approval.refused_detail, false, Some(account)),
            Self::RequestClosed => (approval.over, approval.over_detail, false, Some(account)),
            Self::LinkUsedOrExpired => {
                (phrases.link_spent, phrases.link_spent_detail, false, Some(start_again))
            }
            Self::OpenedInOtherBrowser => {
                (phrases.finished_elsewhere, phrases.finished_elsewhere_detail, true, None)
            }
            Self::FlowEnded => (phrases.flow_over, phrases.flow_over_detail, false, Some(start_again)),
            Self::InvitationRequired => {
                (phrases.invited_only, phrases.invited_only_detail, false, Some(sign_in))
            }
            Self::ProviderUnavailable => {
                (phrases.provider_away, phrases.provider_away_detail, false, Some(start_again))
            }
            Self::FormRefused => (phrases.refused, phrases.refused_detail, false, Some(start_again)),
        };
        render_template(&NoticePage { frame, title, detail, is_success: calm, button })
    }
}
