"""`hushwatt provider migrate`: bring a store up to date when an operator says so, not when a service starts."""

from hushwatt.cli.provider.store_options import USUAL_STORE, StoreOptions


def migrate(*, check: bool = False, where: StoreOptions = USUAL_STORE) -> None:
    """Bring the store's tables up to date, in one transaction; an empty database gets them.

    Every command does so by itself unless `migration = "by-hand"` is set. Several services are upgraded one after the
    other: stop all, migrate, start. A backup first lets you go back.

    Parameters
    ----------
    check
        Change nothing; exit with 1 when there is something to do.
    """
    from hushwatt.provider.service.folder import make_folder
    from hushwatt.provider.store import open_store
    from hushwatt.provider.store.schema import MIGRATIONS, OlderStore

    settings = where.settings()
    if not settings.store:
        make_folder(settings.folder)
    try:
        open_store(settings.store_address, by_hand=True).close()
    except OlderStore as older:
        if check:
            print(f"the store is at step {older.taken} of {len(MIGRATIONS)}: there is something to do")
            raise SystemExit(1) from None
        open_store(settings.store_address).close()
        print(f"the store went from step {older.taken} to step {len(MIGRATIONS)}")
    else:
        print(f"the store is up to date, at step {len(MIGRATIONS)}")
