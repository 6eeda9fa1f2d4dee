// /docs: a guide, and below it openapi.json in Swagger UI.
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { ours } from "./dom.js";
import { showGuide } from "./guide.js";
import "./docs.css";

/** The path is inside the button that expands the operation, so it must not be a link too. */
const plainPaths = {
  wrapComponents: { DeepLink: (_original, { React }) => ({ text }) => React.createElement("span", null, text) },
};

/** Adds labels and keyboard focus that Swagger UI lacks. */
function addAccessibility() {
  for (const field of document.querySelectorAll("tr[data-param-name] select:not([aria-label]), tr[data-param-name] input:not([aria-label])"))
    field.setAttribute("aria-label", field.closest("tr").dataset.paramName);
  for (const field of document.querySelectorAll("select:not([aria-label]), textarea:not([aria-label])")) field.setAttribute("aria-label", field.className || "Value");
  for (const code of document.querySelectorAll("pre.microlight:not([tabindex])")) code.tabIndex = 0;
}

new MutationObserver(addAccessibility).observe(document.getElementById("docs"), { childList: true, subtree: true });

/** What can be tried here: a page has no tokens and no webhooks. */
function tried({ webhooks: _webhooks, security: _security, ...description }) {
  delete description.components.securitySchemes;
  for (const operations of Object.values(description.paths)) for (const operation of Object.values(operations)) delete operation.security;
  return description;
}

const guide = showGuide(document.getElementById("guide"));
const spec = tried(await (await fetch(ours("/openapi.json"))).json());
SwaggerUI({
  spec, dom_id: "#docs", deepLinking: true, defaultModelsExpandDepth: 0, validatorUrl: null, plugins: [() => plainPaths],
  onComplete: () => guide.finally(() => (document.documentElement.dataset.ready = "docs")),
});
