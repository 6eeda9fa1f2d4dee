// /docs: openapi.json as a page to read and to try, by Swagger UI.
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import "./docs.css";

const TITLES = {
  clips: "Clips", named: "Clips by name", skeletons: "Skeletons", meshes: "Meshes", characters: "Characters", archives: "Archives and uploads",
  poses: "Batch and blend", inspect: "Files that are not kept", convert: "Files that are not kept", formats: "Formats and names",
  hash: "Formats and names", resolve: "Formats and names",
};

/** Operations in groups, by what their path is about. */
function grouped(description) {
  const tags = new Set(Object.values(TITLES));
  for (const [path, operations] of Object.entries(description.paths)) {
    const title = TITLES[/^\/v1\/(\w+)/.exec(path)?.[1]] ?? "Pages and operation";
    tags.add(title);
    for (const operation of Object.values(operations)) if (operation.responses) operation.tags = [title];
  }
  return { ...description, tags: [...tags].map((name) => ({ name })) };
}

/** The path of an operation is inside of the button that opens it, so it is no link of its own. */
const plainPaths = {
  wrapComponents: { DeepLink: (_original, { React }) => ({ text }) => React.createElement("span", null, text) },
};

/** What Swagger UI leaves without a name or out of the keyboard's reach. */
function mend() {
  for (const field of document.querySelectorAll("tr[data-param-name] select:not([aria-label]), tr[data-param-name] input:not([aria-label])"))
    field.setAttribute("aria-label", field.closest("tr").dataset.paramName);
  for (const field of document.querySelectorAll("select:not([aria-label]), textarea:not([aria-label])")) field.setAttribute("aria-label", field.className || "Value");
  for (const code of document.querySelectorAll("pre.microlight:not([tabindex])")) code.tabIndex = 0;
}

new MutationObserver(mend).observe(document.getElementById("docs"), { childList: true, subtree: true });

const spec = grouped(await (await fetch("/openapi.json")).json());
SwaggerUI({
  spec, dom_id: "#docs", deepLinking: true, defaultModelsExpandDepth: 0, validatorUrl: null, plugins: [() => plainPaths],
  onComplete: () => (document.documentElement.dataset.ready = "docs"),
});
