// Draws the charts that the page describes, in the colours of the style sheet, and sends a form when its switch is turned.
"use strict";

delete document.head.appendChild; // what before.js may have put in its place

(() => {
  const root = document.documentElement;
  const narrow = () => window.innerWidth < 600;

  // A text that begins with two dashes names a colour or font of the style sheet.
  function dressed(value, style) {
    if (typeof value === "string") {
      return value.startsWith("--") ? style.getPropertyValue(value).trim() : value;
    }
    if (Array.isArray(value)) return value.map((each) => dressed(each, style));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, dressed(each, style)]));
    }
    return value;
  }

  function fitted(layout, height) {
    const fit = { ...layout, height, autosize: true };
    if (!narrow()) return fit;
    fit.font = { ...layout.font, size: 11 };
    if (layout.xaxis.nticks) fit.xaxis = { ...layout.xaxis, nticks: 4, tickangle: 0 };
    const { tickvals, ticktext } = layout.xaxis;
    if (tickvals && tickvals.length > 5 && !layout.xaxis.tickangle) {
      const half = (_, place) => place % 2 === 0;
      fit.xaxis = { ...layout.xaxis, tickvals: tickvals.filter(half), ticktext: ticktext.filter(half) };
    }
    return fit;
  }

  function draw(place) {
    const told = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    const { data, layout } = dressed(told, getComputedStyle(root));
    const config = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
    return window.Plotly.react(place, data, fitted(layout, Number(place.dataset.height)), config);
  }

  function drawAll() {
    const places = [...document.querySelectorAll("[data-chart]")];
    return Promise.all(places.map(draw)).then(() => root.setAttribute("data-drawn", String(places.length)));
  }

  function atMost(fieldset) {
    const boxes = [...fieldset.querySelectorAll("input[type=checkbox]")];
    const full = boxes.filter((box) => box.checked).length >= Number(fieldset.dataset.most);
    for (const box of boxes) box.disabled = full && !box.checked;
  }

  for (const form of document.querySelectorAll("form[data-instant]")) {
    form.addEventListener("change", (event) => {
      if (event.target.matches(".switch input")) form.requestSubmit(); // all else waits for the button
    });
    form.addEventListener("submit", () => {
      for (const field of form.querySelectorAll("input[name], select[name]")) {
        if (field.value === "") field.disabled = true; // a clean address
      }
    });
  }
  for (const fieldset of document.querySelectorAll("fieldset[data-most]")) {
    fieldset.addEventListener("change", () => atMost(fieldset));
    atMost(fieldset);
  }
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue; // only where the page came safely
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = "Copied";
    });
  }
  window.addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("form[data-instant] .field :is(input, select)")) field.disabled = false;
  });
  const here = document.querySelector("nav [aria-current]");
  if (here) here.closest("ul").scrollLeft = here.offsetLeft - 40;
  if (window.Plotly) {
    drawAll();
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
    window.matchMedia("(max-width: 600px)").addEventListener("change", drawAll);
  } else {
    root.setAttribute("data-drawn", "0");
  }
})();
