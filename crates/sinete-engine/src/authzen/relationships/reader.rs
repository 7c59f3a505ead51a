//! Reads relationships from requests, and resolves their subjects in one organization.

use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::authzen::model::AuthorizationModel;
use sinete_core::authzen::relationships::{Relationship, RelationshipSubject};
use sinete_core::authzen::{InvalidRelationObject, RelationObject, is_valid_name};
use sinete_core::client_id::ClientId;
use sinete_core::id::{MembershipId, OrganizationId, RoleId};
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::organizations::{memberships, roles};

/// A relationship in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationshipInput {
    /// The type and id of the object.
    pub object: (String, String),
    /// The relation.
    pub relation: String,
    /// The subject.
    pub subject: SubjectInput,
}

/// A subject in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectInput {
    /// `member`, `client`, `role`, or an object type.
    pub subject_type: String,
    /// The id.
    pub id: String,
    /// The relation of a subject set, if it is one.
    pub relation: Option<String>,
}

/// Reads relationships and collects errors.
pub(in crate::authzen) struct RelationshipReader<'a> {
    engine: &'a Engine,
    model: &'a AuthorizationModel,
    organization: OrganizationId,
    pub(in crate::authzen) faults: ValidationErrors,
}

/// Whether a subject must be a current member of the organization.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MembershipRule {
    ActiveMember,
    AnyReference,
}

impl<'a> RelationshipReader<'a> {
    pub(in crate::authzen) fn new(
        engine: &'a Engine,
        model: &'a AuthorizationModel,
        organization: OrganizationId,
    ) -> Self {
        Self { engine, model, organization, faults: ValidationErrors::default() }
    }

    /// Reads additions: they must match the model, and their subjects must be members of the organization.
    pub(in crate::authzen) async fn read_additions(
        &mut self,
        inputs: &[(String, RelationshipInput)],
    ) -> Result<Vec<Relationship>, Failure> {
        let mut read = Vec::with_capacity(inputs.len());
        for (at, input) in inputs {
            let Some(relationship) = self.read(at, input, MembershipRule::ActiveMember).await? else {
                continue;
            };
            let (object, subject_type) = (&relationship.object, relationship.subject.subject_type());
            if self.model.allows_relationship(object.object_type(), &relationship.relation, &subject_type) {
                read.push(relationship);
            } else {
                self.faults.add(at, "the object types of the API do not allow this relationship");
            }
        }
        Ok(read)
    }

    /// Reads references to existing relationships. Their subjects may have left.
    pub(in crate::authzen) async fn read_references(
        &mut self,
        inputs: &[(String, RelationshipInput)],
    ) -> Result<Vec<Relationship>, Failure> {
        let mut read = Vec::with_capacity(inputs.len());
        for (at, input) in inputs {
            read.extend(self.read(at, input, MembershipRule::AnyReference).await?);
        }
        Ok(read)
    }

    async fn read(
        &mut self,
        at: &str,
        input: &RelationshipInput,
        must: MembershipRule,
    ) -> Result<Option<Relationship>, Failure> {
        let object = self.read_object(&format!("{at}/object"), &input.object.0, &input.object.1);
        if !is_valid_name(&input.relation) {
            self.faults.add(format!("{at}/relation"), "must be the name of a relation");
        }
        let subject = self.read_subject(&format!("{at}/subject"), &input.subject, must).await?;
        let relation = input.relation.clone();
        let object = object.filter(|_| is_valid_name(&relation));
        Ok(object.zip(subject).map(|(object, subject)| Relationship { object, relation, subject }))
    }

    fn read_object(&mut self, at: &str, of_type: &str, id: &str) -> Option<RelationObject> {
        match RelationObject::new(of_type, id) {
            Ok(object) => Some(object),
            Err(relation_object @ InvalidRelationObject::Type) => {
                self.faults.add(format!("{at}/type"), relation_object.to_string());
                None
            }
            Err(relation_object @ InvalidRelationObject::Id) => {
                self.faults.add(format!("{at}/id"), relation_object.to_string());
                None
            }
        }
    }

    async fn read_subject(
        &mut self,
        at: &str,
        input: &SubjectInput,
        must: MembershipRule,
    ) -> Result<Option<RelationshipSubject>, Failure> {
        let of_people = sinete_core::authzen::RESERVED_TYPE_NAMES.contains(&input.subject_type.as_str());
        if of_people && input.relation.is_some() {
            self.faults.add(format!("{at}/relation"), "only objects can have relations");
            return Ok(None);
        }
        let at_id = format!("{at}/id");
        match input.subject_type.as_str() {
            "member" => self.read_member(&at_id, &input.id, must).await,
            "client" => self.read_client(&at_id, &input.id, must).await,
            "role" => self.read_role(&at_id, &input.id, must).await,
            of_type => {
                let object = self.read_object(at, of_type, &input.id);
                if input.relation.as_deref().is_some_and(|relation| !is_valid_name(relation)) {
                    self.faults.add(format!("{at}/relation"), "must be the name of a relation");
                    return Ok(None);
                }
                Ok(object.map(|object| match &input.relation {
                    Some(relation) => RelationshipSubject::Set(object, relation.clone()),
                    None => RelationshipSubject::Object(object),
                }))
            }
        }
    }

    async fn read_member(
        &mut self,
        at: &str,
        id: &str,
        must: MembershipRule,
    ) -> Result<Option<RelationshipSubject>, Failure> {
        let Some(membership) = self.faults.parse_text::<MembershipId>(at, id) else { return Ok(None) };
        if must == MembershipRule::ActiveMember {
            let membership_row =
                memberships::find_membership(self.engine.store(), self.organization, membership).await?;
            let belongs = membership_row.is_some_and(|it| {
                it.condition != LifecycleCondition::Ended
                    && !matches!(it.holder, MembershipHolder::Machine(_))
            });
            if !belongs {
                self.faults.add(at, "the organization has no such member");
                return Ok(None);
            }
        }
        Ok(Some(RelationshipSubject::Member(membership)))
    }

    async fn read_client(
        &mut self,
        at: &str,
        id: &str,
        must: MembershipRule,
    ) -> Result<Option<RelationshipSubject>, Failure> {
        let Some(client) = self.faults.parse_text::<ClientId>(at, id) else { return Ok(None) };
        let membership_row =
            memberships::find_client_membership(self.engine.store(), self.organization, &client).await?;
        match (membership_row, must) {
            (Some(membership), _) => Ok(Some(RelationshipSubject::Client(client, membership.id))),
            // No membership has this id, so nothing is found by it.
            (None, MembershipRule::AnyReference) => {
                Ok(Some(RelationshipSubject::Client(client, MembershipId::from_bytes([0; 16]))))
            }
            (None, MembershipRule::ActiveMember) => {
                self.faults.add(at, "the organization has no such service or agent");
                Ok(None)
            }
        }
    }

    async fn read_role(
        &mut self,
        at: &str,
        id: &str,
        must: MembershipRule,
    ) -> Result<Option<RelationshipSubject>, Failure> {
        let Some(role) = self.faults.parse_text::<RoleId>(at, id) else { return Ok(None) };
        if must == MembershipRule::ActiveMember {
            let roles = roles::list_roles(self.engine.store(), self.organization).await?;
            if !roles.iter().any(|it| it.id == role) {
                self.faults.add(at, "the organization has no such role");
                return Ok(None);
            }
        }
        Ok(Some(RelationshipSubject::Role(role)))
    }
}
