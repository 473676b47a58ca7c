import pytest

from app.web.access import Access, Role, token_digest

ACCESS = Access(
    members={
        Role.OPERATOR: frozenset({"ada", "group:approvers"}),
        Role.DEVELOPER: frozenset({"group:tools"}),
    }
)


@pytest.mark.parametrize(
    ("user", "groups", "roles"),
    [
        ("ada", (), {Role.OPERATOR}),
        ("ben", ("approvers", "sales"), {Role.OPERATOR, "approvers", "sales"}),
        ("ben", ("tools", "approvers"), {*Role, "approvers", "tools"}),
        ("ben", ("ada",), {"ada"}),
        ("group:approvers", (), {Role.OPERATOR}),
        ("approvers", (), set[str]()),
        ("ben", ("operator", "developer"), set[str]()),
    ],
)
def test_roles_come_from_names_and_groups(
    user: str, groups: tuple[str, ...], roles: set[str]
) -> None:
    assert ACCESS.roles_of(user, groups) == roles


@pytest.mark.parametrize(
    ("peer", "trusted"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("192.0.2.1", False),
        ("testclient", False),
        ("", False),
        (None, False),
    ],
)
def test_by_itself_only_this_machine_is_a_proxy(peer: str | None, trusted: bool) -> None:
    assert Access().trusts(peer) is trusted


def test_a_digest_tells_keys_roles_and_tokens_apart_and_shows_none() -> None:
    digests = {
        token_digest(key, role, token) for key in "ab" for role in Role for token in ("x", "y")
    }
    assert len(digests) == 8
    assert all(len(digest) == 64 for digest in digests)


def test_a_token_is_in_no_text_of_it() -> None:
    assert "canary" not in repr(Access(tokens={Role.OPERATOR: "canary"}))
