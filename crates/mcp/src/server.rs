//! The protocol server.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, DiscoverResult, ErrorCode, ErrorData,
    Extensions, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use crate::progress::ProgressReporter;
use crate::service::{LibraryService, ServiceError};
use crate::{prompts, resources, tools};

/// Instructions that clients give to their models.
const INSTRUCTIONS: &str = "\
Pincite is a library of documents that verifies quotations. Find passages with `search`, read pages with `read`, \
and quote word for word. Call `verify_quote` or `verify_answer` before you show a quote: it is right only if \
`verified` is true. `ask` answers a question from the documents by itself.";

/// Time for which clients may cache lists that depend on the program only, in milliseconds.
const STATIC_TTL: u64 = 3_600_000;

/// Source of the library for a request: HTTP requests carry their sender in the extensions.
pub type ServiceSource =
    Arc<dyn Fn(&Extensions) -> Result<Arc<dyn LibraryService>, ServiceError> + Send + Sync>;

/// Protocol server over a library.
#[derive(Clone)]
pub struct McpServer {
    source: ServiceSource,
    /// Instructions that teach the citation format.
    citing_instructions: Arc<str>,
    version: &'static str,
}

impl McpServer {
    /// Creates a server. `version` is that of the program, `citing_instructions` the text of a prompt.
    pub fn new(source: ServiceSource, citing_instructions: &str, version: &'static str) -> Self {
        Self {
            source,
            citing_instructions: citing_instructions.into(),
            version,
        }
    }

    fn library(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<dyn LibraryService>, ErrorData> {
        (self.source)(&context.extensions).map_err(|error| protocol_error(&error))
    }
}

fn protocol_error(error: &ServiceError) -> ErrorData {
    match error.is_missing {
        true => ErrorData::resource_not_found(error.text(), None),
        false => ErrorData::internal_error(error.text(), None),
    }
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("The request was cancelled", None)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let implementation = Implementation::new("pincite", self.version)
            .with_title("Pincite")
            .with_description("Document library that verifies quotations");
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(INSTRUCTIONS)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(result
            .with_ttl_ms(STATIC_TTL)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let permissions = self.library(&context)?.permissions();
        Ok(ListToolsResult::with_all_items(tools::allowed(permissions)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let library = self.library(&context)?;
        let progress = ProgressReporter::of(&context);
        let called = tools::call(&library, &request.name, request.arguments, &progress);
        // A cancelled call is dropped, which ends its work.
        let called = tokio::select! {
            called = called => called,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let called = called.ok_or_else(|| {
            let message = format!(
                "Tool not found: `{}`. `tools/list` lists the tools",
                request.name
            );
            ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
        })?;
        Ok(called.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let library = self.library(&context)?;
        let cursor = request.and_then(|request| request.cursor);
        let listed = resources::list(&library, cursor).await;
        listed.map_err(|error| ErrorData::invalid_params(error.text(), None))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates()
            .with_ttl_ms(STATIC_TTL)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let library = self.library(&context)?;
        let read = tokio::select! {
            read = resources::read(&library, &request.uri) => read,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        Ok(read.map_err(|error| protocol_error(&error))?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompts::list()
            .with_ttl_ms(STATIC_TTL)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (&request.name, request.arguments.as_ref());
        let prompt = prompts::get(name, arguments, &self.citing_instructions);
        let prompt = prompt.map_err(|message| ErrorData::invalid_params(message, None))?;
        Ok(prompt.into())
    }
}
