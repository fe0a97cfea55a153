"""Every limit and weight of the repair, with the reason for its value."""

from __future__ import annotations

MAX_DEPTH = 200
"""Deeper values abort C parsers and workers (orjson CVE-2024-27454), and no tool takes arguments so deep."""
MAX_CHARACTERS = 32 * 1024 * 1024
"""Far above any completion. A longer text would hold several times its size in memory."""
MAX_VALUES = 10_000
"""One value is not looked for among more than this; `repair_all` returns all of them."""
FREE_FIXES = 16
"""Structural fixes that any text may have, however short it is."""
CHARACTERS_PER_FIX = 6
"""One more fix for so many characters: `[1 2 3]` needs one for two, anything denser is no JSON."""
MOST_COST = 24_000
"""What all fixes of one hypothesis may cost: 12,000 missing commas. A flood is refused within seconds."""
MOST_REPEATS = 3
"""A key written so often, in a text without its closers, is a loop until the limit of tokens."""
MOST_KEYS = 12
"""A message lists so many expected keys: more than a small model reads."""
MOST_KEY = 200
"""How far back a key may begin; keys are short."""
LIST_LOOK_BACK = 400
"""How far back the commas of a list are looked for."""
HABIT_WITHIN = 2000
"""How far from an escape between two tokens its like is looked for."""
MOST_COMMAS = 16
"""How many commas in a row may be slips; more are a loop."""
QUOTE_WITHIN = 1 << 16
"""How far ahead the closing quote of a string without its opening one is looked for: a file of 64 KB."""
MOST_PHRASE = 400
"""How long a bare phrase may be: two sentences."""
MOST_ENDS = 4
"""How many ends of one string are tried: each is a hypothesis of its own."""
MOST_QUOTES = 4000
"""How many quotes of one string are looked at: a file of 2,000 quoted words."""
SKIPPED = 9
"""The cost to pass over a quote after which a comma and a key follow: three guesses."""
SKIPPED_ITEM = 5
"""The same in a list, where any string after a comma looks like another item."""
MOST_BLANK = 200
"""How much white space may follow the last closer."""
MOST_OTHERS = 16
"""How many other places of one bracket are tried: each costs a strict parse."""
MOST_EQUAL = 4
"""How many hypotheses in one state may cost the same: two already make a text ambiguous."""
READING_COST = 8
"""What it takes off the budget to take up a hypothesis, in steps: it costs about as much time."""
FREE_READINGS = 300
"""Hypotheses that any text may take, however short it is."""
CHARACTERS_PER_READING = 4
"""One more hypothesis for so many characters."""
MOST_READINGS = 10_000
"""But no more than these, and one for 256 characters, so that a megabyte takes less than five seconds."""
UNCOMPARED = 300
"""How many are taken up before they are compared with better ones at the same place: small texts never need it."""
MOST_TRIALS = 4
"""How many hypotheses are shown to the strict parser before they are read to the end."""
LOOK_BACK = 100
"""How much of the text before a value its reading may look back at."""
ONE_EDIT_WITHIN = 20_000
"""A longer text is not parsed some fifty times more to find one edit."""
WINDOW = 4096
"""How much of a text is shown to the strict parser at first, where more may follow the value."""
SURROUNDINGS = 4000
"""How far around a value the text is looked at to tell what it is: a page."""
MOST_LINES = 64
"""How many lines that begin with a key are looked at after a value."""
MOST_WRAPPERS = 8
"""How many wrappers are peeled off: a fence in a tag in a call in a string is four."""
NOTATION_WITHIN = 100_000
"""A longer text is not rewritten from another notation: the search has already failed on it."""
MOST_UNREAD = 64
"""How many places that look like values but cannot be read are looked at."""
MOST_FAR = 64
"""For how many values of one text a look is taken at all that follows them."""
MOST_IN_VAIN = 4
"""How often, on the average, a character may be read in vain."""
MOST_SHOWN = 50
"""How many fixes `explain` shows in full: a screen."""
MOST_PARSED = 1 << 21
"""How many characters are parsed, at most, to find the other places of a bracket: some milliseconds."""
MOST_LAYOUTS = 32
"""How many layouts of one text are compared."""
MOST_SLIPS = 12
"""So many missing marks the fast path adds, each after one strict parse; with more of them the search is as quick."""
MOST_ODD = 4
"""How odd the content of a string may be for the fast path: below this, no later end of it costs as little."""
FAST_WITHIN = 100_000
"""A longer text pays for the search anyway, and its tokens would be held in memory twice."""
MOST_BLANK_PIECES = 16
"""How many comments or blanks in a row the fast path looks back over: each look must cost the same in a flood."""
NEAR_END = 80
"""How much of the end of a text is looked at for a value that began there: a line."""
MOST_DIGITS = 4300
"""Python turns no longer number into an int (`sys.get_int_max_str_digits`)."""
LARGEST_INT = 10**MOST_DIGITS
"""Python writes no number from here on in digits; a hexadecimal one may be larger."""
MOST_TAIL = 160
"""How long the end of a cut text may be that seems to close a string: closers, a comma and a key."""
QUOTE_COST = 64
"""What it takes off the budget to look at what follows a quote, in characters: it costs about as much time."""
OPEN_NEAR = 2_000
"""How much of a string that never seems to end is looked at before the whole of it: most floods show there."""
KEYS_WITHIN = 2_000
"""How far the spelling of other keys is looked at: the habit of a text shows in its first page."""
TOKENS_WITHIN = 2_000
"""How far the first quote token of Gemma may be from the start of its value."""
WRAPPER_WITHIN = 300
"""How far from either end a wrapper may reach: some lines."""
MOST_BEFORE = 200
"""How far before a value the beginning of its line is looked for."""
MOST_SCHEMAS = 256
"""For how many schemas their evidence is kept: more than a large toolbox uses at a time."""
