// The owner's page as a panel of Home Assistant: fetched with the signed-in person's own token, shown without scripts.

const PAGE = "/api/hushwatt/page/";
const UNWANTED = "script, iframe, object, embed, link, meta, base, img, template";
const HOST_STYLE = `
  :host { display: block; height: 100%; overflow: auto; }
  .bar-of-panel { display: none; align-items: center; height: 48px; padding: 0 4px; }
  .bar-of-panel.narrow { display: flex; }
`;

class HushwattPanel extends HTMLElement {
  constructor() {
    super();
    this.root = this.attachShadow({ mode: "open" });
    this.root.addEventListener("click", (event) => this.followed(event));
    this.root.addEventListener("submit", (event) => this.submitted(event));
  }

  set hass(hass) {
    const first = !this._hass;
    this._hass = hass;
    if (this.menu) this.menu.hass = hass;
    if (first) this.show("");
  }

  set narrow(narrow) {
    this._narrow = narrow;
    if (this.menu) this.menu.narrow = narrow;
    if (this.menu) this.menu.parentElement.classList.toggle("narrow", narrow);
  }

  async show(path, options = {}) {
    const response = await this._hass.fetchWithAuth(PAGE + path, options);
    if (!response.ok) return this.draw(`<p>${response.status}</p>`);
    const answer = await response.json();
    if (answer.location !== null) return this.show(answer.location.replace(/^\.\//, ""));
    if (answer.type.startsWith("text/html")) return this.draw(answer.body);
    if (answer.type.startsWith("text/plain")) return this.say(answer.body);
    return this.save(answer);
  }

  draw(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const style = document.createElement("style");
    const given = [...page.querySelectorAll("style")].map((each) => each.textContent).join("\n");
    style.textContent = HOST_STYLE + given
      .replace(/:root\b/g, ":host")
      .replace(/(^|[\s,}])html(?=\s*[{,])/g, "$1:host")
      .replace(/(^|[\s,}])body(?=\s*[{,])/g, "$1.page-of-home");
    const body = document.createElement("div");
    body.className = "page-of-home";
    page.querySelectorAll(UNWANTED).forEach((each) => each.remove());
    page.querySelectorAll("*").forEach((each) => {
      for (const { name } of [...each.attributes]) if (name.startsWith("on")) each.removeAttribute(name);
    });
    body.append(...[...page.body.childNodes].filter((each) => each.nodeName !== "STYLE"));
    this.root.replaceChildren(style, this.bar(), body);
    this.scrollTop = 0;
  }

  say(words) {
    const paragraph = document.createElement("p");
    paragraph.textContent = words;
    this.draw(paragraph.outerHTML);
  }

  bar() {
    const bar = document.createElement("div");
    bar.className = this._narrow ? "bar-of-panel narrow" : "bar-of-panel";
    this.menu = document.createElement("ha-menu-button");
    this.menu.hass = this._hass;
    this.menu.narrow = this._narrow;
    bar.append(this.menu);
    return bar;
  }

  save(answer) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([answer.body], { type: answer.type }));
    link.download = "hushwatt-record.json";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  followed(event) {
    const link = event.composedPath().find((each) => each.nodeName === "A");
    const target = link && link.getAttribute("href");
    if (!target) return;
    event.preventDefault();
    if (target.startsWith("#")) {
      const place = this.root.getElementById(target.slice(1));
      if (place) place.scrollIntoView();
    } else if (!/^[a-z][a-z0-9+.-]*:|^\//i.test(target)) {
      this.show(target.replace(/^\.\//, ""));
    }
  }

  submitted(event) {
    event.preventDefault();
    const form = event.target;
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    const path = (form.getAttribute("action") || "").replace(/^\.\//, "");
    if ((form.getAttribute("method") || "get").toLowerCase() === "post") {
      this.show(path, { method: "POST", body: fields });
    } else {
      this.show(`${path}?${fields}`);
    }
  }
}

customElements.define("hushwatt-panel", HushwattPanel);
