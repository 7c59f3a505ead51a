//! The domains of an organization.

use super::at;
use crate::console::domains::{Domain, Domains, State};
use crate::console::said::Said;
use crate::console::{Desk, Pages, Section};
use crate::moment::Moment;
use crate::page::Frame;
use crate::specimens::Specimen;

fn domains(frame: &Frame<'_>, said: Option<Said>) -> String {
    let padaria = Domain {
        id: "padaria.example",
        name: "padaria.example",
        state: State::Waits,
        since: Moment(1_763_143_505),
        record_name: "_sinete-challenge.padaria.example",
        record_value: "sinete-domain-verification=EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXA",
    };
    let domains = [
        padaria,
        Domain { id: "xn--po-eja.example", name: "pão.example", state: State::Proven, ..padaria },
        Domain {
            id: "trigo.example",
            name: "trigo.example",
            state: State::Missing,
            record_name: "_sinete-challenge.trigo.example",
            ..padaria
        },
    ];
    Domains {
        desk: Desk { said, here: "/console/padaria/domains", ..at(Section::Domains) },
        domains: if said == Some(Said::BadDomain) { &[] } else { &domains },
        pages: Pages::default(),
        may_change: true,
        typed: if said == Some(Said::BadDomain) { "padaria" } else { "" },
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "console-domains", page: |frame| domains(frame, None) },
    Specimen { name: "console-domains-trouble", page: |frame| domains(frame, Some(Said::BadDomain)) },
    Specimen { name: "console-domains-not-proven", page: |frame| domains(frame, Some(Said::NotProven)) },
];
