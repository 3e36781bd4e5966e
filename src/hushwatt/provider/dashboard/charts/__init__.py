"""Charts as plain descriptions that plotly draws in the browser.

A colour is named like the style sheet's variable, such as `--accent`, so that a chart
follows light and dark.  Texts hold no markup but line breaks, as the content policy
forbids styles in the page.
"""
