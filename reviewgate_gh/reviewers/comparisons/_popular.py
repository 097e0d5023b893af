"""Names of packages that very many projects use, by ecosystem: what a name that differs in one
letter may be meant to be taken for."""

from functools import cache

_NAMES = {
    "pypi": """
        requests urllib3 boto3 botocore setuptools certifi charset-normalizer python-dateutil numpy
        pandas scipy matplotlib scikit-learn tensorflow keras torch torchvision transformers pillow
        pyyaml jinja2 markupsafe click flask werkzeug itsdangerous django djangorestframework
        fastapi uvicorn starlette pydantic sqlalchemy alembic psycopg2 psycopg2-binary pymysql redis
        celery pytest pytest-cov coverage tox mypy pylint flake8 black isort ruff cryptography
        pyjwt paramiko aiohttp httpx beautifulsoup4 lxml selenium scrapy openpyxl tqdm rich
        colorama tabulate attrs cffi pycparser idna packaging virtualenv wheel twine jsonschema
        protobuf grpcio google-api-python-client openai langchain anthropic tiktoken websockets
        gunicorn pymongo elasticsearch kafka-python docker kubernetes ansible jupyter notebook
        ipython simplejson ujson orjson msgpack tornado twisted gevent bcrypt passlib python-dotenv
        loguru structlog typer hypothesis mock responses freezegun sphinx mkdocs networkx sympy
        plotly dash streamlit gradio nltk spacy opencv-python pyarrow dask polars requests-oauthlib
        oauthlib pycryptodome pycryptodomex pyopenssl python-jose python-multipart
        django-cors-headers
        pytest-mock pytest-asyncio pytest-xdist sentry-sdk psycopg google-cloud-storage
        s3transfer jmespath platformdirs filelock pygments tomlkit
        cachetools more-itertools greenlet sniffio httpcore pydantic-core
        annotated-types typing-extensions importlib-metadata exceptiongroup iniconfig
        distlib decorator asgiref sqlparse marshmallow regex
        seaborn statsmodels xgboost lightgbm sentencepiece tokenizers datasets
        huggingface-hub safetensors accelerate pyright pre-commit hatchling
        python-slugify phonenumbers sendgrid slack-sdk
        azure-identity azure-storage-blob google-auth google-api-core flask-cors flask-login
        flask-sqlalchemy djangorestframework-simplejwt whitenoise channels aiofiles
        asyncpg aiosqlite pymssql cx-oracle snowflake-connector-python
        prometheus-client opentelemetry-api watchdog watchfiles netaddr
        dnspython shapely geopandas reportlab pdfplumber python-docx
        xlsxwriter unidecode chardet html5lib cssselect soupsieve pexpect ptyprocess textual
        questionary prompt-toolkit python-magic pyserial
    """,
    "npm": """
        jquery
        react react-dom preact react-router react-router-dom redux react-redux lodash express
        axios moment chalk commander debug async request bluebird underscore uuid webpack
        webpack-cli babel-core babel-loader typescript eslint prettier jest mocha chai sinon vue
        vuex nuxt angular jquery
        bootstrap next svelte rxjs zone.js tslib dotenv cross-env rimraf mkdirp glob minimist yargs
        inquirer ora semver fs-extra body-parser cookie-parser cors helmet morgan passport
        jsonwebtoken bcrypt bcryptjs mongoose mongodb mysql mysql2 sequelize knex typeorm prisma
        redis ioredis socket.io socket.io-client nodemailer puppeteer playwright cheerio node-fetch
        got superagent winston pino nodemon concurrently husky lint-staged ts-node ts-jest esbuild
        rollup vite parcel gulp grunt tailwindcss postcss autoprefixer sass styled-components
        classnames immer zod joi yup date-fns dayjs graphql apollo-server colors event-stream
        electron discord.js ethers web3 cross-spawn undici nanoid fastify helmet multer validator
        qs ajv ws vitest storybook turbo zustand express-rate-limit
        picocolors ansi-styles strip-ansi string-width color-convert supports-color has-flag
        escape-string-regexp picomatch micromatch fast-glob to-regex-range is-number
        is-plain-object deepmerge lodash.merge lodash.debounce object-assign iconv-lite
        safe-buffer readable-stream string_decoder inherits path-key
        shebang-command signal-exit get-stream npm-run-path onetime mimic-fn
        p-limit p-queue p-retry locate-path find-up pkg-dir resolve resolve-from
        js-yaml toml dotenv-expand camelcase change-case slugify pluralize
        query-string url-parse form-data mime-types negotiator accepts content-type
        content-disposition compression serve-static express-session
        express-validator connect http-proxy http-proxy-middleware http-errors on-finished
        body-scroll-lock react-query react-hook-form react-table react-select react-icons
        react-markdown react-toastify react-helmet framer-motion recharts
        chart.js leaflet hammerjs highlight.js showdown dompurify sanitize-html
        core-js regenerator-runtime esprima estraverse esutils eslint-plugin-react
        eslint-plugin-import eslint-config-prettier stylelint cypress supertest
        kafkajs amqplib pg pg-promise sqlite3 better-sqlite3
        firebase firebase-admin openai langchain aws-sdk googleapis
        archiver unzipper adm-zip fast-xml-parser csv-parse papaparse
        shortid bignumber.js decimal.js
        rxjs-compat inversify reflect-metadata class-validator class-transformer ioredis-mock
        ws-stream loglevel signale consola pino-pretty
    """,
    "cargo": """
        serde serde_json serde_yaml tokio rand clap anyhow thiserror regex log env_logger tracing
        futures reqwest hyper axum actix-web chrono uuid lazy_static once_cell itertools rayon
        crossbeam bytes syn quote proc-macro2 libc num-traits base64 sha2 ring rustls openssl
        diesel sqlx toml tempfile walkdir async-trait parking_lot dashmap indexmap smallvec
        bitflags nom criterion proptest
        hashbrown aho-corasick socket2 tower-http
        hyper-util percent-encoding humantime semver structopt darling
        derive_more thiserror-impl getrandom rand_core
        ed25519-dalek rustls-pemfile native-tls tokio-util tokio-stream
        futures-util pin-project async-stream redis mongodb
        rusqlite sea-orm handlebars imageproc
        quick-xml serde_with bincode postcard arrayvec scopeguard num_cpus
        crossterm ratatui indicatif colored termcolor console dialoguer directories
        tracing-subscriber metrics prometheus dotenvy mockall wiremock
    """,
    "gem": """
        rails rake rack puma builder sidekiq devise nokogiri rspec rspec-rails rubocop pry
        bundler faraday sinatra capybara factory_bot factory_bot_rails pg mysql2 sqlite3 redis
        activerecord rack-attack
        activesupport minitest simplecov bootsnap webpacker sprockets turbo-rails jbuilder omniauth
        pundit cancancan kaminari carrierwave paperclip httparty rest-client
        activejob actionpack actionview activestorage concurrent-ruby mini_mime
        zeitwerk rails-html-sanitizer globalid websocket-driver msgpack
        multi_json faraday-retry typhoeus mechanize
        rubocop-rails rubocop-rspec webmock database_cleaner shoulda-matchers
        dotenv dotenv-rails foreman unicorn delayed_job whenever clockwork
        will_paginate ransack friendly_id paper_trail acts_as_list state_machines
        image_processing mini_magick aws-sdk-s3 rollbar
        sentry-ruby newrelic_rpm lograge brakeman bundler-audit
    """,
    "go": """
        github.com/gin-gonic/gin github.com/gorilla/mux github.com/spf13/cobra
        github.com/spf13/viper github.com/stretchr/testify github.com/sirupsen/logrus
        go.uber.org/zap github.com/google/uuid github.com/pkg/errors github.com/go-chi/chi
        github.com/labstack/echo gorm.io/gorm github.com/jmoiron/sqlx github.com/lib/pq
        google.golang.org/grpc github.com/golang/protobuf github.com/boltdb/bolt
        github.com/fsnotify/fsnotify github.com/prometheus/client_golang golang.org/x/crypto
        golang.org/x/net golang.org/x/sync github.com/aws/aws-sdk-go
    """,
    "composer": """
        symfony/console symfony/http-foundation laravel/framework guzzlehttp/guzzle monolog/monolog
        phpunit/phpunit doctrine/orm doctrine/dbal twig/twig nesbot/carbon ramsey/uuid
        league/flysystem         psr/log vlucas/phpdotenv predis/predis mockery/mockery
    """,
}
_SHORTEST = 5  # letters: among shorter names too many differ in one


_LONG = 8  # letters: of shorter names one that has another letter is mostly another word
_ALIKE = frozenset(
    map(frozenset, ("il", "l1", "i1", "o0", "uv", "vw", "nm", "ce", "sz", "gq", "ij"))
)


@cache
def _popular(kind: str) -> frozenset[str]:
    return frozenset(_NAMES.get(kind, "").split())


def looks_like(kind: str, name: str) -> str:
    """The popular name that this one is one letter away from; "" where it is none or popular."""
    bare = name.lower().replace("_", "-") if kind == "pypi" else name.lower()
    known = _popular(kind)
    if bare in known or len(bare) < _SHORTEST:
        return ""
    return next(
        (each for each in sorted(known) if len(each) >= _SHORTEST and is_one_apart(bare, each)), ""
    )


def may_be_another_word(name: str, known: str) -> bool:
    """A short name that has one other letter in a place, and none that looks like it."""
    pairs = [(a, b) for a, b in zip(name, known, strict=False) if a != b]
    return len(name) == len(known) < _LONG and len(pairs) == 1 and frozenset(pairs[0]) not in _ALIKE


def is_one_apart(one: str, other: str) -> bool:
    """A letter more, less or else, or two neighbours swapped."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return not (one + other)[-1:].isdigit()  # a number at the end names a version
    a, b = one[start:], other[start:]
    if len(a) == len(b):
        if a[0].isdigit() and b[0].isdigit():
            return False
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b or a == b[1:]
