"""Tell bare words, which may be quoted, from expressions and placeholders, which are refused.

Nothing is invented: a bare value becomes text only if it can be nothing else. A call, a variable,
an operation or a placeholder would have to be computed or filled in first.
"""

from __future__ import annotations

import re

_NAME = r"[^\W\d]\w*+"
_OPERAND = r"(?:[\w.$]++(?:\([^()]*+\)|\[[^\[\]]*+\])?+|'[^']*+'|\"[^\"]*+\")"
_OPERATOR = r"(?:[-+*/%|&<>^?]|\*\*|//|==|!=|<=|>=|\|\||&&|\?\?|=>|->|<<|>>)"
_EXPRESSIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?:new|await|not|async|typeof)\s++|[!-])?+{_NAME}(?:\.{_NAME})*+[(\[]",  # os.getcwd(), args[0]
        r"(?:lambda|function|await|typeof)\b|new\s++[A-Z]",
        rf"{_OPERAND}(?:\s*+(?:[+*|&^?]|=>|->|==|!=|\|\||&&)\s*+{_OPERAND})++\Z",  # a+b, low|high
        rf"{_OPERAND}(?:\s++{_OPERATOR}\s++{_OPERAND})++\Z",  # a - b, x / 2
        r"[-+]?[0-9.]++\s*+[*/%]\s*+[0-9.]++\Z",
        r".*\s\?\s.*\s:\s",  # x ? 1 : 2
        r".*\sif\s.*\selse\s",
        r"(?:not|None|True|False|null|true|false)\s+\w|\S++\s++(?:or|and|is|in)\s++\S++\Z",
        r"[$@]?\{|\$[^\W\d]|\$\(|%[sdrif]\Z|%\(|%\w++%\Z",  # ${city}, $HOME, %s
        r"[-!~](?![-$/~.])[^\W\d]",  # -x, !flag
        r"<[^<>]*+>?|\[[^\[\]]*+\]\Z|_{2,}+\Z|\?++\Z|\.{3}|…",  # <value>, [insert value], ___, ...rest
        r".*(?:(?<!\w)['\"`]|['\"`](?!\w))",  # TAG_VALUE 'Google', b'x'.decode()
        r"/.*[+*?\\^$()\[\]|].*/[gimsuy]*+\Z",  # /ab+c/gi
        r"\(",
    )
)
"""What no bare text looks like, each with the case that needs it."""
_ATTRIBUTE = re.compile(rf"{_NAME}(?:\.{_NAME})++\Z")
_FILE_ENDINGS = frozenset(
    [
        "bash",
        "bat",
        "bin",
        "c",
        "cc",
        "cfg",
        "cfm",
        "com",
        "conf",
        "cpp",
        "cs",
        "css",
        "csv",
        "de",
        "dev",
        "doc",
        "docx",
        "env",
        "eu",
        "exe",
        "fr",
        "gif",
        "go",
        "gz",
        "h",
        "htm",
        "html",
        "info",
        "ini",
        "io",
        "ipynb",
        "it",
        "java",
        "jpeg",
        "jpg",
        "js",
        "json",
        "jsonl",
        "jsx",
        "kt",
        "lock",
        "log",
        "lua",
        "md",
        "mjs",
        "mp3",
        "mp4",
        "net",
        "nl",
        "org",
        "parquet",
        "pdf",
        "php",
        "pl",
        "png",
        "pptx",
        "ps1",
        "py",
        "pyi",
        "r",
        "rb",
        "rs",
        "rst",
        "scala",
        "sh",
        "sql",
        "svg",
        "swift",
        "tar",
        "tex",
        "tf",
        "toml",
        "ts",
        "tsv",
        "tsx",
        "txt",
        "uk",
        "us",
        "vue",
        "wav",
        "webp",
        "xls",
        "xlsx",
        "xml",
        "yaml",
        "yml",
        "zip",
    ]
)
"""Endings of files and hosts: `main.py` is a name, `self.path` is an attribute."""
_TYPES = frozenset(
    [
        "int",
        "str",
        "float",
        "bool",
        "string",
        "integer",
        "number",
        "boolean",
        "any",
        "list",
        "dict",
        "object",
        "array",
        "tuple",
        "type",
        "ellipsis",
    ]
)
"""Names of types: an echo of the schema, not a value."""


def is_expression(phrase: str) -> bool:
    """True if a bare value would have to be computed or filled in: a call, a variable, a placeholder."""
    if phrase.partition(":")[0].lower() in _TYPES:
        return True
    if _ATTRIBUTE.match(phrase) and phrase.rpartition(".")[2].lower() not in _FILE_ENDINGS:
        return True
    return any(pattern.match(phrase) for pattern in _EXPRESSIONS)
