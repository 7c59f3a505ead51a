//! The messages of the instance: whether they were delivered, without recipients and contents.

use crate::console::operations::form::PageForm;
use crate::console::operations::list::{OperationList, load_table};
use crate::console::operations::values::{cell_at, code_at, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use sinete_core::time::Timestamp;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, RowButton, TableRow,
};
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/messages",
    section: ConsoleSection::Messages,
    reads: &["listMessages"],
    forms: &[RESEND],
    show: |context, _| Box::pin(list_messages(context)),
}];

const RESEND: PageForm = PageForm { action: "resend", operation: "resendMessage", ..PageForm::BUTTON };

async fn list_messages(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let states = [
        ("waiting", phrases.instance.message_waiting, CellTone::Plain),
        ("sent", phrases.instance.message_sent, CellTone::Good),
        ("given_up", phrases.instance.message_given_up, CellTone::Warn),
        ("expired", phrases.instance.message_expired, CellTone::Warn),
    ];
    let list = OperationList {
        id: "messages",
        call: context.operation("listMessages"),
        title: phrases.instance.messages_all,
        introduction: "",
        empty: phrases.instance.messages_none,
        columns: vec![
            phrases.instance.created_at,
            phrases.console.kind,
            phrases.instance.channel,
            phrases.console.state,
            phrases.instance.attempts,
            phrases.instance.next_attempt,
            phrases.blocks.id,
        ],
        filters: Vec::new(),
    };
    // In development nothing leaves the machine.
    let mailbox = context.state.backend().dev_mailbox().map(|_| {
        PageBlock::Facts(FactsBlock {
            id: "mailbox".to_owned(),
            title: phrases.instance.mailbox.to_owned(),
            facts: vec![(
                phrases.console.state.to_owned(),
                BlockCell::text(phrases.instance.mailbox_delivered.to_owned()),
            )],
            links: vec![BlockLink {
                text: phrases.instance.mailbox_open.to_owned(),
                path: "/dev/mail".to_owned(),
            }],
        })
    });
    let (can_resend, now) = (context.can_call(RESEND.operation), context.engine().now());
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            time_at(it, "/created_at"),
            cell_at(it, "/kind"),
            cell_at(it, "/channel"),
            state_at(it, "/state", &states).append(BlockCell::english_text(text_at(it, "/last_problem"))),
            cell_at(it, "/attempts"),
            time_at(it, "/next_attempt_at"),
            code_at(it, "/id"),
        ],
        // An expired message is useless to its recipient, also one that was sent.
        button: (can_resend && is_unexpired(&text_at(it, "/expires_at"), now)).then(|| RowButton {
            action: RESEND.action.to_owned(),
            item: text_at(it, "/id"),
            text: phrases.instance.message_resend.to_owned(),
            row_name: text_at(it, "/kind"),
        }),
    });
    Ok(PageContent {
        title: phrases.instance.messages.to_owned(),
        introduction: phrases.instance.messages_lead.to_owned(),
        blocks: mailbox.into_iter().chain([PageBlock::Table(table.await?)]).collect(),
    })
}

/// Whether a message that expires at this time can still be used.
fn is_unexpired(expires_at: &str, now: Timestamp) -> bool {
    expires_at.parse::<Timestamp>().is_ok_and(|end| end > now)
}
