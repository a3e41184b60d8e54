from __future__ import annotations

from reverie.surfaces.cli.common import Asked, command


@command
def brief(asked: Asked) -> None:
    """Print what the next night has to decide on, for an agent to judge: instructions, MEMORY.md and what is new.

    The agent answers with `dream answer --json FILE`. Writes nothing.
    """
    # the prompts and the index, only for those who ask for them
    from reverie.night.agent import notice
    from reverie.night.briefing import brief_of
    from reverie.surfaces.cli.for_agent import brief_as_dict, brief_lines

    workspace = asked.workspace()
    found = brief_of(workspace, asked.clock(workspace.settings.timezone))
    told = notice(workspace)
    asked.answer(brief_as_dict(found, told), brief_lines(found, told))
