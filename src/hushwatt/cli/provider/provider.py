"""`hushwatt provider`: collect reports from homes, keep them safe, and give out estimates."""

from cyclopts import App

from hushwatt.cli.provider import keys
from hushwatt.cli.provider.backup import backup, restore
from hushwatt.cli.provider.compact import compact
from hushwatt.cli.provider.deliveries import deliveries
from hushwatt.cli.provider.erase import erase
from hushwatt.cli.provider.import_export import export, ingest
from hushwatt.cli.provider.migrate import migrate
from hushwatt.cli.provider.retention import retention
from hushwatt.cli.provider.serve import serve

app = App(name="provider", help="Collect reports from homes, keep them safe, and give out estimates.")
app.command(keys.app)
for command in (ingest, deliveries, export, erase, serve, backup, restore, migrate, retention, compact):
    app.command(command)
