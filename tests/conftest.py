"""How hypothesis runs: the same examples every time, unless somebody goes looking for more.

`pytest --hypothesis-profile=explore` tries many new examples; what it finds becomes an `@example`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Damaged tool arguments are long texts, and the laws over them are no stop-watches.
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    max_examples=150,
    database=None,
    suppress_health_check=SLOW,
)
settings.register_profile(
    "explore",
    derandomize=False,
    deadline=None,
    max_examples=5000,
    suppress_health_check=SLOW,
)
settings.load_profile("steady")
