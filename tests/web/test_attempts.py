from app.web.attempts import Attempts


def test_failures_are_counted_per_person_and_time() -> None:
    attempts = Attempts(limit=3, window_s=60)
    for now in (0.0, 10.0, 20.0):
        assert attempts.wait_s("a", now) == 0
        attempts.failed("a", now)
    assert attempts.wait_s("a", 25) == 35
    assert attempts.wait_s("b", 25) == 0
    assert attempts.wait_s("a", 60) == 0
    attempts.failed("a", 60)
    assert attempts.wait_s("a", 61) == 9


def test_success_is_a_fresh_beginning() -> None:
    attempts = Attempts(limit=1)
    attempts.failed("a", 0)
    attempts.succeeded("a")
    assert attempts.wait_s("a", 1) == 0


def test_what_is_remembered_has_a_bound_and_the_newest_stay() -> None:
    attempts = Attempts(limit=1, most_known=2)
    for who in ("a", "b", "c"):
        attempts.failed(who, 0)
    assert [attempts.wait_s(who, 1) > 0 for who in ("a", "b", "c")] == [False, True, True]
