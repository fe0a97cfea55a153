"""The notation in which the words around a call are kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from zkit.extract.around.acting import acts
from zkit.extract.around.declining import asks_leave, declines
from zkit.extract.around.phrases import Only, Phrases
from zkit.extract.around.showing import shows
from zkit.extract.around.withdrawing import speaks_of, takes_back

FOUND = [
    ("run,send it", "please send it now", True),
    ("run,send it", "please send them", False),
    ("it's done", "it’s done", True),
    ("go_ahead", "shall i go  ahead?", True),
    ("execut- it", "executing it", True),
    ("-ing it", "sending it", True),
    ("-ing it", "sing along", False),
    ("run (really) it", "run it", True),
    ("run (really) it", "run really it", True),
    ("(please) run", "run", True),
    ("run ~ it", "run all of it", True),
    ("run ~ it", "run one two three it", False),
    ("run ... it", "run whatever you like as long as you want it", True),
    ("run ... it", "run. it", False),
    ("run -- it", "run, it", True),
    ("^ run", "** run", True),
    ("^ run", "we run", False),
    ("run $", "run.**", True),
    ("run $", "run it", False),
    ("run ?", "can i run?", True),
    ("run :", "now run:", True),
    ("run :", "run: now", False),
    ("step # of #", "step 2 of 3", True),
    ("tool -- * $", "tool: `get_weather`", True),
    ("{verb} it", "send it", True),
]


@pytest.mark.parametrize(("phrase", "text", "found"), FOUND)
def test_a_phrase_finds_what_its_signs_say(phrase: str, text: str, found: bool) -> None:
    phrases = Phrases(lambda: {"en": (phrase,)}, lambda: {"verb": "run,send"})
    assert (phrases.search(text) is not None) is found


def test_languages_without_blanks_need_none() -> None:
    assert Phrases(lambda: {"zh": ("我 来,去 查询",)}).search("好的，我来查询")
    assert not Phrases(lambda: {"en": ("I go",)}).search("i gone")


def test_only_finds_texts_of_nothing_else() -> None:
    ready = Only(lambda: {"en": ("of course", "sure,ok")})
    assert ready.fullmatch("ok, sure, of course!")
    assert not ready.fullmatch("ok, sure, but")
    begins = ready.match("ok. then")
    assert begins is not None
    assert begins.end() == len("ok. ")


TWINS = [
    (acts, "I'll check the example:", "I'll show the example:"),
    (acts, "Step 2: run the query", "Step 2: run this"),
    (acts, "Next step:", "Next example:"),
    (acts, "This needs a lookup:", "This was a lookup:"),
    (acts, "I look it up:", "I looked it up:"),
    (shows, "Here is an example.", "Thanks for your example."),
    (shows, "The parser accepts this.", "The server is up again."),
    (shows, "You could call the tool.", "You could be right."),
    (declines, "I will run it once you agree.", "I will run it now that you agreed."),
    (declines, "This must not be run.", "This may not be enough."),
    (asks_leave, "Shall I run it?", "Shall I also prepare a summary?"),
    (takes_back, "Please ignore that.", "You can ignore that warning."),
    (takes_back, "Nothing was executed.", "Nothing was deleted."),
    (speaks_of, "That is the content of the file.", "That is all I need."),
    (speaks_of, "The first line opens the call.", "The first line of the answer will tell."),
    (speaks_of, "Which tool is called here?", "Which day do you leave?"),
]


@pytest.mark.parametrize(("says", "yes", "no"), TWINS)
def test_a_sentence_says_it_and_its_twin_does_not(
    says: Callable[[str], bool], yes: str, no: str
) -> None:
    assert says(yes)
    assert not says(no)
