//! The names of the built-in roles. Other roles are shown by the name that their organization gave them.

super::phrases! {
    /// The names of the built-in roles.
    RoleWords {
        owner: "owner", "proprietário";
        admin: "admin", "administrador";
        member: "member", "membro";
        operator: "operator", "operador";
    }
}

impl RoleWords {
    /// Formats role names for display.
    pub fn role_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> String {
        let called = |name: &'a str| match name {
            "owner" => self.owner,
            "admin" => self.admin,
            "member" => self.member,
            "operator" => self.operator,
            own => own,
        };
        names.into_iter().map(called).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_role_names_are_localized_and_custom_ones_are_not() {
        let names = ["owner", "Faturamento", "member"];
        assert_eq!(RoleWords::ENGLISH.role_names(names), "owner, Faturamento, member");
        assert_eq!(RoleWords::PORTUGUESE.role_names(names), "proprietário, Faturamento, membro");
        assert_eq!(RoleWords::PORTUGUESE.role_names(["admin", "operator"]), "administrador, operador");
        assert_eq!(RoleWords::PORTUGUESE.role_names([]), "");
    }
}
