"""One valid document of each format, with every field that the parsers read."""

SARIF = """{
  "version": "2.1.0",
  "runs": [{
    "tool": {"driver": {"name": "Acme Scan", "rules": [
      {"id": "A1", "helpUri": "https://acme.example/A1", "defaultConfiguration": {"level": "error"},
       "properties": {"tags": ["security"], "security-severity": "7.5"}},
      {"id": "A2", "shortDescription": {"text": "Second"},
       "messageStrings": {"default": {"text": "{0} is not {1}"}}}
    ]}},
    "invocations": [{"executionSuccessful": true}],
    "originalUriBaseIds": {"ROOT": {"uri": "file:///w/"},
                           "SRC": {"uri": "src/", "uriBaseId": "ROOT"}},
    "artifacts": [{"location": {"uri": "lib/x%20b.py"}}],
    "results": [
      {"ruleId": "A1", "ruleIndex": 0, "message": {"text": "first line\\nmore"},
       "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py", "uriBaseId": "SRC"},
                      "region": {"startLine": 3, "endLine": 5, "endColumn": 1}}},
                     {"physicalLocation": {"artifactLocation": {"index": 0},
                                           "region": {"startLine": 9}}}]},
      {"rule": {"index": 1}, "level": "note", "message": {"id": "default", "arguments": ["a", "b"]},
       "suppressions": [{"kind": "inSource", "status": "accepted", "justification": "known"}],
       "locations": [{"physicalLocation": {"artifactLocation": {"uri": "file:///w/b%C3%BC.py"}}}]}
    ]
  }]
}"""
RDJSON = """{
  "source": {"name": "Acme", "url": "https://acme.example"},
  "severity": "INFO",
  "diagnostics": [
    {"message": "too long", "severity": "ERROR", "code": {"value": "A1", "url": "https://acme.example/A1"},
     "location": {"path": "/w/src/a.py",
                  "range": {"start": {"line": 3, "column": 1}, "end": {"line": 4, "column": 1}}},
     "suggestions": [{"range": {"start": {"line": 3, "column": 1}, "end": {"line": 4, "column": 1}},
                      "text": "new\\n"}]},
    {"message": "a file", "location": {"path": "./b.py"}}
  ]
}"""
RDJSONL = (
    '{"message": "m", "location": {"path": "a.py", "range": {"start": {"line": 2}}}, "severity": '
    '"WARNING", "source": {"name": "acme"}}\n'
    '{"message": "n", "location": {"path": "b.py"}, "severity": 3}\n'
)
CHECKSTYLE = (
    '<?xml version="1.0" encoding="utf-8"?>\n<checkstyle version="4.3">\n'
    '  <file name="./x b/ü.java">\n'
    '    <error line="3" column="7" severity="warning" message="a &lt;b&gt; &apos;c&apos;" '
    'source="acme.Rule"/>\n'
    '    <error severity="error" message="the whole file" source=""></error>\n  </file>\n'
    "</checkstyle>"
)
SHELLCHECK = (
    '{"comments":[{"file":"a.sh","line":2,"endLine":2,"column":6,"endColumn":8,"level":"info",'
    '"code":2086,"message":"Double quote.",'
    '"fix":{"replacements":[{"column":6,"endColumn":8,"endLine":2,"insertionPoint":"afterEnd",'
    '"line":2,"precedence":7,"replacement":"x"}]}},'
    '{"file":"b.sh","line":1,"endLine":1,"column":1,"endColumn":1,"level":"error",'
    '"code":1073,"message":"Not parsed.","fix":null}]}'
)
ALL = {
    "sarif": SARIF,
    "rdjson": RDJSON,
    "rdjsonl": RDJSONL,
    "checkstyle": CHECKSTYLE,
    "shellcheck": SHELLCHECK,
}
