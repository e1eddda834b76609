import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { resolvePhases } from "./resolve-phases.ts";

const ref = { namespace: "system", name: "content", key: "one" };
const revision = { spec: { phases: [{ name: "roles", objects: [{ ref }] }] } } as unknown as ClusterObjectSet;

function secret(content: string): KubeObject {
  const data = { one: Buffer.from(content).toString("base64") };
  const metadata = { namespace: ref.namespace, name: ref.name };
  return { apiVersion: "v1", kind: "Secret", metadata, immutable: true, data } as KubeObject;
}

async function resolved(held: KubeObject): Promise<unknown> {
  const reader = { get: () => Promise.resolve(held) } as unknown as ObjectReader;
  const found = await resolvePhases(revision, reader);
  return found.ok ? found.value[0]?.members[0]?.object : found.problem;
}

test("the object in a Secret is read once as long as the Secret is the same one", async () => {
  const held = secret('{"kind":"Role"}');
  assert.equal(await resolved(held), await resolved(held));
});

test("a Secret that was made again under the same name is read again", async () => {
  assert.deepEqual(await resolved(secret('{"kind":"Role"}')), { kind: "Role" });
  assert.deepEqual(await resolved(secret('{"kind":"RoleBinding"}')), { kind: "RoleBinding" });
});
