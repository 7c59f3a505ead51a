//! Previews of the console.

mod api_keys;
pub(super) mod applications;
pub(super) mod audit_log;
pub(super) mod connections;
pub(super) mod domains;
mod invitations;
pub(super) mod roles;
pub(super) mod webhooks;

use super::PagePreview;
use super::sign_in::FORM;
use crate::console::api_keys::NewApiKeyView;
use crate::console::blocked::{ConsoleAccessRequirement, ConsoleBlockedView};
use crate::console::list_links::OrderLink;
use crate::console::member::{MemberActions, MemberDetailView, MemberProfileItem};
use crate::console::members::{MemberItem, MemberListView, MembershipHolderView};
use crate::console::notices::ConsoleNotice;
use crate::console::organization_choice::{ConsoleChooserView, ConsoleOrganization};
use crate::console::overview::OverviewView;
use crate::console::page_sizes::PageSizes;
use crate::console::role_choices::RoleChoice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::language::UiLanguage;

const LAYOUT: ConsoleLayout<'static> = ConsoleLayout {
    organization: "Padaria da Esquina",
    slug: "padaria",
    suspended: false,
    sections: &ConsoleSection::ALL,
    section: ConsoleSection::Overview,
    url_language: None,
    current_path: "/console/padaria",
    csrf: "token",
    notice: None,
    is_input_lost: false,
    detail: "",
    is_operator: false,
};

const fn sample_layout(section: ConsoleSection) -> ConsoleLayout<'static> {
    ConsoleLayout { section, ..LAYOUT }
}

/// Selects the text in this language.
const fn select_text(language: UiLanguage, english: &'static str, portuguese: &'static str) -> &'static str {
    language.choose_description(english, portuguese)
}

fn sample_overview(language: UiLanguage, suspended: bool) -> OverviewView<'static> {
    OverviewView {
        layout: ConsoleLayout { suspended, ..LAYOUT },
        id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6070",
        roles: select_text(language, "owner", "proprietário"),
        steps: None,
        figures: None,
        chart: None,
        permissions: language.choose_description(
            &["See the organization", "Invite, change and remove members", "See the roles"],
            &["Ver a organização", "Convidar, alterar e remover membros", "Ver as funções"],
        ),
    }
}

fn sample_members(language: UiLanguage) -> [MemberItem<'static>; 5] {
    let member = select_text(language, "member", "membro");
    let member_item = MemberItem {
        id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
        name: "Ana Sousa",
        address: "ana@example.org",
        roles: select_text(language, "owner", "proprietário"),
        holder: MembershipHolderView::CurrentUser,
        is_disabled: false,
    };
    [
        member_item,
        MemberItem {
            name: "Bruno Lima",
            address: "bruno@example.org",
            roles: member,
            holder: MembershipHolderView::OtherUser,
            ..member_item
        },
        MemberItem {
            name: "",
            address: "carla@example.org",
            roles: member,
            holder: MembershipHolderView::Unclaimed,
            ..member_item
        },
        MemberItem {
            name: "ledger-sync",
            address: "",
            roles: "billing",
            holder: MembershipHolderView::Machine,
            ..member_item
        },
        MemberItem {
            name: "Davi Rocha",
            address: "",
            roles: member,
            holder: MembershipHolderView::OtherUser,
            is_disabled: true,
            ..member_item
        },
    ]
}

fn sample_role_choices(language: UiLanguage) -> [RoleChoice<'static>; 4] {
    let role = RoleChoice {
        id: "1",
        name: select_text(language, "owner", "proprietário"),
        description: "",
        is_selected: false,
        is_editable: false,
    };
    [
        role,
        RoleChoice {
            id: "2",
            name: select_text(language, "admin", "administrador"),
            is_editable: true,
            ..role
        },
        RoleChoice {
            id: "3",
            name: select_text(language, "member", "membro"),
            is_selected: true,
            is_editable: true,
            ..role
        },
        RoleChoice {
            id: "4",
            name: "billing",
            description: select_text(language, "Reads and sends invoices", "Lê e envia faturas"),
            is_editable: true,
            ..role
        },
    ]
}

fn sample_member(language: UiLanguage, notice: Option<ConsoleNotice>) -> MemberDetailView<'static> {
    MemberDetailView {
        layout: ConsoleLayout { notice, ..sample_layout(ConsoleSection::Members) },
        member: sample_members(language)[1],
        known: MemberProfileItem {
            email: "bruno@padaria.example",
            title: select_text(language, "Baker", "Padeiro"),
            department: "",
            user_name: "",
            external_id: "",
        },
        since: DisplayTime(1_763_143_505),
        version: 3,
        roles: None,
        last_sign_in: Some(DisplayTime(1_763_143_505)),
        actions: MemberActions {
            change_condition: true,
            remove: true,
            view_audit_log: true,
            create_api_key: false,
            view_grants: true,
            view_approvals: true,
        },
        tables: &[],
    }
}

pub(super) const PREVIEWS: &[PagePreview] = &[
    PagePreview {
        name: "console-organization-choice",
        page: |frame| {
            let owner = select_text(frame.language, "owner", "proprietário");
            let workplaces = [
                ConsoleOrganization {
                    name: "Padaria da Esquina",
                    slug: "padaria",
                    roles: owner,
                    suspended: false,
                },
                ConsoleOrganization { name: "Acme", slug: "acme", roles: "billing", suspended: true },
            ];
            ConsoleChooserView { is_operator: false, organizations: &workplaces, url_language: None }
                .render(frame)
        },
    },
    PagePreview {
        name: "console-overview",
        page: |frame| sample_overview(frame.language, false).render(frame),
    },
    PagePreview {
        name: "console-suspended",
        page: |frame| sample_overview(frame.language, true).render(frame),
    },
    PagePreview {
        name: "console-members",
        page: |frame| {
            let layout = sample_layout(ConsoleSection::Members);
            let phrases = frame.phrases();
            let link = |text: &str, path: &str, is_current: bool| OrderLink {
                text: text.to_owned(),
                path: path.to_owned(),
                is_current,
            };
            let orders = [
                link(phrases.blocks.order_oldest, "/console/acme/members", true),
                link(phrases.blocks.order_newest, "/console/acme/members?sort=-created", false),
            ];
            let pages = ListPaging {
                next: Some("cursor"),
                is_not_first: true,
                size: Some(50),
                sizes: PageSizes::SHORT_ROWS,
                orders: &orders,
                ..ListPaging::default()
            };
            MemberListView {
                layout,
                members: &sample_members(frame.language),
                pages,
                search: "",
                is_search_incomplete: false,
                is_index_incomplete: false,
                may_invite: true,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-members-search",
        page: |frame| {
            let (layout, pages) = (sample_layout(ConsoleSection::Members), ListPaging::default());
            MemberListView {
                layout,
                members: &sample_members(frame.language)[1..2],
                pages,
                search: "bru li",
                is_search_incomplete: false,
                is_index_incomplete: false,
                may_invite: true,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-members-no-results",
        page: |frame| {
            let (layout, pages) = (sample_layout(ConsoleSection::Members), ListPaging::default());
            MemberListView {
                layout,
                members: &[],
                pages,
                search: "zé@example",
                is_search_incomplete: false,
                is_index_incomplete: false,
                may_invite: true,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-members-first",
        page: |frame| {
            let (layout, pages) = (sample_layout(ConsoleSection::Members), ListPaging::default());
            MemberListView {
                layout,
                members: &[],
                pages,
                search: "bru li",
                is_search_incomplete: false,
                is_index_incomplete: true,
                may_invite: true,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-members-next-page",
        page: |frame| {
            let layout = sample_layout(ConsoleSection::Members);
            let pages = ListPaging {
                next: Some("cursor"),
                query: "search=zo%20bru",
                size: Some(50),
                sizes: PageSizes::SHORT_ROWS,
                ..ListPaging::default()
            };
            MemberListView {
                layout,
                members: &[],
                pages,
                search: "bruno zo",
                is_search_incomplete: true,
                is_index_incomplete: false,
                may_invite: true,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-member",
        page: |frame| {
            let choices = sample_role_choices(frame.language);
            let notice = Some(ConsoleNotice::RolesChanged);
            MemberDetailView { roles: Some(&choices), ..sample_member(frame.language, notice) }.render(frame)
        },
    },
    PagePreview {
        name: "console-member-changed",
        page: |frame| {
            let choices = sample_role_choices(frame.language);
            let notice = Some(ConsoleNotice::Changed);
            MemberDetailView { roles: Some(&choices), ..sample_member(frame.language, notice) }.render(frame)
        },
    },
    PagePreview { name: "console-invitations", page: |frame| invitations::render_invitations(frame, None) },
    PagePreview {
        name: "console-invitations-error",
        page: |frame| invitations::render_invitations(frame, Some(ConsoleNotice::BadEmail)),
    },
    PagePreview { name: "console-api-keys", page: |frame| api_keys::render_api_keys(frame, None) },
    PagePreview {
        name: "console-api-keys-error",
        page: |frame| api_keys::render_api_keys(frame, Some(ConsoleNotice::NoName)),
    },
    PagePreview {
        name: "console-new-api-key",
        page: |frame| {
            let (layout, until) = (sample_layout(ConsoleSection::ApiKeys), DisplayTime(1_771_143_505));
            let secret = "sn_ak_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexam";
            NewApiKeyView { layout, name: "Ledger", secret, expires_at: until }.render(frame)
        },
    },
    PagePreview {
        name: "console-step-up-required",
        page: |frame| {
            ConsoleBlockedView {
                form: FORM,
                organization: "Padaria da Esquina",
                requirement: ConsoleAccessRequirement::StepUp,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-enrollment-required",
        page: |frame| {
            ConsoleBlockedView {
                form: FORM,
                organization: "Padaria da Esquina",
                requirement: ConsoleAccessRequirement::Enrollment,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "console-other-method-required",
        page: |frame| {
            ConsoleBlockedView {
                form: FORM,
                organization: "Padaria da Esquina",
                requirement: ConsoleAccessRequirement::OtherSignInMethod,
            }
            .render(frame)
        },
    },
];
