"""A client of the Model Context Protocol, run by the Python that has its SDK: reads {"server": [command, …],
"calls": [[tool, arguments], …]} from standard input, prints what came of each call, and the resources."""

import asyncio
import json
import sys

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    work = json.load(sys.stdin)
    command, *arguments = work["server"]
    server = StdioServerParameters(command=command, args=arguments, env=work.get("env"))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        outcomes = []
        for tool, given in work["calls"]:
            result = await session.call_tool(tool, given)
            text = result.content[0].text if result.content else ""
            outcomes.append({"error": bool(result.is_error), "text": text, "data": result.structured_content})
        resources = {}
        for resource in (await session.list_resources()).resources:
            try:
                content = (await session.read_resource(resource.uri)).contents[0]
                resources[str(resource.uri)] = content.text
            except MCPError as error:
                resources[str(resource.uri)] = str(error)
        tools = [tool.name for tool in (await session.list_tools()).tools]
    print(json.dumps({"tools": tools, "outcomes": outcomes, "resources": resources}))


asyncio.run(main())
