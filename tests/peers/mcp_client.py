"""A client made with PyPI's `mcp`. See `drive.py`."""

from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

from drive import Drive, main


async def run(drive: Drive) -> dict[str, Any]:
    async def elicit(_context: Any, params: Any) -> ElicitResult:
        return ElicitResult(**drive.answer(params))

    plan = drive.plan
    if "http" in plan:
        server = plan["http"]
    else:
        command, *args = plan["stdio"]
        server = StdioServerParameters(command=command, args=args, env=plan.get("env"), cwd=plan.get("cwd"))
    async with Client(
        server,
        mode=drive.era,
        elicitation_callback=elicit if drive.can_be_asked else None,
        logging_callback=drive.log,
        log_level="info",
    ) as client:

        async def list_tools() -> dict[str, Any]:
            tools, cursor = [], None
            while True:
                page = await client.list_tools(cursor=cursor)
                tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    return {"tools": tools}

        await drive.carry_out(
            list_tools, lambda name, arguments, progress: client.call_tool(name, arguments, progress_callback=progress)
        )
        server_info = client.server_info
        return {"protocol": client.protocol_version, "server": server_info and server_info.model_dump(mode="json")}


main(run)
