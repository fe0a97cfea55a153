"""Counts the secrets that zkit and detect-secrets leave in a text, and what they mask without need.

The secrets are made up, in the forms that services use today; no line of the documentation holds one.
`python -m benchmarks.masking` prints the table of decision 37. Without detect-secrets (`pip install
detect-secrets`) its row is left out.
"""

from __future__ import annotations

import argparse
from base64 import b64encode
from collections.abc import Callable
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from zkit.masking import secrets_in

ROOT = Path(__file__).parent.parent
LINES = 1_500
"""How many lines of the documentation are looked at."""
_HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
_MIXED = "q7Zr2KxV9mTb4LpW8sNd3HcY6fGj1RtA5vBe"


def _body(size: int) -> str:
    return (_MIXED * 4)[:size]


SECRETS: dict[str, str] = {
    "OpenAI": f"sk-{_body(48)}",
    "OpenAI project": f"sk-proj-{_body(48)}",
    "Anthropic": f"sk-ant-api03-{_body(80)}",
    "GitHub": f"ghp_{_body(36)}",
    "GitHub, fine-grained": f"github_pat_{_body(22)}_{_body(59)}",
    "GitHub server": f"ghs_{_body(36)}",
    "GitLab": f"glpat-{_body(20)}",
    "Hugging Face": f"hf_{_body(34)}",
    "Groq": f"gsk_{_body(52)}",
    "Replicate": f"r8_{_body(37)}",
    "xAI": f"xai-{_body(60)}",
    "Perplexity": f"pplx-{_body(48)}",
    "Tavily": f"tvly-{_body(32)}",
    "NVIDIA": f"nvapi-{_body(64)}",
    "AWS id": "AKIAQ7ZR2KXV9MTB4LPW",
    "AWS secret": f"aws_secret_access_key={_body(40)}",
    "Google": f"AIzaSy{_body(33)}",
    "Google OAuth": f"ya29.{_body(60)}",
    "Slack bot": f"xoxb-123456789012-{_body(24)}",
    "Slack web hook": f"https://hooks.slack.com/services/T0Q7ZR2KX/B0V9MTB4L/{_body(24)}",
    "Discord web hook": f"https://discord.com/api/webhooks/123456789012345678/{_body(60)}",
    "Telegram": f"123456789:{_body(35)}",
    "Stripe": f"sk_live_{_body(24)}",
    "SendGrid": f"SG.{_body(22)}.{_body(43)}",
    "npm": f"npm_{_body(36)}",
    "PyPI": f"pypi-AgEIcHlwaS5vcmc{_body(60)}",
    "Databricks": f"dapi{_HEX[:32]}",
    "DigitalOcean": f"dop_v1_{_HEX}{_HEX[:24]}",
    "Shopify": f"shpat_{_HEX[:32]}",
    "Docker": f"dckr_pat_{_body(27)}",
    "Vault": f"hvs.{_body(24)}",
    "age": "AGE-SECRET-KEY-1Q7ZR2KXV9MTB4LPW8SND3HCY6FGJ1RTA5VBEQ7ZR2KXV9MTB4LPW8SND3",
    "JWT": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{_body(43)}",
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{_body(60)}\n-----END RSA PRIVATE KEY-----",
    "PGP key": f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{_body(60)}\n-----END",
    "Basic header": "Authorization: Basic YW5uOnE3WnIyS3hWOW0=",
    "Bearer header": f"Authorization: Bearer {_body(20)}",
    "password in an address": "postgres://ann:q7Zr2@xV9m@db.example.org/x",
    "key in a query": "https://example.org/v1?key=q7Zr2KxV9mTb&page=2",
    "signature in a query": "https://example.org/a?sig=q7Zr2KxV9mTb4LpW%2B8sN",
    "cookie": "Cookie: session=q7Zr2KxV9mTb; theme=dark",
    "pass phrase": "passphrase = 'correct horse battery staple'",
    "named": "DB_PASSWORD=q7Zr2KxV",
    "split by a line end": f"ghp_{_body(18)}\\\n{_body(36)[18:]}",
    "split by an escape": f"ghp_\\u0071{_body(36)[1:]}",
    "in Base64": b64encode(f"sk-proj-{_body(30)}".encode()).decode(),
    "with percent signs": quote(f"sk-proj-{_body(30)}+/=", safe=""),
}
AROUND: dict[str, str] = {
    "alone": "{0}",
    "in JSON": '{{"command": "{0}", "retries": 3}}',
    "in a sentence": "Please use {0} for the next request.",
}
Finder = Callable[[list[str]], int]
"""Counts the texts in which something is found; each is one or more lines."""


def by_zkit(texts: list[str]) -> int:
    """Count the texts of which zkit would mask something."""
    return sum(bool(secrets_in(text)) for text in texts)


def by_detect_secrets() -> Finder | None:
    """How detect-secrets scans a file with its defaults; None if it is not installed."""
    try:
        scan = import_module("detect_secrets.core.scan")
        settings = import_module("detect_secrets.settings")
    except ImportError:
        return None

    def count(texts: list[str]) -> int:
        """Count by lines of one file, which is how it is used; each text begins on a known line."""
        starts = [0, *accumulate(text.count("\n") + 1 for text in texts)]
        with TemporaryDirectory() as folder, settings.default_settings():
            file = Path(folder) / "texts.txt"
            file.write_text("\n".join(texts) + "\n", "utf-8")
            lines = {found.line_number - 1 for found in scan.scan_file(str(file))}
        return sum(not lines.isdisjoint(range(*one)) for one in pairwise(starts))

    return count


def documentation() -> list[str]:
    """Lines of our own pages, which hold no secret."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    lines = (line for page in pages for line in page.read_text("utf-8").splitlines())
    return [line for line in lines if line.strip()][:LINES]


def row(name: str, finder: Finder) -> str:
    """The figures of one tool as a row of the table."""
    missed = [
        len(SECRETS) - finder([around.format(secret) for secret in SECRETS.values()])
        for around in AROUND.values()
    ]
    lines = documentation()
    needless = finder(lines)
    cells = [f"{count} of {len(SECRETS)}" for count in missed]
    return f"| {name} | {' | '.join(cells)} | {needless} of {len(lines):,} |"


def main() -> None:
    """Print the table, and with `--missed` what each of them misses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="name what is missed alone")
    options = parser.parse_args()
    finders: dict[str, Finder] = {"zkit": by_zkit}
    other = by_detect_secrets()
    if other is not None:
        finders["detect-secrets"] = other
    print(f"| | {' | '.join(f'missed {name}' for name in AROUND)} | lines masked without need |")
    print(f"|---|{'---|' * (len(AROUND) + 1)}")
    for name, finder in finders.items():
        print(row(name, finder))
        if options.missed:
            print("  misses", [kind for kind, secret in SECRETS.items() if not finder([secret])])
    if other is None:
        print("detect-secrets is not installed, so its row is left out: pip install detect-secrets")


if __name__ == "__main__":
    main()
