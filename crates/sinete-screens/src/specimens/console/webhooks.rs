//! Addresses that are told of what happens.

use super::{at, called};
use crate::console::said::Said;
use crate::console::webhooks::{
    Add, Attempt, Came, Fields, OneWebhook, ShownSecret, State, Webhook, Webhooks,
};
use crate::console::{Desk, Pages, Section, Stands};
use crate::language::Language;
use crate::moment::Moment;
use crate::page::Frame;
use crate::specimens::Specimen;

const KINDS: &[&str] = &["membership.created", "membership.ended", "membership.roles_changed"];

fn directory(language: Language) -> Webhook<'static> {
    Webhook {
        id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6077",
        address: "https://padaria.example/events",
        about: called(language, "Our directory", "Nosso diretório"),
        state: State::Working,
    }
}

fn webhooks(frame: &Frame<'_>, said: Option<Said>) -> String {
    let directory = directory(frame.language);
    let all = [
        directory,
        Webhook {
            address: "https://ledger.example/hooks/sinete",
            about: "",
            state: State::Failing(Moment(1_763_143_505)),
            ..directory
        },
        Webhook {
            address: "https://old.example/events",
            about: called(frame.language, "The old one", "O antigo"),
            state: State::Gone(Moment(1_763_043_505)),
            ..directory
        },
    ];
    let fields = Fields {
        address: if said.is_some() { "http://padaria.example/events" } else { "" },
        about: "",
        everything: said.is_none(),
        kinds: if said.is_some() { KINDS } else { &[] },
        others: &[],
    };
    Webhooks {
        desk: Desk { said, here: "/console/padaria/webhooks", ..at(Section::Webhooks) },
        webhooks: &all,
        pages: Pages::default(),
        add: Some(Add {
            once: "once",
            stands: if said.is_some() { Stands::Open } else { Stands::Behind },
            fields,
        }),
    }
    .page(frame)
}

fn webhook(frame: &Frame<'_>, said: Option<Said>, may_change: bool) -> String {
    let taken = Attempt {
        event: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
        kind: "membership.created",
        status: Some(204),
        came: Came::Told,
        at: Moment(1_763_243_505),
    };
    let attempts = [
        Attempt { status: Some(503), came: Came::Again, at: Moment(1_763_253_505), ..taken },
        Attempt { status: None, came: Came::Again, at: Moment(1_763_250_505), ..taken },
        taken,
        Attempt { kind: "webhook.tested", status: Some(200), at: Moment(1_763_233_505), ..taken },
    ];
    let directory = directory(frame.language);
    let state = if may_change {
        State::Failing(Moment(1_763_250_505))
    } else {
        State::Stopped(Moment(1_763_250_505))
    };
    let fields = Fields {
        address: directory.address,
        about: directory.about,
        everything: said.is_some(),
        kinds: KINDS,
        others: &[],
    };
    OneWebhook {
        desk: Desk {
            said,
            here: "/console/padaria/webhooks/1",
            suspended: !may_change,
            ..at(Section::Webhooks)
        },
        webhook: Webhook { state, ..directory },
        kinds: KINDS,
        next_attempt: may_change.then_some(Moment(1_763_254_505)),
        behind: true,
        both_until: may_change.then_some(Moment(1_763_343_505)),
        since: Moment(1_763_143_505),
        version: 3,
        stands: if said.is_some() { Stands::Open } else { Stands::Closed },
        fields,
        shown: "shown",
        attempts: &attempts,
        pages: Pages { next: Some("cursor"), ..Pages::default() },
        replay: "",
        may_change,
        may_replay: may_change,
        once: "once",
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "console-webhooks", page: |frame| webhooks(frame, None) },
    Specimen { name: "console-webhooks-trouble", page: |frame| webhooks(frame, Some(Said::BadAddress)) },
    Specimen { name: "console-webhook", page: |frame| webhook(frame, None, true) },
    Specimen { name: "console-webhook-changed", page: |frame| webhook(frame, Some(Said::Changed), true) },
    Specimen { name: "console-webhook-seen", page: |frame| webhook(frame, None, false) },
    Specimen {
        name: "console-webhook-shown",
        page: |frame| {
            let secret = "whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample==";
            let (desk, webhook) = (at(Section::Webhooks), directory(frame.language));
            ShownSecret { desk, webhook, secret }.page(frame)
        },
    },
];
