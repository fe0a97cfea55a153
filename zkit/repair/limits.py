"""Every limit and weight of the repair, with the reason for its value."""

from __future__ import annotations

# Deeper values abort C parsers and workers (orjson CVE-2024-27454); no tool takes arguments that
# deep.
MAX_DEPTH = 200
# Far above any completion. A longer text would hold several times its size in memory.
MAX_CHARACTERS = 32 * 1024 * 1024
# With more values in a text, none of them is chosen; `repair_all` returns all of them.
MAX_VALUES = 10_000
# Structural fixes that any text may have, however short it is.
FREE_FIXES = 16
# One more fix per so many characters: `[1 2 3]` needs one for two, anything denser is not JSON.
CHARACTERS_PER_FIX = 6
# The most that all fixes of one hypothesis may cost: 12,000 missing commas. A flood is refused
# within seconds.
MOST_COST = 24_000
# A key repeated this often, in a text without its closers, is a loop that ran into the token
# limit.
MOST_REPEATS = 3
# How many expected keys a message lists: a small model reads no more.
MOST_KEYS = 12
# How far back a key may begin; keys are short.
MOST_KEY = 200
# How far around an escape between two tokens to look for others like it.
HABIT_WITHIN = 2000
# How many commas in a row may be slips; more are a loop.
MOST_COMMAS = 16
# How far ahead to look for the closing quote of a string that lost its opening one: a file of 64
# KB.
QUOTE_WITHIN = 1 << 16
# How long a bare phrase may be: two sentences.
MOST_PHRASE = 400
# How many ends of one string are tried: each is a separate hypothesis.
MOST_ENDS = 4
# How many quotes of one string are checked: a file of 2,000 quoted words.
MOST_QUOTES = 4000
# The cost of skipping a quote that a comma and a key follow: three guesses.
SKIPPED = 9
# The same in a list, where any string after a comma looks like another item.
SKIPPED_ITEM = 5
# How much white space may follow the last closer.
MOST_BLANK = 200
# How many other places of one bracket are tried: each costs a strict parse.
MOST_OTHERS = 16
# How many hypotheses in one state may cost the same: two already make a text ambiguous.
MOST_EQUAL = 4
# How many steps of the budget a hypothesis costs: starting it takes about as much time.
READING_COST = 8
# How many hypotheses any text may use, however short it is.
FREE_READINGS = 300
# One more hypothesis per so many characters.
CHARACTERS_PER_READING = 4
# At most this many, plus one per 256 characters, so that a megabyte takes less than five seconds.
MOST_READINGS = 10_000
# How many hypotheses are read before they are compared with better ones in the same state: small
# texts never need it.
UNCOMPARED = 300
# How many hypotheses are tried with the strict parser before they are read step by step.
MOST_TRIALS = 4
# How much text before a value its reading may look at.
LOOK_BACK = 100
# A longer text is not searched for one edit: that takes some fifty strict parses.
ONE_EDIT_WITHIN = 20_000
# How far around a value the text is examined to tell what the value is: a page.
SURROUNDINGS = 4000
# How many lines that begin with a key are examined after a value.
MOST_LINES = 64
# A longer text is not rewritten from another notation: the search has already failed on it.
NOTATION_WITHIN = 100_000
# How many places that look like values but cannot be read are tried.
MOST_UNREAD = 64
# For how many values of one text the whole rest of the text is examined.
MOST_FAR = 64
# How often, on average, a character may be read without success.
MOST_IN_VAIN = 4
# How many fixes `explain` shows in full: a screen.
MOST_SHOWN = 50
# How many characters are parsed at most to find the other places of a bracket: some milliseconds.
MOST_PARSED = 1 << 21
# How many layouts of one text are compared.
MOST_LAYOUTS = 32
# How many missing marks the fast path adds, each after one strict parse; beyond that the search
# is as fast.
MOST_SLIPS = 12
# How odd the content of a string may be for the fast path: below this, any later end of it costs
# more.
MOST_ODD = 4
# A longer text pays for the search anyway, and its tokens would be held in memory twice.
FAST_WITHIN = 100_000
# How many comments or blanks in a row the fast path looks back over, so that a flood of them
# stays cheap.
MOST_BLANK_PIECES = 16
# How much of the end of a text is checked for a value that began there: a line.
NEAR_END = 80
# Python converts no longer number to an int (`sys.get_int_max_str_digits`).
MOST_DIGITS = 4300
# Python cannot write this or a larger number in decimal; a hexadecimal number may be larger.
LARGEST_INT = 10**MOST_DIGITS
# The longest end of a cut text that may seem to close a string: closers, a comma and a key.
MOST_TAIL = 160
# How many characters of the budget a look at the text after a quote costs: it takes about as much
# time.
QUOTE_COST = 64
# How far to look at the spelling of other keys: the habit of a text shows on its first page.
KEYS_WITHIN = 2_000
# How far before a value to look for the start of its line.
MOST_BEFORE = 200
