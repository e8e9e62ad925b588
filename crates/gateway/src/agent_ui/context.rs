//! Context that people share with agents, and their standing grants.

use std::collections::BTreeMap;

use canvas::{
    CONTEXT_EVENT, ContextDecision, ContextDecisions, MessageKind, SharedContext, custom_event,
};
use json::{Map, Value};
use store::{
    OntologyRecord, PageRequest, Principal, RunStatus, StoreError, Thing, Timestamp,
    conversation_id,
};

use super::{AgentUi, AgentUiError, ontology, read_message};
use crate::canvas_records::{CONTEXT_ANSWER_RECORD, CONTEXT_RECORD, parse_record, shared_fields};
use crate::gateway::Gateway;

/// Kind of the things that are standing grants.
const GRANT_KIND: &str = "context_grant";
/// Largest number of standing grants that are read.
const MAX_GRANTS: usize = 1_000;

/// Answer of a person to a request for context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextAnswer {
    /// Decision about each field.
    pub decisions: ContextDecisions,
    /// Values that the application offers.
    pub values: Map,
}

/// Standing decision about a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextGrant {
    /// Id.
    pub id: String,
    /// Agent that asks.
    pub agent: String,
    /// Field.
    pub field: String,
    /// Decision: `always` or `never`.
    pub decision: ContextDecision,
    /// Time of the decision.
    pub at: Timestamp,
}

impl AgentUi<'_> {
    /// Answers a request for context. Only the granted fields leave. Returns them, and those that were withheld.
    pub async fn answer_context(
        &self,
        message: &str,
        answer: ContextAnswer,
    ) -> Result<SharedContext, AgentUiError> {
        let (_, envelope) = self.envelope(message).await?;
        let request = read_message(&envelope)?;
        if request.kind != MessageKind::ContextRequest {
            return Err(AgentUiError::NotFound("the request for context"));
        }
        let fields = request
            .payload
            .get("fields")
            .and_then(Value::as_array)
            .unwrap_or_default();
        let fields: Vec<&str> = fields.iter().filter_map(Value::as_str).collect();
        let grants = self.gateway.context_grants(&self.key.0).await?;
        let standing: ContextDecisions = { grants.into_iter() }
            .filter(|grant| grant.agent == request.agent_id)
            .map(|grant| (grant.field, grant.decision))
            .collect();
        let shared = SharedContext::select(&fields, &answer.decisions, &standing, &answer.values);
        for (field, decision) in &answer.decisions {
            if *decision != ContextDecision::Once && fields.contains(&field.as_str()) {
                self.gateway
                    .put_grant(&self.key.0, &request.agent_id, field, Some(*decision))
                    .await?;
            }
        }
        let last_run = self
            .gateway
            .store
            .last_run(&self.key.0, &self.key.1)
            .await?;
        let is_waiting = last_run.is_some_and(|run| run.status == RunStatus::Interrupted);
        for (field, value) in shared.values.iter() {
            self.share(field, value, &request.agent_id, Some(message))
                .await?;
        }
        let answered = Value::from([
            ("shared", shared.to_value()),
            (
                "withheld",
                Value::Array(
                    shared
                        .withheld
                        .iter()
                        .map(|it| it.as_str().into())
                        .collect(),
                ),
            ),
        ]);
        let now = self.gateway.now();
        self.store_record(CONTEXT_ANSWER_RECORD, message, &answered, now)
            .await?;
        if is_waiting {
            self.resume(&request.agent_id, message, &answered).await?;
        }
        Ok(shared)
    }

    /// Returns the answer that was given to a request for context.
    pub async fn context_answer(
        &self,
        message: &str,
    ) -> Result<Option<SharedContext>, AgentUiError> {
        let (principal, thread) = &self.key;
        let record = self
            .gateway
            .store
            .record(principal, thread, CONTEXT_ANSWER_RECORD, message)
            .await?;
        let answer = record.as_ref().map(parse_record);
        Ok(answer.map(|answer| SharedContext {
            values: answer
                .get("shared")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
            withheld: { answer.get("withheld").and_then(Value::as_array) }
                .unwrap_or_default()
                .iter()
                .filter_map(|field| Some(field.as_str()?.to_owned()))
                .collect(),
        }))
    }

    /// Runs the agent that waits for the answer, if the gateway has it. Other agents see the shared fields.
    async fn resume(&self, agent: &str, request: &str, answer: &Value) -> Result<(), AgentUiError> {
        let Some(entry) = self.gateway.agents.get(agent) else {
            return Ok(());
        };
        let resume = Value::Array(vec![Value::from([
            ("interruptId", request.into()),
            ("status", "resolved".into()),
            ("payload", answer.clone()),
        ])]);
        let run = format!("context-{}", self.gateway.new_id());
        let request = { self.gateway }
            .run_request(&self.key, &run, "{}", &resume.to_json())
            .await?;
        self.run_in_background(agent, &entry, request).await
    }

    /// Shares a field with the agents of the conversation.
    pub async fn share_context(&self, field: &str, value: &Value) -> Result<(), AgentUiError> {
        let agent = self.conversation_agent().await?;
        self.share(field, value, &agent, None).await
    }

    /// Withdraws a field. Returns false if it was not shared.
    pub async fn remove_context(&self, field: &str) -> Result<bool, AgentUiError> {
        let (principal, thread) = &self.key;
        let removed = self
            .gateway
            .store
            .delete_record(principal, thread, CONTEXT_RECORD, field)
            .await?;
        if removed {
            let change = Value::from([("key", field.into()), ("removed", Value::Bool(true))]);
            let agent = self.conversation_agent().await?;
            self.publish_context(&agent, change).await?;
        }
        Ok(removed)
    }

    /// Returns the shared fields by name.
    pub async fn shared_context(&self) -> Result<BTreeMap<String, Value>, AgentUiError> {
        Ok(shared_fields(&*self.gateway.store, &self.key).await?)
    }

    async fn share(
        &self,
        field: &str,
        value: &Value,
        agent: &str,
        request: Option<&str>,
    ) -> Result<(), AgentUiError> {
        let now = self.gateway.now();
        let mut record = Map::new();
        record.insert("key".to_owned(), field.into());
        record.insert("value".to_owned(), value.clone());
        if let Some(request) = request {
            record.insert("requestId".to_owned(), request.into());
        }
        let record = Value::Object(record);
        self.store_record(CONTEXT_RECORD, field, &record, now)
            .await?;
        self.publish_context(agent, record).await
    }

    async fn publish_context(&self, agent: &str, change: Value) -> Result<(), AgentUiError> {
        let run = format!("context-{}", self.gateway.new_id());
        // The log of the ontology names the field; the value is in the conversation only.
        let logged = Value::from([
            ("field", change.get("key").cloned().unwrap_or_default()),
            ("agentId", agent.into()),
            ("removed", Value::Bool(change.get("removed").is_some())),
        ]);
        self.deliver(&run, agent, &[custom_event(CONTEXT_EVENT, change)], None)
            .await?;
        let target = conversation_id(self.key.1.as_str());
        ontology::log_event(self.gateway, &self.key, "context_shared", target, &logged).await?;
        Ok(())
    }

    async fn conversation_agent(&self) -> Result<String, AgentUiError> {
        let thread = self.gateway.store.thread(&self.key.0, &self.key.1).await?;
        let thread = thread.ok_or(StoreError::NotFound {
            what: "the conversation",
        })?;
        Ok(thread.agent)
    }
}

impl Gateway {
    /// Returns the standing grants of a principal, the latest first.
    pub async fn context_grants(
        &self,
        principal: &Principal,
    ) -> Result<Vec<ContextGrant>, StoreError> {
        let query = store::ThingQuery {
            kind: Some(GRANT_KIND.to_owned()),
            ..store::ThingQuery::default()
        };
        let listed = self
            .store
            .things(principal, &query, &PageRequest::first(MAX_GRANTS))
            .await?;
        Ok(listed.items.iter().filter_map(read_grant).collect())
    }

    /// Revokes a standing grant: the agent has to ask again. Returns false if there is none.
    pub async fn revoke_grant(&self, principal: &Principal, id: &str) -> Result<bool, StoreError> {
        let grants = self.context_grants(principal).await?;
        let Some(grant) = grants.into_iter().find(|grant| grant.id == id) else {
            return Ok(false);
        };
        self.put_grant(principal, &grant.agent, &grant.field, None)
            .await?;
        Ok(true)
    }

    async fn put_grant(
        &self,
        principal: &Principal,
        agent: &str,
        field: &str,
        decision: Option<ContextDecision>,
    ) -> Result<(), StoreError> {
        let now = self.now();
        let word = match decision {
            Some(ContextDecision::Always) => "always",
            Some(ContextDecision::Once) => "once",
            Some(ContextDecision::Never) | None => "never",
        };
        let properties = Value::from([
            ("agent", agent.into()),
            ("field", field.into()),
            ("decision", word.into()),
        ]);
        let thing = Thing {
            // The length keeps two different pairs from having one id.
            id: format!("{GRANT_KIND}:{}:{agent}:{field}", agent.len()),
            group: principal.to_string(),
            kind: GRANT_KIND.to_owned(),
            name: field.to_owned(),
            within: None,
            properties: properties.to_json(),
            status: "active".to_owned(),
            schema_version: Some(1),
            created: now,
            updated: now,
            deleted: decision.is_none().then_some(now),
        };
        self.store
            .put(principal, vec![OntologyRecord::Thing(thing)])
            .await
    }
}

fn read_grant(thing: &Thing) -> Option<ContextGrant> {
    let properties = Value::parse(&thing.properties).ok()?;
    let text = |name: &str| Some(properties.get(name)?.as_str()?.to_owned());
    Some(ContextGrant {
        id: thing.id.clone(),
        agent: text("agent")?,
        field: text("field")?,
        decision: match text("decision")?.as_str() {
            "always" => ContextDecision::Always,
            "once" => ContextDecision::Once,
            _ => ContextDecision::Never,
        },
        at: thing.updated,
    })
}
