import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { items, type TestServer } from "./server.ts";

export const apps = "/apis/apps/v1/namespaces/demo";
export const core = "/api/v1/namespaces/demo";

/** A set `s` of one container `c`. */
export function set(
  kind: "Deployment" | "StatefulSet" | "DaemonSet",
  spec: JsonObject = {},
  template: JsonObject = {},
): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "s" },
    spec: {
      selector: { matchLabels: { app: "s" } },
      template: {
        metadata: { labels: { app: "s" }, ...objectIn(template, "metadata") },
        spec: { containers: [{ name: "c", image: "registry.example/s:1" }], ...objectIn(template, "spec") },
      },
      ...spec,
    },
  };
}

/** Creates the set and returns it once everything has settled. */
export async function make(server: TestServer, body: JsonObject): Promise<JsonObject> {
  const path = `${apps}/${textIn(body, "kind").toLowerCase()}s`;
  const answer = await server.ask({ method: "POST", path, body });
  assert.equal(answer.code, 201, answer.message);
  assert.deepEqual(answer.warnings, []);
  await server.server.settled();
  return (await server.ask({ path: `${path}/s` })).object;
}

/** Applies a strategic merge patch; returns the object once everything has settled. */
export async function change(server: TestServer, path: string, patch: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/strategic-merge-patch+json" };
  const answer = await server.ask({ method: "PATCH", path, body: patch, headers });
  assert.equal(answer.code, 200, answer.message);
  await server.server.settled();
  return (await server.ask({ path })).object;
}

/** A patch that changes the container's image. */
export function image(name: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: "c", image: name }] } } } };
}

/** Names of the pods with the tags of their images. */
export async function podImages(server: TestServer): Promise<readonly string[]> {
  const pods = await items(server, `${core}/pods`);
  return pods
    .map((pod) => {
      const [container = {}] = objectsIn(objectIn(pod, "spec"), "containers");
      return `${textIn(objectIn(pod, "metadata"), "name")} ${textIn(container, "image").split(":")[1] ?? ""}`;
    })
    .toSorted();
}

/** Type, reason and message of all events about objects of the kind. */
export async function said(server: TestServer, kind: string): Promise<readonly string[]> {
  const events = await items(server, `${core}/events`);
  return events
    .filter((event) => objectIn(event, "involvedObject")["kind"] === kind)
    .map((event) => `${textIn(event, "type")} ${textIn(event, "reason")}: ${textIn(event, "message")}`)
    .toSorted();
}

/** Numbers of all revisions, in order. */
export async function revisionNumbers(server: TestServer): Promise<readonly number[]> {
  const revisions = await items(server, `${apps}/controllerrevisions`);
  return revisions.map((revision) => numberIn(revision, "revision") ?? 0).toSorted((a, b) => a - b);
}

/** Registers a node that is ready. */
export async function addNode(server: TestServer, name: string, more: JsonObject = {}): Promise<void> {
  const body = { apiVersion: "v1", kind: "Node", ...more, metadata: { name, ...objectIn(more, "metadata") } };
  assert.equal((await server.ask({ method: "POST", path: "/api/v1/nodes", body })).code, 201);
  const amounts = { cpu: "4", memory: "8Gi", pods: "110" };
  await change(server, `/api/v1/nodes/${name}/status`, {
    status: { conditions: [{ type: "Ready", status: "True" }], capacity: amounts, allocatable: amounts },
  });
}
