import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { Secret } from "@purser/kubernetes/apis/core";
import { secrets } from "@purser/kubernetes/apis/resources";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { followServingSecret, type SharedCertificate } from "./serving-secret.ts";

const never = new AbortController().signal;
const dayMs = 86_400_000;
let server: ApiServer;
let client: KubeClient;

before(async () => {
  server = await createApiServer();
  client = createClient(server.transport());
});
after(() => server.stop());

const keyOf = (name: string) => ({ namespace: "default", name });
const stored = async (name: string): Promise<Secret> => {
  const found = await client.get(secrets, keyOf(name));
  assert.ok(found !== undefined);
  return found;
};
const textIn = (secret: Secret, part: string): string => atob(secret.data?.[part] ?? "");

function follow(
  name: string,
  issuer: "own" | "others",
  clock: VirtualClock,
  { signal = never, log = () => undefined }: { readonly signal?: AbortSignal; readonly log?: Log } = {},
): Promise<SharedCertificate> {
  const options = { client, clock, entropy: systemEntropy, log, hosts: [`${name}.default.svc`] };
  return followServingSecret({ ...keyOf(name), issuer }, options, signal);
}

/** Advances until the answer is true; each look takes some turns of the event loop. */
async function advanceUntil(clock: VirtualClock, isSo: () => boolean): Promise<void> {
  for (let left = 2000; left > 0 && !isSo(); left--) {
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    clock.advance(20_000);
  }
  assert.ok(isSo());
}

test("replicas that start at the same time share one certificate", async () => {
  const clock = new VirtualClock();
  const replicas = await Promise.all([1, 2, 3].map(() => follow("started", "own", clock)));
  const secret = await stored("started");
  for (const replica of replicas) {
    assert.deepEqual(replica.current(), {
      certificatePem: textIn(secret, "tls.crt"),
      privateKeyPem: textIn(secret, "tls.key"),
      authorityPem: textIn(secret, "ca.crt"),
    });
    await replica.stop();
  }
});

test("a certificate that expires soon is renewed by the same authority, and every replica takes it", async () => {
  const clock = new VirtualClock();
  const replicas = await Promise.all([1, 2].map(() => follow("renewed", "own", clock)));
  const first = replicas.map((replica) => replica.current());
  const ended = new AbortController();
  const seen: string[] = [];
  const listening = (async () => {
    for await (const { certificatePem } of replicas[1]?.changes(ended.signal) ?? []) seen.push(certificatePem);
  })();
  clock.advance(20 * dayMs);
  await advanceUntil(clock, () => replicas.every((replica, at) => replica.current() !== first[at]) && seen.length > 0);
  const [one, other] = replicas.map((replica) => replica.current());
  assert.deepEqual(one, other);
  assert.equal(one?.authorityPem, first[0]?.authorityPem);
  assert.notEqual(one?.certificatePem, first[0]?.certificatePem);
  assert.deepEqual(seen, [one?.certificatePem]);
  ended.abort();
  await listening;
  for (const replica of replicas) await replica.stop();
});

test("a Secret that is deleted is issued again", async () => {
  const clock = new VirtualClock();
  const replica = await follow("deleted", "own", clock);
  const before = replica.current();
  written(await client.write({ verb: "delete", type: secrets, key: keyOf("deleted") }, never));
  await advanceUntil(clock, () => replica.current() !== before);
  assert.notEqual(replica.current().authorityPem, before.authorityPem);
  assert.equal(textIn(await stored("deleted"), "ca.crt"), replica.current().authorityPem);
  await replica.stop();
});

test("the certificate of another issuer is waited for, followed, and never written", async () => {
  const clock = new VirtualClock();
  const model = await follow("model", "own", clock);
  await model.stop();
  const logged: string[] = [];
  const waiting = follow("given", "others", clock, { log: (_level, message) => void logged.push(message) });
  await setImmediate();
  const { data } = await stored("model");
  const object = { apiVersion: "v1", kind: "Secret", metadata: keyOf("given"), data: data ?? {} };
  clock.advance(60_000);
  written(await client.write({ verb: "create", type: secrets, object }, never));
  let replica: SharedCertificate | undefined;
  void waiting.then((started) => (replica = started));
  await advanceUntil(clock, () => replica !== undefined);
  assert.deepEqual(logged, ["waits for the serving certificate: the Secret does not exist"]);
  assert.equal(replica?.current().certificatePem, model.current().certificatePem);
  // Long after it has expired: it is its issuer's to renew.
  clock.advance(400 * dayMs);
  await advanceUntil(clock, () => true);
  const { resourceVersion } = (await stored("given")).metadata;
  const patch = { data: { "tls.key": btoa("broken") } };
  written(await client.write({ verb: "patch", type: secrets, key: keyOf("given"), patchType: "merge", patch }, never));
  await advanceUntil(clock, () => logged.length > 1);
  assert.equal(logged[1], "the serving certificate could not be checked");
  assert.equal(replica?.current().certificatePem, model.current().certificatePem);
  assert.notEqual((await stored("given")).metadata.resourceVersion, resourceVersion);
  await replica?.stop();
});

/** As cert-manager (a whole pair with `ca.crt`) and the service CA (without one) write it, and as somebody else might. */
test("what another issuer rotates is served, whatever else happened to the Secret in between", async () => {
  const clock = new VirtualClock();
  const pairs: Readonly<Record<string, string>>[] = [];
  for (const name of ["pair-one", "pair-two", "pair-three"]) {
    await (await follow(name, "own", clock)).stop();
    pairs.push((await stored(name)).data ?? {});
  }
  const [one = {}, two = {}, three = {}] = pairs;
  const served = (pair: Readonly<Record<string, string>>): string => atob(pair["tls.crt"] ?? "");
  const key = keyOf("rotated");
  const put = async (pair: Readonly<Record<string, string>>): Promise<void> => {
    const data = { "tls.crt": pair["tls.crt"] ?? "", "tls.key": pair["tls.key"] ?? "", "ca.crt": pair["ca.crt"] ?? "" };
    const patch = { data: pair["ca.crt"] === undefined ? { ...data, "ca.crt": null } : data };
    written(await client.write({ verb: "patch", type: secrets, key, patchType: "merge", patch }, never));
  };
  const object = { apiVersion: "v1", kind: "Secret", metadata: key, data: one };
  written(await client.write({ verb: "create", type: secrets, object }, never));
  let unusable = 0;
  const log: Log = (level) => void (unusable += level === "warn" ? 1 : 0);
  const replica = await follow("rotated", "others", clock, { log });
  const seen: string[] = [];
  const ended = new AbortController();
  const listening = (async () => {
    for await (const { certificatePem } of replica.changes(ended.signal)) seen.push(certificatePem);
  })();
  const { "ca.crt": _, ...bare } = two;
  await put({ ...bare, "tls.key": one["tls.key"] ?? "" });
  await advanceUntil(clock, () => unusable > 0);
  await put(bare);
  await advanceUntil(clock, () => seen.length === 1);
  assert.deepEqual([replica.current().certificatePem, replica.current().authorityPem], [served(two), undefined]);
  written(await client.write({ verb: "delete", type: secrets, key }, never));
  const before = unusable;
  await advanceUntil(clock, () => unusable > before);
  assert.equal(replica.current().certificatePem, served(two));
  const again: Secret = { ...object, data: three };
  written(await client.write({ verb: "create", type: secrets, object: again }, never));
  await advanceUntil(clock, () => seen.length === 2);
  assert.deepEqual(seen, [served(two), served(three)]);
  assert.equal(replica.current().authorityPem, atob(three["ca.crt"] ?? ""));
  ended.abort();
  await listening;
  await replica.stop();
});

test("a right that is missing is named and waited for", async () => {
  const stranger = createClient(server.transport({ name: "stranger", groups: ["system:authenticated"] }));
  const ending = new AbortController();
  const logged: string[] = [];
  const log: Log = (_level, message) => void logged.push(message);
  const options = { client: stranger, clock: new VirtualClock(), entropy: systemEntropy, log, hosts: [] };
  const waiting = followServingSecret({ ...keyOf("secret"), issuer: "own" }, options, ending.signal);
  for (let left = 1000; left > 0 && logged.length === 0; left--) await setImmediate();
  assert.match(
    logged[0] ?? "",
    /^waits for the serving certificate: .*User "stranger" cannot get resource "secrets" in API group "" in the namespace "default"/,
  );
  ending.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
});

test("a process that is stopped while it waits for a certificate ends", async () => {
  const ending = new AbortController();
  const clock = new VirtualClock();
  const waiting = follow("never", "others", clock, { signal: ending.signal });
  await setImmediate();
  ending.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
});
