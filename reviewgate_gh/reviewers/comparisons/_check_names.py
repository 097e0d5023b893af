"""Which names say that something checks: tasks of build tools, scripts, steps and jobs of pipelines
whose commands nobody outside of the project knows."""

from ...text.patterns import lazy_pattern

_RUNNERS = (
    r"\b(?:gradlew?(?:\.bat)?|mvnw?|sbt|mill|dotnet|mix|rake|composer|npm|yarn|pnpm|bun|make|just"
    r"|task|invoke|inv|nox|tox|hatch|poetry run|uv run|pdm run|cargo|melos|nx|turbo|lerna|moon"
    r"|earthly|bazel|ant|deno task|swift|flutter|lein|rush|mage|docker scout|trunk)"
)
_INTERPRETERS = (
    r"(?:bash|sh|zsh|python[\d.]*|node|ruby|perl|php|pwsh|deno run|tsx|ts-node|npx|bunx)"
)
# https://maven.apache.org/surefire/maven-surefire-plugin/examples/skipping-tests.html
_SKIPS = r"(?:skipTests|maven\.test\.skip)"
_SCRIPTS = r"(?:sh|bash|zsh|py|rb|pl|php|ps1|cmd|bat|exe|[cm]?[jt]s)"
# Where a command begins, after the key of a pipeline or of a package's scripts
_BEGINS = (
    r"(?:^\s*(?:-\s+)?(?:\"?[\w:-]+\"?:\s+)?|[&|;(]\s*|\b(?:sudo|exec|time|then|do)\s+)[\"'@]?"
    r"(?:\w+=\S*\s+)*"
)
# What prepares or reports a check, or is about another thing of that name
_NO_CHECK = (
    r"(?:un)?install|setup|set|upload|download|cache|publish|report|comment|assemble|compile|bundle"
    r"|clean|deploy|notify|fetch|pull|push|wait|start|stop|create|generate|prepare|print|show|list"
    r"|check(?:out|point|list|sum)s?|update|release|copy|init|no|skip|without|exclude"
)
# What is made for tests, or of what came out of them
_OF_TESTS = (
    r"(?:build[-_]\S*tests?[-_][a-z]|tests?[-_](?:report(?:s|er|ing)?|results?|summary)(?![a-z]))"
)
# https://docs.gradle.org/current/userguide/java_testing.html, https://developer.android.com/studio/test/command-line
TESTS = r"tests?"
LINT = r"(?:\w*[a-z])?lint(?:er|ing|s)?|\w*checkstyle|spotless|format-?check|check-?format\w*"
TYPES = r"type-?check(?:s|er|ing)?|check-?types?"
SECURITY = (
    r"audits?|(?:\w*[a-z])?scan(?:s|ner|ning)?|vulnerabilit(?:y|ies)|vulns?|sast|dast"
    r"|dependency-?[cC]heck"
)
CHECKS = (
    r"checks?|(?:pre|self|spell|link|style|code|doc|api)-?checks?|checker|verif(?:y|ies|ication)"
    r"|analy[sz](?:e|er|is)|validat(?:e|es|ion|or)|inspections?|conformance|compliance|enforce"
)
_TOLD = r"lint|check|verify|validate|audit|scan|analy[sz]e|vet"
# Told so by an option, whatever the tool. https://learn.microsoft.com/dotnet/core/tools/dotnet-list-package,
# https://git-scm.com/docs/git-diff (what was generated anew is what is kept)
_OPTIONS = {
    SECURITY: r"\bdotnet\b[^|&;]*\s--vulnerable\b",
    CHECKS: r"(?<=\s)--(?:check(?:-only)?|verify-no-\w[\w-]*|fail-(?:on|above|under|if)[\w-]*"
    r"|error-exitcode)(?![\w-])|\bgit diff\b[^|&;]*\s--exit-code\b(?!.*\|\|)|^\s*pip check\b",
}


def named_as(words: str) -> str:
    """The pattern of commands that run what is called so: a task behind the name of a build tool,
    a script by its path, or what a program is told to do."""
    capital = "|".join(f"{each[0].upper()}{each[1:]}" for each in _plain(words))
    own = rf"(?:(?<![A-Za-z])(?:{words})|(?<=[a-z0-9])(?:{capital}))(?![a-z])"
    other = (
        rf"(?!(?:\S*[:/])?(?:{_NO_CHECK})(?![a-z])[^/\s]*(?:\s|$)|\S*{_OF_TESTS}"
        r"|\S*(?:[fF]ix|[aA]pply|Format(?!\w*Check))(?![a-z]))"
    )
    task = (
        rf"{_RUNNERS}\b(?![^|&;]*{_SKIPS})(?:\s[^|&;]*?)??(?<!\s-x)\s(?![-'\"]){other}"
        rf"[\w:.@/-]*?{own}(?![\w.-]*[/\\])[\w.:-]*(?!\s+fix\b)"
    )
    script = (
        rf"(?:{_BEGINS}(?:\./|[\w.-]+/)|\b{_INTERPRETERS}\s+(?:-\w+\s+)*(?:\./)?){other}"
        rf"(?:[\w.-]+/)*[\w.-]*?{own}[\w-]*(?:\.{_SCRIPTS})?(?:@\S+)?(?=[\s\"';&|)]|$)"
    )
    command = (
        rf"(?:^|[\s\"'&|;])(?!(?:{_NO_CHECK}|gh|git|echo)\b)[a-z][\w.-]*\s(?:{_TOLD})"
        r"(?=[\s\"';&|)]|$)(?!\s+fix\b)"
    )
    tells = (task, script, command if words == CHECKS else "", _OPTIONS.get(words, ""))
    return "|".join(filter(None, tells))


def _plain(words: str) -> list[str]:
    """The alternatives that begin with a letter, as a name of several words goes on with them."""
    parts, depth, part = list[str](), 0, ""
    for sign in words:
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            parts.append(part)
            part = ""
        else:
            part += sign
    return [each for each in (*parts, part) if each[0].isalpha()]


_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SAYS = lazy_pattern(
    rf"(?:{TESTS}|{LINT}|{TYPES}|{SECURITY}|{CHECKS}|testing|specs?|checking|verifying|analy[sz]ing"
    r"|auditing|analy[sz]ers?|vet)\Z"
)
_PREPARES = lazy_pattern(
    rf"(?:{_NO_CHECK}|get|save|restore|build|configure|log|login|use|add|remove|run-?if|make|find"
    r"|detect|determine|decide|load|apply|archive|collect|annotate|merge|label|trigger|boot"
    r"|bootstrap|provision|launch|seed|migrate|free|enable|disable|summari[sz]e|display|post|send"
    r"|store|extract|pack|sync|bump|tag|sign|link|export|import|change|changes|query|rerun"
    r"|cancel|patch)\Z"
)
# What a workflow asks before it goes on, or makes sure of for itself
_ASKS = lazy_pattern(
    r"(?:out|if|whether|changes?|changed|disks?|space|memory|environment|env|versions?|tags?|branch"
    r"|connections?|login|credentials?|permissions?|actors?|users?|teams?|membership|labels?|status"
    r"|exists?|existence|available|availability|installation|installed|download(?:ed|s)?|checksums?"
    r"|signatures?|health|url|deployments?|release[sd]?|results?|reports?|artifacts?|summary|cache"
    r"|inputs?|outputs?|event|trigger|runner|tools?|docker|databases?|server|fixtures?|data|images?"
    r"|metadata|logs?|comments?|fail(?:ed|ures?))\Z"
)


def says_check(name: str) -> bool:
    """A step or job of this name checks the project."""
    words = [each.lower() for each in _WORDS.findall(name)]
    if not words or _PREPARES.match(words[0]) or any(map(_ASKS.match, words)):
        return False
    return any(map(_SAYS.match, words))
