//! Usage reports: how often users signed in, how many were active, which tokens were issued. They contain no personal
//! data.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{READ_AUDIT, READ_INSTANCE};
use sinete_core::events::usage::UsageReport;
use sinete_core::events::usage::period::UsagePeriod;
use sinete_core::id::OrganizationId;
use sinete_store::events::usage;
use sinete_store::events::usage::UsageOwner;

/// Which periods a report contains: the last ones, including the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageRequest {
    /// The kind of period.
    pub period: UsagePeriod,
    /// How many.
    pub count: u32,
}

/// The usage of the instance, or of one of its organizations, for operators.
pub async fn report_instance_usage(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    request: UsageRequest,
    organization: Option<OrganizationId>,
) -> Result<UsageReport, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    let owner = organization.map_or(UsageOwner::Instance, UsageOwner::Organization);
    Ok(build_report(engine, owner, request).await?)
}

/// The usage of an organization, for those who may read its audit log.
pub async fn report_organization_usage(
    engine: &Engine,
    access: &OrganizationAccess,
    request: UsageRequest,
) -> Result<UsageReport, Error> {
    access.require_read_permission(READ_AUDIT)?;
    access.record_read_by_non_member(engine, "usage").await?;
    Ok(build_report(engine, UsageOwner::Organization(access.organization.id), request).await?)
}

async fn build_report(
    engine: &Engine,
    owner: UsageOwner,
    request: UsageRequest,
) -> Result<UsageReport, Failure> {
    let starts = request.period.last_starts(engine.now(), request.count);
    let from = starts.first().copied().unwrap_or(engine.now());
    let counts = usage::list_usage(engine.store(), owner, from).await?;
    Ok(UsageReport::new(request.period, starts, &counts))
}
