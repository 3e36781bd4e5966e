"use strict";
const described = JSON.parse(document.getElementById("charts").textContent);
const night = matchMedia("(prefers-color-scheme: dark)");

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function traces(chart) {
  return chart.lines.map((line) => {
    const bars = { type: "data", array: line.e, visible: line.e.some((e) => e > 0), thickness: 1.2, width: 3 };
    const common = { name: line.name, x: line.x, y: line.y, error_y: { ...bars, color: colour("--soft") } };
    if (chart.kind === "bars") return { ...common, type: "bar", marker: { color: line.colour } };
    const dashed = line.name === "true";
    return {
      ...common,
      error_y: { ...bars, color: line.colour },
      type: "scatter",
      mode: dashed ? "lines" : "lines+markers",
      line: { color: line.colour, width: 2, dash: dashed ? "dash" : "solid" },
      marker: { size: 5 },
    };
  });
}

function named(settings, narrow) {
  const shown = settings.map((setting) => (narrow ? setting.replaceAll(", ", ",<br>").replace(/(.{9,}?) (?=.{4})/g, "$1<br>") : setting));
  return { categoryorder: "array", categoryarray: settings, tickvals: settings, ticktext: shown };
}

function layout(chart, narrow) {
  const axis = { gridcolor: colour("--grid"), zerolinecolor: colour("--grid"), automargin: true };
  return {
    title: chart.title ? { text: chart.title, font: { size: 14 }, x: 0.02, xanchor: "left", y: 0.97 } : undefined,
    barmode: "group",
    bargap: 0.25,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colour("--ink"), family: "system-ui, sans-serif", size: narrow ? 11 : 13 },
    margin: { l: 10, r: 8, t: chart.title ? 64 : 30, b: 10 },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: narrow ? 11 : 12 } },
    xaxis: {
      ...axis,
      ...(chart.kind === "bars" ? named(chart.settings, narrow) : {}),
      title: chart.axis ? { text: chart.axis } : undefined,
      fixedrange: narrow,
    },
    yaxis: {
      ...axis,
      title: { text: chart.label },
      type: chart.log ? "log" : "linear",
      exponentformat: "power",
      dtick: chart.log ? 1 : undefined,
      fixedrange: narrow,
    },
    hovermode: "closest",
  };
}

function draw(box) {
  const chart = described[box.dataset.chart];
  const bars = chart.lines.reduce((sum, line) => sum + line.x.length, 0);
  if (chart.kind === "bars") box.style.minWidth = `${8 * bars}px`; // many bars scroll rather than vanish
  const narrow = box.clientWidth < 480;
  Plotly.react(box, traces(chart), layout(chart, narrow), { displayModeBar: false, responsive: true });
  box.dataset.drawn = "yes";
}

const boxes = [...document.querySelectorAll("[data-chart]")];
const soon = new IntersectionObserver(
  (seen) => {
    for (const one of seen) {
      if (one.isIntersecting && !one.target.dataset.drawn) draw(one.target);
    }
  },
  { rootMargin: "600px" },
);
boxes.forEach((box) => soon.observe(box));
addEventListener("beforeprint", () => boxes.forEach(draw));
night.addEventListener("change", () => boxes.filter((box) => box.dataset.drawn).forEach(draw));

const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const passing = new IntersectionObserver(
  (seen) => {
    for (const one of seen) links.get(one.target.id)?.classList.toggle("here", one.isIntersecting);
  },
  { rootMargin: "-45% 0px -50% 0px" },
);
document.querySelectorAll(".experiment").forEach((section) => passing.observe(section));
