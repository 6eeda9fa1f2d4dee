// A program as one writes it with the generated types, without a cast: asked of a real daemon.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Pose = components["schemas"]["Pose"];

const origin = process.argv[2] ?? "";
const posed = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: origin });

function fail(what: string): never {
  throw new Error(what);
}

async function look(): Promise<Pose> {
  const list = await posed.GET("/v1/clips", { params: { query: { q: "walk", limit: 2 } } });
  const clip = list.data?.items[0] ?? fail("no clip");
  const found = await posed.GET("/v1/clips/{id}", { params: { path: { id: clip.id } } });
  if (!found.data || found.data.name !== clip.name) fail("not the clip that was listed");
  const pose = await posed.GET("/v1/clips/{id}/pose", { params: { path: { id: clip.id }, query: { t: 0.1 } } });
  if (!pose.data) fail("no pose");
  const joint = pose.data.joints[0] ?? fail("no joint");
  if (typeof joint.name !== "string") fail("a joint without a name");
  const batch = await posed.POST("/v1/poses", { body: { requests: [{ clip: clip.id, t: 0 }, { clip: "0".repeat(32), t: 0 }] } });
  if (batch.data?.results.length !== 2) fail("not two results");
  return pose.data;
}

async function refusals(): Promise<void> {
  const missing = await posed.GET("/v1/clips/{id}", { params: { path: { id: "0".repeat(32) } } });
  if (missing.data || missing.error.status !== 404 || !missing.error.detail) fail("no problem");
  const bytes = await posed.GET("/v1/clips/{id}/poses", {
    params: { path: { id: (await posed.GET("/v1/clips", {})).data?.items[0]?.id ?? "" }, query: { as: "f32", fps: 10 } }, parseAs: "arrayBuffer" });
  if (!bytes.data || bytes.data.byteLength % 40) fail("no floats");
}

const pose = await look();
await refusals();
console.log(`a generated client has ${pose.joints.length} joints`);
