//! Check of permissions: dates, territory, conditions, scope, delegation. The most restrictive answer wins.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{
    PermissionBundle, PermissionCondition, PermissionEntry, PermissionScope, PermissionType,
    PermissionValue,
};

/// Request for a permission.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PermissionRequest {
    /// Rights holder.
    pub entity_id: String,
    /// Use.
    pub permission_type: PermissionType,
    /// Release, recording or work; null for the catalog.
    #[serde(default)]
    pub scope_entity_id: Option<String>,
    /// Entities that contain the one of `scope_entity_id`: its work, recording and release.
    #[serde(default)]
    pub parent_entity_ids: Vec<String>,
    /// Requester.
    #[serde(default = "anonymous")]
    pub requester_id: String,
    /// Kind of requester, for example `platform`.
    #[serde(default)]
    pub requester_type: Option<String>,
    /// Country of the use (ISO 3166-1 alpha-2); null for the whole world.
    #[serde(default)]
    pub territory: Option<String>,
    /// Time of the use (RFC 3339); now if absent.
    #[serde(default)]
    pub at: Option<String>,
    /// Facts about the use that conditions refer to, for example `{"commercial": "false", "duration_seconds": "20"}`.
    #[serde(default)]
    pub context: BTreeMap<String, String>,
}

fn anonymous() -> String {
    "anonymous".to_owned()
}

/// Answer to a request for a permission.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PermissionAnswer {
    /// Rights holder.
    pub entity_id: String,
    /// Use.
    pub permission_type: PermissionType,
    /// Answer.
    pub result: PermissionValue,
    /// Bundle that decided; null if none did.
    pub permission_id: Option<String>,
    /// Conditions of the answer.
    pub conditions: Vec<PermissionCondition>,
    /// Rate of royalties.
    pub royalty_rate: Option<f64>,
    /// Text of the attribution.
    pub attribution_requirement: Option<String>,
    /// Reasons of the answer.
    pub reasons: Vec<String>,
}

/// Reason for which a bundle is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BundleError(pub String);

/// Checks a bundle before it is stored.
pub fn validate_bundle(bundle: &PermissionBundle) -> Result<(), BundleError> {
    let fail = |text: &str| Err(BundleError(text.to_owned()));
    if bundle.permissions.is_empty() {
        return fail("`permissions` is empty. Name at least one use");
    }
    if (bundle.scope == PermissionScope::Catalog) != bundle.scope_entity_id.is_none() {
        return fail("`scope_entity_id` must be null for the scope CATALOG and set for all others");
    }
    let Ok(from) = bundle.effective_from.parse::<jiff::Timestamp>() else {
        return fail("`effective_from` is not a time in RFC 3339 form");
    };
    if let Some(until) = &bundle.effective_until {
        match until.parse::<jiff::Timestamp>() {
            Ok(until) if until > from => {}
            Ok(_) => return fail("`effective_until` must be later than `effective_from`"),
            Err(_) => return fail("`effective_until` is not a time in RFC 3339 form"),
        }
    }
    for entry in &bundle.permissions {
        if entry.value == PermissionValue::AllowWithRoyalty
            && entry.royalty_rate.is_none_or(|rate| rate <= 0.0)
        {
            return fail("ALLOW_WITH_ROYALTY needs a `royalty_rate` above 0");
        }
        let has_text = entry
            .attribution_requirement
            .as_ref()
            .is_some_and(|text| !text.trim().is_empty());
        if entry.value == PermissionValue::AllowWithAttribution && !has_text {
            return fail("ALLOW_WITH_ATTRIBUTION needs an `attribution_requirement`");
        }
        let is_country = |code: &String| {
            code.len() == 2 && code.chars().all(|letter| letter.is_ascii_uppercase())
        };
        if entry
            .territory
            .as_ref()
            .is_some_and(|list| list.is_empty() || !list.iter().all(is_country))
        {
            return fail(
                "`territory` must list country codes of two capital letters, or be null for the whole world",
            );
        }
    }
    Ok(())
}

/// Checks that an author may store a bundle: the rights holder, or the end of an unbroken chain of delegation.
pub fn check_delegation(bundle: &PermissionBundle, author: &str) -> Result<(), BundleError> {
    if author == bundle.entity_id || author.is_empty() {
        return Ok(());
    }
    let mut previous_may_delegate = true;
    for link in &bundle.delegation_chain {
        if !previous_may_delegate {
            return Err(BundleError(format!(
                "The delegation to `{}` is not valid: the link before it may not delegate",
                link.entity_id
            )));
        }
        if link.entity_id == author {
            return match link.can_modify {
                true => Ok(()),
                false => Err(BundleError(format!(
                    "`{author}` may not change permissions of `{}`",
                    bundle.entity_id
                ))),
            };
        }
        previous_may_delegate = link.can_delegate;
    }
    Err(BundleError(format!(
        "`{author}` is not in the chain of delegation of `{}`",
        bundle.entity_id
    )))
}

/// Checks a request against the bundles of the rights holder.
pub fn check_permission(
    bundles: &[PermissionBundle],
    request: &PermissionRequest,
    now: jiff::Timestamp,
) -> PermissionAnswer {
    let at = request
        .at
        .as_deref()
        .and_then(|at| at.parse().ok())
        .unwrap_or(now);
    let mut answer = PermissionAnswer {
        entity_id: request.entity_id.clone(),
        permission_type: request.permission_type,
        result: PermissionValue::Ask,
        permission_id: None,
        conditions: Vec::new(),
        royalty_rate: None,
        attribution_requirement: None,
        reasons: Vec::new(),
    };
    let valid: Vec<&PermissionBundle> = bundles
        .iter()
        .filter(|bundle| bundle.entity_id == request.entity_id && is_in_effect(bundle, at))
        .collect();
    if valid.is_empty() {
        answer
            .reasons
            .push("no permission of the rights holder is in effect: ask".to_owned());
        return answer;
    }
    // The nearest scope decides: work or recording, then release, then catalog.
    for (scopes, name) in [
        (
            &[PermissionScope::Work, PermissionScope::Recording][..],
            "work or recording",
        ),
        (&[PermissionScope::Release], "release"),
        (&[PermissionScope::Catalog], "catalog"),
    ] {
        let nearest: Vec<&PermissionBundle> = valid
            .iter()
            .copied()
            .filter(|bundle| scopes.contains(&bundle.scope) && covers(bundle, request))
            .collect();
        if !nearest.is_empty() {
            decide(&nearest, request, at, name, &mut answer);
            return answer;
        }
    }
    answer
        .reasons
        .push("no permission covers this work: ask".to_owned());
    answer
}

fn is_in_effect(bundle: &PermissionBundle, at: jiff::Timestamp) -> bool {
    let has_begun = bundle
        .effective_from
        .parse::<jiff::Timestamp>()
        .is_ok_and(|from| from <= at);
    let has_ended = bundle.effective_until.as_ref().is_some_and(|until| {
        until
            .parse::<jiff::Timestamp>()
            .map_or(true, |until| until <= at)
    });
    has_begun && !has_ended
}

fn covers(bundle: &PermissionBundle, request: &PermissionRequest) -> bool {
    match &bundle.scope_entity_id {
        None => true,
        Some(id) => {
            request.scope_entity_id.as_ref() == Some(id) || request.parent_entity_ids.contains(id)
        }
    }
}

/// Takes the most restrictive answer of the bundles of one scope.
fn decide(
    bundles: &[&PermissionBundle],
    request: &PermissionRequest,
    at: jiff::Timestamp,
    scope: &str,
    answer: &mut PermissionAnswer,
) {
    let mut strictest: Option<(
        PermissionValue,
        &PermissionBundle,
        Option<&PermissionEntry>,
        String,
    )> = None;
    for bundle in bundles {
        let entries: Vec<&PermissionEntry> = bundle
            .permissions
            .iter()
            .filter(|entry| is_about(entry, request.permission_type))
            .collect();
        let mut outcomes: Vec<(PermissionValue, Option<&PermissionEntry>, String)> = entries
            .into_iter()
            .map(|entry| outcome(entry, request, at))
            .collect();
        if outcomes.is_empty() {
            outcomes.push((
                bundle.default_permission,
                None,
                format!("default of the permission for the {scope}"),
            ));
        }
        for (value, entry, reason) in outcomes {
            if strictest.as_ref().is_none_or(|(known, ..)| value < *known) {
                strictest = Some((value, bundle, entry, reason));
            }
        }
    }
    if let Some((value, bundle, entry, reason)) = strictest {
        answer.result = value;
        answer.permission_id = Some(bundle.permission_id.clone());
        answer
            .reasons
            .push(format!("the permission for the {scope} decides"));
        answer.reasons.push(reason);
        if let Some(entry) = entry {
            answer.conditions.clone_from(&entry.conditions);
            answer.royalty_rate = entry.royalty_rate;
            answer
                .attribution_requirement
                .clone_from(&entry.attribution_requirement);
        }
    }
}

/// Returns true if an entry is about a use. AI_TRAINING includes its special kinds.
fn is_about(entry: &PermissionEntry, wanted: PermissionType) -> bool {
    let is_training = matches!(
        wanted,
        PermissionType::AiTrainingComposition
            | PermissionType::AiTrainingRecording
            | PermissionType::AiTrainingStyle
    );
    entry.permission_type == wanted
        || (is_training && entry.permission_type == PermissionType::AiTraining)
}

fn outcome<'e>(
    entry: &'e PermissionEntry,
    request: &PermissionRequest,
    at: jiff::Timestamp,
) -> (PermissionValue, Option<&'e PermissionEntry>, String) {
    if let Some(territory) = &entry.territory {
        let is_inside = request.territory.as_ref().is_some_and(|country| {
            territory
                .iter()
                .any(|code| code.eq_ignore_ascii_case(country))
        });
        if !is_inside {
            return (
                PermissionValue::Ask,
                Some(entry),
                format!("the permission is for {} only: ask", territory.join(", ")),
            );
        }
    }
    for condition in &entry.conditions {
        match evaluate(condition, request, at) {
            ConditionState::Met => {}
            ConditionState::Unknown(reason) => {
                return (entry.value.min(PermissionValue::Ask), Some(entry), reason);
            }
            ConditionState::Failed(reason) => return (PermissionValue::Deny, Some(entry), reason),
            ConditionState::Exempt(reason) => return (PermissionValue::Allow, Some(entry), reason),
        }
    }
    (
        entry.value,
        Some(entry),
        format!(
            "{} is {}",
            request.permission_type.as_str(),
            entry.value.as_str()
        ),
    )
}

enum ConditionState {
    Met,
    Failed(String),
    /// The request says nothing about it.
    Unknown(String),
    /// The requester is exempt from the entry.
    Exempt(String),
}

fn evaluate(
    condition: &PermissionCondition,
    request: &PermissionRequest,
    at: jiff::Timestamp,
) -> ConditionState {
    let fact = |key: &str| request.context.get(key).map(String::as_str);
    let value = condition.value.trim();
    match condition.condition_type.as_str() {
        "non_commercial_only" => match (value == "false", fact("commercial")) {
            (true, _) | (_, Some("false")) => ConditionState::Met,
            (_, Some(_)) => ConditionState::Failed("only non-commercial use is allowed".to_owned()),
            (_, None) => ConditionState::Unknown(
                "the request does not say if the use is commercial: ask".to_owned(),
            ),
        },
        "max_duration_seconds" => match (
            value.parse::<f64>(),
            fact("duration_seconds").map(str::parse::<f64>),
        ) {
            (Ok(limit), Some(Ok(duration))) if duration <= limit => ConditionState::Met,
            (Ok(limit), Some(Ok(_))) => {
                ConditionState::Failed(format!("at most {limit} seconds are allowed"))
            }
            _ => ConditionState::Unknown(
                "the request does not say how long the use is: ask".to_owned(),
            ),
        },
        "territory" => {
            let is_inside = request.territory.as_ref().is_some_and(|country| {
                value
                    .split([',', ' '])
                    .any(|code| code.eq_ignore_ascii_case(country))
            });
            match (is_inside, &request.territory) {
                (true, _) => ConditionState::Met,
                (false, Some(_)) => {
                    ConditionState::Failed(format!("the use is allowed in {value} only"))
                }
                (false, None) => {
                    ConditionState::Unknown(format!("the use is allowed in {value} only: ask"))
                }
            }
        }
        "date_range" => {
            let (from, until) = value
                .split_once("..")
                .or_else(|| value.split_once('/'))
                .unwrap_or((value, ""));
            let day = at.to_string();
            let day = day.get(..10).unwrap_or_default();
            let is_inside = (from.is_empty() || from.get(..10).unwrap_or(from) <= day)
                && (until.is_empty() || day <= until.get(..10).unwrap_or(until));
            match is_inside {
                true => ConditionState::Met,
                false => ConditionState::Failed(format!("the use is allowed within {value} only")),
            }
        }
        "partner_verified" => match fact("partner_verified") {
            Some("true") => ConditionState::Met,
            _ => ConditionState::Unknown("only verified partners are allowed: ask".to_owned()),
        },
        "unless_authorized_platform" => match value
            .split([',', ' '])
            .any(|platform| platform.eq_ignore_ascii_case(&request.requester_id))
        {
            true => ConditionState::Exempt(format!(
                "`{}` is an authorised platform",
                request.requester_id
            )),
            false => ConditionState::Met,
        },
        "opt_out_available" => ConditionState::Met,
        // approval_required, case_by_case, clearance_required, and conditions that are not known here.
        other => ConditionState::Unknown(format!(
            "the condition `{other}` needs a decision of the rights holder: ask"
        )),
    }
}
