//! The names of the built-in roles. Other roles are shown by the name that their organization gave them.

use crate::RoleNamesPhrases;

impl RoleNamesPhrases {
    /// Formats role names for display.
    pub fn join<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> String {
        let localized = |name: &'a str| self.find(name).unwrap_or(name);
        names.into_iter().map(localized).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use crate::Language;

    #[test]
    fn built_in_role_names_are_localized_and_custom_ones_are_not() {
        let names = ["owner", "Faturamento", "member"];
        let joined = |language: Language, names: &[&'static str]| {
            language.phrases().role_names.join(names.iter().copied())
        };
        assert_eq!(joined(Language::English, &names), "owner, Faturamento, member");
        assert_eq!(joined(Language::Portuguese, &names), "proprietário, Faturamento, membro");
        assert_eq!(joined(Language::Spanish, &["admin", "operator"]), "administrador, operador");
        assert_eq!(joined(Language::Portuguese, &[]), "");
    }
}
