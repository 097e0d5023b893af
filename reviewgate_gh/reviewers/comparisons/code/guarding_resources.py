"""Whole resources of infrastructure that only guard others, and are gone while these stay."""

import re
from collections.abc import Iterator
from itertools import dropwhile, islice, takewhile

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._guards import code_of, weigh_loss
from .._remark import ComparisonRule, taken
from .._sources import ComparedFile, ComparisonInput, Line
from .switched_off import LOCAL

EVERY_FILE = False
_RULE = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "What it protected is still there, without protection. Restore it, or name what protects it "
    "instead.",
)
# https://registry.terraform.io/providers/hashicorp/aws/latest/docs
_TERRAFORM = lazy_pattern(
    r"^resource\s+\"(?P<kind>aws_s3_(?:bucket|account)_(?:public_access_block"
    r"|server_side_encryption_configuration|versioning|logging)|aws_wafv2_web_acl_association"
    r"|aws_(?:cloudtrail|guardduty_detector|ebs_encryption_by_default|flow_log)"
    r"|google_compute_security_policy|azurerm_network_security_group"
    r"|azurerm_\w+_security_group_association|aws_ecr_lifecycle_policy|\w+_management_lock)\""
)
# https://kubernetes.io/docs/concepts/services-networking/network-policies/
_KUBERNETES = lazy_pattern(
    r"^kind:\s*(?P<kind>(?:Global)?NetworkPolicy|Cilium\w*NetworkPolicy|PodSecurityPolicy"
    r"|AuthorizationPolicy|PeerAuthentication|ValidatingAdmissionPolicy(?:Binding)?"
    r"|ValidatingWebhookConfiguration|ResourceQuota|LimitRange|PodDisruptionBudget)\s*$"
)
_REFERS = lazy_pattern(r"=\s*(?:\[\s*)?(?P<kind>[a-z]\w+)\.(?P<name>\w+)\.\w+")
_MANIFEST = lazy_pattern(r"\.(?:ya?ml|tpl)$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_product and file.removed and not LOCAL.search(without_packages(file.path)):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for line in block.removed:
            found = _TERRAFORM.match(code_of(line.text)) or _KUBERNETES.match(code_of(line.text))
            if found is None or _comes_back(sources, found["kind"]):
                continue
            if not _guarded_stays(sources, file, line):
                continue
            rule = weigh_loss(_RULE, file, block)
            yield taken(rule, file, line, f"a protection is removed: {found['kind']}")


def _comes_back(sources: ComparisonInput, kind: str) -> bool:
    """The change has one of its kind at another place, or takes in modules that may have it."""
    return any(
        kind in line.text or _BRINGS.match(line.text)
        for file in sources.files
        for line in file.added
    )


_BRINGS = lazy_pattern(r"\s*(?:module\s+\"|(?:kind|apiVersion):.*(?:Helm|Kustom)|helm_release)")


def _guarded_stays(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """What it names is declared as before; of a manifest, others stay in its folder."""
    if not file.path.endswith((".tf", ".tofu")):
        return _has_neighbours(sources, file) and _is_selected(sources, file, line)
    if "aws_s3_bucket_public" in line.text and sources.find_words({_OF_ALL})[_OF_ALL]:
        return False
    for row in file.base_rows[line.number :]:
        if row.startswith("}"):
            break
        if found := _REFERS.search(code_of(row)):
            declared = re.compile(rf"\"{found['kind']}\"\s+\"{found['name']}\"")
            places = sources.find_words([found["name"]])[found["name"]]
            return any(declared.search(place.text) for place in places)
    return not file.is_gone


# https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/s3_account_public_access_block
_OF_ALL = "aws_s3_account_public_access_block"


def _is_selected(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """Something has the labels that the manifest names, if it names any.
    https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/"""
    rows = takewhile(lambda row: not row.startswith("---"), file.base_rows[line.number :])
    below = dropwhile(lambda row: not _LABELS.match(row), rows)
    labels = [row.strip() for row in takewhile(_PAIR.match, islice(below, 1, None))]
    words = {re.split(r":\s*", each)[-1] for each in labels}
    places = [place for every in sources.find_words(words).values() for place in every]
    return not labels or any(place.text.strip() in labels for place in places)


_LABELS = lazy_pattern(r"\s*matchLabels:\s*$")
_PAIR = lazy_pattern(r"\s*[\w./-]+:\s*\w[\w.-]*\s*$")


def _has_neighbours(sources: ComparisonInput, file: ComparedFile) -> bool:
    if not file.is_gone:
        return any(row.startswith("kind:") for row in file.head_rows)
    return any(
        path.startswith(file.folder) and _MANIFEST.search(path) and path != file.path
        for path in sources.list_head()
    )
