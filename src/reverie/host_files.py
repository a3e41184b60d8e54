"""What the hosts of this machine say about themselves, for surfaces that open a workspace. Loads nothing else: every command
passes here, and a glance must stay cheap."""

from __future__ import annotations

from reverie.workspace.hosts import home, openclaw_file, read_openclaw, text_of, value_at

__all__ = ["home", "openclaw_file", "read_openclaw", "text_of", "value_at"]
