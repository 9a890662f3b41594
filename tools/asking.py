"""A statement in a session and a thread of its own, to be ended from elsewhere."""

import threading

from checks import until
from pgwire import Lost, Row, ServerError, Session

PATIENCE = 60  # seconds; what takes longer hangs


class Asking(threading.Thread):
    """Runs one statement; `outcome` is its rows, or the error or lost connection that ended it."""

    def __init__(self, session: Session, sql: str) -> None:
        super().__init__(daemon=True)
        self.session, self.sql = session, sql
        self.outcome: list[Row] | ServerError | Lost | None = None
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self.session.query(self.sql)
        except (Lost, ServerError) as ended:
            self.outcome = ended

    def waits_for_the_model(self, admin: Session) -> bool:
        """Whether it comes to wait, seen from another session."""
        waiting = f"SELECT 1 FROM pg_stat_activity WHERE pid = {self.session.pid} AND wait_event_type = 'Extension'"
        come = until(lambda: bool(admin.query(waiting)) or not self.is_alive(), PATIENCE)
        return bool(come) and self.is_alive()

    def ended(self) -> bool:
        self.join(PATIENCE)
        return not self.is_alive()
