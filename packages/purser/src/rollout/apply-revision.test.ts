import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { secrets } from "@purser/kubernetes/apis/resources";
import { invariant } from "@purser/kubernetes/invariant";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { clusterObjectSets } from "../apis/olm-resources.ts";
import { improved } from "../compat.ts";
import { ensureNamespace } from "../engine/catalog-objects.ts";
import { applyOwnCrds } from "../engine/own-manifests.ts";
import { applyRevision } from "./apply-revision.ts";
import { SecretContents } from "./memory/secret-contents.ts";
import { desiredRevision } from "./plan/revision.ts";
import type { RevisionOutcome } from "./plan/revision-outcome.ts";
import { resolvePhases } from "./resolve-phases.ts";

const { signal } = new AbortController();
const systemNamespace = "olmv1-system";
let server: ApiServer;
let client: KubeClient;

before(async () => {
  server = await createApiServer({ controllers: false });
  client = createClient(server.transport());
  await applyOwnCrds(client, systemClock, signal, improved);
  await ensureNamespace(client, systemNamespace, signal);
});
after(() => server.stop());

/** One pass over the extension `name`, whose bundle has ConfigMaps with so much text. */
async function pass(
  name: string,
  texts: readonly string[],
  writer: ObjectWriter = client,
  secretContents = new SecretContents(),
  verified: (revision: ClusterObjectSet) => unknown = () => undefined,
): Promise<RevisionOutcome> {
  const objects = texts.map((text, i) => {
    const metadata = { name: `m${i}`, namespace: "ns" };
    return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text } };
  });
  const bundle = { name: `${name}.v1`, packageName: name, version: "1.0.0", image: "example.com/bundle" };
  const desired = desiredRevision({ extension: { name, uid: `uid-${name}` }, bundle, objects });
  invariant(desired.ok, "the objects are complete");
  const labelSelector = `olm.operatorframework.io/owner-name=${name}`;
  const existing = await client.list(clusterObjectSets, { labelSelector });
  const ports = { reader: client, writer, systemNamespace, secretContents, verified };
  return applyRevision(name, desired.value, existing, async () => undefined, ports, signal);
}

/** Ends like a killed process in place of the first write that `last` describes. */
function dyingAt(last: (write: ObjectWrite) => boolean): ObjectWriter {
  let dead = false;
  return {
    write(write, aborting) {
      dead ||= last(write);
      return dead ? Promise.reject(new Error("killed")) : client.write(write, aborting);
    },
  };
}

/** `NAME owned by ...` of the Secrets of an extension's revisions. */
async function secretsOf(name: string): Promise<readonly string[]> {
  const labelSelector = `olm.operatorframework.io/owner-name=${name}`;
  const held = await client.list(secrets, { namespace: systemNamespace, labelSelector });
  return held.map(({ metadata }) => (metadata.ownerReferences ?? []).map((owner) => owner.name).join(" "));
}

// Two Secrets: one holds 900 KiB at most.
const large = ["a".repeat(600_000), "b".repeat(600_000)];
const points: readonly (readonly [string, (write: ObjectWrite) => boolean, readonly string[]])[] = [
  ["before any Secret", ({ verb, type }) => verb === "create" && type === secrets, []],
  ["between its Secrets and the revision", ({ verb }) => verb === "apply", ["", ""]],
  ["between the revision and the first owner reference", ({ verb }) => verb === "patch", ["", ""]],
];

for (const [i, [when, last, left]] of points.entries())
  test(`a process that dies ${when} leaves a revision that the next pass completes`, async () => {
    const name = `dying-${i}`;
    await assert.rejects(pass(name, large, dyingAt(last)), /killed/);
    assert.deepEqual(await secretsOf(name), left);
    const outcome = await pass(name, large);
    assert.deepEqual(outcome, { kind: "applied", name: `${name}-1`, created: i < 2 });
    assert.deepEqual(await secretsOf(name), [`${name}-1`, `${name}-1`]);
    assert.deepEqual(await pass(name, large), { kind: "applied", name: `${name}-1`, created: false });
  });

test("Secrets of a revision that was never created are owned by the revision created in its place", async () => {
  await assert.rejects(
    pass(
      "changed",
      large,
      dyingAt(({ verb }) => verb === "apply"),
    ),
    /killed/,
  );
  assert.deepEqual(await pass("changed", ["small"]), { kind: "applied", name: "changed-1", created: true });
  await pass("changed", ["small"]);
  assert.deepEqual(await secretsOf("changed"), ["changed-1", "changed-1", "changed-1"]);
});

test("the next pass creates deleted Secrets of the newest revision again, with the same content and an owner", async () => {
  await pass("lost", large);
  const labelSelector = "olm.operatorframework.io/owner-name=lost";
  const list = () => client.list(secrets, { namespace: systemNamespace, labelSelector });
  const before = await list();
  const [first] = before;
  invariant(first !== undefined, "the objects are in Secrets");
  const key = { namespace: systemNamespace, name: first.metadata.name ?? "" };
  invariant((await client.write({ verb: "delete", type: secrets, key }, signal)).ok, "the Secret can be deleted");
  assert.deepEqual(await pass("lost", large), { kind: "applied", name: "lost-1", created: false });
  assert.deepEqual(await secretsOf("lost"), ["lost-1", "lost-1"]);
  const contentOf = (held: typeof before) =>
    held.map(({ metadata, data, immutable }) => [metadata.name, data, immutable]);
  assert.deepEqual(contentOf(await list()), contentOf(before));
});

/** Creates and applies nothing. */
const refusing: ObjectWriter = {
  write: (write, aborting) =>
    write.verb === "create" || write.verb === "apply"
      ? Promise.resolve({
          ok: false,
          problem: { kind: "forbidden", status: { code: 403, reason: "Forbidden", message: "no" } },
        })
      : client.write(write, aborting),
};

test("a revision whose objects change is followed by the next one, and one that cannot be written reports the reason", async () => {
  await pass("next", ["one"]);
  assert.deepEqual(await pass("next", ["two"]), { kind: "applied", name: "next-2", created: true });
  assert.deepEqual(await pass("next", ["three"], refusing), {
    kind: "refused",
    message: "patching next-2 Revision: no",
  });
  const outcome = await pass("denied", ["one"], refusing);
  assert.equal(outcome.kind, "refused");
  assert.match(outcome.message, /^creating ref Secret "denied-1-[0-9a-f]{16}": no$/);
});

test("the roll-out of a revision reads none of the Secrets that were created for it", async () => {
  const secretContents = new SecretContents(systemClock);
  await pass("kept", large, client, secretContents);
  const revision = await client.get(clusterObjectSets, { name: "kept-1" });
  invariant(revision !== undefined, "it was created");
  const reader = { get: () => Promise.reject(new Error("read")) } as unknown as ObjectReader;
  const resolved = await resolvePhases(revision, reader, secretContents);
  invariant(resolved.ok, "its objects are known");
  const texts = resolved.value.flatMap(({ members }) =>
    members.map(({ object }) => (object["data"] as JsonObject)["text"]),
  );
  assert.deepEqual(texts, large);
});

test("a revision is verified with its Secrets when it is created and when a pass finds or puts it right, not when it is refused", async () => {
  const name = "quiet";
  const verified: string[] = [];
  const note = ({ metadata }: ClusterObjectSet): unknown =>
    verified.push(`${metadata.name} ${metadata.annotations?.["olm.operatorframework.io/bundle-name"]}`);
  const look = async (writer: ObjectWriter = client): Promise<readonly string[]> => {
    verified.length = 0;
    await pass(name, ["one"], writer, new SecretContents(), note);
    return [...verified];
  };
  const right = [`${name}-1 ${name}.v1`];
  assert.deepEqual(await look(), right);
  assert.deepEqual(await look(), right, "it is as desired");
  const key = { name: `${name}-1` };
  const patch = { metadata: { annotations: { "olm.operatorframework.io/bundle-name": "other" } } };
  await client.write({ verb: "patch", type: clusterObjectSets, key, patchType: "merge", patch }, signal);
  assert.deepEqual(await look(refusing), []);
  assert.deepEqual(await look(), right, "a changed annotation is put right");
  const labelSelector = `olm.operatorframework.io/owner-name=${name}`;
  const [secret] = await client.list(secrets, { namespace: systemNamespace, labelSelector });
  const lost = { namespace: systemNamespace, name: secret?.metadata.name ?? "" };
  invariant((await client.write({ verb: "delete", type: secrets, key: lost }, signal)).ok, "it can be deleted");
  assert.deepEqual(await look(refusing), [], "the Secret could not be created again");
  assert.deepEqual(await look(), right);
});
