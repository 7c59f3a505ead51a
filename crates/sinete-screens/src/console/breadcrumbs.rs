//! Breadcrumbs: the pages above a page, from the overview down to it. They follow from the path of the page, so that every
//! page has them.

use super::{ConsoleLayout, ConsoleSection};
use crate::locales::LocalePhrases;

/// A page above this one, or this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Breadcrumb {
    /// The name of the page.
    pub(crate) text: String,
    /// The path below the base URL; `None` for this page.
    pub(crate) path: Option<String>,
}

impl ConsoleLayout<'_> {
    /// The breadcrumbs of a page with this title; none on the overview.
    pub(crate) fn breadcrumbs(&self, phrases: &LocalePhrases, title: &str) -> Vec<Breadcrumb> {
        let area = self.area_path();
        if self.current_path == area {
            return Vec::new();
        }
        let link = |text: &str, path: String| Breadcrumb { text: text.to_owned(), path: Some(path) };
        let mut all = vec![link(self.organization, area.to_owned())];
        let section = format!("{area}{}", self.section.path());
        // A list that the user may not see is not offered.
        if section != area && section != self.current_path && self.sections.contains(&self.section) {
            all.push(link(self.section.name(phrases), section.clone()));
        }
        let below = self.current_path.strip_prefix(&format!("{section}/")).unwrap_or_default();
        // A page below that of an item; the guide for a new connection is below none.
        if let (Some((item, _)), Some(name)) = (below.split_once('/'), self.section.item_name(phrases))
            && item != "new"
        {
            all.push(link(name, format!("{section}/{item}")));
        }
        all.push(Breadcrumb { text: title.to_owned(), path: None });
        all
    }

    /// The path of the overview, with the organization named as in the path of the page.
    fn area_path(&self) -> &str {
        let parts = if self.section.is_of_instance() { 2 } else { 3 };
        let end = self.current_path.match_indices('/').nth(parts - 1).map(|(index, _)| index);
        end.and_then(|end| self.current_path.get(..end)).unwrap_or(self.current_path)
    }
}

impl ConsoleSection {
    /// What an item of the section is called, if there are pages below that of an item.
    const fn item_name(self, phrases: &LocalePhrases) -> Option<&'static str> {
        match self {
            Self::Members => Some(phrases.blocks.crumb_member),
            Self::Applications | Self::InstanceApplications => Some(phrases.applications.application),
            Self::Apis | Self::InstanceApis => Some(phrases.blocks.crumb_api),
            Self::Connections => Some(phrases.blocks.crumb_connection),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::UiLanguage;

    fn crumbs(section: ConsoleSection, path: &str) -> Vec<(String, Option<String>)> {
        crumbs_among(&[section], section, path)
    }

    fn crumbs_among(
        sections: &[ConsoleSection],
        section: ConsoleSection,
        path: &str,
    ) -> Vec<(String, Option<String>)> {
        let layout = ConsoleLayout {
            organization: "Acme",
            slug: "acme",
            suspended: false,
            sections,
            section,
            url_language: None,
            current_path: path,
            csrf: "",
            notice: None,
            is_input_lost: false,
            detail: "",
            is_operator: false,
        };
        let all = layout.breadcrumbs(UiLanguage::English.phrases(), "Here");
        all.into_iter().map(|crumb| (crumb.text, crumb.path)).collect()
    }

    fn link(text: &str, path: &str) -> (String, Option<String>) {
        (text.to_owned(), Some(path.to_owned()))
    }

    #[test]
    fn breadcrumbs_lead_from_the_overview_to_the_page() {
        let current_crumb = ("Here".to_owned(), None);
        let acme = link("Acme", "/console/acme");
        assert_eq!(crumbs(ConsoleSection::Overview, "/console/acme"), []);
        assert_eq!(crumbs(ConsoleSection::InstanceOverview, "/instance"), []);
        assert_eq!(
            crumbs(ConsoleSection::Members, "/console/acme/members"),
            [acme.clone(), current_crumb.clone()]
        );
        let members = link("Members", "/console/acme/members");
        assert_eq!(
            crumbs(ConsoleSection::Members, "/console/acme/members/1"),
            [acme.clone(), members.clone(), current_crumb.clone()]
        );
        assert_eq!(
            crumbs(ConsoleSection::Members, "/console/acme/members/1/profile"),
            [acme.clone(), members, link("Member", "/console/acme/members/1"), current_crumb.clone()]
        );
        assert_eq!(
            crumbs(ConsoleSection::Settings, "/console/acme/branding"),
            [acme.clone(), link("Settings", "/console/acme/settings"), current_crumb.clone()]
        );
        assert_eq!(
            crumbs(ConsoleSection::Overview, "/console/acme/search"),
            [acme.clone(), current_crumb.clone()]
        );
        assert_eq!(
            crumbs(ConsoleSection::Connections, "/console/acme/connections/new/okta"),
            [acme.clone(), link("Identity providers", "/console/acme/connections"), current_crumb.clone()]
        );
        let keys = crumbs(ConsoleSection::SigningKeys, "/instance/keys");
        assert_eq!(keys, [link("Acme", "/instance"), current_crumb.clone()]);
        let hidden = crumbs_among(&[], ConsoleSection::Roles, "/console/acme/roles/1");
        assert_eq!(hidden, [acme, current_crumb], "a list that the user may not see");
    }

    #[test]
    fn breadcrumbs_keep_the_organization_as_it_is_named_in_the_path() {
        let by_id = crumbs(ConsoleSection::Roles, "/console/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071/roles/1");
        assert_eq!(by_id[0].1.as_deref(), Some("/console/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"));
        assert_eq!(by_id[1].1.as_deref(), Some("/console/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071/roles"));
    }
}
