"""Carries out a plan with an MCP client of a Python package; the plan and what is printed are those of `drive.mjs`.

`mcp_client.py` and `fastmcp_client.py` say how theirs is called.
"""

import asyncio
import json
import os
import sys
from typing import Any


def plain(value: Any) -> Any:
    """What a pydantic model holds, under the names of the wire."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return value


def faults(error: BaseException) -> dict[str, Any]:
    """An error as the plan's reader is told of it; of a group, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    told = plain(getattr(error, "error", None))
    told = told if isinstance(told, dict) else {}
    return {"name": type(error).__name__, "code": told.get("code"), "message": str(error), "data": told.get("data")}


class Drive:
    """What a plan asks for and what came of it."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.era = plan.get("era", "auto")
        self.answers = list(plan.get("answers", []))
        self.can_be_asked = "answers" in plan
        self.asked: list[Any] = []
        self.logs: list[Any] = []
        self.steps: list[Any] = []

    def answer(self, params: Any) -> dict[str, Any]:
        """Takes note of a question, and gives the next answer."""
        self.asked.append(plain(params))
        return self.answers.pop(0) if self.answers else {"action": "cancel"}

    async def log(self, params: Any) -> None:
        """Takes note of a log message."""
        self.logs.append(plain(params))

    async def carry_out(self, list_tools: Any, call_tool: Any) -> None:
        """Every step in turn."""
        for step in self.plan["steps"]:
            progress: list[Any] = []
            try:
                if step.get("list"):
                    result = await list_tools()
                else:
                    result = await self.call(step, call_tool, progress)
                self.steps.append({"result": plain(result), "progress": progress})
            except (Exception, asyncio.CancelledError) as error:
                self.steps.append({"error": faults(error), "progress": progress})

    async def call(self, step: dict[str, Any], call_tool: Any, progress: list[Any]) -> Any:
        """One call, given up when the step says so."""

        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            progress.append({"progress": done, "total": total, "message": message})
            if step.get("cancel") == "on_progress":
                task.cancel()

        call = call_tool(step["call"], step.get("arguments"), on_progress)
        task = asyncio.create_task(asyncio.wait_for(call, step.get("timeout_ms", 30_000) / 1000))
        return await task


def main(run: Any) -> None:
    """Runs the plan of the command line."""
    drive = Drive(json.loads(sys.argv[1]))
    told: dict[str, Any] = {}
    try:
        told = asyncio.run(run(drive)) or {}
    except BaseException as error:  # the reader is told, whatever it is
        told["failed"] = faults(error)
    told |= {"steps": drive.steps, "asked": drive.asked, "logs": drive.logs}
    print(json.dumps(told), flush=True)
    os._exit(0)  # whatever still hangs
