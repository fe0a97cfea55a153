"""`zkit chat`: a chat with tools on the terminal, recorded and replayed."""

from zkit.cli.chat.command import command

__all__ = ["command"]
