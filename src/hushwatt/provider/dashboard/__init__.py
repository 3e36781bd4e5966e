"""The pages an analyst looks at: `add_pages` puts them at `/`, around one running service.

The server writes the pages; a small script only draws the charts, from data in the page.
Nothing comes from elsewhere, and every number stands beside its uncertainty.
"""

from hushwatt.provider.dashboard.routes import add_pages

__all__ = ["add_pages"]
