//! What happened in an organization.

use super::at;
use crate::console::said::Said;
use crate::console::trail::{Entry, Filter, OneEntry, Standing, Trail, Who};
use crate::console::{Desk, Pages, Section};
use crate::moment::Moment;
use crate::page::Frame;
use crate::specimens::Specimen;

const ANA: Who<'static> = Who {
    kind: "membership",
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
    name: "Ana Sousa",
    own: true,
    standing: Standing::Member,
};
const BRUNO: Who<'static> =
    Who { id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072", name: "Bruno Lima", own: false, ..ANA };
const FORMER: Who<'static> = Who {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
    name: "",
    own: false,
    standing: Standing::Former,
    ..ANA
};
const KEY: Who<'static> = Who { kind: "api_key", id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074", ..FORMER };
const SYSTEM: Who<'static> = Who { kind: "system", id: "", ..FORMER };

const MADE: Entry<'static> = Entry {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
    kind: "role.created",
    about: "billing",
    who: BRUNO,
    at: Moment(1_763_143_505),
};

fn trail(frame: &Frame<'_>, filter: Filter<'static>, said: Option<Said>) -> String {
    let entries = [
        Entry { kind: "membership.roles_changed", about: "Bruno Lima", who: ANA, ..MADE },
        MADE,
        Entry { kind: "domain.verified", about: "", who: SYSTEM, at: Moment(1_763_133_505), ..MADE },
        Entry { kind: "client_secret.added", about: "", who: KEY, at: Moment(1_763_123_505), ..MADE },
        Entry { kind: "invitation.sent", about: "", who: FORMER, at: Moment(1_763_043_505), ..MADE },
        Entry { kind: "payroll.closed", about: "", who: KEY, at: Moment(1_763_003_505), ..MADE },
    ];
    let entries = match (said, filter.kind) {
        (Some(_), _) => &[],
        (None, "") => &entries[..],
        (None, _) => &entries[1..2],
    };
    let desk = Desk { said, here: "/console/padaria/trail", ..at(Section::Trail) };
    Trail {
        desk,
        entries,
        pages: Pages { next: said.map_or(Some("cursor"), |_| None), ..Pages::default() },
        filter,
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "console-trail", page: |frame| trail(frame, Filter::default(), None) },
    Specimen {
        name: "console-trail-narrowed",
        page: |frame| {
            let filter =
                Filter { kind: "role.created", from: "2025-11-01", actor: Some(BRUNO), ..Filter::default() };
            trail(frame, filter, None)
        },
    },
    Specimen {
        name: "console-trail-trouble",
        page: |frame| trail(frame, Filter::default(), Some(Said::BadDay)),
    },
    Specimen {
        name: "console-event",
        page: |frame| {
            let whom =
                Who { kind: "role", id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075", name: "billing", ..FORMER };
            OneEntry {
                desk: at(Section::Trail),
                entry: MADE,
                exactly: "2025-11-14T18:05:05.000042Z",
                whom: Some(whom),
                reason: "",
                facts: &[("name", "billing"), ("permissions", "invoices:read, invoices:send")],
            }
            .page(frame)
        },
    },
];
