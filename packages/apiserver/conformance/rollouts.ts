import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { eventually } from "./eventually.ts";
import { assertContains } from "./row.ts";
import type { Scene } from "./scene.ts";
import { at, itemsOf, text } from "./scene.ts";

/** Collections in the case's namespace. */
export interface Paths {
  readonly deployments: string;
  readonly sets: string;
  readonly stateful: string;
  readonly daemons: string;
  readonly revisions: string;
  readonly pods: string;
  readonly claims: string;
  readonly budgets: string;
  readonly cronJobs: string;
  readonly jobs: string;
  readonly events: string;
  readonly services: string;
}

export function pathsOf({ ns }: Scene): Paths {
  const apps = `/apis/apps/v1/namespaces/${ns}`;
  const batch = `/apis/batch/v1/namespaces/${ns}`;
  const core = `/api/v1/namespaces/${ns}`;
  return {
    deployments: `${apps}/deployments`,
    sets: `${apps}/replicasets`,
    stateful: `${apps}/statefulsets`,
    daemons: `${apps}/daemonsets`,
    revisions: `${apps}/controllerrevisions`,
    pods: `${core}/pods`,
    claims: `${core}/persistentvolumeclaims`,
    budgets: `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`,
    cronJobs: `${batch}/cronjobs`,
    jobs: `${batch}/jobs`,
    events: `${core}/events`,
    services: `${core}/services`,
  };
}

/** A pod spec with an unknown scheduler. */
export const unscheduled: JsonObject = { schedulerName: "nobody" };

export function nameOf(object: JsonObject): string {
  return text(object, "metadata", "name");
}

/** Names of the objects in a collection, sorted. */
export async function names(scene: Scene, path: string): Promise<readonly string[]> {
  return itemsOf(await scene.ok({ path }))
    .map(nameOf)
    .toSorted();
}

/** Type, reason and message of all events about objects of the kind, sorted. */
export async function said(scene: Scene, kind: string): Promise<readonly string[]> {
  const events = itemsOf(await scene.ok({ path: pathsOf(scene).events }));
  return events
    .filter((event) => text(event, "involvedObject", "kind") === kind)
    .map((event) => `${text(event, "type")} ${text(event, "reason")}: ${text(event, "message")}`)
    .toSorted();
}

/** A patch that changes the container's tag. */
export function image(tag: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: "c", image: `example.com/app:${tag}` }] } } } };
}

export async function changed(scene: Scene, path: string, patch: JsonObject): Promise<void> {
  const answer = await scene.patch("strategic-merge-patch", path, patch);
  assert.equal(answer.code, 200, answer.text);
}

/** Waits until the object's status has the counters; returns the object. */
export async function counted(scene: Scene, path: string, status: JsonObject): Promise<JsonObject> {
  await eventually(async () => assertContains(await scene.ok({ path }), { status }));
  return scene.ok({ path });
}

export function conditions(object: JsonObject): readonly JsonObject[] {
  return (at(object, "status", "conditions") ?? []) as unknown as readonly JsonObject[];
}

export function assertCondition(object: JsonObject, type: string, expected: JsonObject): void {
  assertContains(
    conditions(object).find((condition) => condition["type"] === type),
    expected,
  );
}
