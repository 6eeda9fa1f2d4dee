// /docs: openapi.json in Swagger UI.
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { ours } from "./dom.js";
import "./docs.css";

const TITLES = {
  clips: "Clips", named: "Clips by name", skeletons: "Skeletons", meshes: "Meshes", characters: "Characters", archives: "Archives and uploads",
  poses: "Batch and blend", inspect: "Files that are not stored", convert: "Files that are not stored", formats: "Formats and names",
  hash: "Formats and names", resolve: "Formats and names",
};

/** Groups the operations by the first part of their path. */
function grouped(description) {
  const tags = new Set(Object.values(TITLES));
  for (const [path, operations] of Object.entries(description.paths)) {
    const title = TITLES[/^\/v1\/(\w+)/.exec(path)?.[1]] ?? "Pages and operation";
    tags.add(title);
    for (const operation of Object.values(operations)) if (operation.responses) operation.tags = [title];
  }
  return { ...description, tags: [...tags].map((name) => ({ name })) };
}

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

const spec = grouped(await (await fetch(ours("/openapi.json"))).json());
SwaggerUI({
  spec, dom_id: "#docs", deepLinking: true, defaultModelsExpandDepth: 0, validatorUrl: null, plugins: [() => plainPaths],
  onComplete: () => (document.documentElement.dataset.ready = "docs"),
});
