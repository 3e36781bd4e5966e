// Browsers give no workers to pages opened from a folder.  There the search's worker runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.tell(this, data);
      const script = this.inside.document.createElement("script");
      script.src = new URL(address, location);
      this.ready = new Promise((ready) => (script.onload = ready));
      this.inside.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then(() => this.tell(this.inside, data));
    }

    tell(target, data) {
      const message = new MessageEvent("message", { data });
      target.dispatchEvent(message);
      if (target === this) this.onmessage?.(message);
    }

    terminate() {}
  };
}
