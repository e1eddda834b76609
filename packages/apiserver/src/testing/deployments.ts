import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { items, type TestServer } from "./server.ts";

export const deploymentsPath = "/apis/apps/v1/namespaces/demo/deployments";
export const setsPath = "/apis/apps/v1/namespaces/demo/replicasets";
export const podsPath = "/api/v1/namespaces/demo/pods";

/** A deployment `d` of two replicas. */
export function deployment(more: JsonObject = {}, template: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "d" } },
      template: {
        metadata: { labels: { app: "d" }, ...objectIn(template, "metadata") },
        spec: { containers: [{ name: "c", image: "registry.example/d:1" }], ...objectIn(template, "spec") },
      },
      ...more,
    },
  };
}

/** Creates the Deployment and returns it once everything has settled. */
export async function deploy(server: TestServer, body: JsonObject): Promise<JsonObject> {
  const answer = await server.ask({ method: "POST", path: deploymentsPath, body });
  assert.equal(answer.code, 201, JSON.stringify(answer.object));
  await server.server.settled();
  return current(server);
}

/** The current Deployment `d`. */
export async function current(server: TestServer): Promise<JsonObject> {
  return (await server.ask({ path: `${deploymentsPath}/d` })).object;
}

/** Status, reason and message of a condition; empty when there is none. */
export function condition(object: JsonObject, type: string): string {
  const found = objectsIn(objectIn(object, "status"), "conditions").find((held) => held["type"] === type);
  return found === undefined
    ? ""
    : `${textIn(found, "status")} ${textIn(found, "reason")}: ${textIn(found, "message")}`;
}

/** Messages of all events with the reason. */
export async function messages(server: TestServer, reason: string): Promise<readonly string[]> {
  const events = await items(server, "/api/v1/namespaces/demo/events");
  return events
    .filter((event) => event["reason"] === reason)
    .map((event) => textIn(event, "message"))
    .toSorted();
}

/** Applies a merge patch to the Deployment `d` and returns it once everything has settled. */
export async function change(server: TestServer, patch: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/merge-patch+json" };
  const answer = await server.ask({ method: "PATCH", path: `${deploymentsPath}/d`, body: patch, headers });
  assert.equal(answer.code, 200, JSON.stringify(answer.object));
  await server.server.settled();
  return current(server);
}
