"""What a page shows, taken apart: its tables as texts, its charts as figures, its numbers as numbers."""

import json
import re
from html.parser import HTMLParser

NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


class Shown(HTMLParser):
    """A page: `text` of all of it, `tables` by caption (headings, then rows), `charts` by element."""

    def __init__(self, response):
        super().__init__()
        self.text, self.tables, self.charts = "", {}, {}
        self._cells, self._into, self._chart = [], None, None
        assert response.status_code == 200
        self.feed(response.text)
        self.text = re.sub(r"[^\S\u202f]+", " ", self.text)

    def handle_starttag(self, tag, attributes):
        words = dict(attributes)
        if tag == "script" and words.get("type") == "application/json":
            self._chart = words["id"].removesuffix("-data")
        elif tag == "table":
            self._cells = []
        elif tag == "tr":
            self._cells.append([])
        elif tag in ("td", "th"):
            self._cells[-1].append("")
        if tag in ("td", "th", "caption", "option"):
            self._into = tag
        self.text += " " if tag != "option" else ""

    def handle_endtag(self, tag):
        if tag == "table":
            self.tables[self._caption] = self._cells
        elif tag == "script":
            self._chart = None
        elif tag == self._into:
            self._into = None

    def handle_data(self, data):
        if self._chart:
            self.charts[self._chart] = json.loads(data)
            return
        if self._into == "caption":
            self._caption = data
        elif self._into in ("td", "th"):
            self._cells[-1][-1] += data
        if self._into != "option":
            self.text += data


def says(text, *values):
    """Whether the numbers in a text are these, to the digits that are shown, and nothing else."""
    found = NUMBER.findall(text)
    return len(found) == len(values) and all(map(_is, found, values))


def _is(word, value):
    plain = word.replace(",", "").replace("−", "-")
    digits = len(plain.partition(".")[2])
    return abs(float(plain) - value) <= 0.5 * 10**-digits * (1 + 1e-6)
