"""Small programs with a known answer: each combination of a source, a way and a sink, of which the
way or the sink may be harmless."""

from collections.abc import Iterator
from typing import NamedTuple

FLASK = """
import os, subprocess, pickle, sqlite3, shlex, html, json, base64, urllib.parse, configparser, re
import yaml, lxml.etree, ldap3, jinja2, importlib, pathlib, string
from flask import Flask, request, redirect, make_response, session, render_template, send_file
from flask import render_template_string
import markupsafe
from werkzeug.utils import secure_filename
app = Flask(__name__)
ALLOWED = {"one", "two"}
HANDLERS = {"one": "first", "two": "second"}
BASE = "/srv/files"
SQL = sqlite3.connect("db")
def same(value):
    return value
def wrapped(value):
    return "<" + value + ">"
def constant(value):
    return "constant"
def pick(key, value):
    if key == "a":
        return "constant"
    return value
def checked(value):
    if value not in ALLOWED:
        raise ValueError(value)
    return value
class Box:
    def __init__(self, value):
        self.value = value
        self.other = "constant"
    def get(self):
        return self.value
    def get_other(self):
        return self.other
class Plain:
    def twice(self, value):
        return self.once(value) + ""
    def once(self, value):
        return value
"""
# Name, what stands before `def`, its parameters, and the expression that reads the input
SOURCES = {
    "args.get": ("@app.route('/x')", "", "request.args.get('q', '')"),
    "args[]": ("@app.route('/x')", "", "request.args['q']"),
    "args.getlist": ("@app.route('/x')", "", "request.args.getlist('q')[0]"),
    "form": ("@app.post('/x')", "", "request.form.get('q')"),
    "values": ("@app.route('/x')", "", "request.values['q']"),
    "cookies": ("@app.route('/x')", "", "request.cookies.get('q', 'none')"),
    "json": ("@app.post('/x')", "", "request.get_json()['q']"),
    "json attribute": ("@app.post('/x')", "", "request.json.get('q')"),
    "data": ("@app.post('/x')", "", "request.get_data(as_text=True)"),
    "data decoded": ("@app.post('/x')", "", "request.data.decode()"),
    "url": ("@app.route('/x/<path:q>')", "q", "q"),
    "file name": ("@app.post('/x')", "", "request.files['q'].filename"),
    "file": ("@app.post('/x')", "", "request.files['q'].read().decode()"),
}
# The lines that make `bar` of `param`, and whether what was sent is in it
WAYS = {
    "direct": ("bar = param", True),
    "concatenated": ("bar = 'a' + param + 'b'", True),
    "f-string": ("bar = f'a{param}b'", True),
    "format": ("bar = 'a{}b'.format(param)", True),
    "percent": ("bar = 'a%sb' % param", True),
    "percent tuple": ("bar = 'a%sb%s' % ('c', param)", True),
    "percent dict": ("bar = 'a%(k)s' % {'k': param}", True),
    "join": ("bar = ' '.join(['a', param])", True),
    "join constants": ("unused = param\nbar = ' '.join(['a', 'b'])", False),
    "methods": ("bar = param.strip().lower().replace('a', 'b')", True),
    "split": ("bar = param.split(' ')[0]", True),
    "slice": ("bar = param[:10] + param[2:]", True),
    "augmented": ("bar = 'a'\nbar += param", True),
    "base64": ("bar = base64.b64decode(base64.b64encode(param.encode())).decode()", True),
    "unquoted": ("bar = urllib.parse.unquote(param)", True),
    "overwritten": ("bar = param\nbar = 'constant'", False),
    "overwritten later": ("bar = 'constant'\nbar = param", True),
    "constant if": ("if 7 * 18 + 106 > 200:\n    bar = 'constant'\nelse:\n    bar = param", False),
    "constant else": ("if 7 * 18 - 106 > 200:\n    bar = 'constant'\nelse:\n    bar = param", True),
    "constant conditional": ("num = 86\nbar = 'c' if 7 * 42 - num > 200 else param", False),
    "constant conditional of input": ("num = 86\nbar = 'c' if 7 * 42 - num < 200 else param", True),
    "unknown if": ("bar = 'c'\nif len(param) > 3:\n    bar = param", True),
    "branches": ("if len(param) > 3:\n    bar = param\nelse:\n    bar = 'c'", True),
    "match constant": (
        "guess = 'ABC'[1]\nmatch guess:\n    case 'A' | 'C':\n        bar = param\n"
        "    case 'B':\n        bar = 'constant'\n    case _:\n        bar = param",
        False,
    ),
    "match input": (
        "guess = 'ABC'[2]\nmatch guess:\n    case 'A' | 'C':\n        bar = param\n"
        "    case 'B':\n        bar = 'constant'\n    case _:\n        bar = 'x'",
        True,
    ),
    "list element": ("items = ['a', param, 'c']\nbar = items[1]", True),
    "list other element": ("items = ['a', param, 'c']\nbar = items[2]", False),
    "list popped": (
        "items = ['a']\nitems.append(param)\nitems.append('b')\nitems.pop(0)\nbar = items[0]",
        True,
    ),
    "list popped other": (
        "items = ['a']\nitems.append(param)\nitems.append('b')\nitems.pop(0)\nbar = items[1]",
        False,
    ),
    "list loop": ("bar = ''\nfor item in ['a', param]:\n    bar += item", True),
    "list comprehension": ("bar = ''.join([c for c in [param, 'x']])", True),
    "dict": ("d = {'a': 'constant', 'b': param}\nbar = d['b']", True),
    "dict other": ("d = {'a': 'constant', 'b': param}\nbar = d['a']", False),
    "dict assigned": ("d = {}\nd['a'] = 'constant'\nd['b'] = param\nbar = d.get('b')", True),
    "dict assigned other": ("d = {}\nd['a'] = 'constant'\nd['b'] = param\nbar = d.get('a')", False),
    "dict overwritten": ("d = {'b': param}\nd['b'] = 'constant'\nbar = d['b']", False),
    "dict update": ("d = dict(a='x')\nd.update({'b': param})\nbar = d['b']", True),
    "config": (
        "c = configparser.ConfigParser()\nc.add_section('s')\nc.set('s', 'a', 'constant')\n"
        "c.set('s', 'b', param)\nbar = c.get('s', 'b')",
        True,
    ),
    "config other": (
        "c = configparser.ConfigParser()\nc.add_section('s')\nc.set('s', 'a', 'constant')\n"
        "c.set('s', 'b', param)\nbar = c.get('s', 'a')",
        False,
    ),
    "lookup": ("bar = HANDLERS.get(param, 'none')", False),
    "tuple": ("a, bar = 'x', param", True),
    "tuple other": ("bar, a = 'x', param", False),
    "walrus": ("if (bar := param):\n    pass", True),
    "or default": ("bar = param or 'x'", True),
    "attribute": ("class O: pass\no = O()\no.a = param\no.b = 'x'\nbar = o.a", True),
    "attribute other": ("class O: pass\no = O()\no.a = param\no.b = 'x'\nbar = o.b", False),
    "helper": ("bar = same(param)", True),
    "helper wrapped": ("bar = wrapped(same(param))", True),
    "helper constant": ("bar = constant(param)", False),
    "helper picks": ("bar = pick('b', param)", True),
    "helper picks other": ("bar = pick('a', param)", False),
    "helper checks": ("bar = checked(param)", False),
    "object": ("bar = Box(param).get()", True),
    "object other": ("bar = Box(param).get_other()", False),
    "object twice": ("bar = Plain().twice(param)", True),
    "try": ("try:\n    bar = param\nexcept ValueError:\n    bar = 'x'", True),
    "while": ("bar = ''\nwhile len(bar) < 3:\n    bar = bar + param", True),
    "carried": ("bar = a = 'x'\nfor i in range(3):\n    bar = a\n    a = param", True),
    "number": ("bar = str(int(param))", False),
    "length": ("bar = str(len(param))", False),
    "allowed": ("if param not in ALLOWED:\n    return 'no'\nbar = param", False),
    "allowed inside": ("bar = 'x'\nif param in ('a', 'b'):\n    bar = param", False),
    "equal": ("bar = 'x'\nif param == 'constant':\n    bar = param", False),
    "unequal": ("bar = 'x'\nif param != 'constant':\n    bar = param", True),
    "digits": ("if not param.isdigit():\n    raise ValueError\nbar = param", False),
    "pattern": ("if not re.fullmatch(r'[a-z]+', param):\n    return 'no'\nbar = param", False),
    "weak pattern": ("if not re.match(r'.*a', param):\n    return 'no'\nbar = param", True),
    "asserted": ("assert param in ALLOWED\nbar = param", False),
    "validated": ("try:\n    int(param)\nexcept ValueError:\n    return 'no'\nbar = param", False),
    "flag": ("fine = param in ALLOWED\nif not fine:\n    return 'no'\nbar = param", False),
    "conditional allowed": ("bar = param if param in ALLOWED else 'x'", False),
    "returned early": ("bar = 'x'\nif False:\n    bar = param", False),
    "nested": ("def inner():\n    return param\nbar = inner()", True),
    "lambda": ("bar = (lambda: 'x')()\nbar = 'x'", False),
}  # fmt: skip
SAX = (
    "import xml.sax\np = xml.sax.make_parser()\n"
    "p.setFeature(xml.sax.handler.feature_external_ges, {})\np.parse(bar)"
)
# The rule, the lines that do harm with `bar`, and such that do none
SINKS = {
    "command": (
        "taint/command-injection",
        ["os.system('ls ' + bar)", "subprocess.run(f'ls {bar}', shell=True)",
         "subprocess.Popen(['sh', '-c', bar])", "os.popen(bar)",
         "args = ['sh', '-c']\nargs.append('ls ' + bar)\nsubprocess.run(args)"],
        ["subprocess.run(['ls', bar])", "os.system('ls ' + shlex.quote(bar))", "os.system('ls')",
         "subprocess.run('ls', shell=True)"],
    ),
    "code": (
        "taint/code-injection",
        ["eval(bar)", "exec(bar)", "exec(compile(bar, 'a', 'exec'))"],
        ["import ast\nast.literal_eval(bar)", "eval('1 + 1')"],
    ),
    "sql": (
        "taint/sql-injection",
        ["cur = SQL.cursor()\ncur.execute(\"SELECT a FROM b WHERE c = '\" + bar + \"'\")",
         "with SQL as conn:\n    conn.execute(f'SELECT a FROM b WHERE c = {bar}')",
         "query = 'DELETE FROM b WHERE c = %s' % bar\nSQL.cursor().execute(query)",
         "SQL.executescript('UPDATE b SET c = {}'.format(bar))"],
        ["SQL.execute('SELECT a FROM b WHERE c = ?', (bar,))",
         "SQL.cursor().execute('SELECT a FROM b')"],
    ),
    "deserialization": (
        "taint/unsafe-deserialization",
        ["pickle.loads(bar.encode())", "yaml.load(bar, Loader=yaml.Loader)",
         "yaml.unsafe_load(bar)"],
        ["yaml.safe_load(bar)", "yaml.load(bar, Loader=yaml.SafeLoader)", "json.loads(bar)"],
    ),
    "path": (
        "taint/path-traversal",
        ["open(os.path.join(BASE, bar))", "open(f'{BASE}/{bar}').read()", "os.remove(BASE + bar)",
         "pathlib.Path(bar).read_text()", "(pathlib.Path(BASE) / bar).open()", "send_file(bar)"],
        ["open(os.path.join(BASE, secure_filename(bar)))",
         "open(os.path.join(BASE, os.path.basename(bar)))",
         "p = os.path.realpath(os.path.join(BASE, bar))\nif not p.startswith(BASE):\n"
          "    return 'no'\nopen(p)",
         "p = (pathlib.Path(BASE) / bar).resolve()\nif not p.is_relative_to(BASE):\n"
          "    return 'no'\np.open()",
         "if '..' in bar:\n    return 'no'\nopen(BASE + bar)"],
    ),
    "redirect": (
        "taint/open-redirect",
        ["return redirect(bar)", "r = make_response('x')\nr.headers['Location'] = bar\nreturn 'x'"],
        ["return redirect('/item/' + bar)", "return redirect(f'https://example.com/{bar}')",
         "if urllib.parse.urlparse(bar).netloc not in ('example.com',):\n    return 'no'\n"
          "return redirect(bar)",
         "if urllib.parse.urlparse(bar).netloc != '':\n    return 'no'\nreturn redirect(bar)"],
    ),
    "xss": (
        "taint/cross-site-scripting",
        ["return '<b>' + bar", "return make_response(f'<b>{bar}</b>')",
         "return markupsafe.Markup(bar)"],
        ["return '<b>' + html.escape(bar)", "return f'<b>{markupsafe.escape(bar)}</b>'",
         "return render_template('a.html', bar=bar)", "return {'a': bar}"],
    ),
    "template": (
        "taint/template-injection",
        ["render_template_string('Hi ' + bar)", "jinja2.Template(bar).render()",
         "jinja2.Environment(autoescape=True).from_string(bar)"],
        ["render_template_string('Hi {{ bar }}', bar=bar)"],
    ),
    "ldap": (
        "taint/ldap-injection",
        ["c = ldap3.Connection('s')\nc.search('dc=a', f'(uid={bar})')",
         "c = ldap3.Connection('s')\nc.search('dc=a', search_filter='(uid=' + bar + ')')"],
        ["c = ldap3.Connection('s')\n"
         "c.search('dc=a', '(uid=' + ldap3.utils.conv.escape_filter_chars(bar) + ')')"],
    ),
    "xpath": (
        "taint/xpath-injection",
        ["t = lxml.etree.parse('a.xml')\nt.xpath(f\"//a[@b='{bar}']\")"],
        ["t = lxml.etree.parse('a.xml')\nt.xpath('//a[@b=$n]', n=bar)"],
    ),
    "xxe": (
        "taint/xml-external-entities",
        ["p = lxml.etree.XMLParser(resolve_entities=True)\nlxml.etree.fromstring(bar, p)",
         SAX.format(True)],
        ["p = lxml.etree.XMLParser(resolve_entities=False)\nlxml.etree.fromstring(bar, p)",
         SAX.format(False)],
    ),
    "request": (
        "taint/server-side-request-forgery",
        ["import requests\nrequests.get(bar)",
         "import urllib.request\nurllib.request.urlopen('http://' + bar)"],
        ["import requests\nrequests.get('https://example.com/' + bar)",
         "import requests\nrequests.get('https://example.com', params={'q': bar})"],
    ),
}  # fmt: skip


class Program(NamedTuple):
    """A program, and the rule that it breaks; "" for none."""

    name: str
    text: str
    rule: str
    sink: str


def programs() -> Iterator[Program]:
    """All of them; ways that leave a text in front of the input are left out where that makes it
    harmless."""
    for source, (route, parameters, expression) in SOURCES.items():
        for way, (lines, keeps) in WAYS.items():
            for sink, (rule, harmful, harmless) in SINKS.items():
                for number, use in enumerate((*harmful, *harmless)):
                    bad = keeps and number < len(harmful)
                    if bad and _changes_sink(way, sink, use):
                        continue
                    body = f"param = {expression}\n{lines}\n{use}\nreturn 'done'"
                    text = f"{FLASK}{route}\ndef handler({parameters}):\n{_indented(body)}"
                    yield Program(
                        f"{source}, {way}, {sink} {number}", text, rule if bad else "", rule
                    )


def _changes_sink(way: str, sink: str, use: str) -> bool:
    """What stands before the input decides where a URL leads."""
    prefixed = (
        "concatenated",
        "f-string",
        "format",
        "percent",
        "join",
        "list loop",
        "augmented",
        "helper wrapped",
    )
    return sink in ("redirect", "request") and way.startswith(prefixed)


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.split("\n"))
