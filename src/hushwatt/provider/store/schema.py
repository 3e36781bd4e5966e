"""The tables, and how an older store becomes a newer one.

A store knows how many of these steps it has taken.  A step is never changed once it
was released; what is new is a new step at the end.
"""

from hushwatt.errors import StateError
from hushwatt.provider.store.session import Session, first_row

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE plans (
            plan {serial}, id TEXT NOT NULL UNIQUE, canonical {bytes} NOT NULL,
            homes {whole} NOT NULL, next_home {whole} NOT NULL,
            published {whole} NOT NULL)""",  # every slot up to this one has been published, −1: none
        """CREATE TABLE signers (
            signer {serial}, plan {whole} NOT NULL, name {bytes} NOT NULL UNIQUE, key {bytes} NOT NULL,
            gateway {whole} NOT NULL, UNIQUE (plan, key))""",
        """CREATE TABLE devices (
            device {bytes} NOT NULL PRIMARY KEY, plan {whole} NOT NULL, home {whole} NOT NULL,
            signer {whole} NOT NULL){compact}""",
        "CREATE UNIQUE INDEX devices_by_home ON devices (plan, home)",
        "CREATE INDEX devices_by_signer ON devices (signer)",
        """CREATE TABLE codes (
            hash {bytes} NOT NULL PRIMARY KEY, plan {whole} NOT NULL, homes {whole} NOT NULL,
            made {whole} NOT NULL, expires {whole} NOT NULL,
            signer {whole}, first_home {whole}, enrolled {whole})""",
        """CREATE TABLE tokens (
            hash {bytes} NOT NULL PRIMARY KEY, label TEXT NOT NULL UNIQUE, made {whole} NOT NULL,
            expires {whole} NOT NULL)""",
        """CREATE TABLE reports (
            plan {whole} NOT NULL, slot {whole} NOT NULL, home {whole} NOT NULL,
            spent {whole} NOT NULL, drawn {whole} NOT NULL, as_of {whole} NOT NULL, payload {bytes} NOT NULL,
            PRIMARY KEY (plan, slot, home)){by_slot}""",
        """CREATE TABLE draws (
            plan {whole} NOT NULL, home {whole} NOT NULL, slot {whole} NOT NULL,
            PRIMARY KEY (plan, home, slot)){compact}""",
        """CREATE TABLE tallies (
            plan {whole} NOT NULL, slot {whole} NOT NULL, round {whole} NOT NULL, as_of {whole} NOT NULL,
            drawn {whole} NOT NULL, homes {whole} NOT NULL, reports {bytes} NOT NULL, counts {bytes} NOT NULL,
            PRIMARY KEY (plan, slot, round, as_of, drawn)){compact}""",
        """CREATE TABLE slots (
            plan {whole} NOT NULL, slot {whole} NOT NULL, late {whole} NOT NULL, published_at {whole},
            homes {whole}, scrubbed {whole} NOT NULL, PRIMARY KEY (plan, slot)){compact}""",
    ),
    (
        "ALTER TABLE plans ADD COLUMN told {whole} NOT NULL DEFAULT 0",  # homes that take part, as files say
        "ALTER TABLE plans ADD COLUMN filed {whole} NOT NULL DEFAULT 0",  # homes that files have named
        "ALTER TABLE plans ADD COLUMN erased {whole} NOT NULL DEFAULT 0",  # homes, ever
        "ALTER TABLE devices ADD COLUMN filed {whole} NOT NULL DEFAULT 0",  # 1: files name it too
        "DROP INDEX devices_by_signer",
        "CREATE INDEX devices_by_signer ON devices (signer) WHERE signer > 0",  # not of files
        "CREATE TABLE erased (hash {bytes} NOT NULL PRIMARY KEY){compact}",
        """CREATE TABLE deliveries (
            plan {whole} NOT NULL, content {bytes} NOT NULL, taken {whole} NOT NULL,
            PRIMARY KEY (plan, content)){compact}""",
    ),
    (
        """CREATE TABLE rotations (
            plan {whole} NOT NULL, home {whole} NOT NULL, known {bytes} NOT NULL,
            PRIMARY KEY (plan, home)){compact}""",
    ),
    (
        "ALTER TABLE tokens ADD COLUMN role TEXT NOT NULL DEFAULT 'read'",
        """CREATE TABLE logins (
            hash {bytes} NOT NULL PRIMARY KEY, token {bytes} NOT NULL, expires {whole} NOT NULL){compact}""",
        "ALTER TABLE deliveries ADD COLUMN number {whole} NOT NULL DEFAULT 0",
        "ALTER TABLE deliveries ADD COLUMN name TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE deliveries ADD COLUMN at {whole} NOT NULL DEFAULT 0",
        "ALTER TABLE deliveries ADD COLUMN rows {whole} NOT NULL DEFAULT 0",
        "ALTER TABLE deliveries ADD COLUMN accepted {whole} NOT NULL DEFAULT 0",
        "ALTER TABLE deliveries ADD COLUMN repeated {whole} NOT NULL DEFAULT 0",
        "ALTER TABLE deliveries ADD COLUMN homes {whole} NOT NULL DEFAULT 0",  # taking part, as it tells
        "ALTER TABLE deliveries ADD COLUMN undone {whole} NOT NULL DEFAULT 0",  # 1: it was taken back
        """UPDATE deliveries SET rows = taken,
            number = (SELECT count(*) FROM deliveries AS d WHERE d.plan < deliveries.plan
                      OR (d.plan = deliveries.plan AND d.content <= deliveries.content)),
            homes = (SELECT told FROM plans WHERE plans.plan = deliveries.plan)""",
        "ALTER TABLE reports ADD COLUMN delivery INTEGER NOT NULL DEFAULT 0",  # that brought it; 0: none
        "ALTER TABLE devices ADD COLUMN delivery INTEGER NOT NULL DEFAULT 0",  # that named it first
        "ALTER TABLE plans ADD COLUMN undone {whole} NOT NULL DEFAULT 0",  # deliveries taken back, ever
    ),
    (
        "ALTER TABLE tallies RENAME TO whole_tallies",
        """CREATE TABLE tallies (
            plan {whole} NOT NULL, slot {whole} NOT NULL, round {whole} NOT NULL, as_of {whole} NOT NULL,
            drawn {whole} NOT NULL, cell {whole} NOT NULL, homes {whole} NOT NULL,
            reports {bytes} NOT NULL, counts {bytes} NOT NULL,
            PRIMARY KEY (plan, slot, round, as_of, drawn, cell)){compact}""",
        """INSERT INTO tallies (plan, slot, round, as_of, drawn, cell, homes, reports, counts)
            SELECT plan, slot, round, as_of, drawn, 0, homes, reports, counts FROM whole_tallies""",
        "DROP TABLE whole_tallies",
        """CREATE TABLE cells (
            plan {whole} NOT NULL, cell {whole} NOT NULL, labels TEXT NOT NULL,
            homes {whole} NOT NULL, noted {whole} NOT NULL, PRIMARY KEY (plan, cell),
            UNIQUE (plan, labels)){compact}""",  # homes now, and when a slot was published last
        """CREATE TABLE label_names (
            plan {whole} NOT NULL, place {whole} NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (plan, place), UNIQUE (plan, name)){compact}""",
        """CREATE TABLE cell_homes (
            plan {whole} NOT NULL, cell {whole} NOT NULL, slot {whole} NOT NULL, homes {whole} NOT NULL,
            PRIMARY KEY (plan, cell, slot)){compact}""",  # from this slot on
        """CREATE TABLE turns (
            plan {whole} NOT NULL, cell {whole} NOT NULL, turn {whole} NOT NULL, homes {whole} NOT NULL,
            PRIMARY KEY (plan, cell, turn)){compact}""",  # offered; cell −1: all homes
        "ALTER TABLE devices ADD COLUMN cell INTEGER NOT NULL DEFAULT 0",  # by its labels, for good
        "ALTER TABLE devices ADD COLUMN turn INTEGER",  # that was offered; NULL: the one of its number
        "ALTER TABLE codes ADD COLUMN cell INTEGER NOT NULL DEFAULT 0",  # of the homes that it enrols
    ),
    (
        """CREATE TABLE segments (
            plan {whole} NOT NULL, slot {whole} NOT NULL, first_home {whole} NOT NULL, last_home {whole} NOT NULL,
            reports INTEGER NOT NULL, delivery INTEGER NOT NULL,
            homes {bytes} NOT NULL, amounts {bytes} NOT NULL, payloads {bytes} NOT NULL,
            PRIMARY KEY (plan, slot, first_home, last_home)){segments_by_slot}""",
        "ALTER TABLE slots ADD COLUMN packed {whole} NOT NULL DEFAULT 0",  # 1: its reports are all in segments
        "ALTER TABLE plans ADD COLUMN draws_pruned {whole} NOT NULL DEFAULT -1",  # up to this published slot
        "ALTER TABLE plans ADD COLUMN draws_swept {whole} NOT NULL DEFAULT 0",  # homes below this, of a sweep under way
        "{only_postgres}ALTER TABLE tallies SET (autovacuum_vacuum_scale_factor = 0.01, "
        "toast.autovacuum_vacuum_scale_factor = 0.01)",  # changed by every commit
        "{only_postgres}ALTER TABLE draws SET (autovacuum_vacuum_scale_factor = 0.02)",
        "{only_postgres}ALTER TABLE plans SET (fillfactor = 50)",
        "{only_postgres}ALTER TABLE deliveries SET (fillfactor = 50)",
    ),
)


class OlderStore(StateError):
    """The store has steps to take, and nobody has asked for them."""

    def __init__(self, taken: int) -> None:
        self.taken = taken
        super().__init__(
            f"the store is at step {taken} of {len(MIGRATIONS)}: first run `hushwatt provider migrate` with the same "
            'settings, or set migration = "auto"'
        )


def migrate(session: Session, types: dict[str, str], by_hand: bool = False) -> None:
    """Take the steps that the store has not taken, or refuse to; `types` are the database's own."""
    taken = steps_taken(session, types)
    if taken > len(MIGRATIONS):
        raise StateError(f"the store is from a newer hushwatt (step {taken}, this one knows {len(MIGRATIONS)})")
    if by_hand and taken < len(MIGRATIONS):
        raise OlderStore(taken)
    session.run("CREATE TABLE IF NOT EXISTS hushwatt (steps INTEGER NOT NULL)")
    for step in MIGRATIONS[taken:]:
        for statement in step:
            session.run(statement.format(**types))
    if taken < len(MIGRATIONS):
        session.run("DELETE FROM hushwatt")
        session.run("INSERT INTO hushwatt (steps) VALUES (?)", len(MIGRATIONS))


def steps_taken(session: Session, types: dict[str, str]) -> int:
    """How many steps the store has taken; 0: it has no tables yet."""
    if session.all(types["has_table"], "hushwatt") == [(0,)]:
        return 0
    row = first_row(session, "SELECT steps FROM hushwatt")
    return int(row[0]) if row else 0
