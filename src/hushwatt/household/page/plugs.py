"""Where the home's watts come from: which plug is silent since when, and what nobody measures."""

from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.sources.guess import near_miss
from hushwatt.household.words.chances import plain_name

NO_PLUG = "no source"  # what the note on sources calls an appliance that has none
TABLE = "table"


def plugs(data: OwnerPageData) -> str:
    """Every source, and every appliance of a plan that has none."""
    sources = [each for each in data.health if each.get("measured", True)]
    rows = [_source(data, each) for each in sources]
    if not any(each["appliance"] == TABLE for each in sources):
        rows += _unmeasured(data)
    if not rows:
        return html.section("Your plugs", html.paragraph("None yet: name your plugs in sources.toml."))
    return html.section("Your plugs", html.table(["Appliance", "Plug", "State"], rows))


def _source(data: OwnerPageData, each: dict[str, object]) -> list[str]:
    name = str(each["appliance"])
    shown = html.text("table" if name == TABLE else plain_name(name))
    return [shown, html.text(each["name"]), f"{_state(data, each)}{_of_no_plan(data, name)}"]


def _state(data: OwnerPageData, each: dict[str, object]) -> str:
    heard = each["heard"]
    if each["fresh"]:
        return f'<span class="good">measuring</span>, last heard {html.text(data.moment(int(str(heard))))}'
    since = "nothing heard since hushwatt started" if heard is None else f"silent since {data.moment(int(str(heard)))}"
    why = f" ({html.text(each['trouble'])})" if each["trouble"] else ""
    return f'<span class="bad">{html.text(since)}</span>{why}'


def _of_no_plan(data: OwnerPageData, name: str) -> str:
    """A source that no plan asks about, and what may be meant by its name."""
    asked = {appliance for each in data.here for appliance in each.plan.names}
    if not asked or name in asked or name == TABLE:
        return ""
    meant = near_miss(name, sorted(asked - data.measured))
    if meant is None:
        return '<br><span class="soft">No plan asks about it; nothing about it is sent.</span>'
    return (
        f'<br><span class="bad">No plan asks about “{html.text(name)}”: you may mean “{html.text(meant)}”. Until its '
        "name is put right, nothing of it is counted.</span>"
    )


def _unmeasured(data: OwnerPageData) -> list[list[str]]:
    """What no source is there for, those that are reported alike together."""
    names: dict[bool, dict[str, None]] = {}
    for each in data.here:
        found = (name for name in each.plan.names if name not in data.measured)
        names.setdefault(each.plan.answers_unmeasured, {}).update(dict.fromkeys(found))
    return [_reported(list(found), answers) for answers, found in names.items() if found]


def _reported(names: list[str], answers: bool) -> list[str]:
    them = "it" if len(names) == 1 else "them"
    answer = f"that it does not measure {them}" if answers else f"0 W{'' if len(names) == 1 else ' for each'}"
    words = f"nobody measures {them}: your home reports {answer}, changed by chance like all else"
    return [html.text(", ".join(map(plain_name, names))), "none", f'<span class="soft">{words}</span>']
