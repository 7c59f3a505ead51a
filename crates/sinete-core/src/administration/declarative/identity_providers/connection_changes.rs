//! The changes to the connections of one organization, in an order in which each of them is accepted.

use super::{DeclaredConnection, IdentityProviderChange};
use crate::administration::declarative::DeclaredOrganization;
use crate::administration::declarative::plan::find_differences;

/// Plans the changes. The connection that provides `externalId` comes last, after any other has stopped providing it,
/// and so does a disabled one with a domain of another, which takes none from it. Where a connection that comes later
/// has that domain, it releases the domain first: disabled connections can exchange their domains.
pub(super) fn plan_connections(
    now: Option<&DeclaredOrganization>,
    organization: &DeclaredOrganization,
) -> Vec<IdentityProviderChange> {
    let mut current: Vec<DeclaredConnection> =
        now.into_iter().flat_map(|now| now.connections.values().cloned()).collect();
    let takes_domain = |connection: &DeclaredConnection| {
        let mut others = current.iter().filter(|it| !it.is_same_provider(connection));
        !connection.enabled && others.any(|it| !it.domains.is_disjoint(&connection.domains))
    };
    let mut connections: Vec<_> = organization.connections.iter().collect();
    connections.sort_by_key(|(_, it)| (takes_domain(it), it.settings.external_id_claim.is_some()));
    let mut changes = Vec::new();
    for (index, (name, connection)) in connections.iter().enumerate() {
        for (holder_name, holder) in connections.iter().skip(index + 1) {
            let declared_connection =
                current.iter_mut().find(|it| it.is_same_provider(holder) && !connection.enabled);
            changes.extend(declared_connection.and_then(|declared_connection| {
                release_domains(holder_name, declared_connection, connection)
            }));
        }
        let now = current.iter().find(|it| it.is_same_provider(connection));
        changes.extend(plan_connection(name, now, connection));
    }
    changes
}

/// Plans that a connection releases the domains that another one gets. Nothing else of it changes.
fn release_domains(
    name: &str,
    connection: &mut DeclaredConnection,
    receiver: &DeclaredConnection,
) -> Option<IdentityProviderChange> {
    let before = connection.clone();
    connection.domains.retain(|domain| !receiver.domains.contains(domain));
    plan_connection(name, Some(&before), connection)
}

fn plan_connection(
    name: &str,
    now: Option<&DeclaredConnection>,
    connection: &DeclaredConnection,
) -> Option<IdentityProviderChange> {
    let Some(now) = now else {
        return Some(IdentityProviderChange::CreateConnection(name.to_owned(), Box::new(connection.clone())));
    };
    let secret = connection.secret.clone().or_else(|| now.secret.clone());
    let declared_connection = DeclaredConnection { secret, ..connection.clone() };
    let differences = find_differences(now, &declared_connection);
    (!differences.is_empty()).then(|| {
        IdentityProviderChange::UpdateConnection(name.to_owned(), Box::new(declared_connection), differences)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::declarative::DeclarativeConfig;
    use serde_json::{Value, json};

    const X: &str = "x.acme.example";
    const Y: &str = "y.acme.example";

    /// Connections with their domains, which are disabled except for those whose name begins with `enabled`.
    fn organization(connections: &[(&str, &[&str])]) -> DeclaredOrganization {
        let connection = |(name, domains): &(&str, &[&str])| {
            let raw_connection = json!({"issuer": format!("https://{name}.example"), "name": "A", "client_id": "x",
                "authentication": "private_key", "domains": domains, "enabled": name.starts_with("enabled")});
            ((*name).to_owned(), raw_connection)
        };
        let connections: serde_json::Map<String, Value> = connections.iter().map(connection).collect();
        let acme = json!({"name": "Acme", "domains": [X, Y], "connections": connections});
        let config = DeclarativeConfig::parse(&json!({"organizations": {"acme": acme}})).unwrap();
        config.organizations.into_values().next().unwrap()
    }

    /// The changed connections in order, with the domains that each has afterwards.
    fn steps(now: &[(&str, &[&str])], desired_connections: &[(&str, &[&str])]) -> Vec<String> {
        let planned = plan_connections(Some(&organization(now)), &organization(desired_connections));
        let step = |change: &IdentityProviderChange| match change {
            IdentityProviderChange::UpdateConnection(name, after, _) => {
                let domains: Vec<_> = after.domains.iter().map(ToString::to_string).collect();
                format!("{name}: {}", domains.join(" "))
            }
            other => panic!("{other}"),
        };
        planned.iter().map(step).collect()
    }

    #[test]
    fn declarative_plan_lets_disabled_connections_exchange_their_domains() {
        let (x, y) = (&[X][..], &[Y][..]);
        let exchanged = steps(&[("a", x), ("b", y)], &[("a", y), ("b", x)]);
        assert_eq!(exchanged, ["b: ", "a: y.acme.example", "b: x.acme.example"]);
        let passed_on = steps(&[("a", &[]), ("b", x), ("c", y)], &[("a", x), ("b", y), ("c", &[])]);
        assert_eq!(passed_on, ["c: ", "b: ", "a: x.acme.example", "b: y.acme.example"]);
        assert!(steps(&[("a", x), ("b", y)], &[("a", x), ("b", y)]).is_empty());
    }

    #[test]
    fn declarative_plan_releases_no_domain_that_an_enabled_connection_takes() {
        let (x, y) = (&[X][..], &[Y][..]);
        let exchanged = steps(&[("a", x), ("enabled", y)], &[("a", y), ("enabled", x)]);
        assert_eq!(exchanged, ["enabled: x.acme.example", "a: y.acme.example"]);
    }
}
