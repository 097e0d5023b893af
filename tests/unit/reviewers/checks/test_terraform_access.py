"""Ports and policies that are open to everybody."""

import pytest

from reviewgate_gh.reviewers.checks import terraform_access
from tests.unit.reviewers.checks.support import edited, on, short, sources

GROUP = """\
resource "aws_security_group" "app" {
  %s {
    from_port   = %s
    to_port     = %s
    protocol    = "%s"
    cidr_blocks = ["%s"]
  }
}
"""
STATEMENT = """\
policy = jsonencode({
  Statement = [{
    Effect    = "%s"
    Principal = %s
    Action    = %s
    Resource  = "${aws_s3_bucket.a.arn}/*"%s
  }]
})
"""


@pytest.mark.parametrize(
    ("kind", "first", "last", "protocol", "source", "open"),
    [
        ("ingress", 22, 22, "tcp", "0.0.0.0/0", True),
        ("ingress", 5000, 6000, "tcp", "::/0", True),
        ("ingress", 0, 0, "-1", "0.0.0.0/0", True),
        ("ingress", 0, 65535, "tcp", "0.0.0.0/0", True),
        ("ingress", 443, 443, "tcp", "0.0.0.0/0", False),
        ("ingress", 22, 22, "tcp", "10.0.0.0/8", False),
        ("egress", 0, 0, "-1", "0.0.0.0/0", False),
    ],
)
def test_groups(kind: str, first: int, last: int, protocol: str, source: str, open: bool) -> None:
    text = GROUP % (kind, first, last, protocol, source)
    assert on(terraform_access, "a.tf", text) == [("P2", "open-port", "a.tf:6")] * open


@pytest.mark.parametrize(
    ("text", "open"),
    [
        ('resource "aws_security_group_rule" "a" {\n type = "ingress"\n from_port = 3306\n'
         ' to_port = 3306\n cidr_blocks = ["10.0.0.0/8", "0.0.0.0/0"]\n}', True),
        ('resource "aws_security_group_rule" "a" {\n type = "egress"\n from_port = 3306\n'
         ' to_port = 3306\n cidr_blocks = ["0.0.0.0/0"]\n}', False),
        ('resource "aws_vpc_security_group_ingress_rule" "a" {\n cidr_ipv4 = "0.0.0.0/0"\n'
         ' from_port = 22\n to_port = 22\n}', True),
        ('resource "google_compute_firewall" "a" {\n source_ranges = ["0.0.0.0/0"]\n'
         ' allow {\n  ports = ["80", "20-25"]\n }\n}', True),
        ('resource "google_compute_firewall" "a" {\n source_ranges = ["0.0.0.0/0"]\n'
         ' allow {\n  ports = ["80", "443"]\n }\n}', False),
        ('resource "azurerm_network_security_rule" "a" {\n access = "Allow"\n'
         ' destination_port_range = "3389"\n source_address_prefix = "*"\n}', True),
        ('resource "azurerm_network_security_rule" "a" {\n access = "Deny"\n'
         ' destination_port_range = "*"\n source_address_prefix = "*"\n}', False),
        ('ingress {\n # cidr_blocks = ["0.0.0.0/0"]\n from_port = 22\n to_port = 22\n}', False),
    ],
)  # fmt: skip
def test_other_rules(text: str, open: bool) -> None:
    assert [each[1] for each in on(terraform_access, "a.tf", text)] == ["open-port"] * open


@pytest.mark.parametrize(
    ("effect", "principal", "action", "more", "open"),
    [
        ("Allow", '"*"', '"s3:*"', "", True),
        ("Allow", '{ AWS = "*" }', '["s3:GetObject", "s3:PutObject"]', "", True),
        ("Allow", '{ AWS = ["*"] }', '"*"', "", True),
        ("Allow", '"*"', '"s3:GetObject"', "", False),
        ("Allow", '"*"', '["s3:GetObject", "s3:List*"]', "", False),
        ("Deny", '"*"', '"s3:*"', "", False),
        ("Allow", '"*"', '"sqs:SendMessage"', "\n    Condition = { A = 1 }", False),
        ("Allow", '{ AWS = "arn:aws:iam::1:root" }', '"s3:*"', "", False),
    ],
)
def test_policies(effect: str, principal: str, action: str, more: str, open: bool) -> None:
    text = STATEMENT % (effect, principal, action, more)
    assert on(terraform_access, "a.tf", text) == [("P2", "open-policy", "a.tf:4")] * open
    assert on(terraform_access, "tests/a.tf", text) == []


@pytest.mark.parametrize(("action", "open"), [("s3:DeleteObject", True), ("s3:GetObject", False)])
def test_documents(action: str, open: bool) -> None:
    text = (
        f'statement {{\n  actions = ["{action}"]\n  principals {{\n    type = "*"\n'
        '    identifiers = ["*"]\n  }\n}\n'
    )
    assert on(terraform_access, "a.tf", text) == [("P2", "open-policy", "a.tf:5")] * open
    json = f'{{"Effect": "Allow", "Principal": {{"AWS": "*"}}, "Action": "{action}"}}'
    assert on(terraform_access, "a.json", json) == [("P2", "open-policy", "a.json:1")] * open


def test_what_is_cut_off() -> None:
    assert on(terraform_access, "a.tf", 'Principal = "*"\nEffect = "Allow"') == []


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = GROUP % ("ingress", 22, 22, "tcp", "0.0.0.0/0")
    file = edited("a.tf", "-}", "+}", start=8)
    assert short(terraform_access, sources(file, contents={"a.tf": text})) == []
