"""What calls are given and return: the lines that end in a bare `#` are found, and no others."""

import pytest

from reviewgate_gh.reviewers.taint.engine import judge_sinks
from reviewgate_gh.reviewers.taint.findings import find_flows

RECORDS = r"""
import os
from collections import namedtuple
from flask import request
Pair = namedtuple("Pair", "left, right")
Triple = namedtuple("Triple", ["a", "b", "c"])
def a():
    x = request.args["x"]
    pair = Pair(x, "fixed")
    os.system(pair.right)
    os.system(pair[1])
    os.system(pair.left) #
    os.system(pair[0]) #
    left, right = pair
    os.system(right)
    os.system(left) #
    triple = Triple("a", c=x, b="b")
    os.system(triple.b)
    os.system(triple.c) #
    first, second, third = triple
    os.system(second)
    os.system(third) #
"""
KEYWORDS = r"""
import os, subprocess
from flask import request
def choose(**given):
    return given["value"]
def a():
    x = request.args["x"]
    shell, plain = {"shell": True}, {"shell": False}
    subprocess.run("ls " + x, **shell) #
    subprocess.run("ls " + x, **plain)
    given = {"value": x, "other": "y"}
    os.system(choose(**given)) #
    given = {"value": "y", "other": x}
    os.system(choose(**given))
"""
NOTHING_SENT = r"""
import os
from flask import request
def a():
    body = request.json or {}
    os.system(body.get("q", "")) #
    os.system((request.get_json(silent=True) or {}).get("user", {}).get("name", "")) #
    os.system(({} or {}).get("q", ""))
"""
KEYS = r"""
from flask import request
def a():
    for key in request.form.keys():
        if key.startswith("opt_"):
            open(request.form[key]) #
            open(key)
"""
STARTED = r"""
import asyncio, os
from flask import request
async def a():
    x = request.args["x"]
    os.execl("/bin/sh", "sh", "-c", "cat " + x) #
    os.execl("/bin/cat", "cat", "-c", x)
    os.execv("/bin/sh", ["sh", "-c", x]) #
    os.execv("/bin/cat", ["cat", "--", x])
    os.spawnlp(os.P_WAIT, "sh", "sh", "-c", x) #
    await asyncio.create_subprocess_exec("bash", "-c", x) #
    await asyncio.create_subprocess_exec("cat", x)
"""
COOKIES = r"""
from flask import make_response, request
def a(made, options):
    r = make_response("x")
    r.set_cookie("session_id", made, httponly=True) #
    r.set_cookie(key="auth_token", value=made) #
    r.set_cookie("session_id", made, secure=True)
    r.set_cookie("session_id", made, **options)
    r.set_cookie("session_id", made, 60, None, "/", None, True)
    r.set_cookie("session_id", "", max_age=0)
    r.set_cookie("theme", made)
"""
GIVEN_BACK = r"""
import os, sqlite3
from flask import request
def words(text):
    for word in text.split():
        yield word
def fixed(text):
    for _ in text.split():
        yield "a"
class Holder:
    label = "a"
    def __init__(self, value):
        self._value = value
    @property
    def value(self):
        return self._value
    @property
    def size(self):
        return len(self._value)
    def method(self):
        return self._value
def a():
    x = request.args["x"]
    for word in words(x):
        os.system(word) #
    for word in fixed(x):
        os.system(word)
    holder = Holder(x)
    os.system("ls " + holder.value) #
    os.system("ls %s" % holder.size)
    os.system("ls %s" % holder.method)
    os.system(x.encode().hex())
    parts = ["SELECT a FROM t"]
    for key in request.args.getlist("k"):
        parts.append(f"AND {key} = 1")
    sqlite3.connect("a").execute(" ".join(parts)) #
    sqlite3.connect("a").execute(" ".join(["SELECT a FROM t"]), parts)
"""
PAGES = r"""
from flask import Flask, request
from flask.views import MethodView
from a import other
class Page(MethodView):
    def get(self):
        return "<b>" + request.args["q"] #
    def helper(self):
        return "<b>" + request.args["q"]
class Plain:
    def get(self):
        return "<b>" + request.args["q"]
def named():
    return "<b>" + request.args["q"] #
def unnamed():
    return "<b>" + request.args["q"]
app = Flask(__name__)
app.add_url_rule("/a", view_func=named)
app.add_url_rule("/b", "b", other)
@app.route("/c")
def moved():
    return "", 302, {"Location": request.args["to"]} #
@app.route("/d")
def kept():
    return "", 302, {"Location": "/a?" + request.args["to"]}
"""
COMPARED_WITH_NONE = r"""
import os, re
from flask import request
NUMBER = re.compile(r"^[0-9]+\Z")
def a():
    x = request.args["x"]
    if NUMBER.match(x) is None:
        os.system(x) #
        return
    os.system(x)
def b():
    x = request.args["x"]
    if NUMBER.match(x) is not None:
        os.system(x)
    else:
        os.system(x) #
"""


@pytest.mark.parametrize(
    "text",
    [
        RECORDS,
        KEYWORDS,
        NOTHING_SENT,
        KEYS,
        STARTED,
        COOKIES,
        GIVEN_BACK,
        PAGES,
        COMPARED_WITH_NONE,
    ],
)
def test_the_marked_lines(text: str) -> None:
    found = {finding.line_start for finding in find_flows("a.py", text.encode())}
    lines = enumerate(text.split("\n"), 1)
    assert found == {number for number, line in lines if line.endswith("#")}


@pytest.mark.parametrize(
    ("body", "harmless"),
    [
        ("x = hashlib.sha256(given).hexdigest()\n    os.system('ls %s' % x)", True),
        ("x = hashes.of(given)\n    os.system('ls %s' % x)", False),
        ("x = re.sub(r'[^0-9]', '', given)\n    os.system('ls ' + x)", True),
        ("x = re.sub(r'[^0-9]', given, given)\n    os.system('ls ' + x)", False),
        ("if not given.isdigit():\n        return\n    x = given\n    os.system(x)", True),
        ("if not given.isdigit():\n        x = given\n    os.system(x)", False),
        ("x = b64decode('c3RhcnQ=')\n    pickle.loads(x)", True),
        ("x = io.StringIO()\n    json.dump(given, x)\n    os.system(x.getvalue())", False),
        ("x = bytes.fromhex('00')\n    pickle.loads(x)", True),
        ("x = bytes.fromhex(given)\n    pickle.loads(x)", False),
        ("x = b64decode(given)\n    pickle.loads(x)", False),
        ("x = b64decode(CONSTANT)\n    pickle.loads(x)", False),
        ("x = int(given) if given else 'a'\n    os.system(f'ls {x}')", True),
        ("x = given\n    if not x:\n        x = 'ls'\n    os.system(x)", False),
        ("Item.objects.extra(where=['a = 1'])", True),
        ("Item.objects.extra(where=['a = ' + given])", False),
    ],
)
def test_what_reaches_a_call_is_known_to_be_harmless_or_not(body: str, harmless: bool) -> None:
    heads = "import hashlib, io, json, os, pickle, re\nfrom base64 import b64decode\n"
    heads += "from a import CONSTANT\n"
    judged = judge_sinks(f"{heads}def f(given):\n    {body}\n".encode())
    assert [sink.harmless for sink in judged] == [harmless]


@pytest.mark.parametrize(("value", "harmless"), [("'a'", True), ("given", False)])
def test_a_statement_is_judged_by_its_text(value: str, harmless: bool) -> None:
    call = f"engine.connect().execute(text('SELECT a FROM t WHERE b = ' + {value}))"
    judged = judge_sinks(f"from sqlalchemy import text\ndef f(given):\n    {call}\n".encode())
    assert {sink.harmless for sink in judged} == {harmless} and len(judged) > 1
