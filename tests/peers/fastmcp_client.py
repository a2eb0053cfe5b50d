"""A client made with PyPI's `fastmcp`. See `drive.py`."""

from typing import Any

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from drive import Drive, main


async def run(drive: Drive) -> dict[str, Any]:
    async def elicit(_message: str, _response_type: Any, params: Any, _context: Any) -> ElicitResult:
        return ElicitResult(**drive.answer(params))

    plan = drive.plan
    if "http" in plan:
        transport = StreamableHttpTransport(plan["http"])
    else:
        command, *args = plan["stdio"]
        transport = StdioTransport(command, args, env=plan.get("env"), cwd=plan.get("cwd"), keep_alive=False)
    asking = {"elicitation_handler": elicit} if drive.can_be_asked else {}
    async with Client(transport, mode=drive.era, log_handler=drive.log, **asking) as client:

        async def list_tools() -> dict[str, Any]:
            tools = await client.list_tools()
            return {"tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]}

        await drive.carry_out(
            list_tools,
            lambda name, arguments, progress: client.call_tool_mcp(name, arguments or {}, progress_handler=progress),
        )
        session = client.session
        server_info = session.server_info
        return {"protocol": session.protocol_version, "server": server_info and server_info.model_dump(mode="json")}


main(run)
