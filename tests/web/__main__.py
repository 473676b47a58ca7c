"""Serves the scripted driver by hand: ``python -m tests.web`` (port from ``PORT``)."""

import os

import uvicorn

from app.web.application import create_app
from tests.web.scripted import ScriptedConversations
from tests.web.scripts import SCRIPTS

if __name__ == "__main__":
    scripted = ScriptedConversations(SCRIPTS, list(SCRIPTS))
    uvicorn.run(create_app(scripted.services()), port=int(os.environ.get("PORT", "8765")))
