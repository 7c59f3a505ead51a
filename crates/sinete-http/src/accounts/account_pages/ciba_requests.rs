//! Pending CIBA requests, for display on the account page.

use sinete_engine::oauth::ciba::pending_approvals::PendingApproval;
use sinete_screens::accounts::my_account::ApprovalRequestItem;
use sinete_screens::display_time::DisplayTime;

/// A request, for display.
pub(super) struct ApprovalText {
    id: String,
    application: String,
    message: String,
    requested_at: DisplayTime,
}

impl ApprovalText {
    /// Creates it from a pending request.
    pub(super) fn from_request(waiting: &PendingApproval) -> Self {
        Self {
            id: waiting.request.id.to_string(),
            application: waiting.application.clone(),
            message: waiting.binding_message.clone().unwrap_or_default(),
            requested_at: DisplayTime(waiting.request.deferred.created_at.seconds()),
        }
    }

    pub(super) fn to_item(&self) -> ApprovalRequestItem<'_> {
        let Self { id, application, message, requested_at: asked } = self;
        ApprovalRequestItem { id, application, message, asked: *asked }
    }
}
