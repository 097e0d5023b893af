"""What each web framework hands to a program, and where: the lines that are marked are found."""

import re
from textwrap import dedent

import pytest

from reviewgate_gh.reviewers.taint.findings import find_flows

PROGRAMS = {
    "fastapi": """
        import os
        from fastapi import FastAPI, Request, Depends, UploadFile
        from fastapi.responses import HTMLResponse, RedirectResponse
        from sqlalchemy import select, text
        app = FastAPI()
        @app.get("/a/{name}")
        async def a(name: str, q: str = "", n: int = 0, db=Depends(get), request: Request = None):
            os.system(q)  # P1 command-injection
            os.system(str(n))
            os.system(name)  # P1 command-injection
            open("/srv/" + name)
            db.execute(text(f"select * from a where b = {q}"))  # P1 sql-injection
            db.execute(select(User).where(User.name == q))
            db.execute(text("select 1 from a where b = :q"), {"q": q})
            body = await request.json()
            os.system(body["a"])  # P1 command-injection
            form = await request.form()
            open(form["x"])  # P2 path-traversal
            open(request.query_params["z"])  # P2 path-traversal
            return HTMLResponse("<b>" + q)  # P2 cross-site-scripting
        @app.post("/u")
        async def u(file: UploadFile):
            with open("/srv/" + file.filename, "wb") as f:  # P2 path-traversal
                f.write(await file.read())
    """,
    "django": """
        import os
        from django.http import HttpResponse, HttpResponseRedirect
        from django.db import connection
        from django.shortcuts import redirect, render
        from django.utils.http import url_has_allowed_host_and_scheme
        from django.utils.safestring import mark_safe
        from django.views import View
        from .models import Item
        def v(request, pk):
            q = request.GET.get("q")
            with connection.cursor() as c:
                c.execute("select * from a where b = '%s'" % q)  # P1 sql-injection
                c.execute("select * from a where b = %s", [q])
            Item.objects.raw("select * from i where a = " + q)  # P1 sql-injection
            Item.objects.filter(name=q).first()
            mark_safe(q)  # P2 cross-site-scripting
            if request.POST.get("json"):
                return HttpResponse(q, content_type="application/json")
            return HttpResponse("<b>%s</b>" % q)  # P2 cross-site-scripting
        class V(View):
            def get(self, request, *a, **k):
                return redirect(request.GET["next"])  # P2 open-redirect
            def post(self, request):
                return self.go(self.request.POST["n"])
            def go(self, n):
                os.system(n)  # P1 command-injection
                return HttpResponse(n, content_type="text/plain")
        def api(request):
            f = request.FILES["f"]
            open("/srv/" + f.name)
            os.system(request.META["REMOTE_ADDR"])
            os.system(request.META["HTTP_X"])  # P1 command-injection
            return HttpResponseRedirect(request.META["HTTP_REFERER"])
        def language(request):
            next_url = request.POST.get("next")
            if (next_url or request.accepts("text/html")) and not url_has_allowed_host_and_scheme(
                url=next_url, allowed_hosts={request.get_host()}
            ):
                next_url = "/"
            return HttpResponseRedirect(next_url) if next_url else HttpResponse(status=204)
    """,
    "aiohttp": """
        import os
        from aiohttp import web
        async def h(request):
            q = request.query.get("q")
            d = await request.post()
            os.system(request.match_info["n"])  # P1 command-injection
            os.system(d["x"])  # P1 command-injection
            raise web.HTTPFound(q)  # P2 open-redirect
    """,
    "tornado": """
        import tornado.web
        class T(tornado.web.RequestHandler):
            def get(self):
                x = self.get_argument("x")
                self.write("<b>" + x)  # P2 cross-site-scripting
                self.redirect(x)  # P2 open-redirect
                self.write({"x": x})
    """,
    "http.server": """
        import os
        from http.server import BaseHTTPRequestHandler
        class B(BaseHTTPRequestHandler):
            def do_GET(self):
                os.system(self.path)  # P1 command-injection
                open("." + self.path)  # P2 path-traversal
    """,
    "wrappers": """
        import os
        from flask import request
        from helpers import request_wrapper, escape_for_html
        class Own:
            def __init__(self, request):
                self.request = request
            def name(self):
                return self.request.args["name"]
        def a():
            os.system(request_wrapper(request).get_form_parameter("x"))  # P1 command-injection
            os.system(request_wrapper(request).get_clean_parameter("x"))
            os.system(Own(request).name())  # P1 command-injection
    """,
    "command line": """
        import argparse, os, socket, sys
        def main():
            p = argparse.ArgumentParser()
            a = p.parse_args()
            os.system("git " + a.x)  # P3 command-injection
            os.system("git " + sys.argv[1])  # P3 command-injection
            open(sys.argv[1])
            os.system("ls " + os.environ["X"])  # P3 command-injection
            exec(open(os.environ["STARTUP"]).read())
            eval(input())  # P1 code-injection
            os.system(input())  # P3 command-injection
            s = socket.socket()
            os.system(s.recv(10).decode())  # P1 command-injection
    """,
    "random": """
        import random, secrets, string
        KEYS = ["a", "b"]
        def new():
            letters = string.ascii_letters + string.digits
            token = "".join(random.choice(letters) for _ in range(10))  # P2 weak-random
            password = secrets.token_hex()
            api_key = random.choice(KEYS)
            delay = random.random()
            stored = {"reset_token": str(random.randint(0, 9))}  # P2 weak-random
            return token
    """,
    "types of content": """
        import os
        from flask import Flask, request, Response, make_response
        from markupsafe import Markup
        app = Flask(__name__)
        @app.route("/debug")
        def debug():
            r = make_response(request.args["a"])
            r.mimetype = "text/plain"
            return r
        @app.route("/plain")
        def plain():
            return Response(request.args["a"], mimetype="text/plain")
        @app.route("/unescaped")
        def unescaped():
            return {"a": Markup(request.args["a"]).unescape()}
        @app.route("/list")
        def listed():
            return [request.args["a"]]
        @app.route("/page")
        def page():
            return f"<p>{request.args['a']}", 404  # P2 cross-site-scripting
        def helper():
            return request.args["a"]
    """,
    "an application of WSGI": """
        import os
        from urllib.parse import parse_qs
        def page(environ, start_response):
            given = parse_qs(environ.get("QUERY_STRING", ""))
            q = given.get("q", [""])[0]
            os.system(q)  # P1 command-injection
            os.system(environ["REMOTE_ADDR"])
            os.system(environ["wsgi.url_scheme"])
            body = environ["wsgi.input"].read(8).decode()
            os.system(body)  # P1 command-injection
            start_response("200 OK", [("Content-Type", "text/html")])
            return [("<p>" + q).encode()]  # P2 cross-site-scripting
        def plain(environ, start_response):
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [environ["QUERY_STRING"].encode()]
        def away(environ, start_response):
            q = environ["QUERY_STRING"]
            start_response("302 Found", [("Location", q)])  # P2 open-redirect
            start_response("302 Found", [("Location", "/a?" + q)])
            start_response("302 Found", [("Location", environ["HTTP_X_A"])])
            return [b""]
        def other(environ, start):
            os.system(environ["QUERY_STRING"])
    """,
    "fields of a model": """
        import os
        from fastapi import FastAPI, Query, Response
        from pydantic import BaseModel, Field
        app = FastAPI()
        class Item(BaseModel):
            label: str
            count: int
            code: str = Field(pattern="^[a-z]+$")
        @app.post("/i")
        def i(item: Item, other: Unknown, q: str = Query(pattern="^[a-z]+$")):
            os.system(item.label)  # P1 command-injection
            os.system(str(item.count))
            os.system(item.code)
            os.system(q)
            os.system(other.label)
            return Response(content=item.label, media_type="text/html")  # P2 cross-site-scripting
        @app.post("/j")
        def j(item: Item):
            to = {"Location": item.label}
            if item.count:
                return Response(status_code=302, headers=to)  # P2 open-redirect
            return Response(content=item.label, media_type="text/csv")
    """,
    "parts of the URL in a view of Django": """
        import os
        from django.http import HttpResponse
        from django.utils.html import format_html
        from django.views import View
        class V(View):
            def get(self, request):
                os.system(self.kwargs["slug"])  # P2 command-injection
                open(self.kwargs["slug"])
                q = request.GET["q"]
                r = HttpResponse(status=302)
                r["Location"] = q  # P2 open-redirect
                r["Content-Language"] = q
                r["Location"] = "/a?" + q
                format_html("<p>" + q)  # P2 cross-site-scripting
                format_html("<p>{}", q)
                return r
        class Form:
            def clean(self):
                os.system(self.kwargs["slug"])
    """,
    "code that nobody looked into": """
        import os
        from flask import request
        from .lib import Shell, find_user, transform
        def a():
            q = request.args["q"]
            os.system(transform(q))  # P2 command-injection
            os.system(find_user(q).shell)
            os.system(transform(q).shell)
            open(transform(q))  # P3 path-traversal
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_marked_lines(name: str) -> None:
    text = dedent(PROGRAMS[name])
    found = {
        f"{f.line_start} {f.priority} {f.rule.partition('/')[2]}"
        for f in find_flows("a.py", text.encode())
    }
    expected = {
        f"{number} {mark[1]}"
        for number, line in enumerate(text.split("\n"), 1)
        if (mark := re.search(r"# (P\d \S+)", line))
    }
    assert found == expected
