"""Where a string really ends: candidates for the closing quote, each with its price."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair import ending
from zkit.repair.reading import Before, Frame, Reading
from zkit.repair.strings import respell
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.reader import Reader

_DOUBLED = re.compile(r"\\\"\"|\\\\[\"']")
"""Before the place where a string seemed to end: a mark that may have been written twice."""
MOST_ENDS = 4
MOST_QUOTES = 4000
SKIPPED = 5
"""What it costs to pass over a place where the string could have ended."""
_ITEM_AHEAD = re.compile(rf"{lexis.GAP},{lexis.GAP}(?=[\"'`“{{\[\]]|[+.-]?[0-9]|[tfnTFN])")
_END = re.compile(rf"{lexis.GAP}\Z")
_COMMA_END = re.compile(rf"{lexis.GAP},{lexis.GAP}\Z")
_HALF_KEY = re.compile(rf"{lexis.GAP},{lexis.GAP}[\"'][^\"'\n]{{0,80}}+\Z")
_AROUND = re.compile(r"[ \t]*+(?:\Z|\n|```|~~~|<|[;)]++[ \t]*+(?:\Z|\n|```)|\[/)")
_STRUCTURE = re.compile(r"[\s}\])]*+[\",:]")
_KEY_REST = re.compile(r"\\|[ \t]*+[\w$. -]{1,60}+[\"']\s*+:|[\s}\])]*+[\"']\s*+[,:}\]]")
_INCH = re.compile(r"[0-9]\\?\"")
_KEY_INSIDE = re.compile(r"(?<!\\)[\"']\s*:")
_PATHLIKE = re.compile(r"[\w.:$~-]*+\\")


def follows(reader: Reader, frame: Frame | None, pos: int) -> bool:
    """Whether what stands at `pos` may come after a value in `frame`."""
    text = reader.text
    while frame is not None:
        if _END.match(text, pos) or _COMMA_END.match(text, pos):
            return True
        if frame.kind == "{" and _HALF_KEY.match(text, pos):
            return True
        if _another(reader, frame, pos):
            return True
        closer = lexis.CLOSER.match(text, pos)
        if closer is None or closer.group(1) != frame.closer:
            return False
        pos = closer.end()
        if frame.doubled and text.startswith("}", pos):
            pos += 1
        frame = frame.parent
    return _AROUND.match(text, pos) is not None and not _STRUCTURE.match(text, pos)


def _key_follows(reader: Reader, frame: Frame | None, pos: int) -> bool:
    """Whether a quoted key stands at `pos`, only its comma missing."""
    if frame is None or frame.kind != "{":
        return False
    match = _QUOTED_KEY.match(reader.text, pos)
    return match is not None and known(reader, frame, match.group(1))


_QUOTED_KEY = re.compile(rf"{lexis.GAP}(\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'){lexis.GAP}:")


def goes_on(text: str, pos: int) -> bool:
    """Whether the text after a closed root reads as more of the value."""
    return _KEY_REST.match(text, pos) is not None


def member_follows(text: str, pos: int) -> bool:
    """Whether another member comes after a closed root, with its comma or without."""
    match = lexis.NEXT_KEY.match(text, pos)
    return (match is not None and match.group(1) is not None) or _QUOTED_KEY.match(
        text, pos
    ) is not None


def _another(reader: Reader, frame: Frame, pos: int) -> bool:
    """A comma, and then another member or item."""
    if frame.kind != "{":
        match = _ITEM_AHEAD.match(reader.text, pos)
        return match is not None and not _quoted_key_at(reader.text, match.end())
    match = lexis.NEXT_KEY.match(reader.text, pos)
    if match is None:
        lone = _LONE_KEY.match(reader.text, pos) if reader.guided and frame.expect.closed else None
        return lone is not None and lone.group(1) in frame.expect.keys
    key = match.group(1)
    return key is None or known(reader, frame, key)


_LONE_KEY = re.compile(rf"{lexis.GAP},{lexis.GAP}\"([^\"\\\n]{{1,80}}+)\"")


def _quoted_key_at(text: str, pos: int) -> bool:
    return text[pos : pos + 1] in "\"'" and lexis.KEY_AHEAD.match(text, pos) is not None


def known(reader: Reader, frame: Frame, key: str) -> bool:
    """Whether the schema lets this key stand in the frame."""
    if not reader.guided or not frame.expect.closed:
        return True
    return key.strip("\"'`“”") in frame.expect.keys


def longer(reader: Reader, before: Before, past: int, cost: int = 0) -> list[Reading]:
    """Readings in which the string that opens at `before.pos` ends after `past`."""
    text, start = reader.text, before.pos
    opener = text[start : start + 1]
    if opener not in lexis.QUOTES:
        return []
    found: list[Reading] = []
    skipped = 0
    most = (
        0
        if reader.guided and before.frame is not None and before.frame.expect.closed
        else MOST_ENDS
    )
    token = lexis.string_at(text, start)
    first = token.end if token else past
    doubled = _DOUBLED.match(text, first - 3) is not None and first > start + 3
    looked = start
    for seen, match in enumerate(lexis.closers_of(opener).finditer(text, start + 1)):
        looked = match.end()
        if seen > MOST_QUOTES or len(found) >= MOST_ENDS or skipped > most:
            break
        plain = match.group() in lexis.QUOTES[opener]
        if not plain and (match.group() != "\\" + opener or not _PATHLIKE.match(text, start + 1)):
            continue
        if not follows(reader, before.frame, match.end()) and not _key_follows(
            reader, before.frame, match.end()
        ):
            continue
        if match.end() > past and skipped <= most:
            stop = match.start() if plain else match.end() - 1
            nested = text.find('\\\\\\"', start, stop) >= 0
            typo = (
                text[first - 3 : first - 1] == "\\\\"
                and text.count("\\" + opener, start, stop) > 1
                and not nested
            )
            found += _ended(before, text, stop, match.end(), cost + SKIPPED * skipped + 2 * typo)
            if doubled and plain and not nested:
                found += _undoubled(
                    before, text, first - 1, stop, match.end(), cost + SKIPPED * skipped
                )
        skipped += 1
    adjacent = not text[first:past].strip()
    if not reader.spend((looked if found else reader.size) - start):
        return []
    if (
        adjacent
        and text[-1:] not in "}]"
        and before.frame is not None
        and not lexis.JOINED.search(text, start)
    ):
        found += _open(reader, before, cost + SKIPPED * skipped)
    return found


def _ended(before: Before, text: str, stop: int, end: int, cost: int) -> list[Reading]:
    """The reading in which the content stops at `stop` and the string at `end`."""
    start = before.pos
    body = text[start + 1 : stop]
    if lexis.JOINED.search(body) or _key_outside(body):
        return []
    if body.endswith("\\") and not body.endswith("\\\\"):
        body += "\\"
    spelled = respell(body, text[start])
    if spelled is None:
        return []
    other = Reading.back_to(before)
    name = (
        "escape_inner_quote" if text[start] == '"' or "'" in body or '"' in body else spelled.name
    )
    other.note(
        name,
        start,
        end,
        f'"{spelled.body}"',
        spelled.note,
        cost + _oddness(body, text[start], spelled.inner),
    )
    other.recent = (before,)
    other.settle(end)
    return [other]


def _undoubled(
    before: Before, text: str, quote: int, stop: int, end: int, cost: int
) -> list[Reading]:
    """The reading in which the quote or backslash before the seeming end was written twice."""
    extra = quote if text[quote - 1] == '"' else quote - 1
    body = text[before.pos + 1 : extra] + text[extra + 1 : stop]
    spelled = respell(body, text[before.pos])
    if spelled is None or spelled.inner or "\\\\" + text[before.pos] in body:
        return []
    other = Reading.back_to(before)
    odd = 2 * (body.count('"') % 2)
    if _INCH.search(body):
        odd = _oddness(text[before.pos + 1 : stop], '"', 1)
    other.note("drop_extra_quote", before.pos, end, f'"{spelled.body}"', "", cost + odd)
    other.settle(end)
    return [other]


def _key_outside(body: str) -> bool:
    """Whether the content holds a key, or a comma between strings, that its quotes put outside it."""
    outside = False
    for match in _QUOTE_OR_KEY.finditer(body):
        if match.group(1) is not None and outside:
            return True
        if match.group()[0] != "\\":
            outside = not outside
            if outside and _SEPARATOR.match(body, match.end()):
                return True
    return False


_SEPARATOR = re.compile(r"\s*+,\s*+\"")


_QUOTE_OR_KEY = re.compile(r'\\.|"(?=([\w$ -]{1,60}+"\s*+:)?)', re.DOTALL)


def _open(reader: Reader, before: Before, cost: int) -> list[Reading]:
    """The reading in which the string never ends: the text was cut in it."""
    others = ending.open_string(reader, Reading.back_to(before), before.pos)
    for other in others:
        other.cost += cost + 3 + _oddness(reader.text[before.pos + 1 :], reader.text[before.pos], 1)
    return others


def _oddness(body: str, quote: str, inner: int) -> int:
    """Quotes come in pairs and brackets close: what does not costs more."""
    keys = sum(1 for _ in _KEY_INSIDE.finditer(body)) if inner > 0 else 0
    uneven = any(body.count(a) > body.count(b) for a, b in ("{}", "[]"))
    return (2 * (body.count('"') % 2) if quote == '"' else 0) + uneven + min(keys, 8)


def shorter(reader: Reader, before: Before, quote: int) -> list[Reading]:
    """Readings in which the string lacks its closing quote, and the quote found opens the next one."""
    text, start = reader.text, before.pos
    if text[start : start + 1] not in lexis.QUOTES:
        return []
    body = text[start + 1 : quote]
    items = _ITEM_LIKE.search(body.rstrip(lexis.BLANKS + ",{["))
    if (
        items
        and before.frame is not None
        and before.frame.kind != "{"
        and (before.want.kinds != {"string"} or "\n" in items.group())
    ):
        return []
    stem = body.rstrip(lexis.BLANKS + "{[")
    bare = _BARE_KEY_END.search(body)
    if bare is not None and before.frame is not None and known(reader, before.frame, bare.group(2)):
        if _MEMBER_INSIDE.search(body, 0, bare.start()):
            return []
        other = _closed_before(before, text, start + 1 + bare.start())
        return [other] if other else []
    if not stem.endswith(",") or not _string_goes_on(reader, before.frame, quote):
        return []
    if stem[:-1].endswith("”") and "“" not in stem:
        return [
            other
            for other in (_closed_before(before, text, start + len(stem) - 1),)
            if other and _consume(other, 1)
        ]
    bare = stem[:-1].rstrip()
    ends = {len(stem) - 1}
    if bare and not _balanced(bare, bare[-1]):
        ends.add(len(bare.rstrip(" \t\r\n}]")))
    found = [
        other for end in sorted(ends) if (other := _closed_before(before, text, start + 1 + end))
    ]
    return [*found, *_mark_for_quote(before, text, start + len(stem) - 1)]


def _consume(other: Reading, more: int) -> bool:
    """Stretch the last fix over the mark that stands for the closing quote."""
    assert other.edits is not None
    fix = other.edits[1]
    other.edits = (other.edits[0], fix._replace(name="replace_quote", end=fix.end + more))
    other.settle(fix.end + more)
    return True


def _balanced(content: str, mark: str) -> bool:
    """Whether a closing bracket at the end of the content has its opener there."""
    opener = {"}": "{", "]": "["}.get(mark)
    return opener is not None and content.count(opener) >= content.count(mark)


def _mark_for_quote(before: Before, text: str, mark: int) -> list[Reading]:
    """The reading in which the last mark of the content stands for the closing quote."""
    if (
        text[mark] not in "}]{[:,"
        or mark <= before.pos
        or _balanced(text[before.pos + 1 : mark + 1], text[mark])
    ):
        return []
    other = _closed_before(before, text, mark)
    if other is None:
        return []
    other.cost += text[mark] in ":,"
    return [other] if _consume(other, 1) else []


_PATH_START = re.compile(r"[A-Za-z]:|\\\\|\.{1,2}\\|[~%\w]++\\")
_ITEM_LIKE = re.compile(r",\s*+(?:null|true|false|None|True|False|[0-9])|,[ \t]*+\n")
_BARE_KEY_END = re.compile(rf"\s*+,\s*+([\"']?)({lexis.NAME})\1\s*+:\s*+\Z")
_MEMBER_INSIDE = re.compile(rf",\s*+[\"']?{lexis.NAME}[\"']?\s*+:")
_KEY_TAIL = re.compile(rf"[^\"'\\\n,{{}}]{{1,80}}+[\"']{lexis.SPACE}(?::|=)")
_ITEM_TAIL = re.compile(rf"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"{lexis.SPACE}[,\]]")


def _string_goes_on(reader: Reader, frame: Frame | None, quote: int) -> bool:
    """Whether what stands after the quote reads as the rest of a key or of an item."""
    if _KEY_TAIL.match(reader.text, quote + 1):
        return True
    return (
        frame is not None
        and frame.kind != "{"
        and _ITEM_TAIL.match(reader.text, quote + 1) is not None
    )


def doubled_opening(reader: Reader, before: Before) -> list[Reading]:
    """The reading in which the opening quote was written twice."""
    text, start = reader.text, before.pos
    if not text.startswith('""', start) or text.startswith('"""', start):
        return []
    token = lexis.string_at(text, start + 1)
    spelled = (
        respell(token.body)
        if token is not None and follows(reader, before.frame, token.end)
        else None
    )
    if token is None or spelled is None:
        return []
    odd = token.body.count('"') % 2
    other = Reading.back_to(before).note(
        "drop_extra_quote", start, token.end, f'"{spelled.body}"', "", odd
    )
    other.settle(token.end)
    return [other]


def _closed_before(before: Before, text: str, end: int) -> Reading | None:
    body = text[before.pos + 1 : end]
    path = body.endswith('\\"') and body.count('\\"') % 2 == 1
    if path and (not _PATH_START.match(body) or body.endswith('\\\\\\"')):
        return None
    spelled = respell(body[:-2] + "\\\\" if path else body, text[before.pos], path=path)
    if spelled is None:
        return None
    other = Reading.back_to(before)
    other.note("add_closing_quote", before.pos, end, f'"{spelled.body}"')
    other.settle(end)
    return other


_VALUE_END = re.compile(
    rf"{lexis.GAP},{lexis.GAP}(?:\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'){lexis.GAP}(?::|[\"{{\[0-9])"
)


def unopened(reader: Reader, before: Before, start: int) -> list[Reading]:
    """Readings in which a string begins at `start` without its quote and ends at one."""
    text = reader.text
    first = text.find('"', start)
    comma = text.rfind(",", start, first)
    listed = before.frame is not None and before.frame.kind != "{"
    if (
        first >= 0
        and comma >= 0
        and (_VALUE_END.match(text, comma) or (listed and not text[comma + 1 : first].strip()))
    ):
        return []
    for seen, match in enumerate(lexis.closers_of('"').finditer(text, start)):
        if seen > MOST_QUOTES:
            break
        if match.group() == '"' and follows(reader, before.frame, match.end()):
            spelled = respell(text[start : match.start()])
            if spelled is None or spelled.inner:
                return []
            other = Reading.back_to(before)
            other.note("add_opening_quote", start, match.end(), f'"{spelled.body}"')
            other.settle(match.end())
            return [other]
    return []
