//! Previews of domains.

use super::sample_layout;
use crate::console::domains::{DomainItem, DomainListView, DomainState};
use crate::console::notices::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::page::PageFrame;
use crate::previews::PagePreview;

fn render_domain_list(frame: &PageFrame<'_>, notice: Option<ConsoleNotice>) -> String {
    let padaria = DomainItem {
        id: "padaria.example",
        name: "padaria.example",
        state: DomainState::Pending,
        since: DisplayTime(1_763_143_505),
        record_name: "_sinete-challenge.padaria.example",
        record_value: "sinete-domain-verification=EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXA",
    };
    let domains = [
        padaria,
        DomainItem {
            id: "xn--po-eja.example", name: "pão.example", state: DomainState::Verified, ..padaria
        },
        DomainItem {
            id: "trigo.example",
            name: "trigo.example",
            state: DomainState::Missing,
            record_name: "_sinete-challenge.trigo.example",
            ..padaria
        },
    ];
    DomainListView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/domains",
            ..sample_layout(ConsoleSection::Domains)
        },
        domains: if notice == Some(ConsoleNotice::BadDomain) { &[] } else { &domains },
        pages: ListPaging::default(),
        may_change: true,
        is_development: true,
        domain_input: if notice == Some(ConsoleNotice::BadDomain) { "padaria" } else { "" },
    }
    .render(frame)
}

pub(in crate::previews) const PREVIEWS: &[PagePreview] = &[
    PagePreview { name: "console-domains", page: |frame| render_domain_list(frame, None) },
    PagePreview {
        name: "console-domains-error",
        page: |frame| render_domain_list(frame, Some(ConsoleNotice::BadDomain)),
    },
    PagePreview {
        name: "console-domains-unverified",
        page: |frame| render_domain_list(frame, Some(ConsoleNotice::NotProven)),
    },
];
