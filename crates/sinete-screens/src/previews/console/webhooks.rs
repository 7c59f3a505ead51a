//! Previews of webhooks.

use super::{sample_layout, select_text};
use crate::console::notices::ConsoleNotice;
use crate::console::webhooks::{
    DeliveryAttemptItem, DeliveryOutcome, NewWebhookForm, TestDeliveryAnswer, WebhookDetailView,
    WebhookFields, WebhookItem, WebhookListView, WebhookSecretView, WebhookState,
};
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging, StepUpFormState};
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;
use crate::page::PageFrame;
use crate::previews::PagePreview;

const KINDS: &[&str] = &["membership.created", "membership.ended", "membership.roles_changed"];

fn sample_webhook(language: UiLanguage) -> WebhookItem<'static> {
    WebhookItem {
        id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6077",
        address: "https://padaria.example/events",
        description: select_text(language, "Our directory", "Nosso diretório"),
        state: WebhookState::Active,
    }
}

fn render_webhook_list(frame: &PageFrame<'_>, notice: Option<ConsoleNotice>) -> String {
    let directory = sample_webhook(frame.language);
    let all = [
        directory,
        WebhookItem {
            address: "https://ledger.example/hooks/sinete",
            description: "",
            state: WebhookState::Failing(DisplayTime(1_763_143_505)),
            ..directory
        },
        WebhookItem {
            address: "https://old.example/events",
            description: select_text(frame.language, "The old one", "O antigo"),
            state: WebhookState::PausedByGone(DisplayTime(1_763_043_505)),
            ..directory
        },
    ];
    let fields = WebhookFields {
        address: if notice.is_some() { "http://padaria.example/events" } else { "" },
        description: "",
        all_events: notice.is_none(),
        kinds: if notice.is_some() { KINDS } else { &[] },
        unlisted_kinds: &[],
    };
    WebhookListView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/webhooks",
            ..sample_layout(ConsoleSection::Webhooks)
        },
        webhooks: &all,
        pages: ListPaging::default(),
        add: Some(NewWebhookForm {
            idempotency_key: "once",
            form_state: if notice.is_some() { StepUpFormState::Open } else { StepUpFormState::NeedsStepUp },
            fields,
        }),
    }
    .render(frame)
}

const SAMPLE_RESPONSE: TestDeliveryAnswer<'static> =
    TestDeliveryAnswer { kind: "webhook.tested", status: Some(503), milliseconds: 132 };

fn render_webhook(frame: &PageFrame<'_>, notice: Option<ConsoleNotice>, may_change: bool) -> String {
    let attempt_item = DeliveryAttemptItem {
        event: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
        kind: "membership.created",
        status: Some(204),
        outcome: DeliveryOutcome::Delivered,
        at: DisplayTime(1_763_243_505),
    };
    let attempts = [
        DeliveryAttemptItem {
            status: Some(503),
            outcome: DeliveryOutcome::Retrying,
            at: DisplayTime(1_763_253_505),
            ..attempt_item
        },
        DeliveryAttemptItem {
            status: None,
            outcome: DeliveryOutcome::Retrying,
            at: DisplayTime(1_763_250_505),
            ..attempt_item
        },
        attempt_item,
        DeliveryAttemptItem {
            kind: "webhook.tested",
            status: Some(200),
            at: DisplayTime(1_763_233_505),
            ..attempt_item
        },
    ];
    let directory = sample_webhook(frame.language);
    let state = if may_change {
        WebhookState::Failing(DisplayTime(1_763_250_505))
    } else {
        WebhookState::PausedByUser(DisplayTime(1_763_250_505))
    };
    let fields = WebhookFields {
        address: directory.address,
        description: directory.description,
        all_events: notice.is_some(),
        kinds: KINDS,
        unlisted_kinds: &[],
    };
    WebhookDetailView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/webhooks/1",
            suspended: !may_change,
            ..sample_layout(ConsoleSection::Webhooks)
        },
        webhook: WebhookItem { state, ..directory },
        kinds: KINDS,
        next_attempt: may_change.then_some(DisplayTime(1_763_254_505)),
        has_undelivered_events: true,
        previous_secret_until: may_change.then_some(DisplayTime(1_763_343_505)),
        since: DisplayTime(1_763_143_505),
        version: 3,
        form_state: if notice.is_some() { StepUpFormState::Open } else { StepUpFormState::Closed },
        fields,
        original_values: "shown",
        attempts: &attempts,
        pages: ListPaging { next: Some("cursor"), ..ListPaging::default() },
        replay_since: "",
        may_change,
        may_replay: may_change,
        idempotency_key: "once",
        answer: may_change.then_some(SAMPLE_RESPONSE),
    }
    .render(frame)
}

pub(in crate::previews) const PREVIEWS: &[PagePreview] = &[
    PagePreview { name: "console-webhooks", page: |frame| render_webhook_list(frame, None) },
    PagePreview {
        name: "console-webhooks-error",
        page: |frame| render_webhook_list(frame, Some(ConsoleNotice::BadAddress)),
    },
    PagePreview { name: "console-webhook", page: |frame| render_webhook(frame, None, true) },
    PagePreview {
        name: "console-webhook-changed",
        page: |frame| render_webhook(frame, Some(ConsoleNotice::Changed), true),
    },
    PagePreview { name: "console-webhook-read-only", page: |frame| render_webhook(frame, None, false) },
    PagePreview {
        name: "console-new-webhook",
        page: |frame| {
            let secret = "whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample==";
            let (layout, webhook) = (sample_layout(ConsoleSection::Webhooks), sample_webhook(frame.language));
            WebhookSecretView { layout, webhook, secret }.render(frame)
        },
    },
];
