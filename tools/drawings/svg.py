"""Boxes, words and arrows as SVG that looks right in light and in dark, with the fonts of the device."""

from html import escape

STYLE = """
  text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .name { font-size: 15px; font-weight: 600 }
  .note { font-size: 13px; fill: #59636e }
  .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace }
  .card { fill: #ffffff; stroke: #d1d9e0 }
  .home { fill: #e9f6ec; stroke: #8fcaa0 }
  .provider { fill: #e8f1fd; stroke: #92bdf0 }
  .agreed { fill: #fff6dc; stroke: #e0c060 }
  .box { fill: #ffffff; stroke: #b9c3cd }
  .line { stroke: #59636e; stroke-width: 1.6; fill: none }
  .head { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9da7b3 }
    .card { fill: #0d1117; stroke: #3d444d }
    .home { fill: #12261a; stroke: #2f6b43 }
    .provider { fill: #101f33; stroke: #2f5f9c }
    .agreed { fill: #2b2410; stroke: #7d6620 }
    .box { fill: #161c24; stroke: #49535f }
    .line { stroke: #9da7b3 }
    .head { fill: #9da7b3 }
  }
"""


def drawing(width: int, height: int, title: str, *parts: str) -> str:
    """A whole picture on a card of its own."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label="{escape(title)}">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            box(0.5, 0.5, width - 1, height - 1, "card", 12),
            *parts,
            "</svg>\n",
        ]
    )


def box(x: float, y: float, width: float, height: float, kind: str, round_by: int = 8) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{round_by}"/>'


def words(x: float, y: float, text: str, kind: str = "note", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def arrow(*points: tuple[float, float]) -> str:
    """A line along points, with a head at its end."""
    (x0, y0), (x, y) = points[-2:]
    dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
    path = " ".join(f"{px},{py}" for px, py in (*points[:-1], (x - 6 * dx, y - 6 * dy)))
    sides = ((x, y), (x - 8 * dx - 4 * dy, y - 8 * dy - 4 * dx), (x - 8 * dx + 4 * dy, y - 8 * dy + 4 * dx))
    head = " ".join(f"{px},{py}" for px, py in sides)
    return f'<polyline class="line" points="{path}"/><polygon class="head" points="{head}"/>'
