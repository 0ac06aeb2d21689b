"""The Celery app. A message is only a hint: it names a thing to look at; Redis says if there is work.

So nothing here retries, stores results or counts on a message's coming, or coming once: a message is
acknowledged when it is taken, and what a killed worker held is found again by the sweep.
"""

from __future__ import annotations

from celery import Celery

from service.config import Settings
from service.models import CONTROL_QUEUE


def make_app(settings: Settings) -> Celery:
    """An app on the settings' broker, with this project's tasks."""
    app = Celery("arbiter", broker=settings.celery_url, include=["workers.tasks"])
    app.conf.update(
        task_acks_late=False,
        task_ignore_result=True,
        task_default_queue=CONTROL_QUEUE,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_channel_error_retry=True,  # a broker that is full refuses, and is asked again
        broker_transport_options={
            "visibility_timeout": 86_400,
            "socket_timeout": 30,
            "socket_keepalive": True,
        },
    )
    return app
