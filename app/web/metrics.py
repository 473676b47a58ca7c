"""The metrics, for a Prometheus server; there only where telemetry is set to that."""

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from app.web.room import InRoom

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus' text format, as its servers of any age read it."""


def metrics_routes() -> APIRouter:
    """The route of this module."""
    router = APIRouter()
    router.get("/metrics")(metrics)
    return router


async def metrics(room: InRoom) -> Response:
    """Counts of this process, without any value; 404 when they are not offered."""
    page = room.services.metrics
    if page is None:
        raise HTTPException(404)
    return Response(page(), media_type=MEDIA_TYPE)
