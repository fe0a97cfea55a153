"""A call in, its result out; what it changed in files is noted on the way."""

from __future__ import annotations

from functools import partial

from anyio import CancelScope, to_thread

from zkit.dispatch.live import LiveCall, Next
from zkit.dispatch.notes import effects_of
from zkit.results import Result
from zkit.tools import watching


async def record(call: LiveCall, proceed: Next) -> Result:
    """Compare the files that a changing call names or reports, before and after it.

    Also when it fails or is cancelled; when its code still runs then, once that has ended.
    """
    recorder = call.settings.recorder
    if recorder is None or not call.policy.clear:
        return await proceed(call)
    seen = await to_thread.run_sync(recorder.look, call)
    turn = recorder.turn_of_now()
    result: Result | None = None
    with watching() as watch:
        try:
            result = await proceed(call)
            return result
        finally:
            note = partial(recorder.note, call, seen, effects_of(result), turn)
            with CancelScope(shield=True):
                if watch.busy:
                    watch.when_idle(note)
                else:
                    await to_thread.run_sync(note)
