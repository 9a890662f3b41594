//! The server: tools and resources of the protocol over a database.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::backend::{Backend, Failure};
use crate::tools::{TOOLS, Tool};

/// The resources: URI, name, and content.
const RESOURCES: [(&str, &str, &str); 3] = [
    ("text2sql://tables", "tables", "The tables that questions may use."),
    ("text2sql://glossary", "glossary", "Words of this database's users and their meaning."),
    (
        "text2sql://verified-questions",
        "verified questions",
        "Questions with SQL that somebody checked.",
    ),
];

/// The server of one client.
#[derive(Clone)]
pub struct Server {
    backend: Arc<dyn Backend>,
}

impl Server {
    /// A server over a database.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend }
    }

    async fn resource(&self, uri: &str) -> Result<(String, &'static str), ErrorData> {
        let content = match uri {
            "text2sql://tables" => self.backend.tables().await.map(pretty),
            "text2sql://glossary" => self.backend.glossary().await.map(pretty),
            "text2sql://verified-questions" => self.backend.verified_questions().await.map(pretty),
            _ => return Err(ErrorData::resource_not_found(format!("there is no {uri}"), None)),
        };
        content.map_err(|failure| ErrorData::internal_error(failure.text(), None))
    }
}

fn pretty(value: Value) -> (String, &'static str) {
    (format!("{value:#}"), "application/json")
}

fn result(called: Result<Value, Failure>) -> CallToolResult {
    match called {
        Ok(Value::String(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Ok(value) => CallToolResult::structured(value),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.text())]),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new("text2sql-mcp", env!("CARGO_PKG_VERSION"));
        config.instructions = Some(format!(
            "Questions to a {} database in plain language. Use `ask` first. Read its notices to the user, because they \
             say what an answer assumes. If it refuses, follow its hint, or look with `search_columns`, `search_values` and \
             `join_path`, write SQL and `run` it. Everything is read-only, with the database user's rights and limits.",
            self.backend.system()
        ));
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(Tool::describe).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::named(&request.name) else {
            let message = format!("there is no tool {:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let given = request.arguments.unwrap_or_default();
        let called = match tool.arguments(&given) {
            Ok(arguments) => self.backend.call(tool, arguments, context.ct).await,
            Err(message) => Err(Failure::new(message)),
        };
        Ok(result(called).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |(uri, name, description): &(&str, &str, &str)| {
            let mut resource = Resource::new(*uri, *name);
            resource.description = Some((*description).to_owned());
            resource
        };
        Ok(ListResourcesResult::with_all_items(RESOURCES.iter().map(resource).collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (text, mime_type) = self.resource(&request.uri).await?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(mime_type);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

/// The tools as a client sees them, for the documentation.
pub fn listed() -> Value {
    json!(TOOLS.iter().map(Tool::describe).collect::<Vec<_>>())
}
