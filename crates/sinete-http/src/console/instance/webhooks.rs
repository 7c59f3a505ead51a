//! The webhooks of the instance.

use crate::console::operations::form::{FieldKind, FormField, NextPage, PageForm, build_form};
use crate::console::operations::list::{OperationList, load_table};
use crate::console::operations::values::{cell_at, code_at, is_true, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent, Phrase};
use crate::console::page_context::PageContext;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockCell, CellTone, FactsBlock, PageBlock, TableRow};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::locales::LocalePhrases;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/instance/webhooks",
        section: ConsoleSection::InstanceWebhooks,
        reads: &["listInstanceWebhooks"],
        forms: &[CREATE],
        show: |context, _| Box::pin(list_webhooks(context)),
    },
    OperationPage {
        path: "/instance/webhooks/{webhook}",
        section: ConsoleSection::InstanceWebhooks,
        reads: &["getInstanceWebhook", "listInstanceWebhookAttempts"],
        forms: &[CHANGE, TEST, PAUSE, RESUME, ROTATE, REPLAY, DELETE],
        show: |context, id| Box::pin(show_webhook(context, id)),
    },
];

const FIELDS: &[FormField] = &[
    FormField {
        pointer: "/address",
        label: |w| w.webhooks.address,
        hint: |w| w.webhooks.address_hint,
        is_required: true,
        ..FormField::TEXT
    },
    FormField {
        pointer: "/description",
        label: |w| w.webhooks.about,
        hint: |w| w.webhooks.about_hint,
        ..FormField::TEXT
    },
    FormField {
        pointer: "/kinds",
        label: |w| w.webhooks.told_of,
        hint: |w| w.instance.kinds_hint,
        kind: FieldKind::Lines,
        ..FormField::TEXT
    },
];

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createInstanceWebhook",
    title: |w| w.webhooks.add,
    button: |w| w.webhooks.add_now,
    fields: FIELDS,
    next: NextPage::Secret("/webhook/id", &[("/secret", |w| w.webhooks.shown)]),
    is_collapsed: true,
    ..PageForm::BUTTON
};

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateInstanceWebhook",
    title: |w| w.webhooks.settings,
    button: |w| w.webhooks.save,
    fields: FIELDS,
    notice: ConsoleNotice::WebhookChanged,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const fn button_form(
    action: &'static str,
    operation: &'static str,
    title: Phrase,
    phrase: Phrase,
    notice: ConsoleNotice,
) -> PageForm {
    PageForm { action, operation, title, introduction: phrase, button: title, notice, ..PageForm::BUTTON }
}

const TEST: PageForm = button_form(
    "test",
    "testInstanceWebhook",
    |w| w.webhooks.test,
    |w| w.webhooks.test_lead,
    ConsoleNotice::WebhookTested,
);
const PAUSE: PageForm = PageForm {
    requires_fresh_authentication: false,
    ..button_form(
        "pause",
        "pauseInstanceWebhook",
        |w| w.webhooks.pause,
        |w| w.webhooks.pause_lead,
        ConsoleNotice::WebhookPaused,
    )
};
const RESUME: PageForm = button_form(
    "resume",
    "resumeInstanceWebhook",
    |w| w.webhooks.resume,
    |w| w.webhooks.resume_lead,
    ConsoleNotice::WebhookResumed,
);
const ROTATE: PageForm = PageForm {
    fields: &[FormField {
        pointer: "/overlap_seconds",
        label: |w| w.webhooks.overlap,
        hint: |w| w.instance.overlap_hint,
        kind: FieldKind::Number,
        initial: "86400",
        ..FormField::TEXT
    }],
    next: NextPage::Secret("", &[("/secret", |w| w.webhooks.shown)]),
    is_collapsed: true,
    ..button_form(
        "rotate",
        "rotateInstanceWebhookSecret",
        |w| w.webhooks.rotate,
        |w| w.webhooks.secret_lead,
        ConsoleNotice::Done,
    )
};
const REPLAY: PageForm = PageForm {
    fields: &[FormField {
        pointer: "/since",
        label: |w| w.webhooks.replay_from,
        kind: FieldKind::Day,
        is_required: true,
        ..FormField::TEXT
    }],
    is_collapsed: true,
    ..button_form(
        "replay",
        "replayInstanceWebhook",
        |w| w.webhooks.replay,
        |w| w.webhooks.replay_lead,
        ConsoleNotice::WebhookReplayed,
    )
};
const DELETE: PageForm = PageForm {
    requires_fresh_authentication: false,
    next: NextPage::List,
    is_danger: true,
    is_collapsed: true,
    ..button_form(
        "delete",
        "removeInstanceWebhook",
        |w| w.webhooks.delete,
        |w| w.webhooks.delete_lead,
        ConsoleNotice::WebhookDeleted,
    )
};

const fn state_labels(phrases: &LocalePhrases) -> [(&str, &str, CellTone); 3] {
    [
        ("working", phrases.webhooks.working, CellTone::Good),
        ("failing", phrases.webhooks.failing, CellTone::Warn),
        ("paused", phrases.webhooks.paused, CellTone::Warn),
    ]
}

async fn list_webhooks(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "webhooks",
        call: context.operation("listInstanceWebhooks"),
        title: phrases.instance.webhooks_all,
        introduction: "",
        empty: phrases.webhooks.none,
        columns: vec![phrases.webhooks.address, phrases.webhooks.about, phrases.console.state],
        filters: Vec::new(),
    };
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            BlockCell::link(text_at(it, "/address"), format!("/instance/webhooks/{}", text_at(it, "/id"))),
            cell_at(it, "/description"),
            state_at(it, "/state", &state_labels(phrases)),
        ],
        button: None,
    });
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(context, &CREATE, None)];
    Ok(PageContent {
        title: phrases.webhooks.title.to_owned(),
        introduction: phrases.instance.webhooks_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

async fn show_webhook(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let webhook = context.send(context.operation("getInstanceWebhook").path("webhook", id)).await?.body;
    let kinds = match text_at(&webhook, "/kinds") {
        all if all.is_empty() => phrases.instance.all_events.to_owned(),
        kinds => kinds,
    };
    let backlog_notice = if is_true(&webhook, "/is_behind") { phrases.webhooks.behind } else { "" };
    let facts = FactsBlock {
        id: "webhook".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.blocks.id.to_owned(), code_at(&webhook, "/id")),
            (phrases.webhooks.address.to_owned(), code_at(&webhook, "/address")),
            (phrases.webhooks.told_of.to_owned(), BlockCell::text(kinds)),
            (
                phrases.console.state.to_owned(),
                state_at(&webhook, "/state", &state_labels(phrases)).append(BlockCell::text(backlog_notice)),
            ),
            (phrases.webhooks.next_attempt.to_owned(), time_at(&webhook, "/next_attempt_at")),
            (phrases.webhooks.both_until.to_owned(), time_at(&webhook, "/previous_secret_until")),
            (phrases.instance.created_at.to_owned(), time_at(&webhook, "/created_at")),
        ],
        links: Vec::new(),
    };
    let list = OperationList {
        id: "attempts",
        call: context.operation("listInstanceWebhookAttempts").path("webhook", id),
        title: phrases.webhooks.attempts,
        introduction: phrases.webhooks.attempts_lead,
        empty: phrases.webhooks.attempts_none,
        columns: vec![
            phrases.audit_log.when,
            phrases.webhooks.told_of,
            phrases.instance.status,
            phrases.console.state,
        ],
        filters: Vec::new(),
    };
    let outcomes = [
        ("told", phrases.webhooks.told, CellTone::Good),
        ("again", phrases.webhooks.again, CellTone::Warn),
        ("paused", phrases.webhooks.given_up, CellTone::Warn),
    ];
    let attempts = load_table(context, list, |it| TableRow {
        cells: vec![
            time_at(it, "/at"),
            BlockCell::link(text_at(it, "/kind"), format!("/instance/events/{}", text_at(it, "/event"))),
            cell_at(it, "/status"),
            state_at(it, "/outcome", &outcomes),
        ],
        button: None,
    });
    let mut blocks = vec![PageBlock::Facts(facts)];
    let is_paused = text_at(&webhook, "/state") == "paused";
    let forms: &[&PageForm] =
        if is_paused { &[&CHANGE, &RESUME] } else { &[&CHANGE, &TEST, &PAUSE, &REPLAY] };
    let forms = forms.iter().chain(&[&ROTATE, &DELETE]);
    blocks.extend(forms.filter_map(|form| build_form(context, form, Some(&webhook))));
    blocks.insert(1, PageBlock::Table(attempts.await?));
    let name = [text_at(&webhook, "/description"), text_at(&webhook, "/address")];
    let title = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    Ok(PageContent { title, introduction: String::new(), blocks })
}
