"""The words before a call in, the reason why they do not lead to it out.

A call that is meant begins the reply, or follows a whole sentence on a line of its own. Anywhere
else (in the middle of a sentence, after a label, under a line that announces something) it is as
likely shown, quoted or told, and then somebody must say that it is made now.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from zkit.extract.around.acting import acts
from zkit.extract.around.announcing import agrees, labels_call
from zkit.extract.around.declining import (
    asks_leave,
    declines,
    is_for_later,
    is_question,
    withholds,
)
from zkit.extract.around.deeds import counts_off, heads_call, is_step
from zkit.extract.around.meaning import DATA, OPENED, RELAYED, SPEECH, TO_DO, TOLD, WITH_ME, means
from zkit.extract.around.showing import shows
from zkit.extract.around.wondering import wonders

UNANNOUNCED = "unannounced"
"""Nothing speaks against the call, and nobody announces it either."""
LONGEST = 300
"""How much of a sentence is looked at, from its end."""
LEADS_ON = 80
"""How long the words between two calls may be that lead from one to the other, whatever they are."""
_SENTENCE = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<!\A[0-9])(?<!\A[0-9][0-9])(?<![\W_][0-9])(?<!\n[0-9][0-9])(?:[.!?…][\"'”’)\]*_]*+\s++|[।۔]\s++|[。！？])(?=\S)|\n\s*+"
)
"""Where a sentence ends and the next one begins."""
_BROKEN = re.compile(r"(?<=[^\n]{40})[ \t\r]*+\n(?=[^\n])")
"""The end of a line that is full: its sentence may go on in the next one."""
_STOPS = frozenset(".!…。！।۔｡．")
_ANNOUNCES = frozenset(":：")
_AROUND = "\"'”’»」』)]}*_~` \t"
"""What may stand around the end of a sentence."""
_SPOKEN = re.compile(r"\"[^\"]*+\"|“[^”]*+”|„[^“”]*+[“”]|«[^»]*+»|「[^」]*+」|『[^』]*+』")
"""What stands between quotes."""
_QUOTES = '"“”„«»「」『』 ,.，。'
_TOKEN_LAST = re.compile(r"(?:<\|[^<>|\n]{1,40}\|>|</?s>|<bos>|<eos>)\s*+\Z")
"""A mark of a template that was left over: a text begins after it."""
_BLOCK = re.compile(
    r"[ \t]*+(?:[-*+•] |[0-9]{1,3}[.)] |>|\||```|~~~|[-*_]{3,}+\s*+\Z|</\w++>\s*+\Z|<\w[^\n]*>\s*+\Z)"
)
"""A line of a list, a quotation, a table, a ruler, or the edge of a block."""
_CAPTION = re.compile(
    r"\W*+(?:[^\W\d]{1,12}\s++)?(?:[0-9]{1,4}(?:\.[0-9]{1,3})*+|[A-Za-z]|[IVX]{1,5})[.:)\]]*+\Z"
)
"""Nothing but a number or a letter, maybe with a word before it: "A.", "Listing 3."."""
_SPEAKER = re.compile(
    r"[\s>*_-]*+(?:[\[(]?[0-9]{1,2}[:.][0-9]{2}[0-9:.]*+(?:\s?[apAP][mM])?[\])]?\s++[\w.@<>-]{1,30}[:>]?|<[\w .@+-]{1,30}>|@[\w.-]{1,30}:|(?:user|human|customer|assistant|ai|bot|model|agent|system|tool)(?:\s*+\([^()\n]{1,20}\))?(?:\*\*)?\s*+[:：>])(?:\*\*)?\s++\S",
    re.IGNORECASE,
)
"""A line that somebody says: after a time, a name in angles, or the name of a part in a talk."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The words before a call, as far as they have to lead to it."""

    own: str
    """What stands in the line of the call."""
    text: str
    last: str
    """The last sentence of it; empty when there are only signs: an emoji, the edge of a block."""
    earlier: str
    """The sentence before that, in the same paragraph."""
    adjoins: bool
    """Whether nothing was passed over between the text and the call."""
    touches: bool
    """Whether there is no empty line between the two either."""

    @property
    def line(self) -> str:
        """The last line of it."""
        return self.text.rpartition("\n")[2]

    @property
    def is_whole(self) -> bool:
        """Whether it ends with a whole sentence, and not with a caption or a question."""
        return (
            _end_of(self.last) in _STOPS
            and _CAPTION.match(self.line) is None
            and not is_question(self.last)
        )


def unled(before: str, *, goes_on: bool = False, like_data: bool = False) -> str:
    """Why the words before a call do not lead to it; empty when they do, or when there are none.

    A few words after another call (`goes_on`) lead on to the next one, unless they speak against it.
    A call that looks `like_data` is as likely what the words speak of: somebody must announce it.
    """
    lead = _lead(before)
    if lead.own and not any(map(str.isalnum, lead.own)):
        return "listed"
    if not lead.last:
        return "listed" if lead.text.strip() and not before.endswith("\n\n") else ""
    against = _held_back(lead)
    if against or _announces(lead):
        return against
    if shows(lead.last) or (like_data and _speaks_of_data(lead)):
        return "documented"
    if goes_on and len(lead.text) <= LEADS_ON:
        return ""
    if lead.is_whole and withholds(lead.earlier):
        return "declined"
    if lead.is_whole and _relayed(lead):
        return "quoted"
    if lead.is_whole:
        return UNANNOUNCED if like_data and not agrees(lead.last) else ""
    if not like_data and _wondered(lead):
        return ""
    return "in_a_sentence" if lead.own and _end_of(lead.last) not in _ANNOUNCES else UNANNOUNCED


def _wondered(lead: Lead) -> bool:
    """Whether there is nothing but a question that the call is to answer, on a line of its own."""
    if lead.own or "\n" in lead.text or not wonders(lead.last):
        return False
    return not (shows(lead.earlier) or withholds(lead.earlier) or is_question(lead.earlier))


def _lead(before: str) -> Lead:
    """The words before a call, taken apart."""
    text = _introduction(before)
    sentences = [*sentences_back(text.rpartition("\n\n")[2]), "", ""]
    own = before.rpartition("\n")[2].strip()
    solid = before.rstrip()
    touches = before[len(solid) :].count("\n") < 2
    return Lead(own, text, sentences[0], sentences[1], solid.endswith(text), touches)


def _speaks_of_data(lead: Lead) -> bool:
    """Whether the words are about data, or show something."""
    return means(lead.last.lower(), DATA) or shows(lead.earlier)


def _relayed(lead: Lead) -> bool:
    """Whether a line further up announces somebody else's text: what follows is a part of it."""
    lines = lead.text.split("\n")[:-1]
    return any(
        _end_of(line) in _ANNOUNCES and means(line.lower(), RELAYED) for line in lines if line
    )


def _in_somebodys_text(lead: Lead) -> bool:
    """Whether the line above the last paragraph gives the word to somebody else.

    What is announced there is not announced by the one who writes. An empty line before the call
    may end that text, unless somebody was said to speak.
    """
    above = lead.text.rpartition("\n\n")[0].rstrip().rpartition("\n")[2]
    if _end_of(above) not in _ANNOUNCES or acts(above):
        return False
    return means(above.lower(), OPENED if lead.touches else TOLD)


def _in_speech(sentence: str) -> bool:
    """Whether it is somebody in a story who says that something is done: "I'm on it," said the ship."""
    spoken = _SPOKEN.findall(sentence)
    told = _SPOKEN.sub("", sentence)
    if not spoken or not means(told.lower(), SPEECH, unless=WITH_ME) or acts(told):
        return False
    return any(acts(words.strip(_QUOTES) + ":") for words in spoken)


def _held_back(lead: Lead) -> str:
    """Why the call is not made, or not by the one who writes; empty when nothing says so."""
    if declines(lead.last) or (is_for_later(lead.last) and withholds(lead.earlier)):
        return "declined"
    if told_by(lead.line) and not labels_call(lead.line):
        return "transcript"
    if _in_somebodys_text(lead) or _in_speech(lead.last):
        return "quoted"
    return "asked" if asks_leave(lead.last) else ""


def _announces(lead: Lead) -> bool:
    """Whether the words say that the call is made now."""
    if acts(lead.last) or labels_call(lead.line):
        return True
    if lead.own or not lead.adjoins:
        return False
    return heads_call(lead.line, lead.last) or _next_of_several(lead)


def _next_of_several(lead: Lead) -> bool:
    """Whether the last words only count, and those before them say that several things are done."""
    if is_step(lead.last):
        return not shows(lead.earlier)
    if not counts_off(lead.last):
        return False
    return acts(lead.earlier) or means(lead.earlier.lower(), TO_DO)


def announced(before: str) -> bool:
    """Whether the last words before a call say that it is made now."""
    sentences = list(sentences_back(before.rpartition("\n\n")[2] or before))
    return bool(sentences) and acts(sentences[0])


def _introduction(before: str) -> str:
    """The text that has to lead to a call: not a thought, nor a list or a block between the two."""
    if _TOKEN_LAST.search(before):
        return ""
    text, own = before.rstrip(), before.rpartition("\n")[2]
    aside, thought, _ = text.rpartition("\n")[2].partition("Thought:")
    if thought and aside.strip():
        return aside.rstrip()
    if own.strip() or before[len(text) :].count("\n") < 2:
        return text
    lines = text.split("\n")
    while lines and _passed_over(lines[-1]):
        lines.pop()
    return "\n".join(lines)


def _passed_over(line: str) -> bool:
    """Whether a line is a part of a block; one that ends with a colon announces what follows it."""
    return not line.strip() or (_BLOCK.match(line) is not None and _end_of(line) not in _ANNOUNCES)


def _end_of(sentence: str) -> str:
    """The sign that a sentence ends with, whatever stands around it."""
    sentence = sentence.rstrip(_AROUND)
    while sentence and unicodedata.category(sentence[-1]) in ("So", "Sk", "Cf", "Mn", "Zs"):
        sentence = sentence[:-1].rstrip(_AROUND)
    return sentence[-1:]


def sentences_back(text: str) -> Iterator[str]:
    """The sentences of a text, the last one first; a line goes on in the next where it is a full one."""
    text = _BROKEN.sub(" ", text).strip()
    ends = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    for start, end in zip(reversed(ends[:-1]), reversed(ends[1:]), strict=True):
        sentence = text[start:end].strip()
        if any(map(str.isalnum, sentence)):
            yield sentence[-LONGEST:]


def told_by(line: str) -> bool:
    """Whether a line begins with the name of somebody who speaks."""
    return _SPEAKER.match(line) is not None
