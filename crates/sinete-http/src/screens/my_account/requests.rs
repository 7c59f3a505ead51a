//! What applications ask the person to approve, as their own page lists it.

use sinete_engine::account::approvals::PendingApproval;
use sinete_screens::moment::DisplayTime;
use sinete_screens::my_account::ApprovalRequestItem;

/// A request, in words.
pub(super) struct ApprovalText {
    id: String,
    application: String,
    message: String,
    asked: DisplayTime,
}

impl ApprovalText {
    /// The request as somebody reads it.
    pub(super) fn of(waiting: &PendingApproval) -> Self {
        Self {
            id: waiting.request.id.to_string(),
            application: waiting.application.clone(),
            message: waiting.binding_message.clone().unwrap_or_default(),
            asked: DisplayTime(waiting.request.created_at.seconds()),
        }
    }

    pub(super) fn view(&self) -> ApprovalRequestItem<'_> {
        let Self { id, application, message, asked } = self;
        ApprovalRequestItem { id, application, message, asked: *asked }
    }
}
