//! What the roles are called that every organization has. Any other is called what its organization calls it.

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
    /// Roles as they are read, by the names they are known by.
    pub fn read<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> String {
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
    fn built_in_roles_have_a_name_in_each_language_and_others_the_one_they_were_given() {
        let names = ["owner", "Faturamento", "member"];
        assert_eq!(RoleWords::ENGLISH.read(names), "owner, Faturamento, member");
        assert_eq!(RoleWords::PORTUGUESE.read(names), "proprietário, Faturamento, membro");
        assert_eq!(RoleWords::PORTUGUESE.read(["admin", "operator"]), "administrador, operador");
        assert_eq!(RoleWords::PORTUGUESE.read([]), "");
    }
}
