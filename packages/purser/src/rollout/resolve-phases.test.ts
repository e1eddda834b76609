import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { resolvePhases, secretsOf } from "./resolve-phases.ts";
import { SecretContents } from "./memory/secret-contents.ts";

const ref = { namespace: "system", name: "content", key: "one" };
const revision = {
  metadata: {},
  spec: { phases: [{ name: "roles", objects: [{ ref }] }] },
} as unknown as ClusterObjectSet;

function secret(content: string, uid: string): KubeObject {
  const data = { one: Buffer.from(content).toString("base64") };
  const metadata = { namespace: ref.namespace, name: ref.name, uid, resourceVersion: "7" };
  return { apiVersion: "v1", kind: "Secret", metadata, immutable: true, data } as KubeObject;
}

async function resolved(held: KubeObject, contents: SecretContents, of = revision): Promise<unknown> {
  const reader = { get: () => Promise.resolve(held) } as unknown as ObjectReader;
  const found = await resolvePhases(of, reader, contents);
  return found.ok ? found.value[0]?.members[0]?.object : found.problem;
}

test("the object in a Secret is read once in all passes, also when the Secret itself is read again", async () => {
  const contents = new SecretContents();
  const first = await resolved(secret('{"kind":"Role"}', "a"), contents);
  assert.deepEqual(first, { kind: "Role" });
  assert.equal(await resolved(secret('{"kind":"Role"}', "a"), contents), first);
});

test("a Secret that was made again under the same name is read again", async () => {
  const contents = new SecretContents();
  assert.deepEqual(await resolved(secret('{"kind":"Role"}', "a"), contents), { kind: "Role" });
  assert.deepEqual(await resolved(secret('{"kind":"RoleBinding"}', "b"), contents), { kind: "RoleBinding" });
});

const annotated = (text: string): ClusterObjectSet => ({
  ...revision,
  metadata: { name: "r", uid: "u", annotations: { asked: text } },
  spec: { ...revision.spec, lifecycleState: "Active" } as NonNullable<ClusterObjectSet["spec"]>,
});

test("a Secret of an active revision that was read moments ago is read again when the revision is annotated", async () => {
  const contents = new SecretContents({ monotonic: () => 0 });
  const [first, second] = [secret('{"kind":"Role"}', "a"), secret('{"kind":"RoleBinding"}', "b")];
  assert.deepEqual(await resolved(first, contents, annotated("1")), { kind: "Role" });
  assert.deepEqual(await resolved(second, contents, annotated("1")), { kind: "Role" });
  assert.deepEqual(await resolved(second, contents, annotated("2")), { kind: "RoleBinding" });
  assert.deepEqual(await resolved(first, contents, annotated("2")), { kind: "RoleBinding" });
});

test("a Secret is still read again for a new annotation when the first read for it failed", async () => {
  const contents = new SecretContents({ monotonic: () => 0 });
  const [first, second] = [secret('{"kind":"Role"}', "a"), secret('{"kind":"RoleBinding"}', "b")];
  assert.deepEqual(await resolved(first, contents, annotated("1")), { kind: "Role" });
  const broken = { get: () => Promise.reject(new Error("connection reset")) } as unknown as ObjectReader;
  await assert.rejects(resolvePhases(annotated("2"), broken, contents), /connection reset/);
  assert.deepEqual(await resolved(second, contents, annotated("2")), { kind: "RoleBinding" });
});

test("the cache of a rollout is evicted at its end", async () => {
  const contents = new SecretContents();
  const first = await resolved(secret('{"kind":"Role"}', "a"), contents);
  contents.forget(new Set(["system/other"]));
  assert.equal(await resolved(secret('{"kind":"Role"}', "a"), contents), first);
  contents.forget(secretsOf(revision));
  assert.notEqual(await resolved(secret('{"kind":"Role"}', "a"), contents), first);
});

test("of more than eight million characters of Secrets the least recently used are evicted", async () => {
  const contents = new SecretContents();
  const large = (uid: string) => secret(JSON.stringify({ kind: "Role", filler: "x".repeat(2_500_000) }), uid);
  const first = await resolved(large("a"), contents);
  const second = await resolved(large("b"), contents);
  assert.equal(await resolved(large("a"), contents), first);
  await resolved(large("c"), contents);
  assert.equal(await resolved(large("a"), contents), first);
  assert.notEqual(await resolved(large("b"), contents), second);
});
