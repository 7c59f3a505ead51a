//! The roles of a form: some as checkboxes, the others by name. An organization can have hundreds, and a page with a checkbox
//! for each would be long and slow to read (docs/contribute/decisions/0333-console-pages-within-60000-characters.md).

/// Checkboxes of roles that are not selected.
const LISTED_ROLES_MAX: usize = 20;
/// Names that a browser suggests for the others.
const SUGGESTED_ROLES_MAX: usize = 100;

/// A selectable role.
#[derive(Clone, Copy, Debug)]
pub struct RoleChoice<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The description.
    pub description: &'a str,
    /// Whether it is selected.
    pub is_selected: bool,
    /// Whether the user may change the selection.
    pub is_editable: bool,
}

/// The roles with a checkbox: those that are selected, and the first of the others.
pub(crate) fn listed_roles<'a>(choices: &[RoleChoice<'a>]) -> Vec<RoleChoice<'a>> {
    let mut remaining = LISTED_ROLES_MAX;
    let is_listed = |role: &&RoleChoice<'a>| {
        let is_first = !role.is_selected && remaining > 0;
        remaining -= usize::from(is_first);
        role.is_selected || is_first
    };
    choices.iter().filter(is_listed).copied().collect()
}

/// The roles that are selected by name, as far as they are suggested.
pub(crate) fn named_roles<'a>(choices: &[RoleChoice<'a>]) -> Vec<RoleChoice<'a>> {
    let others = choices.iter().filter(|role| !role.is_selected).skip(LISTED_ROLES_MAX);
    others.filter(|role| role.is_editable).take(SUGGESTED_ROLES_MAX).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::{LISTED_ROLES_MAX, RoleChoice, listed_roles, named_roles};

    #[test]
    fn role_field_is_a_list_or_a_name() {
        let ids: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let choices: Vec<RoleChoice<'_>> = ids
            .iter()
            .enumerate()
            .map(|(index, id)| RoleChoice {
                id,
                name: id,
                description: "",
                is_selected: index % 25 == 24,
                is_editable: index != 49,
            })
            .collect();
        let (role_choices, unlisted_roles) = (listed_roles(&choices), named_roles(&choices));
        assert_eq!(role_choices.len(), LISTED_ROLES_MAX + 2, "the selected ones and the first");
        assert!(
            role_choices.iter().any(|role| role.id == "49")
                && !unlisted_roles.iter().any(|role| role.id == "49")
        );
        assert_eq!(role_choices.len() + unlisted_roles.len(), choices.len());
        assert!(unlisted_roles.iter().all(|role| role_choices.iter().all(|other| other.id != role.id)));
        assert!(named_roles(&choices[..20]).is_empty());
    }
}
