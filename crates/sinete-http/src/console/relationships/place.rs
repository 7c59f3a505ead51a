//! Whose relationships a page shows: those of the organization of the page or, for operators, those of an organization at
//! an API of the instance.

use crate::console::operations::values::text_at;
use crate::console::page_context::PageContext;
use crate::management_api::in_process::OperationCall;
use serde_json::Value;

/// An API and, on a page of the instance, an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RelationshipPlace<'a> {
    pub(super) api: &'a str,
    /// The organization, for operators; `None` in the console of the organization.
    pub(super) organization: Option<&'a str>,
}

impl<'a> RelationshipPlace<'a> {
    /// From the parameters of the page's path.
    pub(super) fn from_page_id(id: &'a str) -> Self {
        match id.split_once('/') {
            Some((api, organization)) => Self { api, organization: Some(organization) },
            None => Self { api: id, organization: None },
        }
    }

    /// The call that shows the API.
    pub(super) fn show_call(self, context: &PageContext<'_>) -> OperationCall {
        let operation = if self.organization.is_some() { "getInstanceApi" } else { "getApi" };
        context.operation(operation).path("api", self.api)
    }

    /// The call that lists the relationships.
    pub(super) fn list_call(self, context: &PageContext<'_>) -> OperationCall {
        self.call(context, "listRelationships", "listInstanceRelationships")
    }

    /// The call that changes them.
    pub(super) fn change_call(self, context: &PageContext<'_>) -> OperationCall {
        self.call(context, "changeRelationships", "changeInstanceRelationships")
    }

    /// Whether the user may change them. Those at an API of the instance are changed by its operators.
    pub(super) fn can_change(self, context: &PageContext<'_>, api: &Value) -> bool {
        match self.organization {
            Some(_) => context.can_call("changeInstanceRelationships"),
            None => text_at(api, "/belongs_to") == "organization" && context.can_call("changeRelationships"),
        }
    }

    fn call(
        self,
        context: &PageContext<'_>,
        own_operation: &'static str,
        of_instance: &'static str,
    ) -> OperationCall {
        match self.organization {
            Some(organization) => {
                context.operation(of_instance).path("api", self.api).path("organization", organization)
            }
            None => context.operation(own_operation).path("api", self.api),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relationship_place_has_an_organization_only_on_a_page_of_the_instance() {
        assert_eq!(RelationshipPlace::from_page_id("a"), RelationshipPlace { api: "a", organization: None });
        let of_instance = RelationshipPlace { api: "a", organization: Some("acme") };
        assert_eq!(RelationshipPlace::from_page_id("a/acme"), of_instance);
    }
}
