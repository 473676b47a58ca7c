"""Why a call was not run: one code, with a plain sentence and a full one kept elsewhere."""

from enum import StrEnum


class Reason(StrEnum):
    """Reason codes of ``not_run`` (design, section 3)."""

    INCOMPLETE = "incomplete"
    TRUNCATED = "truncated"
    REFUSED_BY_MODEL = "refused_by_model"
    INVALID_JSON = "invalid_json"
    TOO_LARGE = "too_large"
    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    OUT_OF_SCOPE = "out_of_scope"
    NOT_AUTHORISED = "not_authorised"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    STOPPED = "stopped"
    PROTOCOL_ERROR = "protocol_error"
