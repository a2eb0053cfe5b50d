"""An MCP server over stdio, made with PyPI's `mcp`, that offers what its first argument says and does odd things when it is called.

The argument is JSON: a tool's name with its annotations, or with null; `schema` among them is that of its input. What a call does, the arguments say: `{"do": …}`, see below.
"""

import asyncio
import json
import os
import subprocess
import sys
import uuid
from typing import Any

import mcp.types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server

OFFERED = json.loads(sys.argv[1])


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    tools = [
        types.Tool(
            name=name,
            description=f"What is called {name}.",
            input_schema=(said or {}).get("schema", {"type": "object", "properties": {"do": {"type": "string"}}}),
            annotations=types.ToolAnnotations.model_validate(said) if said is not None else None,
        )
        for name, said in OFFERED.items()
    ]
    return types.ListToolsResult(tools=tools)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    arguments = params.arguments or {}
    said = {"tool": params.name, "pid": os.getpid(), "environment": sorted(os.environ)}
    match arguments.get("do"):
        case "end":
            print("these are the last words", file=sys.stderr, flush=True)
            os._exit(3)
        case "start":
            # a process below this one, which nobody but a signal ends
            said["child"] = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).pid
        case "hang":
            await asyncio.sleep(600)
        case "wait":
            # whoever looks sees that it came
            open(f"{arguments['for']}.{uuid.uuid4().hex}", "x").close()
            while not os.path.exists(arguments["for"]):
                await asyncio.sleep(0.01)
        case "offer":
            OFFERED[arguments["name"]] = {"readOnlyHint": True}
            await context.session.send_tool_list_changed()
        case "withdraw":
            del OFFERED[arguments["name"]]
            await context.session.send_tool_list_changed()
    return types.CallToolResult(content=[types.TextContent(type="text", text=json.dumps(said))])


async def main() -> None:
    server = Server("odd", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options(NotificationOptions(tools_changed=True)))


asyncio.run(main())
