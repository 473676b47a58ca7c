"""Who may do what beside chatting, as the settings say it.

People are anonymous sessions, or with ``user_header`` those whom a trusted proxy names. Roles come
from what that proxy says of a person, or from a token that is exchanged at ``/sign-in``.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

USER_PREFIX = "user:"
"""Begins the id of a person whom a proxy names: no name is anybody's random id."""

GROUP = "group:"
"""Begins an entry of a role that names a group, and no user."""


class Role(StrEnum):
    """What a person may be beside somebody who chats."""

    OPERATOR = "operator"
    DEVELOPER = "developer"


LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@dataclass(frozen=True, slots=True)
class Access:
    """Tokens or headers, and what they stand for.

    ``tokens`` is by role; a role without one cannot be signed in to. ``members`` is by role, too:
    users by name, and groups as ``group:name``. ``proxies`` are the peers whose headers count.
    """

    tokens: Mapping[Role, str] = field(default_factory=dict[Role, str], repr=False)
    user_header: str | None = None
    groups_header: str | None = None
    members: Mapping[Role, frozenset[str]] = field(default_factory=dict[Role, frozenset[str]])
    proxies: tuple[Network, ...] = LOOPBACK

    def trusts(self, peer: str | None) -> bool:
        """Whether the headers of a request that came straight from this address count."""
        try:
            address = ip_address(peer or "")
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return any(mapped in network for network in self.proxies)

    def roles_of(self, user: str, groups: Iterable[str]) -> frozenset[str]:
        """The roles of a named person: their groups, and what the settings give them.

        A group that is called like a role of ours does not give it.
        """
        names = frozenset(groups)
        known = {user, *(f"{GROUP}{name}" for name in names)}
        given = {role for role, members in self.members.items() if members & known}
        return frozenset(names - set(Role)) | frozenset(given)


def token_digest(secret_key: str, role: Role, token: str) -> str:
    """What a session keeps of the token it was signed in with: enough to see that it changed."""
    return hmac.new(secret_key.encode(), f"{role}:{token}".encode(), hashlib.sha256).hexdigest()
