//! The permissions that Sinete itself defines, with descriptions, and the built-in roles.

use super::built_in_permissions::{
    ADMINISTER_ORGANIZATIONS, CREATE_CLIENTS, CREATE_ORGANIZATIONS, DELETE_ORGANIZATION,
    IMPERSONATE_ACCOUNTS, MANAGE_ACCOUNTS, MANAGE_AGENTS, MANAGE_API_KEYS, MANAGE_APIS, MANAGE_CLIENTS,
    MANAGE_DOMAINS, MANAGE_MEMBERS, MANAGE_ROLES, MANAGE_SSO, MANAGE_WEBHOOKS, OPERATE_INSTANCE,
    PROVISION_SCIM, READ_APIS, READ_AUDIT, READ_CLIENTS, READ_INSTANCE, READ_MEMBERS, READ_ORGANIZATION,
    READ_ROLES, RELATE_APIS, RELATE_INSTANCE, ROTATE_KEYS, UPDATE_ORGANIZATION, VERIFY_CLIENTS,
};
use super::permission::{Permission, PermissionSet};
use super::role::Role;
use crate::organization_kind::OrganizationKind;

/// A built-in permission with its descriptions.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInPermission {
    /// The permission as text.
    pub permission: &'static str,
    /// What it allows, in English.
    pub english: &'static str,
    /// What it allows, in Portuguese.
    pub portuguese: &'static str,
    /// Where it is valid.
    pub reach: PermissionReach,
    /// Whether the action is irreversible.
    pub is_irreversible: bool,
}

/// Where a built-in permission is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionReach {
    /// In the organization of the token.
    Organization,
    /// In the whole instance; granted only by the operators' organization.
    Instance,
    /// Granted only by an assignment with a reason and an expiry, never by a role.
    Assignment,
}

const fn organization_permission(
    permission: &'static str,
    english: &'static str,
    portuguese: &'static str,
) -> BuiltInPermission {
    BuiltInPermission {
        permission,
        english,
        portuguese,
        reach: PermissionReach::Organization,
        is_irreversible: false,
    }
}

const fn instance_permission(
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

const fn assignment_permission(
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

/// All built-in permissions.
pub const PERMISSION_CATALOG: &[BuiltInPermission] = &[
    organization_permission(READ_ORGANIZATION, "See the organization", "Ver a organização"),
    organization_permission(
        UPDATE_ORGANIZATION,
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
    organization_permission(READ_MEMBERS, "See the members", "Ver os membros"),
    organization_permission(
        MANAGE_MEMBERS,
        "Invite, change and remove members",
        "Convidar, alterar e remover membros",
    ),
    organization_permission(READ_ROLES, "See the roles", "Ver as funções"),
    organization_permission(MANAGE_ROLES, "Create and change roles", "Criar e alterar funções"),
    organization_permission(READ_CLIENTS, "See the applications", "Ver os aplicativos"),
    organization_permission(CREATE_CLIENTS, "Add applications", "Adicionar aplicativos"),
    organization_permission(
        MANAGE_CLIENTS,
        "Change and remove applications",
        "Alterar e remover aplicativos",
    ),
    organization_permission(
        MANAGE_AGENTS,
        "Manage agents and stop them",
        "Gerenciar agentes e interrompê-los",
    ),
    organization_permission(READ_APIS, "See the APIs", "Ver as APIs"),
    organization_permission(MANAGE_APIS, "Add and change APIs", "Adicionar e alterar APIs"),
    organization_permission(
        RELATE_APIS,
        "Add and remove relationships at APIs",
        "Adicionar e remover relações em APIs",
    ),
    organization_permission(MANAGE_API_KEYS, "Create and revoke API keys", "Criar e revogar chaves de API"),
    organization_permission(READ_AUDIT, "Read the audit log", "Ler o log de auditoria"),
    organization_permission(MANAGE_WEBHOOKS, "Manage webhooks", "Gerenciar webhooks"),
    organization_permission(MANAGE_SSO, "Manage single sign-on", "Gerenciar o login único"),
    organization_permission(MANAGE_DOMAINS, "Manage domains", "Gerenciar domínios"),
    organization_permission(
        PROVISION_SCIM,
        "Provision members from a directory",
        "Provisionar membros a partir de um diretório",
    ),
    instance_permission(READ_INSTANCE, "See the instance", "Ver a instância"),
    instance_permission(OPERATE_INSTANCE, "Operate the instance", "Operar a instância"),
    instance_permission(
        RELATE_INSTANCE,
        "Add and remove relationships at the instance's APIs",
        "Adicionar e remover relações nas APIs da instância",
    ),
    instance_permission(
        MANAGE_ACCOUNTS,
        "Find, disable and restore accounts",
        "Localizar, desativar e restaurar contas",
    ),
    instance_permission(VERIFY_CLIENTS, "Verify applications", "Verificar aplicativos"),
    instance_permission(ROTATE_KEYS, "Rotate signing keys", "Trocar as chaves de assinatura"),
    instance_permission(CREATE_ORGANIZATIONS, "Create organizations", "Criar organizações"),
    assignment_permission(
        ADMINISTER_ORGANIZATIONS,
        "Act inside another organization",
        "Atuar dentro de outra organização",
    ),
    assignment_permission(
        IMPERSONATE_ACCOUNTS,
        "Impersonate another user",
        "Atuar como outro usuário (personificação)",
    ),
];

/// Whether the resource name is built in, so that no API may define it.
pub fn is_built_in_resource(resource: &str) -> bool {
    let colon = resource.len();
    PERMISSION_CATALOG.iter().any(|built_in| {
        built_in.permission.as_bytes().get(colon) == Some(&b':') && built_in.permission.starts_with(resource)
    })
}

/// Finds a built-in permission by its exact text.
pub fn find_permission(permission: &Permission) -> Option<&'static BuiltInPermission> {
    PERMISSION_CATALOG.iter().find(|built_in| built_in.permission == permission.as_str())
}

/// The built-in roles of every organization. Their permissions are defined in code, not in rows, so that
/// existing owners and admins also get permissions added by a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltInRole {
    /// Everything in the organization, including assigning owners.
    Owner,
    /// Everything except deleting the organization and assigning owners.
    Admin,
    /// A plain member.
    Member,
    /// Operates the instance.
    Operator,
}

impl BuiltInRole {
    /// The name, as in the `role` claim.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Operator => "operator",
        }
    }

    /// The built-in roles of an organization of this kind.
    pub const fn for_organization_kind(kind: OrganizationKind) -> &'static [Self] {
        match kind {
            OrganizationKind::Customer => &[Self::Owner, Self::Admin, Self::Member],
            OrganizationKind::Operator => &[Self::Owner, Self::Admin, Self::Member, Self::Operator],
            OrganizationKind::Home => &[Self::Owner, Self::Admin, Self::Member],
        }
    }

    /// Finds a built-in role by name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Owner, Self::Admin, Self::Member, Self::Operator].into_iter().find(|role| role.name() == name)
    }

    /// The role's permissions in an organization of this kind. `Member` grants nothing in the home organization,
    /// and only the operators' organization grants instance permissions.
    pub fn permissions(self, kind: OrganizationKind) -> PermissionSet {
        let is_granted = |built_in: &&BuiltInPermission| match (self, built_in.reach) {
            (Self::Owner, PermissionReach::Organization) => true,
            (Self::Admin, PermissionReach::Organization) => built_in.permission != DELETE_ORGANIZATION,
            (Self::Member, PermissionReach::Organization) => {
                kind != OrganizationKind::Home && built_in.permission == READ_ORGANIZATION
            }
            (Self::Operator, PermissionReach::Instance) => kind == OrganizationKind::Operator,
            (Self::Owner | Self::Admin | Self::Member, PermissionReach::Instance)
            | (Self::Operator, PermissionReach::Organization)
            | (_, PermissionReach::Assignment) => false,
        };
        // A test shows that every entry parses; one that did not would grant nothing.
        PERMISSION_CATALOG
            .iter()
            .filter(is_granted)
            .filter_map(|built_in| built_in.permission.parse().ok())
            .collect()
    }

    /// The owner role, extended by the resources that APIs offer to the organization: an owner holds all of
    /// them, because otherwise no member could assign them.
    pub fn build_owner_role<'a>(
        kind: OrganizationKind,
        resources: impl IntoIterator<Item = &'a str>,
    ) -> Role {
        let api_resources = resources.into_iter().filter(|resource| !is_built_in_resource(resource));
        let wildcards: PermissionSet =
            api_resources.filter_map(|resource| format!("{resource}:*").parse().ok()).collect();
        let permissions = Self::Owner.permissions(kind);
        Role::new_built_in(Self::Owner.name(), PermissionSet::union([&permissions, &wildcards].into_iter()))
    }

    /// The role as assigned in an organization of this kind.
    pub fn to_role(self, kind: OrganizationKind) -> Role {
        Role::new_built_in(self.name(), self.permissions(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(role: BuiltInRole, kind: OrganizationKind, permission: &str) -> bool {
        role.permissions(kind).covers(&permission.parse().unwrap())
    }

    #[test]
    fn built_in_permissions_have_the_same_texts_in_the_message_files() {
        use crate::accounts::language::Language;
        for it in PERMISSION_CATALOG {
            let find_text = |language: Language| {
                language.describe_permission(it.permission).map(|text| text.replace('’', "'"))
            };
            assert_eq!(find_text(Language::English).as_deref(), Some(it.english));
            assert_eq!(find_text(Language::Portuguese).as_deref(), Some(it.portuguese));
            assert!(
                find_text(Language::Spanish).is_some() && find_text(Language::EuropeanPortuguese).is_some()
            );
        }
    }

    #[test]
    fn permission_catalog_entries_parse_and_have_text_in_every_language() {
        for built_in in PERMISSION_CATALOG {
            let permission: Permission = built_in.permission.parse().unwrap();
            assert!(find_permission(&permission).is_some() && is_built_in_resource(permission.resource()));
            assert!(!built_in.english.is_empty() && !built_in.portuguese.is_empty());
            assert_ne!(built_in.english, built_in.portuguese);
        }
        assert!(!is_built_in_resource("invoices"));
    }

    #[test]
    fn permissions_conferred_by_assignment_are_in_no_role() {
        for kind in OrganizationKind::ALL {
            for role in BuiltInRole::for_organization_kind(kind) {
                assert!(!holds(*role, kind, ADMINISTER_ORGANIZATIONS), "{role:?}");
                assert!(!holds(*role, kind, IMPERSONATE_ACCOUNTS), "{role:?}");
                assert_eq!(Role::new(role.name(), role.permissions(kind)), Ok(role.to_role(kind)));
            }
        }
    }

    #[test]
    fn owner_role_holds_offered_api_permissions_but_no_reserved_ones() {
        let owner = BuiltInRole::build_owner_role(
            OrganizationKind::Customer,
            ["invoices", "accounts", "organizations"],
        );
        let holds = |permission: &str| owner.permissions().covers(&permission.parse().unwrap());
        assert!(holds("invoices:read") && holds("invoices:*") && holds("members:manage"));
        assert!(!holds("accounts:manage") && !holds(ADMINISTER_ORGANIZATIONS) && !holds("files:read"));
        assert_eq!(Role::new(owner.name(), owner.permissions().clone()), Ok(owner));
    }

    #[test]
    fn built_in_roles_differ_by_organization_kind() {
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
