"""Raw arguments become typed arguments, or a message that the model can act on.

| module | what it does |
|---|---|
| `decoder` | the public functions; valid arguments return from here |
| `prepare`, `strict_validator` | what decoding needs of a target, built once; validators that accept nothing silently |
| `plain_slips` | the fast path for a few plain slips; a law says that it equals `coerce` |
| `attempt` | one parsed value: unwrap, coerce, validate, or refuse |
| `validation_errors`, `shape` | what the validator rejected, and what the schema allows there |
| `coerce`, `coercions`, `candidate_values`, `dates` | the coercions: the search, the table, what a value may mean |
| `object_keys`, `field_names` | wrappers, and keys in other spellings |
| `source_text` | where a value is in the text, so that `1.10` stays `1.10` |
| `refusals`, `wording`, `example` | the messages |

`decode` goes down this table and stops at the first module that can handle the arguments.
"""

from zkit.arguments.coercions import COERCIONS, Coercion
from zkit.arguments.decoder import Decoded, decode, decode_args, decode_to_run

__all__ = ["COERCIONS", "Coercion", "Decoded", "decode", "decode_args", "decode_to_run"]
