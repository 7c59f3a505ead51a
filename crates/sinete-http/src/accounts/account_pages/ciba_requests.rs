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
    pub(super) fn from_request(pending_approval: &PendingApproval) -> Self {
        Self {
            id: pending_approval.request.id.to_string(),
            application: pending_approval.application.clone(),
            message: pending_approval.binding_message.clone().unwrap_or_default(),
            requested_at: DisplayTime(pending_approval.request.deferred.created_at.seconds()),
        }
    }

    pub(super) fn to_item(&self) -> ApprovalRequestItem<'_> {
        let Self { id, application, message, requested_at: time } = self;
        ApprovalRequestItem { id, application, message, requested_at: *time }
    }
}
