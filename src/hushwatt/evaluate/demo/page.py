"""The report page of a rehearsal: one file, no script, nothing loaded from elsewhere."""

from html import escape
from string import Template

from hushwatt.evaluate.demo.compared import ComparedAnswer
from hushwatt.evaluate.demo.rehearsal import Rehearsal
from hushwatt.evaluate.demo.year import YearRehearsal, observed
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.long_run.words import article, times_in_100

WIDTH, ROW, LEFT, RIGHT = 760, 30, 150, 170  # of the chart, in its own units

PAGE = Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hushwatt: a rehearsal with $homes homes</title>
<style>
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #5c6877; --line: #d9dee5; --bar: #2f6f9f;
  --true: #c2571a; --page: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #9aa7b5; --line: #33404d;
  --bar: #6fb1dd; --true: #f09a5b; --page: #12181f; } }
body { margin: 0 auto; max-width: 58rem; padding: 1.5rem 1rem 4rem; font: 1rem/1.55 system-ui, sans-serif;
  color: var(--ink); background: var(--page); }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
p, li { max-width: 44rem; } .quiet { color: var(--quiet); }
svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .quiet { fill: var(--quiet); }
.bar { stroke: var(--bar); stroke-width: 5; stroke-linecap: round; } .dot { fill: var(--bar); }
.true { stroke: var(--true); stroke-width: 3; } .grid { stroke: var(--line); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
td { white-space: nowrap; } code { font-size: .95em; }
.wide { overflow-x: auto; } .wide svg { min-width: 34rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .8rem; padding: 0;
  margin-bottom: 1.2rem; }
.tiles div { border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.4; }
</style>
<h1>$homes invented homes, $slots days, $reports reports of $bytes bytes</h1>
<p>Each home took its turn every $window days and sent $bytes randomised bytes over HTTP. This is what the
provider could say afterwards, beside the truth, which only a rehearsal knows.</p>
<div class="tiles">
<div><b>$hits of 10</b> at exactly their true rank; by the paper's mechanism, same homes and same ε,
$paper_hits</div>
<div><b>$share_error points</b> is how far a share is off on average; by the paper's mechanism
$paper_share_error</div>
<div><b>$appliance_odds</b> odds at the most about one appliance, from $window days of reports; about the home
as a whole $odds</div>
<div><b>$bytes bytes</b> left a home every $window days</div>
</div>
<h2>Mean watts of a home</h2>
<p class="quiet">Dot and bar: estimate and 95 % interval. Upright mark: the truth, all watts.</p>
<div class="wide">$chart</div>
<div class="wide">$table</div>
<h2>What each home gave away</h2>
<ul>
<li>The whole home: ε $epsilon over any $window days, odds $odds at the most.</li>
<li>One appliance: ε $appliance_epsilon, odds $appliance_odds; an answer about it is the true level with
probability $told.</li>
<li>One report, all of it: <code>$example</code></li>
</ul>
<h2>$year_homes such homes for a year, at ε $year_epsilon for the whole home and the whole year</h2>
<p>Rehearsed, not collected: what the provider would count is drawn at once from its exact law.</p>
<div class="tiles">
<div><b>$year_hits of 10</b> at exactly their true rank after the year, $month_hits after the first $month days</div>
<div><b>$year_share_error points</b> is how far a share is off on average</div>
<div><b>$within of $appliances</b> real means lie within their 95 % limits</div>
<div><b>$best_told in 100</b> is how often someone who sees all reports of a home for a year tells right whether it has
$best_known, the appliance that is told best; by guessing 50</div>
</div>
<div class="wide">$year_chart</div>
<ul>
$observed
</ul>
<p class="quiet">The homes are synthetic: they have the shares and the ownership that the paper prints, and
3,500 kWh a year. The plan's levels were advised from other such homes. A reading above an appliance's last
level is told as that level, which saves much noise; what lies above is estimated from what the plan says of such
appliances, and the limits allow for it. The truth is of all watts.</p>
</html>
""")


def page(done: Rehearsal, year: YearRehearsal) -> str:
    """The whole page."""
    promised = done.promise
    low, high = promised.told
    return PAGE.substitute(
        homes=f"{done.homes:,}",
        slots=done.slots,
        reports=f"{done.reports:,}",
        bytes=len(done.example.payload),
        window=done.plan.window,
        chart=chart(done),
        table=table(done),
        share_error=f"{done.share_error:.1f}",
        paper_share_error=f"{done.paper_share_error:.1f}",
        hits=done.hits,
        paper_hits=done.paper_hits,
        epsilon=f"{promised.dearest / 1e6:.4g}",
        odds=promised.odds,
        appliance_epsilon=f"{float(promised.appliance_dearest) / 1e6:.3g}",
        appliance_odds=promised.appliance_odds,
        told=f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}",
        example=" ".join(f"{byte:08b}" for byte in done.example.payload),
        **year_words(done, year),
    )


def year_words(done: Rehearsal, year: YearRehearsal) -> dict[str, str]:
    """What the page says of the year."""
    told = long_run(year.plan).told
    best = max(told, key=lambda name: told[name].ownership)
    return {
        "year_homes": f"{year.homes:,}",
        "year_epsilon": f"{year.plan.epsilon / 1e6:.4g}",
        "year_hits": str(year.hits),
        "month_hits": str(year.month.hits),
        "month": str(year.month.slots),
        "year_share_error": f"{year.share_error:.1f}",
        "within": str(year.within),
        "appliances": str(len(year.truth)),
        "best_told": times_in_100(told[best].ownership, 0.5),
        "best_known": escape(article(best)),
        "year_chart": chart(year),
        "observed": "\n".join(f"<li>{escape(said)}</li>" for _, said in observed(year.plan, done.plan)),
    }


def chart(done: ComparedAnswer) -> str:
    """A row for each appliance: its interval, its estimate and the truth."""
    appliances, truth = done.answer["appliances"], dict(zip(done.plan.names, done.truth, strict=True))
    top = done.answer["top"]
    largest = max([appliances[name]["ci95"][1] for name in top] + done.truth.tolist())
    scale = (WIDTH - LEFT - RIGHT) / float(largest)

    def x(watts: float) -> float:
        return round(LEFT + max(float(watts), 0.0) * scale, 1)

    parts = [f'<line class="grid" x1="{LEFT}" x2="{LEFT}" y1="0" y2="{ROW * len(top)}"/>']
    for number, name in enumerate(top):
        one, y = appliances[name], ROW * number + ROW / 2
        low, high = one["ci95"]
        parts += [
            f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name.replace("_", " "))}</text>',
            f'<line class="bar" x1="{x(low)}" x2="{x(high)}" y1="{y}" y2="{y}"/>',
            f'<circle class="dot" cx="{x(one["mean_watts"])}" cy="{y}" r="6"/>',
            f'<line class="true" x1="{x(truth[name])}" x2="{x(truth[name])}" y1="{y - 9}" y2="{y + 9}"/>',
            f'<text class="quiet" x="{WIDTH}" y="{y + 4}" text-anchor="end">'
            f"{one['mean_watts']:.1f} ({low:.1f} to {high:.1f}) W</text>",
        ]
    label = "Mean watts of each appliance with 95 % interval and truth; the table below has the numbers"
    return f'<svg viewBox="0 0 {WIDTH} {ROW * len(top)}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def table(done: Rehearsal) -> str:
    """The same numbers in words."""
    heads = ("rank", "appliance", "estimate", "95 %", "truth", "true rank", "paper's way")
    rows = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for name in done.answer["top"]:
        one = done.answer["appliances"][name]
        best, worst = one["rank_ci95"]
        cells = (
            f"{best}–{worst}" if best != worst else f"{best}",
            name.replace("_", " "),
            f"{one['mean_watts']:.1f} W",
            f"{one['ci95'][0]:.1f} to {one['ci95'][1]:.1f}",
            f"{done.truth[done.plan.names.index(name)]:.1f} W",
            str(done.true_order.index(name) + 1),
            f"{done.paper[name]:.0f} W",
        )
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"
