"""What one comparison says of a file keeps no other quiet about the rest of it."""

from tests.unit.reviewers.comparisons.in_memory import comparison
from tests.unit.reviewers.comparisons.support import findings_in

_CODE = """package store

func fetch(url string) (*http.Response, error) {{
	client := &http.Client{0}
	return client.Get(url)
}}

func save(ctx context.Context, tx *sql.Tx) error {{
	{1}
	return nil
}}

func remove(ctx context.Context, tx *sql.Tx) error {{
	{2}
	return nil
}}
"""
_CHECKED = "if err := tx.{0}; err != nil {{\n\t\treturn err\n\t}}"


def test_a_loss_in_each_of_two_functions_is_told() -> None:
    commit, delete = (_CHECKED.format(call) for call in ("Commit()", "Rollback()"))
    base = _CODE.format("{Timeout: time.Second}", commit, delete)
    head = _CODE.format("{Timeout: time.Second}", "tx.Commit()", delete)
    (alone,) = findings_in(comparison({"store.go": (base, head)}))
    swallowed = head.replace(delete, delete.replace("return err", "log.Println(err)"))
    both = findings_in(comparison({"store.go": (base, swallowed)}))
    assert alone.line_start in {each.line_start for each in both} and len(both) == 2, both
