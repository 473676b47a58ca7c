import pytest

from app.display.labels import untrue


@pytest.mark.parametrize(
    "label",
    ["Creating ticket", "Sending", "sending email", "Updating…", "Loading...", "Processing order",
     "Looking up invoice", "Writing file", "Booking invoice", "Closing tickets", "Sending email",
     "Refunding", "Shipping your order", "Deleting the file"],
)  # fmt: skip
def test_a_label_that_reports_is_untrue(label: str) -> None:
    assert untrue(label)


@pytest.mark.parametrize(
    "label",
    ["Create ticket", "Billing", "Billing address", "Shipping", "Rating", "Meeting room",
     "Sending address", "Processing fee", "Remaining budget", "Missing", "Existing customer",
     "Booking number", "Building", "String", "Bring forward", "Thing", "King", "Title", "Setting",
     "Pricing plan", "Opening hours", "Evening"],
)  # fmt: skip
def test_a_label_that_names_is_true(label: str) -> None:
    assert untrue(label) is None
