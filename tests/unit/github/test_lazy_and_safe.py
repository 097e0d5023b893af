"""What must hold before the first byte: nothing heavy is imported, and an address is who it says it
is."""

import ssl
import sys

import pytest

from reviewgate_gh.github.reading import GitHubUnreachable, UncertainWrite
from tests.support import ROOT, run, tool
from tests.unit.github.scripted import Say, Server, opened

LOADED = (
    "import sys, reviewgate_gh.github as g, reviewgate_gh.github.reviews, "
    "reviewgate_gh.github.checks"
)


def test_the_network_is_imported_at_the_first_call():
    done = run(
        [
            sys.executable,
            "-c",
            (
                f"{LOADED}\nprint(sorted({{'requests', 'urllib3', 'github', 'pydantic'}} & "
                "set(sys.modules)))"
            ),
        ],
        ROOT,
    )
    assert (done.code, done.stdout) == (0, "[]\n"), done.output


@pytest.fixture
def secured(server: Server, tmp_path):
    """The server behind TLS, with a certificate that nobody knows; its file."""
    if not tool("openssl"):
        pytest.skip("no openssl")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        cert,
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    done = run([*made, "-addext", "subjectAltName=IP:127.0.0.1"], tmp_path)
    assert done.code == 0, done.output
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server.http.socket = context.wrap_socket(server.http.socket, server_side=True)
    server.url = server.url.replace("http://", "https://")
    server.rule = lambda seen: Say(200, {"id": 7})
    return cert


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("variable", ["PYTHONHTTPSVERIFY", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"])
def test_a_certificate_that_nobody_knows_is_refused_and_sees_no_token(
    server: Server, secured, clock, monkeypatch, variable
):
    monkeypatch.setenv(variable, "0" if variable.startswith("PYTHON") else "")
    client = opened(server, clock)
    for ask in (lambda: client.get("/x"), lambda: client.write("POST", "/x", {})):
        with pytest.raises(GitHubUnreachable, match="certificate") as caught:
            ask()
        assert "REQUESTS_CA_BUNDLE" in caught.value.hint
    assert server.seen == [] and clock.naps == []


def test_the_authority_may_be_named(server: Server, secured, clock, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(secured))
    assert opened(server, clock).get("/x").number("id") == 7
    server.rule = lambda seen: Say(mode="reset")
    with pytest.raises(UncertainWrite):
        opened(server, clock).write("POST", "/x", {})
