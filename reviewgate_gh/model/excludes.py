"""What linters and models do not read by default: gitignore patterns, by kind."""

LOCK_FILES = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
    "poetry.lock", "uv.lock", "pdm.lock", "pixi.lock", "Pipfile.lock", "Cargo.lock", "go.sum", "Gemfile.lock", "composer.lock",
    "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "packages.lock.json", "gradle.lockfile", "flake.lock",
    ".terraform.lock.hcl", "conda-lock.yml",
)  # fmt: skip
VENDORED = (
    "vendor/", "_vendor/", "vendored/", "_vendored/", "third_party/", "third-party/", "thirdparty/", "node_modules/",
    "bower_components/", "site-packages/", ".yarn/",
)  # fmt: skip
GENERATED = (
    "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pb.go", "*.pb.cc", "*.pb.h", "*.g.dart", "*.freezed.dart", "*.generated.*",
    "__generated__/", "*.designer.cs", "dist/",
)  # fmt: skip
MINIFIED = ("*.min.js", "*.min.mjs", "*.min.css", "*.bundle.js", "*.map")
SNAPSHOTS = ("__snapshots__/", "*.snap", "*.ambr")

DEFAULT_EXCLUDES = (*LOCK_FILES, *VENDORED, *GENERATED, *MINIFIED, *SNAPSHOTS)
