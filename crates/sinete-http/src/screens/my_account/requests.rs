//! What applications ask the person to approve, as their own page lists it.

use sinete_engine::account::approvals::Waiting;
use sinete_screens::moment::Moment;
use sinete_screens::my_account::Request;

/// A request, in words.
pub(super) struct Asked {
    id: String,
    application: String,
    message: String,
    asked: Moment,
}

impl Asked {
    /// The request as somebody reads it.
    pub(super) fn of(waiting: &Waiting) -> Self {
        Self {
            id: waiting.request.id.to_string(),
            application: waiting.application.clone(),
            message: waiting.binding_message.clone().unwrap_or_default(),
            asked: Moment(waiting.request.created_at.seconds()),
        }
    }

    pub(super) fn view(&self) -> Request<'_> {
        let Self { id, application, message, asked } = self;
        Request { id, application, message, asked: *asked }
    }
}
