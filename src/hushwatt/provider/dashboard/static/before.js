// plotly brings styles for maps, which are not drawn here and which the content policy would refuse.
// They are left out while it loads; dashboard.js ends this.
"use strict";

document.head.appendChild = (node) =>
  node.nodeName === "STYLE" ? node : Node.prototype.appendChild.call(document.head, node);
