//! The permissions Sinete itself defines, in words for people, and the roles every organization has.

use super::permission::{Permission, PermissionSet};
use super::role::{ADMINISTER_ORGANIZATIONS, IMPERSONATE_ACCOUNTS, Role};
use crate::people::organization::OrganizationKind;

/// One permission of our own, with what it means in both languages.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInPermission {
    /// The permission, as it is written.
    pub permission: &'static str,
    /// What it allows, in English.
    pub english: &'static str,
    /// What it allows, in Portuguese.
    pub portuguese: &'static str,
    /// Where it counts.
    pub reach: PermissionReach,
    /// Whether what it allows cannot be taken back.
    pub is_irreversible: bool,
}

/// Where a permission of ours counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionReach {
    /// Inside the organization of the token.
    Organization,
    /// Over the whole instance; only the operators' organization confers it.
    Instance,
    /// Conferred by an assignment with a reason and an end, never by a role.
    Assignment,
}

const fn own(permission: &'static str, english: &'static str, portuguese: &'static str) -> BuiltInPermission {
    BuiltInPermission {
        permission,
        english,
        portuguese,
        reach: PermissionReach::Organization,
        is_irreversible: false,
    }
}

const fn instance(
    permission: &'static str,
    english: &'static str,
    portuguese: &'static str,
) -> BuiltInPermission {
    BuiltInPermission {
        permission,
        english,
        portuguese,
        reach: PermissionReach::Instance,
        is_irreversible: false,
    }
}

const fn assigned(
    permission: &'static str,
    english: &'static str,
    portuguese: &'static str,
) -> BuiltInPermission {
    BuiltInPermission {
        permission,
        english,
        portuguese,
        reach: PermissionReach::Assignment,
        is_irreversible: false,
    }
}

/// Deleting the organization: the one thing an admin may not do.
pub const DELETE_ORGANIZATION: &str = "organization:delete";

/// Every permission of our own.
pub const CATALOGUE: &[BuiltInPermission] = &[
    own("organization:read", "See the organization", "Ver a organização"),
    own(
        "organization:update",
        "Change the organization's settings",
        "Alterar as configurações da organização",
    ),
    BuiltInPermission {
        permission: DELETE_ORGANIZATION,
        english: "Delete the organization",
        portuguese: "Excluir a organização",
        reach: PermissionReach::Organization,
        is_irreversible: true,
    },
    own("members:read", "See the members", "Ver os membros"),
    own("members:manage", "Invite, change and remove members", "Convidar, alterar e remover membros"),
    own("roles:read", "See the roles", "Ver os papéis"),
    own("roles:manage", "Create and change roles", "Criar e alterar papéis"),
    own("clients:read", "See the applications", "Ver os aplicativos"),
    own("clients:create", "Add applications", "Adicionar aplicativos"),
    own("clients:manage", "Change and remove applications", "Alterar e remover aplicativos"),
    own("agents:manage", "Manage agents and stop them", "Gerenciar agentes e interrompê-los"),
    own("apis:read", "See the APIs", "Ver as APIs"),
    own("apis:manage", "Add and change APIs", "Adicionar e alterar APIs"),
    own("apis:relate", "Add and remove relationships at APIs", "Adicionar e remover relações em APIs"),
    own("api_keys:manage", "Issue and revoke API keys", "Emitir e revogar chaves de API"),
    own("audit:read", "Read the audit trail", "Ler a trilha de auditoria"),
    own("webhooks:manage", "Manage webhooks", "Gerenciar webhooks"),
    own("sso:manage", "Manage single sign-on", "Gerenciar o login único"),
    own("domains:manage", "Manage domains", "Gerenciar domínios"),
    own(
        "scim:provision",
        "Provision members from a directory",
        "Provisionar membros a partir de um diretório",
    ),
    instance("instance:read", "See the instance", "Ver a instância"),
    instance("instance:operate", "Operate the instance", "Operar a instância"),
    instance(
        "instance:relate",
        "Add and remove relationships at the instance's APIs",
        "Adicionar e remover relações nas APIs da instância",
    ),
    instance(
        "accounts:manage",
        "Find, disable and restore accounts",
        "Localizar, desativar e restaurar contas",
    ),
    instance("clients:verify", "Vouch for applications", "Atestar aplicativos"),
    instance("keys:rotate", "Rotate signing keys", "Trocar as chaves de assinatura"),
    instance("organizations:create", "Create organizations", "Criar organizações"),
    assigned(
        ADMINISTER_ORGANIZATIONS,
        "Act inside another organization",
        "Atuar dentro de outra organização",
    ),
    assigned(IMPERSONATE_ACCOUNTS, "Act as another person", "Atuar como outra pessoa"),
];

/// Whether the resource is one of ours, so that no other API may define it.
pub fn is_our_resource(resource: &str) -> bool {
    let colon = resource.len();
    CATALOGUE.iter().any(|built_in| {
        built_in.permission.as_bytes().get(colon) == Some(&b':') && built_in.permission.starts_with(resource)
    })
}

/// The entry of a permission of our own, by its exact text.
pub fn find(permission: &Permission) -> Option<&'static BuiltInPermission> {
    CATALOGUE.iter().find(|built_in| built_in.permission == permission.as_str())
}

/// The roles every organization is made with. Their contents are this program's, not a row's, so that a
/// new version's permissions are held by those who should hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltInRole {
    /// May do everything in the organization, and decides who else may.
    Owner,
    /// May do everything but delete the organization or decide who owns it.
    Admin,
    /// Belongs to it.
    Member,
    /// Runs the instance.
    Operator,
}

impl BuiltInRole {
    /// The name, as the `role` claim lists it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Operator => "operator",
        }
    }

    /// The roles an organization of that kind is made with.
    pub const fn of(kind: OrganizationKind) -> &'static [Self] {
        match kind {
            OrganizationKind::Customer => &[Self::Owner, Self::Admin, Self::Member],
            OrganizationKind::Operator => &[Self::Owner, Self::Admin, Self::Member, Self::Operator],
            OrganizationKind::Home => &[Self::Owner, Self::Admin, Self::Member],
        }
    }

    /// The built-in role of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Owner, Self::Admin, Self::Member, Self::Operator].into_iter().find(|role| role.name() == name)
    }

    /// What the role holds in an organization of that kind. People whom nobody invited hold nothing at
    /// home, and only the operators' organization confers anything over the instance.
    pub fn permissions(self, kind: OrganizationKind) -> PermissionSet {
        let held = |built_in: &&BuiltInPermission| match (self, built_in.reach) {
            (Self::Owner, PermissionReach::Organization) => true,
            (Self::Admin, PermissionReach::Organization) => built_in.permission != DELETE_ORGANIZATION,
            (Self::Member, PermissionReach::Organization) => {
                kind != OrganizationKind::Home && built_in.permission == "organization:read"
            }
            (Self::Operator, PermissionReach::Instance) => kind == OrganizationKind::Operator,
            (Self::Owner | Self::Admin | Self::Member, PermissionReach::Instance)
            | (Self::Operator, PermissionReach::Organization)
            | (_, PermissionReach::Assignment) => false,
        };
        // Every entry of the catalogue parses, as a test shows; one that did not would confer nothing.
        CATALOGUE.iter().filter(held).filter_map(|built_in| built_in.permission.parse().ok()).collect()
    }

    /// The owner's role where APIs offer these resources: an owner holds everything offered to the
    /// organization, or nobody could ever hand any of it out.
    pub fn owner_of<'a>(kind: OrganizationKind, resources: impl IntoIterator<Item = &'a str>) -> Role {
        let offered = resources.into_iter().filter(|resource| !is_our_resource(resource));
        let wildcards: PermissionSet =
            offered.filter_map(|resource| format!("{resource}:*").parse().ok()).collect();
        let own = Self::Owner.permissions(kind);
        Role::built_in(Self::Owner.name(), PermissionSet::union_of([&own, &wildcards].into_iter()))
    }

    /// The role as a membership of such an organization carries it.
    pub fn role(self, kind: OrganizationKind) -> Role {
        Role::built_in(self.name(), self.permissions(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(role: BuiltInRole, kind: OrganizationKind, permission: &str) -> bool {
        role.permissions(kind).covers(&permission.parse().unwrap())
    }

    #[test]
    fn every_entry_is_a_permission_with_words_in_both_languages() {
        for built_in in CATALOGUE {
            let permission: Permission = built_in.permission.parse().unwrap();
            assert!(find(&permission).is_some() && is_our_resource(permission.resource()));
            assert!(!built_in.english.is_empty() && !built_in.portuguese.is_empty());
            assert_ne!(built_in.english, built_in.portuguese);
        }
        assert!(!is_our_resource("invoices"));
    }

    #[test]
    fn nobody_holds_what_only_an_assignment_confers() {
        for kind in OrganizationKind::ALL {
            for role in BuiltInRole::of(kind) {
                assert!(!holds(*role, kind, ADMINISTER_ORGANIZATIONS), "{role:?}");
                assert!(!holds(*role, kind, IMPERSONATE_ACCOUNTS), "{role:?}");
                assert_eq!(Role::new(role.name(), role.permissions(kind)), Ok(role.role(kind)));
            }
        }
    }

    #[test]
    fn an_owner_holds_what_apis_offer_and_nothing_of_ours_by_that_way() {
        let owner =
            BuiltInRole::owner_of(OrganizationKind::Customer, ["invoices", "accounts", "organizations"]);
        let holds = |permission: &str| owner.permissions().covers(&permission.parse().unwrap());
        assert!(holds("invoices:read") && holds("invoices:*") && holds("members:manage"));
        assert!(!holds("accounts:manage") && !holds(ADMINISTER_ORGANIZATIONS) && !holds("files:read"));
        assert_eq!(Role::new(owner.name(), owner.permissions().clone()), Ok(owner));
    }

    #[test]
    fn the_roles_differ_where_they_should() {
        use OrganizationKind::{Customer, Home, Operator};
        assert!(holds(BuiltInRole::Owner, Customer, "organization:delete"));
        assert!(!holds(BuiltInRole::Admin, Customer, "organization:delete"));
        assert!(holds(BuiltInRole::Admin, Customer, "members:manage"));
        assert!(holds(BuiltInRole::Member, Customer, "organization:read"));
        assert!(!holds(BuiltInRole::Member, Customer, "members:read"));
        assert!(BuiltInRole::Member.permissions(Home).is_empty());
        assert!(holds(BuiltInRole::Operator, Operator, "organizations:create"));
        assert!(BuiltInRole::Operator.permissions(Customer).is_empty());
        assert!(!holds(BuiltInRole::Owner, Operator, "instance:operate"));
    }
}
