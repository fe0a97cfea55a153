"""Source code of many languages, with ‹marks› to fill in, as models put it into tool arguments."""

from __future__ import annotations

PYTHON = (
    'def ‹fn›(‹var›: str) -> str:\n    """Return the "‹word›" of ‹var›, or an empty string."""\n    return ‹var›.split(":", 1)[-1].strip()\n',
    'import re\n\n‹VAR› = re.compile(r\'^(?P<key>[\\w.-]+)\\s*=\\s*"(?P<value>[^"\\\\]*)"$\')\n',
    'for ‹var› in ‹other›:\n    if ‹var› not in seen and ‹var›.get("‹word›") != None:\n        print(f"{‹var›!r}: {len(‹other›):>‹num›} items, {total:.2f} %")\n',
    "class ‹Name›(Exception):\n    '''It's raised when the ‹word› isn't there.'''\n\n    def __init__(self, ‹var›, code=‹num›):\n        super().__init__(f\"‹word› failed: {‹var›['id']}\")\n        self.code = code\n",
    '‹var› = {"‹word›": ‹num›, "‹other›": [1, 2.5, None], "nested": {"ok": True}}\nprint(json.dumps(‹var›, indent=2))',
    'assert ‹fn›("a\\tb\\n") == \'a\\\\tb\\\\n\', "tabs, newlines: both escaped"\n',
    'def test_‹fn›():\n    raw = "{\\"‹word›\\": \\"‹other›\\"}"\n    assert ‹fn›(raw)["‹word›"] == "‹other›"  # "quoted", twice\n',
    "with open(r'C:\\‹word›\\‹other›.txt', encoding='utf-8') as handle:\n    lines = [line.rstrip('\\n') for line in handle]\n",
    'if __name__ == "__main__":\n\targs = {"‹var›": sys.argv[1:], "‹other›": "x, y: z"}\n\tsys.exit(‹fn›(**args))\n',
    'lambda ‹var›: "".join(c for c in ‹var› if c not in "{}[]:,\\"\'")',
    'print("‹word›", end="")\nprint("‹other›: ", ‹num›, sep=", ")\n# done, "‹word›": see above\n',
)
JAVASCRIPT = (
    "const ‹fn› = (‹var›, { ‹other› = \"none\" } = {}) => {\n  // keep ‹var› first\n  return `${‹var›}: ${‹other› ?? 'n/a'}`;\n};\n",
    'module.exports = { ‹var›, ‹other›: undefined, limit: ‹num›, re: /^"?\\d+"?$/gi };\n',
    'if (‹var› !== "‹word›") {\n\tconsole.log("it\'s " + ‹var› + ", not \'‹other›\'");\n} else { /* ‹word› */ }\n',
    'fetch("/api/‹word›?q=" + encodeURIComponent(‹var›), {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify({ "‹other›": ‹num› }),\n});',
    "export default function ‹Name›({ ‹var› }) {\n  return <li className=\"‹word›\" onClick={() => set('‹other›')}>{‹var›}</li>;\n}\n",
    'type ‹Name› = { ‹var›: string; "‹other›-id"?: number | null };\nconst x: ‹Name›[] = [{ ‹var›: "a" }, { ‹var›: "b", "‹other›-id": ‹num› }];\n',
    "document.querySelector('[data-‹word›=\"‹other›\"]').innerHTML = '<b class=\"x\">‹word›</b>';",
    'const s = \'a\\\\b\';\nconst t = "‹word›\\n";\nconst u = `multi\nline "${t}"`;\n',
)
SHELL = (
    "find . -name '*.‹ext›' -print0 | xargs -0 grep -n \"‹word›\" | awk -F: '{ print $1 \", \" $2 }'",
    'for f in *.‹ext›; do\n\techo "$f: $(wc -l < "$f")"\ndone',
    'docker run --rm -v "$PWD":/src -e ‹VAR›=‹num› ‹word›:latest sh -c \'echo "‹other›" # ok\'',
    'curl -s -H \'Accept: application/json\' -d \'{"‹word›": [1, 2], "‹other›": "x"}\' https://example.org/‹word› | jq \'.["‹word›"][0]\'',
    'sed -i \'s/\\(‹word›\\)="[^"]*"/\\1="‹other›"/g; s#\\\\#/#g\' conf/‹file›',
    'git commit -m "‹word›: don\'t drop \\"‹other›\\"" && git push origin "$(git branch --show-current)"',
    "printf '%s\\n' \"${‹VAR›:-‹other›}\" | tr -d '\\r\\n\\t' > /tmp/‹word›.$$",
    'awk \'BEGIN { FS="," } $3 > ‹num› { printf("%s: %d\\n", $1, $3) }\' ‹word›.csv',
    'echo "‹word›" && [ -f ‹file› ] || { echo "no ‹file›"; exit 1; }',
    "powershell -Command \"Get-ChildItem 'C:\\‹word›' -Filter *.log | % { $_.Name }\"",
)
SQL = (
    "SELECT \"‹word›\", count(*) AS n FROM ‹other› WHERE name = 'O''Brien' AND note LIKE '%\"‹word›\"%' GROUP BY 1;",
    "INSERT INTO ‹word› (‹var›, ‹other›) VALUES ('x', NULL), ('y\\z', ‹num›), ('it''s', -1)",
    'UPDATE ‹word› SET meta = \'{"k": [1, 2], "v": "‹other›"}\'::jsonb WHERE id = $1 -- ‹other›',
    'CREATE TABLE "‹word›" (\n  id INTEGER PRIMARY KEY,\n  "‹other›" TEXT DEFAULT \'\',\n  CHECK (id > 0)\n);',
    "select `‹word›`.`‹other›`, regexp_replace(body, '\\\\s+', ' ') from `‹word›` where ts >= '2024-0‹digit›-01 10:30:00'",
)
HTML = (
    '<div class="‹word› ‹other›" data-x=\'{"k": "‹var›"}\'>\n  <a href="https://example.org/‹word›?x=1&amp;y=2">‹word› &lt;‹other›&gt;</a>\n</div>',
    "<button onclick=\"alert('‹word›: &quot;‹other›&quot;')\" disabled>\n\t‹Name›\n</button>",
    "<!-- ‹word› -->\n<ul>\n  <li>‹other›</li>\n  <li>‹word› — ‹num›%</li>\n</ul>\n<script>var ‹var› = {};</script>",
    '<input type="text" name="‹word›" value="" placeholder="e.g. &#39;‹other›&#39;" required/>',
    '<p style="color: #333; margin: 0, auto">It\'s "‹word›", isn\'t it?</p>\n',
    '<?xml version="1.0" encoding="UTF-8"?>\n<‹word› id="‹num›"><![CDATA[ a < b && c > "d" ]]></‹word›>',
)
CSS = (
    '.‹word›::after { content: "\\201C‹other›\\201D"; color: #0‹digit›f; }\n',
    '@media (max-width: ‹num›px) {\n  [data-kind="‹word›"] > a:hover, .‹other› { background: url("img/‹word›.png") no-repeat; }\n}\n',
)
YAML = (
    "‹word›:\n  - name: \"‹other›\"\n    run: |\n      echo 'it''s'\n    when: {on: [push, pull]}\n",
    "# ‹word›\nkey: value\nlist: [a, \"b, c\", 'd']\nempty: ~\nurl: https://example.org:‹num›/‹other›\n",
)
JSON = (
    '{"‹word›": ‹num›, "‹other›2": {"k": "‹var›", "path": "C:\\\\tmp"}}',
    '{\n  "name": "‹word›",\n  "scripts": {\n    "build": "tsc && echo \\"ok\\"",\n    "test": "node --test"\n  },\n  "private": true\n}\n',
    '[{"‹word›": "a \\"quoted\\" b"}, {"‹word›": null, "‹other›": []}]',
    '{"‹word›": "x", "‹other›": "y"}',
    '["‹word›", "‹other›", ""]',
)
REGEX = (
    "^\\[\\d+\\]:\\s",
    "\\b‹word›\\b.*$",
    "[\"'](https?://[^\"']+)[\"']",
    '(?<!\\\\)"',
    "(?i)\\b(‹word›|‹other›)\\s*=\\s*\\{[^{}]*\\}",
    "a|b\\.(js|ts)x?$",
    "[^\\x00-\\x7F]+",
    "^\\s*def\\s+(\\w+)\\(",
    "\\$\\{(\\w+)\\}",
    "\\d{1,‹digit›}(?:,\\d{3})*\\.\\d+",
    "[{}\\[\\]:,]",
    "\\\\server\\\\[^\\\\]+\\\\",
)
LATEX = (
    "\\frac{‹var›}{\\sqrt{‹num›}} \\times \\alpha_{‹digit›} \\leq \\beta",
    "\\begin{equation}\n  \\sum_{i=1}^{n} x_i = \\text{``‹word›''}\n\\end{equation}\n",
    "Let $\\nabla f(x) = 0$ and $\\theta \\in [0, 1]$; then \\emph{‹word›} holds.",
    "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\newcommand{\\‹word›}[1]{\\textbf{#1}}\n",
)
MARKDOWN = (
    '# ‹Name› guide\n\nRun this first:\n\n```bash\npip install ‹word› && echo "done"\n```\n\nThen see `‹file›`, it\'s short.\n',
    '| ‹word› | ‹other› |\n|---|---|\n| 1 | "‹var›" |\n| 2 | `{"a": ‹num›}` |\n\n> quoted: text, "more": text\n',
    '* [ ] ‹word›: [link](https://example.org/a_(b)?c="d")\n* [x] **‹other›**\n\n~~~json\n{"‹var›": [1, 2]}\n~~~\n',
    "## Notes\n\n1. ‹word›, see [1]\n2. “‹other›” and 'more'\n\n---\n\n[1]: https://example.org \"‹Name›\"\n",
    'Use it so:\n\n```json\n{"‹word›": "‹other›", "count": ‹num›}\n```\n',
)
OTHER = (
    'fn ‹fn›(‹var›: &str) -> Option<&\'static str> {\n    match ‹var› {\n        "‹word›" => Some("{\\"ok\\": true}"),\n        _ => None,\n    }\n}\n',
    'func ‹Name›(w io.Writer) error {\n\tfmt.Fprintf(w, "%q: %v\\n", "‹word›", map[string]int{"‹other›": ‹num›})\n\treturn nil\n}\n',
    '#include "‹word›.h"\nint main(void) {\n    printf("%s\\t%d\\n", "‹other›", \'\\0\');\n    return 0; /* "ok" */\n}\n',
    'FROM python:3.12-slim\nENV ‹VAR›="‹word›"\nCMD ["python", "-m", "‹other›"]\n',
    '[tool.‹word›]\nname = "‹other›"\npaths = ["C:\\\\‹word›", \'D:\\raw\\‹other›\']\n',
    '--- a/‹file›\n+++ b/‹file›\n@@ -1,3 +1,3 @@\n-‹var› = "‹word›"\n+‹var› = "‹other›"\n     return {"a": 1}\n',
    'Traceback (most recent call last):\n  File "‹file›", line ‹num›, in <module>\n    ‹fn›({"‹word›": 1})\nKeyError: \'‹other›\'\n',
)

CODE = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "shell": SHELL,
    "sql": SQL,
    "html": HTML,
    "css": CSS,
    "yaml": YAML,
    "json": JSON,
    "regex": REGEX,
    "latex": LATEX,
    "markdown": MARKDOWN,
    "other": OTHER,
}
