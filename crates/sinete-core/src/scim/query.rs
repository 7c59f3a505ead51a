//! List parameters, in a query or in a search request body (RFC 7644 §3.4.2, §3.4.3).

use super::attribute_path::ScimAttributePath;
use super::filter::{FilterAttributeScope, ScimFilter};
use super::projection::ScimAttributeProjection;
use super::sort::ScimSortOrder;
use super::{ScimResourceType, normalization, refuse_attribute};
use crate::limits::{SCIM_PAGE_DEFAULT, SCIM_PAGE_MAX};
use crate::refusal::Refusal;
use crate::refusal::scim::ScimRefusal;
use serde_json::Value;

/// The schema of a search request.
pub const SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/// The parameters as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScimQueryParams {
    /// `filter`.
    pub filter: Option<String>,
    /// `sortBy`.
    pub sort_by: Option<String>,
    /// `sortOrder`.
    pub sort_order: Option<String>,
    /// `startIndex`, starting at one.
    pub start_index: Option<i64>,
    /// `count`.
    pub count: Option<i64>,
    /// `attributes`.
    pub attributes: Vec<String>,
    /// `excludedAttributes`.
    pub excluded: Vec<String>,
}

/// A list query for one resource type.
#[derive(Clone, Debug, PartialEq)]
pub struct ScimListQuery {
    /// The filter.
    pub filter: Option<ScimFilter>,
    /// The sort order; by creation time if `None`.
    pub order: Option<ScimSortOrder>,
    /// The number of results to skip.
    pub offset: u64,
    /// The maximum number of results.
    pub limit: u64,
    /// The selected attributes.
    pub projection: ScimAttributeProjection,
}

impl ScimQueryParams {
    /// Reads the parameters of a query.
    pub fn from_query<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Result<Self, Refusal> {
        let number = |name: &str| match get(name) {
            None => Ok(None),
            Some(text) => {
                text.parse::<i64>().map(Some).map_err(|_| invalid_parameter(name, "must be a number"))
            }
        };
        let names = |name: &str| split_list(get(name).unwrap_or_default());
        Ok(Self {
            filter: get("filter").map(str::to_owned),
            sort_by: get("sortBy").map(str::to_owned),
            sort_order: get("sortOrder").map(str::to_owned),
            start_index: number("startIndex")?,
            count: number("count")?,
            attributes: names("attributes"),
            excluded: names("excludedAttributes"),
        })
    }

    /// Reads the body of a search request.
    pub fn from_body(body: &Value) -> Result<Self, Refusal> {
        let Value::Object(body) = body else {
            return Err(Refusal::because(ScimRefusal::SearchNotObject, ""));
        };
        normalization::require_schema(body, SCHEMA)?;
        let member = |name: &str| {
            let entry = body.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            entry.map(|(_, value)| value).filter(|value| !value.is_null())
        };
        let text = |name: &str| match member(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(invalid_parameter(name, "must be a string")),
        };
        let number = |name: &str| match member(name) {
            None => Ok(None),
            Some(value) => {
                value.as_i64().map(Some).ok_or_else(|| invalid_parameter(name, "must be a number"))
            }
        };
        let names = |name: &str| match member(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(split_list(text)),
            Some(Value::Array(names)) => {
                let read = names.iter().map(|name| name.as_str().map(str::to_owned));
                read.collect::<Option<Vec<_>>>()
                    .ok_or_else(|| invalid_parameter(name, "must be an array of strings"))
            }
            Some(_) => Err(invalid_parameter(name, "must be an array of strings")),
        };
        Ok(Self {
            filter: text("filter")?,
            sort_by: text("sortBy")?,
            sort_order: text("sortOrder")?,
            start_index: number("startIndex")?,
            count: number("count")?,
            attributes: names("attributes")?,
            excluded: names("excludedAttributes")?,
        })
    }

    /// Resolves the parameters for a resource type.
    pub fn resolve_for_type(
        &self,
        kind: ScimResourceType,
        spoken: FilterAttributeScope,
    ) -> Result<ScimListQuery, Refusal> {
        let filter = self.filter.as_deref().map(|text| ScimFilter::parse(kind, spoken, text)).transpose()?;
        let is_descending = match self.sort_order.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("ascending") => false,
            Some("descending") => true,
            Some(_) => return Err(invalid_parameter("sortOrder", "must be ascending or descending")),
        };
        let by = match (&self.sort_by, spoken) {
            (None, _) => None,
            (Some(text), FilterAttributeScope::SearchedType) => {
                let nowhere = || Refusal::because(ScimRefusal::SortByNotSupported, "");
                Some(ScimAttributePath::parse(kind, text).ok_or_else(nowhere)?)
            }
            (Some(text), FilterAttributeScope::AllTypes) => ScimAttributePath::parse(kind, text),
        };
        // RFC 7644 §3.4.2.4: a `startIndex` below one is one, and a negative `count` is zero.
        let skipped = self.start_index.unwrap_or(1).max(1).unsigned_abs() - 1;
        let limit =
            self.count.map_or(SCIM_PAGE_DEFAULT, |count| count.max(0).unsigned_abs().min(SCIM_PAGE_MAX));
        let attribute_projection =
            ScimAttributeProjection::from_params(self.attributes.clone(), self.excluded.clone());
        Ok(ScimListQuery {
            filter,
            order: by.map(|by| ScimSortOrder { attribute: by, is_descending }),
            offset: skipped,
            limit,
            projection: attribute_projection,
        })
    }
}

fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn invalid_parameter(parameter: &str, text: &'static str) -> Refusal {
    refuse_attribute(ScimRefusal::ValueInvalid(text), parameter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::RefusalCode;
    use serde_json::json;

    fn query(pairs: &[(&str, &str)]) -> Result<ScimListQuery, RefusalCode> {
        let get =
            |name: &str| pairs.iter().find(|(param_name, _)| *param_name == name).map(|(_, value)| *value);
        let result = ScimQueryParams::from_query(get).and_then(|params| {
            params.resolve_for_type(ScimResourceType::User, FilterAttributeScope::SearchedType)
        });
        result.map_err(|refusal| refusal.code())
    }

    #[test]
    fn scim_pagination_starts_at_one_and_is_bounded() {
        let page = |start: &str, count: &str| {
            let query = query(&[("startIndex", start), ("count", count)]).unwrap();
            (query.offset, query.limit)
        };
        assert_eq!(page("1", "10"), (0, 10));
        assert_eq!(page("-3", "-1"), (0, 0));
        assert_eq!(page("201", "100000"), (200, SCIM_PAGE_MAX));
        let default_query = query(&[]).unwrap();
        assert_eq!((default_query.offset, default_query.limit), (0, SCIM_PAGE_DEFAULT));
    }

    #[test]
    fn scim_query_with_invalid_parameters_is_refused() {
        assert_eq!(query(&[("count", "many")]), Err(RefusalCode::InvalidValue));
        assert_eq!(query(&[("sortBy", "password")]), Err(RefusalCode::InvalidPath));
        assert_eq!(query(&[("sortBy", "userName"), ("sortOrder", "up")]), Err(RefusalCode::InvalidValue));
        assert_eq!(query(&[("filter", "x")]), Err(RefusalCode::InvalidFilter));
    }

    #[test]
    fn scim_search_request_body_equals_the_query() {
        let body = json!({
            "schemas": [SCHEMA], "attributes": ["userName", "id"], "filter": "active eq true", "sortBy": "id",
            "sortOrder": "descending", "startIndex": 3, "count": 7});
        let in_body = ScimQueryParams::from_body(&body)
            .unwrap()
            .resolve_for_type(ScimResourceType::User, FilterAttributeScope::SearchedType)
            .unwrap();
        let in_query = query(&[
            ("attributes", "userName, id"),
            ("filter", "active eq true"),
            ("sortBy", "id"),
            ("sortOrder", "descending"),
            ("startIndex", "3"),
            ("count", "7"),
        ]);
        assert_eq!(in_query, Ok(in_body));
        for body in [json!([]), json!({"schemas": []}), json!({"filter": 1}), json!({"count": "7"})] {
            assert!(ScimQueryParams::from_body(&body).is_err(), "{body}");
        }
    }
}
