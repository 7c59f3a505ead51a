//! Pages that say how something ended.

use crate::page::{PageFrame, render_template};
use askama::Template;

/// How something ended.
#[derive(Clone, Copy, Debug)]
pub enum OutcomeNotice {
    /// The person is signed out.
    SignedOut,
    /// An address is shown to be the person's own.
    EmailVerified,
    /// The password is another one.
    PasswordChanged,
    /// The person said that somebody else had signed in, and every session is over.
    SignInReported,
    /// An old address is the one to write to again, and every session is over.
    EmailRestored,
    /// A device gets what it asked for.
    DeviceAllowed,
    /// A device gets nothing.
    DeviceDenied,
    /// A device gets nothing, because the person cannot allow it.
    DeviceRefused,
    /// An application gets what it asked approval for.
    RequestApproved,
    /// An application gets nothing.
    RequestDenied,
    /// An application gets nothing, because the person cannot approve it.
    RequestRefused,
    /// A request for approval that was answered, or is too old.
    RequestOver,
    /// A link that was used before, or is too old.
    LinkUsedOrExpired,
    /// A link that works where it was asked for, and was opened in another browser.
    FinishedElsewhere,
    /// A page that was open too long, or was finished elsewhere.
    FlowOver,
    /// Somebody wants an account where only those who were invited get one.
    InvitedOnly,
    /// A form that did not come from the page this browser was shown.
    FormRefused,
    /// The provider of an organization cannot be reached, or nobody signs in there any more.
    ProviderUnavailable,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage<'a> {
    frame: &'a PageFrame<'a>,
    title: &'static str,
    detail: &'static str,
    calm: bool,
    button: Option<(&'static str, &'static str)>,
}

impl OutcomeNotice {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let (words, device) = (&frame.words().messages, &frame.words().device);
        let approval = &frame.words().approval;
        let sign_in = ("/sign-in", words.sign_in_again);
        let account = ("/my-account", frame.words().landing.account);
        let start_again = ("/sign-in", words.start_again);
        let new_password = ("/reset-password", words.set_new_password);
        let (title, detail, calm, button) = match self {
            Self::SignedOut => (words.signed_out, words.signed_out_detail, true, Some(sign_in)),
            Self::EmailVerified => (words.email_verified, words.email_verified_detail, true, Some(account)),
            Self::PasswordChanged => {
                (words.password_changed, words.password_changed_detail, true, Some(sign_in))
            }
            Self::SignInReported => (words.disavowed, words.disavowed_detail, true, Some(new_password)),
            Self::EmailRestored => {
                (words.email_restored, words.email_restored_detail, true, Some(new_password))
            }
            Self::DeviceAllowed => (device.allowed, device.allowed_detail, true, Some(account)),
            Self::DeviceDenied => (device.denied, device.denied_detail, true, Some(account)),
            Self::DeviceRefused => {
                (device.refused, device.refused_detail, false, Some(("/device", device.another)))
            }
            Self::RequestApproved => (approval.approved, approval.approved_detail, true, Some(account)),
            Self::RequestDenied => (approval.denied, approval.denied_detail, true, Some(account)),
            Self::RequestRefused => (approval.refused, approval.refused_detail, false, Some(account)),
            Self::RequestOver => (approval.over, approval.over_detail, false, Some(account)),
            Self::LinkUsedOrExpired => (words.link_spent, words.link_spent_detail, false, Some(start_again)),
            Self::FinishedElsewhere => {
                (words.finished_elsewhere, words.finished_elsewhere_detail, true, None)
            }
            Self::FlowOver => (words.flow_over, words.flow_over_detail, false, Some(start_again)),
            Self::InvitedOnly => (words.invited_only, words.invited_only_detail, false, Some(sign_in)),
            Self::ProviderUnavailable => {
                (words.provider_away, words.provider_away_detail, false, Some(start_again))
            }
            Self::FormRefused => (words.refused, words.refused_detail, false, Some(start_again)),
        };
        render_template(&NoticePage { frame, title, detail, calm, button })
    }
}
