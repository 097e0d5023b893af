"""Which languages there are, by the suffixes, names and interpreters of their files; all in lower
case, suffixes without the dot.

A language is what a machine executes, compiles or expands; prose, data and plain CSS are
none. Names are those that GitHub shows
(https://github.com/github-linguist/linguist/blob/main/lib/linguist/languages.yml). The table is our
own: `identify` gives tags and no names, and Pygments does not tell code from data and takes 40 ms
to load.
"""

SHELL, GITHUB_WORKFLOW, GITHUB_ACTION = "Shell", "GitHub workflow", "GitHub action"
EXECUTABLE, BINARY_PROGRAM, INCLUDED, OTHER_NOTEBOOK, PAGE, TEMPLATE, HELM = (
    "executable text",
    "binary program",
    "include file",
    "Jupyter Notebook, not Python",
    "HTML with script",
    "HTML template",
    "Helm template",
)

SUFFIXES = {
    "ABAP": "abap", "ActionScript": "as", "Ada": "adb ads ada", "Agda": "agda lagda", "Amber": "ab",
    "AMPL": "ampl", "ANTLR": "g4 g",
    "Apex": "apex trigger", "APL": "apl dyalog", "AppleScript": "applescript", "Arduino": "ino",
    "ASP.NET": "aspx ascx ashx asmx master asax", "AspectJ": "aj", "Assembly": "asm s nasm a51",
    "Astro": "astro", "Asymptote": "asy",
    "AutoHotkey": "ahk", "AutoIt": "au3", "Awk": "awk gawk mawk nawk", "Ballerina": "bal",
    "Batch": "bat cmd btm", "Bend": "bend",
    "Bicep": "bicep", "BitBake": "bb bbappend bbclass", "Blade": "blade.php", "Boo": "boo",
    "Brainfuck": "bf", "C": "c h",
    "C shell": "csh tcsh", "C#": "cs csx cake",
    "C++": ("cc cp cpp cxx c++ hh hpp hxx h++ inl ipp ixx tcc "
    "tpp txx cppm ccm cxxm c++m"),
    "Cadence": "cdc", "Cairo": "cairo", "Cap'n Proto": "capnp", "Carbon": "carbon",
    "Ceylon": "ceylon", "CFEngine": "cf",
    "ChaiScript": "chai", "Chapel": "chpl", "CIL": "il", "Clarity": "clar", "Classic ASP": "asp",
    "Clojure": "clj cljs cljc cljd boot",
    "CMake": "cmake", "COBOL": "cob cbl cobol cpy", "CodeQL": "ql qll",
    "CoffeeScript": "coffee litcoffee cjsx",
    "ColdFusion": "cfm cfml cfc", "Common Lisp": "lisp lsp cl asd", "Component Pascal": "cps",
    "Cryptol": "cry", "Crystal": "cr ecr",
    "Csound": "csd orc sco", "CUDA": "cu cuh", "CUE": "cue", "Cypher": "cyp cypher",
    "Cython": "pyx pxd pxi", "D": "d di", "Dart": "dart",
    "Dhall": "dhall", "Dockerfile": "dockerfile containerfile", "Dylan": "dylan", "Eiffel": "e",
    "EJS": "ejs",
    "Elixir": "ex exs eex heex leex", "Elm": "elm", "Elvish": "elv", "Emacs Lisp": "el",
    "ERB": "erb rhtml",
    "Erlang": "erl hrl escript xrl yrl app.src", "Eta": "eta", "Expect": "exp", "F#": "fs fsi fsx",
    "F*": "fst fsti", "Factor": "factor",
    "Fantom": "fan", "Fennel": "fnl", "fish": "fish", "Flix": "flix", "Forth": "forth 4th fth",
    "Fortran": "f f77 f90 f95 f03 f08 for ftn fpp", "FoxPro": "prg", "FreeBASIC": "bi",
    "Freefem": "edp", "FreeMarker": "ftl ftlh",
    "Frege": "fr", "FunC": "fc func", "Futhark": "fut", "GAMS": "gms", "GAP": "gap",
    "GDScript": "gd", "Gleam": "gleam",
    "GLSL": ("glsl vert frag geom tesc "
    "tese comp vsh fsh"), "GN": "gn gni", "Gnuplot": "gnuplot gp plt", "Go": "go",
    "Go template": "gotmpl gohtml tmpl tpl", "Gosu": "gsx gst vark", "Gradle": "gradle",
    "Grain": "gr", "GraphQL": "graphql gql graphqls",
    "Groovy": "groovy gvy gsh jenkins gtpl", "GSP": "gsp", "GYB": "gyb", "Hack": "hack hhi",
    "Haml": "haml",
    "Handlebars": "hbs handlebars", "Hare": "ha", "Haskell": "hs lhs hsc hs-boot chs", "Haxe": "hx",
    "HCL": "hcl nomad",
    "HLSL": "hlsl hlsli fx fxh cg", "Hy": "hy", "Icon": "icn icon", "IDL": "idl webidl",
    "Idris": "idr lidr", "Inform 7": "ni i7x",
    "Inno Setup": "iss", "Io": "io", "iPXE": "ipxe", "Isabelle": "thy", "J": "ijs",
    "Janet": "janet", "Jasmin": "j", "Java": "java jav",
    "JavaScript": "js mjs cjs jsx es6 jsm gs xsjs pac", "Jinja": "j2 jinja jinja2 njk", "jq": "jq",
    "Jsonnet": "jsonnet libsonnet",
    "JSP": "jsp jspx jspf tag tagx", "Julia": "jl", "Jupyter Notebook": "ipynb", "Just": "just",
    "K": "k", "KCL": "kcl", "Koka": "kk",
    "Kotlin": "kt kts ktm", "Kusto": "kql csl kusto", "Lasso": "lasso", "Lean": "lean",
    "Leo": "leo", "Lex": "l lex", "LFE": "lfe",
    "Less": "less", "Limbo": "b", "Linker script": "ld lds lcf", "Liquid": "liquid",
    "LiveScript": "ls",
    "LLVM IR": "ll", "Logos": "xm xi",
    "Logtalk": "lgt logtalk", "LookML": "lookml lkml", "LSL": "lsl",
    "Lua": "lua luau rockspec wlua nse", "M4": "m4 ac", "Macaulay2": "m2",
    "Magik": "magik", "Makefile": "mk mak make mkfile", "Mako": "mako", "Marko": "marko",
    "Mason": "mhtml", "Mathematica": "wl wlt nb",
    "MATLAB": "matlab", "Maxima": "mac", "Meson": "meson", "Metal": "metal", "Michelson": "tz",
    "MiniScript": "ms",
    "MIPS assembly": "mips", "Mojo": "mojo", "Monkey C": "mc", "MoonScript": "moon", "Move": "move",
    "MQL": "mq4 mq5 mqh",
    "MSBuild": "targets", "Mustache": "mustache", "NASL": "nasl", "Nemerle": "n", "nesC": "nc",
    "Nextflow": "nf", "Nickel": "ncl",
    "Nim": "nim nims nimble", "Ninja": "ninja", "Nit": "nit", "Nix": "nix", "Noir": "nr",
    "NSIS": "nsi nsh", "Nushell": "nu",
    "Objective-C": "m", "Objective-C++": "mm", "OCaml": "ml mli mll mly eliom", "Odin": "odin",
    "Ooc": "ooc", "Opa": "opa",
    "OpenCL": "opencl clh", "OpenEdge ABL": "abl p", "OpenSCAD": "scad", "Oz": "oz",
    "Pascal": "pas dpr dpk lpr", "Pawn": "pwn pawn",
    "PDDL": "pddl", "Perl": "pl pm t al cgi fcgi perl ph plx psgi xs",
    "PHP": ("php php3 php4 php5 php7 php8 phps phpt phtml "
    "ctp module theme install"), "Pig": "pig", "Pike": "pike pmod", "Pkl": "pkl",
    "PL/SQL": "pls plsql pck pkb pks plb", "Pony": "pony", "PostCSS": "pcss postcss",
    "PostScript": "ps", "POV-Ray SDL": "pov",
    "PowerShell": "ps1 psm1 psd1 ps1xml",
    "Prisma": "prisma", "Processing": "pde", "Prolog": "prolog yap pro ecl", "Promela": "pml",
    "Protocol Buffers": "proto",
    "Pug": "pug jade", "Puppet": "pp epp", "PureBasic": "pb pbi", "PureScript": "purs",
    "Python": ("py pyi pyw py3 pyp rpy wsgi "
    "gyp gypi tac pyt"), "Python path file": "pth",
    "Q": "q", "Q#": "qs", "qmake": "pri", "QML": "qml qbs", "Quarto": "qmd",
    "R": "r rsx", "R Markdown": "rmd", "Racket": "rkt rktl rktd scrbl", "Ragel": "rl",
    "Raku": ("raku rakumod rakutest p6 pm6 pl6 "
    "nqp 6pl 6pm p6l p6m"), "Razor": "cshtml vbhtml razor", "ReasonML": "re rei",
    "Rebol": "reb rebol", "Red": "red reds", "Rego": "rego", "ReScript": "res resi",
    "REXX": "rexx rex", "Robot Framework": "robot",
    "Roc": "roc", "RPM spec": "spec", "Ruby": ("rb rbw rbx rbi rake gemspec podspec ru thor "
    "jbuilder rabl builder rjs"), "Rust": "rs",
    "SageMath": "sage", "SAS": "sas", "Sass": "sass", "Scala": "scala sbt sc mill",
    "Scaml": "scaml", "Scheme": "scm ss sld sls sps", "Scilab": "sci sce", "SCSS": "scss",
    "sed": "sed", SHELL: ("sh bash ksh mksh dash ash bats "
    "command ebuild eclass"), "Sieve": "sieve", "Slim": "slim", "Smali": "smali",
    "Smalltalk": "st", "Smarty": "smarty", "Smithy": "smithy", "Snakemake": "smk",
    "Solidity": "sol", "SourcePawn": "sp sma",
    "SPARQL": "sparql rq", "SPICE": "spice", "SQL": ("sql ddl dml ksql hql tsql psql "
    "pgsql mysql prql cql"), "Squirrel": "nut",
    "Stan": "stan", "Standard ML": "sml sig fun", "Starlark": "bzl star bazel starlark sky",
    "Stata": "do ado mata", "Stylus": "styl stylus",
    "SuperCollider": "scd", "Svelte": "svelte", "Sway": "sw", "Swift": "swift", "SWIG": "swg",
    "SystemVerilog": "sv svh vh",
    "TableGen": "td", "Tact": "tact", "Tcl": "tcl tm tk itcl xdc sdc rvt", "Teal": "teal",
    "templ": "templ", "Tera": "tera",
    "Terraform": "tf tofu tf.json tofu.json", "Thrift": "thrift", "Twig": "twig", "TXL": "txl",
    "TypeScript": "ts tsx mts cts", "TypoScript": "typoscript",
    "Typst": "typ", "Uiua": "ua", "UnrealScript": "uc", "V": "vv", "Vala": "vala vapi",
    "VBScript": "vbs wsf wsc hta", "VCL": "vcl",
    "Velocity": "vm vtl", "Verilog": "v", "VHDL": "vhd vhdl vho vht", "Vim script": "vim vmb",
    "Visual Basic": "vb bas frm vba ctl",
    "Vue": "vue", "Vyper": "vy", "WebAssembly text": "wat wast wit", "WGSL": "wgsl",
    "Whiley": "whiley", "Wolfram": "wls", "Wren": "wren",
    "X++": "xpp", "X10": "x10", "Xonsh": "xsh", "XQuery": "xq xql xqm xquery xqy xqu",
    "XSLT": "xsl xslt", "Xtend": "xtend",
    "Yacc": "y yy yacc ypp", "YANG": "yang", "YARA": "yar yara", "Zeek": "zeek bro",
    "Zephir": "zep", "Zig": "zig", "Zsh": "zsh",
}  # fmt: skip
NAMES = {
    "C shell": ".cshrc .tcshrc", "CMake": "cmakelists.txt", "crontab": "crontab",
    "Dockerfile": "dockerfile containerfile", "Dune": "dune",
    "Earthly": "earthfile", "Emacs Lisp": ".emacs .spacemacs cask", "GDB": ".gdbinit gdbinit",
    "LLDB": ".lldbinit lldbinit",
    "GN": ".gn", "Groovy": "jenkinsfile",
    "Haskell": ".ghci", "Just": "justfile .justfile", "M4": "configure.in",
    "Makefile": ("makefile gnumakefile bsdmakefile "
    "kbuild makefile.am"), "Meson": ("meson.build "
    "meson_options.txt "
    "meson.options"),
    "OCaml": ".ocamlinit", "Perl": "cpanfile makefile.pl", "Procfile": "procfile",
    "Python": "sconstruct sconscript wscript .pythonrc .pythonstartup", "R": ".rprofile",
    "Ruby": "gemfile rakefile vagrantfile guardfile capfile thorfile berksfile dangerfile fastfile "
    "appfile"
    " podfile brewfile appraisals puppetfile .irbrc .pryrc .simplecov",
    SHELL: ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .kshrc .envrc "
    ".xinitrc"
    " .xprofile bashrc pkgbuild apkbuild gradlew mvnw", "Snakemake": "snakefile",
    "Starlark": "build.bazel workspace.bazel module.bazel tiltfile", "Tcl": ".tclshrc .wishrc",
    "Vim script": ".vimrc .gvimrc _vimrc vimrc .nvimrc .exrc", "Xonsh": ".xonshrc",
    "Zsh": (".zshrc .zshenv .zprofile "
    ".zlogin .zlogout zshrc"),
}  # fmt: skip
# Lower case they are anything
EXACT_NAMES = {"BUILD": "Starlark", "WORKSPACE": "Starlark", "BUCK": "Starlark", "DEPS": "Python"}
PREFIXES = {
    "dockerfile.": "Dockerfile",
    "containerfile.": "Dockerfile",
    "jenkinsfile.": "Groovy",
    "makefile.": "Makefile",
}
INTERPRETERS = {
    "Ansible playbook": "ansible-playbook", "AppleScript": "osascript", "Awk": "awk gawk mawk nawk",
    "C": "tcc", "C shell": "csh tcsh",
    "C#": "dotnet dotnet-script", "Clojure": "clojure clj bb planck", "CoffeeScript": "coffee",
    "Common Lisp": "sbcl clisp ecl ccl",
    "Crystal": "crystal", "D": "rdmd dmd", "Dart": "dart", "Elixir": "elixir iex",
    "Elvish": "elvish", "Emacs Lisp": "emacs",
    "Erlang": "escript", "Expect": "expect", "F#": "fsharpi fsi", "Fennel": "fennel",
    "fish": "fish", "Gnuplot": "gnuplot",
    "Go": "go gorun yaegi", "Groovy": "groovy", "Haskell": "runhaskell runghc stack cabal",
    "Hy": "hy", "Io": "io", "Janet": "janet",
    "Java": "java jshell jbang", "JavaScript": ("node nodejs bun qjs gjs "
    "rhino phantomjs zx d8"), "jq": "jq", "Julia": "julia",
    "Just": "just", "Kotlin": "kotlin kotlinc", "Lua": "lua luajit luau texlua", "M4": "m4",
    "Makefile": "make gmake bmake",
    "MATLAB": "octave", "Nim": "nim nimcr", "Nushell": "nu", "OCaml": "ocaml ocamlrun",
    "Pascal": "instantfpc", "Perl": "perl",
    "PHP": "php php-cgi", "Pike": "pike", "PowerShell": "pwsh powershell", "Prolog": "swipl prolog",
    "Python": ("python pythonw pypy jython ipython "
    "graalpy micropython uv uvx"), "R": "rscript r littler", "Racket": "racket",
    "Raku": "raku perl6 rakudo", "REXX": "rexx regina", "Ruby": ("ruby jruby rbx truffleruby "
    "macruby"), "Rust": "rust-script cargo",
    "Scala": "scala scala-cli amm", "Scheme": "guile scheme chicken gosh csi", "sed": "sed gsed",
    SHELL: ("sh bash dash ksh ksh93 mksh pdksh ash "
    "rbash bats nix-shell"), "SQL": "sqlite3 psql", "Standard ML": "mlton sml",
    "Swift": "swift", "Tcl": "tclsh wish", "TypeScript": "deno ts-node tsx", "V": "v",
    "Vim script": "vim nvim", "Xonsh": "xonsh",
    "Zsh": "zsh",
}  # fmt: skip
# Globs, as GitHub and the others look for them: capitals count, and `*` takes no slash. `**/`
# stands for any folder.
BY_PATH = {
    GITHUB_WORKFLOW: ".github/workflows/*.yml .github/workflows/*.yaml",
    GITHUB_ACTION: "**/action.yml **/action.yaml",
    "Gitea workflow": (
        ".gitea/workflows/*.yml .gitea/workflows/*.yaml .forgejo/workflows/*.yml "
        ".forgejo/workflows/*.yaml"
    ),
    "GitLab CI": "**/.gitlab-ci.yml **/*.gitlab-ci.yml .gitlab/ci/*.yml",
    "CircleCI": ".circleci/*.yml .circleci/*.yaml",
    "Azure Pipelines": (
        "**/azure-pipelines.yml **/azure-pipelines-*.yml .azure-pipelines/*.yml .azuredevops/*.yml"
    ),
    "Travis CI": ".travis.yml",
    "Bitbucket Pipelines": "bitbucket-pipelines.yml",
    "Drone CI": ".drone.yml .drone.yaml .drone.star",
    "Woodpecker CI": ".woodpecker.yml .woodpecker.yaml .woodpecker/*.yml .woodpecker/*.yaml",
    "AppVeyor": "appveyor.yml .appveyor.yml",
    "Cirrus CI": ".cirrus.yml .cirrus.star",
    "Buildkite": ".buildkite/*.yml .buildkite/*.yaml",
    "Semaphore CI": ".semaphore/*.yml",
    "Cloud Build": "**/cloudbuild.yaml **/cloudbuild.yml",
    "CodeBuild": "**/buildspec.yml **/buildspec.yaml",
    "Tekton": ".tekton/*.yml .tekton/*.yaml",
}
GIT_HOOKS = (
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
)  # fmt: skip  https://git-scm.com/docs/githooks

# What is prose, data or style by its name, whatever its mode says (file systems of Windows make
# every file executable).
DATA_SUFFIXES = (
    "adoc asc asciidoc avsc bib cfg conf config crt css csv cvs dat desktop diff dtd "
    "editorconfig dockerignore edn env eml eps example "
    "feature geojson gitattributes gitignore gitmodules golden gv html htm ico ics inf ini json "
    "json5 jsonc jsonl jsonld key "
    "license list lock log man map markdown md mdown mo mod ndjson org out patch pem plist po "
    "pot properties pub puml rdoc rst rtf "
    "sample service snap srt sty sum tex texi textile tfvars toml tsv txt uml "
    "vtt webmanifest wiki wsdl xaml xml xsd "
    "yaml yml 1 2 3 4 5 6 7 8 9"
)
DATA_NAMES = (
    "authors changelog changes codeowners contributing contributors copying credits history "
    "install license licence maintainers "
    "manifest news notice owners readme thanks todo version"
)
ALL_LANGUAGES = frozenset(
    {
        *SUFFIXES,
        *NAMES,
        *INTERPRETERS,
        *BY_PATH,
        EXECUTABLE,
        BINARY_PROGRAM,
        INCLUDED,
        OTHER_NOTEBOOK,
        PAGE,
        TEMPLATE,
        HELM,
        "MDX",
        "SVG with script",
    }
)
