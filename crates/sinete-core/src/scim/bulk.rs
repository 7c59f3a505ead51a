//! Bulk requests (RFC 7644 §3.7), whose operations may refer to resources created by other operations.

use super::{ScimResourceType, normalization};
use crate::limits::SCIM_BULK_OPERATIONS_MAX;
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The schema of a bulk request.
pub const SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:BulkRequest";

/// The prefix of a reference to a resource created by another operation.
const BULK_ID_PREFIX: &str = "bulkId:";

/// A bulk request.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimBulkRequest {
    /// `failOnErrors`: the number of errors after which processing stops; `None` to process all operations.
    pub errors_max: Option<u64>,
    /// The operations in order.
    pub requests: Vec<ScimBulkOperation>,
}

/// An operation of a bulk request.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimBulkOperation {
    /// The HTTP method.
    pub method: ScimBulkMethod,
    /// The `bulkId`, by which other operations refer to the created resource.
    pub bulk_id: Option<String>,
    /// The expected version.
    pub version: Option<String>,
    /// The resource type and id from the path; `None` if the path is unknown.
    pub resource: Option<(ScimResourceType, Option<String>)>,
    /// The request body.
    pub data: Value,
}

/// The method of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimBulkMethod {
    /// Creates a resource.
    Post,
    /// Replaces a resource.
    Put,
    /// Modifies a resource.
    Patch,
    /// Deletes a resource.
    Delete,
}

impl ScimBulkMethod {
    /// The method name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl ScimBulkRequest {
    /// Parses a bulk request.
    pub fn parse(body: &Value) -> Result<Self, Refusal> {
        let Value::Object(body) = body else {
            return Err(malformed_request(
                "The bulk request is not a JSON object. Send one with the array Operations.",
            ));
        };
        normalization::require_schema(body, SCHEMA)?;
        let requests = find_member(body, "Operations").and_then(Value::as_array);
        let requests = requests
            .ok_or_else(|| malformed_request("The bulk request has no array Operations. Send one."))?;
        if requests.len() > SCIM_BULK_OPERATIONS_MAX {
            return Err(Refusal::because(ScimRefusal::BulkTooLarge, ""));
        }
        let errors_max = match find_member(body, "failOnErrors") {
            None | Some(Value::Null) => None,
            Some(number) => Some(number.as_u64().ok_or_else(|| {
                malformed_request("The member failOnErrors is not valid. Send a whole number.")
            })?),
        };
        let requests: Vec<ScimBulkOperation> =
            requests.iter().map(ScimBulkOperation::parse).collect::<Result<_, _>>()?;
        let mut names: Vec<&str> = requests.iter().filter_map(|request| request.bulk_id.as_deref()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(malformed_request("A bulkId appears twice. Use each once."));
        }
        Ok(Self { errors_max, requests })
    }
}

impl ScimBulkOperation {
    fn parse(operation: &Value) -> Result<Self, Refusal> {
        let Value::Object(operation) = operation else {
            return Err(malformed_request(
                "A bulk operation is not an object. Send objects with method and path.",
            ));
        };
        let text = |name: &str| find_member(operation, name).and_then(Value::as_str);
        let method = match text("method").unwrap_or_default().to_ascii_uppercase().as_str() {
            "POST" => ScimBulkMethod::Post,
            "PUT" => ScimBulkMethod::Put,
            "PATCH" => ScimBulkMethod::Patch,
            "DELETE" => ScimBulkMethod::Delete,
            _ => {
                return Err(malformed_request(
                    "The member method has an unknown value. Send POST, PUT, PATCH or DELETE.",
                ));
            }
        };
        let path = text("path")
            .ok_or_else(|| malformed_request("A bulk operation has no path. Send one such as /Users."))?;
        let bulk_id = text("bulkId").filter(|id| !id.is_empty()).map(str::to_owned);
        if method == ScimBulkMethod::Post && bulk_id.is_none() {
            return Err(malformed_request("A bulk operation with the method POST has no bulkId. Send one."));
        }
        Ok(Self {
            method,
            bulk_id,
            version: text("version").map(str::to_owned),
            resource: parse_operation_path(method, path),
            data: find_member(operation, "data").cloned().unwrap_or_default(),
        })
    }

    /// The `bulkId`s that the operation refers to.
    pub fn referenced_bulk_ids(&self) -> Vec<&str> {
        let mut bulk_ids = Vec::new();
        if let Some((_, Some(id))) = &self.resource {
            bulk_ids.extend(id.strip_prefix(BULK_ID_PREFIX));
        }
        collect_references(&self.data, &mut bulk_ids);
        bulk_ids
    }

    /// Replaces `bulkId` references with the ids of the created resources.
    #[must_use]
    pub fn resolve_bulk_ids(&self, created_ids: &HashMap<String, String>) -> Self {
        let resolve =
            |text: &str| text.strip_prefix(BULK_ID_PREFIX).and_then(|name| created_ids.get(name)).cloned();
        let mut request = self.clone();
        if let Some((_, Some(id))) = &mut request.resource
            && let Some(created_id) = resolve(id)
        {
            *id = created_id;
        }
        replace_references(&mut request.data, &resolve);
        request
    }
}

/// Parses the path of an operation: a resource type, or one resource.
fn parse_operation_path(method: ScimBulkMethod, path: &str) -> Option<(ScimResourceType, Option<String>)> {
    let (kind, rest) = ScimResourceType::ALL.iter().find_map(|kind| {
        let rest = path.strip_prefix(kind.endpoint())?;
        Some((*kind, rest))
    })?;
    match (method, rest.strip_prefix('/')) {
        (ScimBulkMethod::Post, None) if rest.is_empty() => Some((kind, None)),
        (ScimBulkMethod::Put | ScimBulkMethod::Patch | ScimBulkMethod::Delete, Some(id))
            if !id.is_empty() && !id.contains('/') =>
        {
            Some((kind, Some(id.to_owned())))
        }
        _ => None,
    }
}

fn collect_references<'a>(value: &'a Value, bulk_ids: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => bulk_ids.extend(text.strip_prefix(BULK_ID_PREFIX)),
        Value::Array(elements) => elements.iter().for_each(|element| collect_references(element, bulk_ids)),
        Value::Object(members) => members.values().for_each(|member| collect_references(member, bulk_ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn replace_references(value: &mut Value, resolve: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(created_id) = resolve(text) {
                *text = created_id;
            }
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| replace_references(element, resolve))
        }
        Value::Object(members) => members.values_mut().for_each(|member| replace_references(member, resolve)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn find_member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn malformed_request(text: &'static str) -> Refusal {
    Refusal::because(ScimRefusal::SyntaxInvalid(text), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;
    use serde_json::json;

    fn read(requests: Value) -> Result<ScimBulkRequest, RefusalCode> {
        let bulk_request = json!({"schemas": [SCHEMA], "failOnErrors": 2, "Operations": requests});
        ScimBulkRequest::parse(&bulk_request).map_err(|refusal| refusal.code())
    }

    #[test]
    fn scim_bulk_operations_are_read_with_their_resource() {
        let nine = format!("{}/9", ScimResourceType::User.endpoint());
        let bulk = read(json!([
            {"method": "post", "path": "/Users", "bulkId": "a", "data": {"userName": "ana"}},
            {"method": "PATCH", "path": "/Groups/7", "version": "W/\"3\"", "data": {}},
            {"method": "DELETE", "path": nine},
            {"method": "DELETE", "path": "/Roles/9"},
            {"method": "POST", "path": nine, "bulkId": "b"},
        ]))
        .unwrap();
        assert_eq!(bulk.errors_max, Some(2));
        let resources: Vec<_> = bulk.requests.iter().map(|request| request.resource.clone()).collect();
        let one = |kind, id: &str| Some((kind, Some(id.to_owned())));
        let expected = [
            Some((ScimResourceType::User, None)),
            one(ScimResourceType::Group, "7"),
            one(ScimResourceType::User, "9"),
            None,
            None,
        ];
        assert_eq!(resources, expected);
    }

    #[test]
    fn scim_bulk_id_references_are_resolved() {
        let bulk = read(json!([
            {"method": "PATCH", "path": "/Groups/bulkId:g", "data": {"Operations": [
                {"op": "add", "path": "members", "value": [{"value": "bulkId:u"}, {"value": "bulkId:none"}]}]}},
        ]))
        .unwrap();
        let request = &bulk.requests[0];
        assert_eq!(request.referenced_bulk_ids(), ["g", "u", "none"]);
        let created_ids = HashMap::from([("g".to_owned(), "1".to_owned()), ("u".to_owned(), "2".to_owned())]);
        let bulk_operation = request.resolve_bulk_ids(&created_ids);
        assert_eq!(bulk_operation.resource, Some((ScimResourceType::Group, Some("1".to_owned()))));
        assert_eq!(
            bulk_operation.data["Operations"][0]["value"],
            json!([{"value": "2"}, {"value": "bulkId:none"}])
        );
    }

    #[test]
    fn scim_bulk_request_malformed_or_too_large_is_refused() {
        for requests in [
            json!("x"),
            json!([{}]),
            json!([{"method": "GET", "path": "/Users"}]),
            json!([{"method": "POST", "path": "/Users", "data": {}}]),
            json!([{"method": "DELETE"}]),
            json!([{"method": "POST", "path": "/Users", "bulkId": "a"}, {"method": "POST", "path": "/Users", "bulkId": "a"}]),
        ] {
            assert_eq!(read(requests.clone()), Err(RefusalCode::InvalidSyntax), "{requests}");
        }
        let one = json!({"method": "DELETE", "path": "/Groups/9"});
        assert!(read(vec![one.clone(); SCIM_BULK_OPERATIONS_MAX].into()).is_ok());
        assert_eq!(read(vec![one; SCIM_BULK_OPERATIONS_MAX + 1].into()), Err(RefusalCode::TooLarge));
    }
}
