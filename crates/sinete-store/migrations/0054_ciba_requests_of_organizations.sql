-- The organization in which a CIBA request is answered, if there is only one in which it can be, or in which it was
-- approved. The parameters of the request, which say it too, are deleted with the decision.
ALTER TABLE approval_requests ADD COLUMN organization_id BYTEA;
CREATE INDEX approval_requests_of_organization ON approval_requests (organization_id, id)
    WHERE organization_id IS NOT NULL;
