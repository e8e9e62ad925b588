//! Music credits and permissions.

use attribution::{
    AttributionRecord, Calibration, PermissionAnswer, PermissionAuditEntry, PermissionBundle,
    PermissionRequest,
};

use super::ApiOperation;
use super::builder::{JSON, READ, WRITE, json, json_body, operation, response, schema};
use crate::access::audit::AuditRule;
use crate::api::{
    ApprovalRequest, ApprovalResponse, AttributionHistory, AttributionHit, AttributionListQuery,
    AttributionSearchQuery, FeedbackRequest, FeedbackResponse, OffsetQuery, ReviewQueueItem,
};
use crate::error::ErrorCode;

const CREDITS: &str = "attributions";
const PERMISSIONS: &str = "permissions";
const RECORD: &str = "Attribution with its credits and history";

pub(super) const OPERATIONS: &[ApiOperation] = &[
    operation(
        "GET",
        "/api/v1/attributions/",
        READ,
        CREDITS,
        "List works with their credits",
    )
    .query(&[schema::<AttributionListQuery>])
    .responses(&[json::<Vec<AttributionRecord>>(
        "Works; `X-Total-Count` has the number of all",
    )]),
    operation(
        "GET",
        "/api/v1/attributions/search",
        READ,
        CREDITS,
        "Search works by title, artist and credited names",
    )
    .query(&[schema::<AttributionSearchQuery>])
    .responses(&[json::<Vec<AttributionHit>>("Works, the best first")]),
    operation(
        "GET",
        "/api/v1/attributions/{id}",
        READ,
        CREDITS,
        "Get an attribution by its id or that of its work",
    )
    .audit(AuditRule::Read("attribution.read"))
    .responses(&[json::<AttributionRecord>(RECORD)]),
    operation(
        "GET",
        "/api/v1/attributions/work/{id}",
        READ,
        CREDITS,
        "Get the attribution of a work",
    )
    .audit(AuditRule::Read("attribution.read"))
    .responses(&[json::<AttributionRecord>(RECORD)]),
    operation(
        "GET",
        "/api/v1/attributions/{id}/provenance",
        READ,
        CREDITS,
        "Get the history of an attribution",
    )
    .audit(AuditRule::Read("attribution.read"))
    .responses(&[json::<AttributionHistory>("History")]),
    operation(
        "POST",
        "/api/v1/attributions/{id}/feedback",
        WRITE,
        CREDITS,
        "Give feedback and propose corrections",
    )
    .bodies(&[json_body::<FeedbackRequest>()])
    .responses(&[response::<FeedbackResponse>(
        201,
        JSON,
        "Feedback and the record with pending corrections",
    )])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "POST",
        "/api/v1/attributions/{id}/corrections/{correction}/accept",
        WRITE,
        CREDITS,
        "Accept a correction: apply it and rescore",
    )
    .responses(&[json::<AttributionRecord>(RECORD)])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "POST",
        "/api/v1/attributions/{id}/corrections/{correction}/reject",
        WRITE,
        CREDITS,
        "Reject a correction",
    )
    .responses(&[json::<AttributionRecord>(RECORD)])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "POST",
        "/api/v1/attributions/{id}/corrections/{correction}/undo",
        WRITE,
        CREDITS,
        "Take an accepted correction back",
    )
    .responses(&[json::<AttributionRecord>(RECORD)])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "GET",
        "/api/v1/review/queue",
        READ,
        CREDITS,
        "List works that need a review, the most urgent first",
    )
    .query(&[schema::<OffsetQuery>])
    .responses(&[json::<Vec<ReviewQueueItem>>(
        "Works with the factors of their priority and suggestions",
    )]),
    operation(
        "POST",
        "/api/v1/review/approve-all",
        WRITE,
        CREDITS,
        "Approve works in the versions that were seen",
    )
    .bodies(&[json_body::<ApprovalRequest>()])
    .responses(&[json::<ApprovalResponse>(
        "Outcome of each work; changed ones are refused",
    )]),
    operation(
        "GET",
        "/api/v1/review/calibration",
        READ,
        CREDITS,
        "Get the calibration of confidences and prediction sets",
    )
    .responses(&[json::<Calibration>(
        "Calibration with the bins of the reliability diagram",
    )]),
    operation(
        "POST",
        "/api/v1/permissions/check",
        READ,
        PERMISSIONS,
        "Check a permission; every check is logged",
    )
    .bodies(&[json_body::<PermissionRequest>()])
    .responses(&[json::<PermissionAnswer>("Answer with its reasons")]),
    operation(
        "GET",
        "/api/v1/permissions/audit",
        READ,
        PERMISSIONS,
        "List checks of permissions, the newest first",
    )
    .query(&[schema::<OffsetQuery>])
    .responses(&[json::<Vec<PermissionAuditEntry>>(
        "Checks; `X-Total-Count` has the number of all",
    )]),
    operation(
        "GET",
        "/api/v1/permissions/{entity_id}",
        READ,
        PERMISSIONS,
        "List the permissions of a rights holder",
    )
    .responses(&[json::<Vec<PermissionBundle>>("Permissions")]),
    operation(
        "PUT",
        "/api/v1/permissions/{entity_id}",
        WRITE,
        PERMISSIONS,
        "Store permissions of a rights holder",
    )
    .bodies(&[json_body::<PermissionBundle>()])
    .responses(&[json::<PermissionBundle>(
        "Permissions with their new version",
    )])
    .errors(&[ErrorCode::Conflict]),
];
