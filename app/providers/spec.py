"""What names one model and how to reach it."""

from dataclasses import dataclass, field

from app.providers.provider import Timeouts
from app.providers.transports import Tap


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """One model behind one dialect.

    ``base_url`` and ``api_key`` fall back to the SDK's own defaults and environment variables.
    ``eager_input_streaming`` allows asking for values as they are made where a tool streams
    (``anthropic-messages`` alone). ``tap`` sees the bytes of each response.
    """

    dialect: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeouts: Timeouts = field(default_factory=Timeouts)
    eager_input_streaming: bool = True
    tap: Tap | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must stay out of every message."""
        return (self.api_key,) if self.api_key else ()
