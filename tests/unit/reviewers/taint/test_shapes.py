"""Shapes of code: the lines that end in a bare `#` are found, and no others."""

import pytest

from reviewgate_gh.reviewers.taint.findings import find_flows

SOURCES_AND_SINKS = r"""
import os, platform, subprocess, pathlib, codecs, html, urllib.parse, io
from flask import Flask, request, redirect, make_response
import helpers.utils, helpers.db, helpers.ldap, helpers.thing
app = Flask(__name__)
@app.route("/1", methods=["POST"])
def t1():
    param = ""
    for name in request.form.keys():
        if "x" in request.form.getlist(name):
            param = name
            break
    os.system(param) #
    param = request.headers.get("x")
    param = urllib.parse.unquote(param)
    os.system(param) #
    values = request.form.getlist("x")
    param = ""
    if values: param = values[0]
    os.system(param) #
    query_string = request.query_string.decode('utf-8')
    loc = query_string.find("x=")
    if loc == -1: return "no"
    param = query_string[loc + 2:]
    amp = query_string.find("&", loc)
    if amp != -1: param = query_string[loc + 2: amp]
    param = urllib.parse.unquote_plus(param)
    os.system(param) #
    headers = request.headers.getlist("x")
    if headers: param = headers[0]
    os.system(param) #
    parts = request.path.split("/")
    param = parts[1]
    os.system(param) #
    if not param: param = ""
    os.system(param) #
    for n in request.headers.keys():
        if n.lower() in ("a", "b"):
            continue
        param = n
        break
    os.system(param) #
@app.route("/2", methods=["POST"])
def t2():
    param = request.args.get("x")
    if platform.system() == "Windows":
        args = ["cmd.exe", "-c"]
    else:
        args = ["sh", "-c"]
    args.append(f"echo {param}")
    proc = subprocess.run(args, capture_output=True) #
    args2 = "echo " + param
    subprocess.run([args2], shell=True) #
    os.popen("x " + param).read() #
    subprocess.Popen(args2, shell=True, env={"x": param}) #
    subprocess.run("echo x", env={"x": param}, shell=True)
    fileName = f'{helpers.utils.TESTFILES_DIR}/{param}'
    with open(fileName, 'rb') as fd: #
        pass
    with codecs.open(fileName) as fd: #
        pass
    p = pathlib.Path(helpers.utils.DIR) / param
    p.exists()
    p.read_text() #
    if p.exists():
        with p.open() as f: #
            pass
    with io.open(fileName) as f: #
        pass
    if not os.path.exists(fileName):
        return "no"
    fd = os.open(fileName, os.O_RDWR) #
    testfiles = pathlib.Path(__file__).parent / 'x'
    p = testfiles / param
    p.open() #
    p2 = (testfiles / param).resolve()
    if not str(p2).startswith(str(testfiles)):
        return "no"
    p2.open()
def make(param):
    thing = helpers.thing.factory()
    return thing.go(param)
@app.route("/3", methods=["POST"])
def t3():
    param = request.cookies.get("x", "none")
    import xml.etree.ElementTree as ET
    import elementpath
    import lxml.etree
    import xml.dom.minidom
    root = ET.parse("x").getroot()
    root.find(f"./a[@b='{param}']") #
    fd = open("x"); r2 = lxml.etree.parse(fd); q = f"//a[@b='{param}']"
    nodes = elementpath.select(r2, q) #
    r2.xpath(q) #
    strs = f"/E[@id='{param}']"
    r2.xpath(strs, smart_strings=False) #
    conn = helpers.ldap.connection()
    conn.search("dc=x", f"(&(uid={param})(a=b))", attributes=[]) #
    conn.search("dc=" + param, "(a=b)") #
    resp = make_response("x")
    resp.set_cookie("n", param, secure=False, httponly=True) #
    resp.set_cookie("n", param, secure=True, httponly=True)
    otherarg = "static"
    d = {'bar': param, 'o': otherarg}
    return 'x: %(bar)s %(o)s' % d #
@app.route("/4", methods=["POST"])
def t4():
    import base64, yaml, pickle, configparser
    RESPONSE = ""
    param = request.form.get("x")
    tmp = base64.b64encode(param.encode('utf-8'))
    bar = base64.b64decode(tmp).decode('utf-8')
    RESPONSE += (f'Param: {bar}')
    try:
        url = urllib.parse.urlparse(bar)
        if url.netloc not in ['google.com'] or url.scheme != 'https':
            return "bad"
    except:
        return "err"
    redirect(bar)
    return RESPONSE #
@app.route("/5")
def t5():
    param = request.args.get("x")
    if not param.startswith("'") or not param.endswith("'") or "'" in param[1:-1]:
        return "must be literal"
    eval(param)
@app.route("/6")
def t6():
    param = request.args.get("x")
    if '../' in param:
        return "bad"
    open("a/" + param)
@app.route("/7")
def t7():
    param = request.args.get("x")
    if "'" in param:
        return "no"
    db = helpers.db.conn()
    cur = db.cursor()
    cur.execute(f"select * from a where b = '{param}'")
@app.route("/8")
def t8():
    param = request.args.get("x")
    resp = f"<p>{html.escape(param)}</p>"
    return resp.encode()
@app.route("/9")
def t9():
    import hashlib
    alg = "md5"
    hashlib.new(alg) #
    hashlib.new("sha" + "256")
    def get():
        return helpers.utils.wrapped(request).get_query("x")
    os.system(make(request.args["y"])) #
    string = "help"
    string += request.args["y"]
    string += "snapes on a plane"
    bar = string[4:-17]
    os.system(bar) #
    import string as s
    mp = "x".maketrans("a", "b")
    os.system(request.args["z"].translate(mp)) #
    a, b, c = request.args["m"], 1, 2
    lst = [request.args["m"], "x"]
    lst2 = lst[1:]
    os.system(lst2[0])
    bar = (lambda v: v)(request.args["y"])
    os.system(bar) #
    bar = "".join(map(str, [request.args["y"]]))
    os.system(bar) #
    bar = request.args.to_dict()["z"]
    os.system(bar) #
    kw = dict(request.args)
    os.system(kw["z"]) #
    for k, v in request.args.items():
        os.system(v) #
    import json
    os.system(json.loads(request.data)["a"]) #
    os.system(request.get_json(force=True)["x"]["y"]) #
    bar = [x for x in request.args.getlist("q") if x]
    os.system(bar[0]) #
    bar = next(iter(request.args.values()))
    os.system(bar) #
    s1 = io.StringIO(); s1.write(request.args["e"]); os.system(s1.getvalue()) #
    import queue
    q = queue.Queue(); q.put(request.args["e"]); os.system(q.get()) #
    import copy
    os.system(copy.copy(request.args["e"])) #
    import functools
    f = functools.partial(os.system, request.args["e"])
    import textwrap
    os.system(textwrap.dedent(request.args["e"])) #
    from string import Template
    os.system(Template("ls $x").substitute(x=request.args["e"])) #
    cmds = {"a": os.system}
    run = os.system
    run(request.args["e"]) #
    getattr(os, "system")(request.args["e"])
"""

TESTS_OF_INPUT = r"""
import os, re
from flask import Flask, request
BAD = re.compile(r"[;|&`$]")
GOOD = re.compile(r"^[a-z]+$")
ANY = re.compile(r".*")
def a():
    x = request.args["x"]
    if re.search(r"[^a-z0-9]", x): return "no"
    os.system(x)
def b():
    x = request.args["x"]
    if BAD.search(x): return "no"
    os.system(x)
    open(x) #
def c():
    x = request.args["x"]
    if not GOOD.match(x): return "no"
    os.system(x)
def d():
    x = request.args["x"]
    if not ANY.match(x): return "no"
    os.system(x) #
def e():
    x = request.args["x"]
    if any(c in x for c in ";|&"): return "no"
    os.system(x)
    open(x) #
def f():
    x = request.args["x"]
    if not all(c.isalnum() for c in x): return "no"
    os.system(x)
def g():
    x = request.args["x"]
    if any(c in x for c in ["/", "\\"]): return "no"
    open(x)
def h():
    x = request.args["x"]
    y = "".join(c for c in x if c.isalnum())
    os.system(y)
    z = re.sub(r"[^\w]", "", x)
    os.system(z)
    os.system(re.sub("a", "b", x)) #
    os.system(BAD.sub("", x))
    open(x.replace("../", "")) #
    open(x.replace("..", ""))
"""

ELEMENTS = r"""
import os, collections, dataclasses, copy, operator, functools, string
from flask import Flask, request
from typing import NamedTuple
class P(NamedTuple):
    a: str
    b: str
@dataclasses.dataclass
class D:
    a: str
    b: str
class Stack:
    def __init__(self):
        self.items = []
    def push(self, v):
        self.items.append(v)
    def pop(self):
        return self.items.pop()
class Conf:
    def __init__(self):
        self.d = {}
    def set(self, k, v):
        self.d[k] = v
    def get(self, k):
        return self.d[k]
CONST = "safe"
def a():
    x = request.args["x"]
    l = ["a", x, "b"]
    del l[1]
    os.system(l[1])
    l = ["a", x]
    del l[0]
    os.system(l[0]) #
    d = {"a": x, "b": "c"}
    del d["a"]
    os.system(str(d))
    s = "help" + x + "tail"
    os.system(s[0:4])
    os.system(s[:2])
    os.system(s[-4:])
    os.system(s[4:-4]) #
    q = collections.deque()
    q.append("a"); q.append(x)
    os.system(q.popleft())
    os.system(q.pop()) #
    p = P(x, "b")
    os.system(p.b)
    os.system(p.a) #
    e = D(a="q", b=x)
    os.system(e.a)
    os.system(e.b) #
    st = Stack(); st.push(x); st.push("c")
    os.system(st.pop())
    os.system(st.pop()) #
    c = Conf(); c.set("a", x); c.set("b", "y")
    os.system(c.get("b"))
    os.system(c.get("a")) #
    n = {"a": {"b": x, "c": "d"}}
    os.system(n["a"]["c"])
    os.system(n["a"]["b"]) #
    n["a"]["b"] = "safe"
    os.system(n["a"]["b"])
    ll = [[x, "a"], ["b", "c"]]
    os.system(ll[1][0])
    os.system(ll[0][1])
    os.system(ll[0][0]) #
    m = {"a": "b"} | {"c": x}
    os.system(m["a"])
    os.system(m["c"]) #
    f, *g = "a", x
    os.system(f)
    os.system(g[0]) #
    h = (lambda v: "c")(x)
    os.system(h)
    k = (lambda v: v + "c")(x)
    os.system(k) #
    os.system("a" if len("abc") == 3 else x)
    r = []
    for i in range(3):
        r.append("a")
    os.system(r[0])
    z = dict(zip(["a", "b"], ["c", x]))
    os.system(z["b"]) #
    w = "%s" % CONST
    os.system(w)
    t = x
    t, u = "a", t
    os.system(t)
    os.system(u) #
    v = [x, "a"][1]
    os.system(v)
    y = {"k": x}.get("z", "none")
    os.system(y)
    aa = "x" in "xyz" and "safe" or x
    os.system(aa)
    bb = not x and "a" or "b"
    os.system(bb)
    cc = bool(x)
    os.system(str(cc))
    dd = x == "a"
    os.system(f"{dd}")
    ee = "abc".partition("b")[0]
    os.system(ee)
    ff = [x, "b"]
    ff[0] = "safe"
    os.system(ff[0])
    gg = [x]
    gg.clear()
    gg.append("a")
    os.system(gg[0])
    hh = "a"
    while hh == "b":
        hh = x
    os.system(hh)
    ii = x
    ii = ii if False else "safe"
    os.system(ii)
    try:
        jj = x
        jj = "safe"
    except Exception:
        jj = "other"
    os.system(jj)
    kk = "safe"
    if "should" not in "this should never":
        kk = x
    os.system(kk)
    mm = {"A": lambda: x, "B": lambda: "b"}
    nn = sorted([x, "a"])
    os.system(nn[0]) #
    oo = {"a": "safe", **{"b": x}}
    os.system(oo["a"])
    os.system(oo["b"]) #
    pp = [x][:0]
    os.system("".join(pp))
    qq = "".join(["a", "b"])
    os.system(qq)
    rr = max("a", "b")
    os.system(rr)
    ss = [i for i in ["a", "b"]]
    os.system(ss[0])
    tt = {k: "a" for k in [x]}
    os.system(tt["q"])
    uu = functools.reduce(operator.add, ["a", x])
    os.system(uu) #
    def inner(v):
        return "const"
    os.system(inner(x))
    vv = None
    if vv is None:
        vv = "a"
    else:
        vv = x
    os.system(vv)
    ww = 5
    match ww:
        case 1 | 2: xx = x
        case int(): xx = "a"
    os.system(xx)
    yy = "ABC"[0]
    if yy == "B":
        zz = x
    elif yy == "A":
        zz = "a"
    else:
        zz = x
    os.system(zz)
"""


@pytest.mark.parametrize("text", [SOURCES_AND_SINKS, TESTS_OF_INPUT, ELEMENTS])
def test_the_marked_lines(text: str) -> None:
    found = {finding.line_start for finding in find_flows("a.py", text.encode())}
    lines = enumerate(text.split("\n"), 1)
    assert found == {number for number, line in lines if line.endswith("#")}
