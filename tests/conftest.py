"""Property tests are about what is true, not about how fast this machine is today."""

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow]
settings.register_profile("quick", deadline=None, suppress_health_check=SLOW, max_examples=30)
settings.register_profile("thorough", deadline=None, suppress_health_check=SLOW, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
