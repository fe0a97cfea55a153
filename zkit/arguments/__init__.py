"""Raw arguments in, typed arguments out, or a message that teaches."""

from zkit.arguments.coercions import COERCIONS, Coercion
from zkit.arguments.decoder import Decoded, decode, decode_args, decode_to_run

__all__ = ["COERCIONS", "Coercion", "Decoded", "decode", "decode_args", "decode_to_run"]
