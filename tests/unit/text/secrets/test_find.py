"""Secrets in every format that people write them in are found; what only looks like one is not.
The samples are put together here, so no scanner trips."""

import base64
import random

import pytest

from reviewgate_gh.text.redact import find_secrets, redact
from reviewgate_gh.text.secrets.custom import CustomKind, use_kinds
from tests.secret_samples import (
    CARRIERS,
    HELD_OUT,
    HELD_OUT_CARRIERS,
    HELD_OUT_LOOKALIKES,
    KNOWN,
    LOOKALIKES,
    Sample,
    filled,
    lookalikes,
    secrets,
)

RNG = random.Random(11)


def is_found(sample: Sample) -> bool:
    """A span touches the value, or the base64 of it."""
    coded = base64.b64encode(sample.value.encode()).decode()
    parts = (sample.text[s.start : s.end] for s in find_secrets(sample.text))
    return any(p in sample.value or sample.value in p or p in coded for p in parts)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_known_kinds_in_usual_files(carrier: str) -> None:
    missed = [s for s in secrets(KNOWN, {carrier: CARRIERS[carrier]}, 5) if not is_found(s)]
    assert missed == []


@pytest.mark.parametrize("carrier", HELD_OUT_CARRIERS)
def test_other_kinds_in_other_files(carrier: str) -> None:
    form = {carrier: HELD_OUT_CARRIERS[carrier]}
    samples = list(secrets(HELD_OUT, form, 23))
    missed = [(s.kind, s.text) for s in samples if not is_found(s)]
    assert len(missed) <= 0.08 * len(samples), missed


def test_look_alikes_are_left_alone() -> None:
    samples = list(lookalikes(LOOKALIKES | HELD_OUT_LOOKALIKES, 31, rounds=4))
    wrong = [(s.kind, s.text) for s in samples if find_secrets(s.text)]
    assert len(wrong) <= 0.03 * len(samples), wrong


VALUE = filled("{A28}", RNG)
UUID = "6a219a89-4c31-4c9d-858e-841ebcfc4031"
WORD = filled("K9!x{A8}", RNG)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "SPACES_SECRET: /C0PvE/6iG/LQoPQFFDWR8ik5EiyopYICmV7/++EwAjN",
            "/C0PvE/6iG/LQoPQFFDWR8ik5EiyopYICmV7/++EwAjN",
        ),
        (
            "secret_access_key = wGoIA7bEiOZnwuWylMyX++Yv3FsNzhaSODo+Fapl",
            "wGoIA7bEiOZnwuWylMyX++Yv3FsNzhaSODo+Fapl",
        ),
        (f"COOKIE_SECRET={VALUE}\n", VALUE),
        (f"curl -H 'Authorization: Bearer {UUID}' https://api.acme.dev/\n", UUID),
        (f"ctl login --user bot --password {UUID}\n", UUID),
        ("redis://:{v}@cache.internal:6379/0", VALUE),
        ("Server=db;User Id=sa;Password={v};Encrypt=true", VALUE),
        ("curl --user admin:{v} https://api.acme.io", VALUE),
        ('curl -H "Authorization: token {v}" https://api.acme.io', VALUE),
        ("Proxy-Authorization: Bearer {v}", VALUE),
        ("mysql -u root -p{v} app", VALUE),
        ("sshpass -p {v} ssh host", VALUE),
        ('run(["mysqldump", "-u", "backup", "-p{v}", "shop"])', VALUE),
        ('run(["docker login", "-p", "{v}"])', VALUE),
        ("az login --service-principal -u bot -p {v} --tenant t", VALUE),
        ("jarsigner -keystore k.jks -storepass {v} a.jar", VALUE),
        ("rabbitmqctl add_user svc {v}", VALUE),
        ('gh secret set DEPLOY --body "{v}"', VALUE),
        ("aws configure set aws_secret_access_key {v}", VALUE),
        ("echo 'ops:{v}' | sudo chpasswd", VALUE),
        ("chpasswd:\n  list: |\n    root:{v}\n", VALUE),
        ("base dc=x\nbindpw {v}\n", VALUE),
        ("rootpw --plaintext {v}\n", VALUE),
        ("  user admin insecure-password {v}\n", VALUE),
        ("username ops privilege 15 password 0 {v}\n", VALUE),
        ("createUser ops SHA {v}\n", VALUE),
        ("port 6379\nrequirepass {v}\n", VALUE),
        ("user svc on >{v} ~* +@all\n", VALUE),
        ("[smtp.acme.io]:587 bot@acme.io:{v}\n", VALUE),
        ("-name a@b\n-setcookie {v}\n", VALUE),
        ("sonar.login={v}\n", "f476fd06e7c6f1f4d44c1e17baae96f84b534da1"),
        ("db.internal:5432:app:app:{v}", VALUE),
        ("machine api.acme.io login me password {v}", VALUE),
        ("machine api.acme.io\n\tlogin me\n\tpassword {v}\n", VALUE),
        ("[pypi]\nusername = __token__\npassword = {v}\n", VALUE),
        ("[default]\naws_session_token = {v}\n", VALUE),
        ("api_key: >-\n  {v}\n", VALUE),
        ("helm install x --set db.password={v}", VALUE),
        ("kubectl create secret generic x --from-literal=password={v}", VALUE),
        ("java -Dapi.token={v} -jar a.jar", VALUE),
        ("setx ACME_TOKEN {v}", VALUE),
        ("set -gx ACME_TOKEN {v}", VALUE),
        ('{{"name": "ACME_TOKEN", "value": "{v}"}}', VALUE),
        ('body = "{{\\"api_key\\": \\"{v}\\"}}"', VALUE),
        ("os.getenv('ACME_TOKEN', '{v}')", VALUE),
        ('export ACME_TOKEN="${{ACME_TOKEN:-{v}}}"', VALUE),
        ('if token == "{v}":', VALUE),
        ("ENV['API_SECRET'] ||= '{v}'", VALUE),
        ("password: str = field(default='{v}')", VALUE),
        ('token := []byte("{v}")', VALUE),
        ("ALTER USER app IDENTIFIED BY '{v}';", VALUE),
        ("requests.get(url, auth=('deploy', '{v}'))", VALUE),
        ("requests.get(url, auth=('deploy', '{v}'))", WORD),
        ("ALTER USER app IDENTIFIED BY {v};", "hU7tPq2rT9xLm4"),
        ("new PDO('mysql:host=db', 'shop', '{v}')", VALUE),
        ("new mysqli('10.2.3.4', 'shop', '{v}', 'shop')", VALUE),
        ("DBI->connect('dbi:mysql:shop', 'report', '{v}')", VALUE),
        ("request.basic_auth 'svc', '{v}'", VALUE),
        ("'Basic ' + btoa('svc:{v}')", VALUE),
        ("curl_setopt($ch, CURLOPT_USERPWD, 'svc:{v}');", VALUE),
        ('jwt.encode({{"sub": user}}, "{v}", algorithm="HS256")', VALUE),
        ('hmac.new(b"{v}", body, "sha256")', VALUE),
        ('signWith(SignatureAlgorithm.HS256, "{v}")', VALUE),
        ("<key>ApiSecret</key>\n<string>{v}</string>", VALUE),
        ("  DbPassword:\n    Type: String\n    Default: {v}\n", VALUE),
        ("DEPLOY_TOKEN: {v}", "HVtBUldoutWwmJgxPTaTKqxtMooS"),
        ("DB_PASSWORD={v}\n", WORD),
        ("db_password: {v}\n", WORD),
        ('<add name="Db" connectionString="Server=x;Password={v};" />', WORD),
        ('acme.token <- "{v}"\n', VALUE),
        ("name,value\nencryption_key,{v}\n", VALUE),
        ("listen 80\nacme_api_token {v}\n", VALUE),
        ("The password for production is `{v}`.", VALUE),
        ("The API key for staging is `{v}`.", "71696924e48b80dc951c4cd27b7c93babe8c66d5"),
        ("const acmePat = '{v}';", VALUE),
        ('const std::string apiSecret{{"{v}"}};', VALUE),
        ('Public Const ApiSecret As String = "{v}"', VALUE),
        ("api_token: &tok {v}\n", VALUE),
        ('API_KEY = (\n    "{v}"\n)\n', VALUE),
        ('<Password encoding="base64">{v}</Password>', VALUE),
        ("<Password>\n  <Value>{v}</Value>\n</Password>", VALUE),
        ('<property name="db.password">{v}</property>', WORD),
        ("define('AUTH_KEY', '{v}');", "mG8nokqW6?d<h2r+76t_=J&S@V*,yQ0Dcilc]x&W"),
        ("12:00 DEBUG api_key={v} region=eu", "lk7Zq0vX2mNcB8tYp5sRwA=="),
        ("CLIENT_SECRET={v}\n", "2cd22cfd-8bb3-4f93-a3eb-fef751b2e274"),
        ("s.login('bot@acme.io', '{v}')", VALUE),
        ('DriverManager.getConnection("jdbc:x", "sa", "{v}")', VALUE),
        ("ConvertTo-SecureString '{v}' -AsPlainText -Force", WORD),
        ('BUNDLE_GEMS__ACME__IO: "ci:{v}"', VALUE),
        ("accounts: ['{v}']", "0x" + filled("{H64}", RNG)),
        ("Private-Lines: 1\n{v}\nPrivate-MAC: 1\n", filled("{B48}", RNG) + "\n"),
        ('{{"kty": "EC", "d": "{v}", "crv": "P-256"}}', filled("{A43}", RNG)),
        (
            "<RSAKeyValue><InverseQ>AQAB</InverseQ><D>{v}</D></RSAKeyValue>",
            filled("{A172}", RNG),
        ),
        (
            'MNEMONIC="{v}"',
            "able about above absent act add age air all alone alpha also",
        ),
    ],
)
def test_values_without_quotes_and_in_their_formats(text: str, value: str) -> None:
    full = text.format(v=value)
    spans = find_secrets(full)
    assert [full[s.start : s.end] for s in spans] == [value]
    assert value not in redact(full)


def test_user_and_password_in_base64() -> None:
    coded = base64.b64encode(f"deploy:{VALUE}".encode()).decode()
    docker = f'{{"auths": {{"ghcr.io": {{"auth": "{coded}"}}}}}}'
    for text in (docker, f"Authorization: Basic {coded}\n", f"_auth={coded}\n"):
        assert coded not in redact(text)
    harmless = base64.b64encode(b"user:password").decode()
    assert find_secrets(f"Authorization: Basic {harmless}\n") == []


def test_the_data_of_a_cluster_secret() -> None:
    coded = base64.b64encode(VALUE.encode()).decode()
    user = base64.b64encode(b"administrator").decode()
    text = f"kind: Secret\ndata:\n  username: {user}\n  password: {coded}\ntype: Opaque\n"
    assert [text[s.start : s.end] for s in find_secrets(text)] == [coded]


def test_files_within_the_data_of_a_cluster_secret() -> None:
    registry = base64.b64encode(
        f'{{"auths": {{"x": {{"password": "{VALUE}"}}}}}}'.encode()
    ).decode()
    text = f"kind: Secret\ndata:\n  .dockerconfigjson: {registry}\n"
    assert [text[s.start : s.end] for s in find_secrets(text)] == [registry]


def test_a_private_key_in_base64() -> None:
    pem = "-----BEGIN RSA PRIVATE" + " KEY-----\n" + filled("{B64}", RNG) + "\n"
    coded = base64.b64encode(pem.encode()).decode()
    assert coded not in redact(f"client-key-data: {coded}\n")
    public = base64.b64encode(pem.replace("RSA PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert find_secrets(f"client-certificate-data: {public}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        'tokenizer = "meta-llama/Llama-3.1-8B-Instruct"',
        # Of one form that was shown once: https://guides.rubyonrails.org/security.html
        f'<input type="hidden" name="authenticity_token" value="{VALUE}" />',
        f'authenticity_token = "{VALUE}"',
        'token_model = "claude-sonnet-4-5-20250929"',
        "postgres://postgres:postgres@db:5432/app",
        "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzb21lIjoicGF5bG9hZCJ9." + "4twFt5NiznN84AWoo1d7KO1T",
        "password: SecretStr = Field(min_length=12)",
        "secretKeyRef: {name: app-secrets, key: database-password-v2}",
        "password = hashlib.sha256(data).hexdigest()",
        "token: Annotated[str, Depends(oauth2_scheme2)]",
        "key: '550e8400-e29b-41d4-a716-446655440000'",
        "password=$(cat /run/secrets/db_password1)",
        "private_key: x25519.X25519PrivateKey,",
        "proxy_url='socks5h://<username>:<password>@proxy-host'",
        'const BodyBytesKey = "_gin-gonic/gin/bodybyteskey"',
        '"Delete a session key": "\\u522A\\u9664\\u5148\\u524D\\u7684"',
        "<releaseManagerKey>86fdc7e2a11262cb</releaseManagerKey>",
        "rename('oauth2_auth_codes', 'IDX_EE52E3FA19EB6921', 'id')",
        'secret: "%env(APP_SECRET_V2B7)%"',
        r"regex = 'SHA1 of given password: [a-f0-9]+x9\)'",
        'sh -c "mysql -uroot -e SHUTDOWN7x;"',
        'jwt_secret_kinds = env.get("JWT_AUTH_ALGORITHMS", "HS256,RS256,ES256").split(",")',
        f'spreadsheet_key = "{VALUE}"',
        'string RijndaelPassphrase2 => GetValue("RijndaelPassphrase2", x)',
        "if(t.prevToken==`;`||t.prevToken==null||t.prevToken==`}`)return`def`",
        "SIOCGLIFTOKEN = -0x3f879678",
        '"Token", "Token.csproj", "{85091550-7EB2-48E6-B4A3-4464D9B1E41B}"',
        "address constant TOKEN = 0x880d1de65b3a2c49da1f5cacb3ba365496cd8016;",
        "spec:\n  encryptedData:\n    password: AgB" + filled("{A800}", RNG) + "\n",
        "kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB" + filled("{A200}", RNG),
        '{"_id": "929d1956c3838ed13c5fe696", "key": "723358ff0e9a7e9cc930f6ca"}',
        "restore-keys: linux-pip-3f2a9b8c7d6e5f40",
        "curl_setopt($ch, CURLOPT_USERPWD, 'user:' . $password7X);",
        'connect("clicked", "onClicked", "onReleased2")',
        "CREATE USER a IDENTIFIED BY PASSWORD;",
        'jwt.encode({"sub": user}, "the-secret-of-the-tests", algorithm="HS256")',
        "the password 0 is refused, rootpw is not set",
        "encrypted_password: " + filled("{A40}", RNG),
        "const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "x2aB9cD1eF7gH';",
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
        "K1SZFPTOtr/KBHBeksoGMGw==",
        "mnemonic: test test test test test test test test test test test junk",
        "token_id: 2cd22cfd-8bb3-4f93-a3eb-fef751b2e274",
        "getPath=lookup; pattern=matches; PATH=/usr/local/bin",
        'auth: "dXNlcjpwYXNzd29yZA=="',
        'password_hash = "$2b$12$' + filled("{A53}", RNG) + '"',
        f'mapboxgl.accessToken = "pk.eyJ{VALUE}.{VALUE}"',
        f'const key = "sb_publishable_{VALUE}"',
        f'algolia: {{ appId: "X", apiKey: "{VALUE}", indexName: "docs" }}',
        f"CREATE ROLE a PASSWORD 'SCRAM-SHA-256$4096:{VALUE}$x'",
        f'"password": "md5$c77N8n6nJPb1${VALUE}"',
        f"htpasswd=ada:$apr1$xzHjU6Gd${VALUE}",
        f'SECRET_SHA256 = "{VALUE}"',
        f'const key = "uploads/2025/{UUID}/photo.jpg"',
        f'obj = get(Bucket="b", Key="exports/{VALUE}.parquet")',
        'secret = "/opt/homebrew/Cellar/python3/lib/Python311Framework"',
        f'"Sec-WebSocket-Key": "{VALUE}"',
        f'tenant_id: "{UUID}"\napi_key_id: "{UUID}"',
        '"tips": "For safety, must set access token",\n"smsgatewayUrlHelptext": "The base URL",',
        'Buffer.from(`${decodeURIComponent(this.proxy.password||"")}`).toString("base64")',
        'a.username="",a.password=""),t.stripHash?a.hash="":t.stripTextFragment&&(a.hash=a)',
        "hint: 'Enter the API key',\n'webhookSigningDescription1': 'What it is',",
    ],
)
def test_what_only_looks_like_one(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    "text",
    [
        f'auth_token = "{VALUE}"',
        f'api_keys = "{VALUE}"',
        f'jwt_secret = "HS256{VALUE}"',
        f'secret: "%env{VALUE}"',
        f'RijndaelPassphrase2 => GetValue("{VALUE}", x)',
    ],
)
def test_what_looks_like_those_and_is_one(text: str) -> None:
    assert [text[each.start : each.end] for each in find_secrets(text)] != []


@pytest.mark.parametrize(
    "piece",
    ["password=", "token: '", "key.", "a.b.", "_", "key=aB3$", "curl -u a:",
     "kind: Secret\ndata:\n", "eyJ.eyJ", "LS0tLS1CRUdJTi", "login('a',", '{"kty"',
     "https://a?key=b&", "key{", "ENV key ", "jwt.encode(a,", "echo 'a:", "echo a:b|", "7z a -p",
     "bindpw a ", "key (\n ", "password: &a ", "<password>\n ", "secret set a "],
)  # fmt: skip
def test_hostile_text_ends(piece: str) -> None:
    find_secrets(piece * (60_000 // len(piece)))


def test_a_repeated_text_is_searched_to_its_end() -> None:
    vain = "api_key= " * 2_000
    secret = f'api_key="{VALUE}" '
    text = vain + secret * 3 + vain + "".join(f"{word} " for word in ["eyJ"] * 9) + secret
    values = [text[each.start : each.end] for each in find_secrets(text)]
    assert values == [VALUE] * 4


def test_kinds_of_the_project_are_found_and_redacted() -> None:
    use_kinds([CustomKind("kite", r"kite~(?P<value>[a-z]{8})", ("kite~",), entropy=2.0)])
    try:
        text = "a\nx = Kite~no KITE~ kite~qwertzui\n"
        assert [(s.kind, text[s.start : s.end]) for s in find_secrets(text)] == [
            ("kite", "qwertzui")
        ]
    finally:
        use_kinds(())
    assert find_secrets("kite~qwertzui and more") == []
