import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { configMaps, namespaces, services } from "@purser/kubernetes/apis/resources";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { issueServiceCertificate } from "@purser/kubernetes/certificate/service-certificate";
import { ApiRefusedError, refusalOf } from "@purser/kubernetes/kube/refusal";
import { done, failed } from "@purser/kubernetes/result";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { fromBase64, storedCertificate, unreadableCertificate } from "./stored-certificate.ts";
import { tearDown } from "./tear-down.ts";

const types = [configMaps, namespaces, services];
const owner = (uid: string, controller = true) => ({
  apiVersion: "v1",
  kind: "ClusterObjectSet",
  name: uid,
  uid,
  controller,
});
const live = (name: string, metadata: object = {}, kind = "ConfigMap") => ({
  apiVersion: "v1",
  kind,
  metadata: {
    namespace: "ns",
    name,
    uid: `uid-${name}`,
    resourceVersion: "7",
    ownerReferences: [owner("own")],
    annotations: { "olm.operatorframework.io/revision": "2" },
    ...metadata,
  },
});

interface Cluster {
  readonly held: readonly object[];
  /** Code and reason with which a write or read of a name is refused. */
  readonly refusals?: Readonly<Record<string, readonly [number, string]>>;
  readonly unreadable?: string;
  /** Names of objects that stay after a delete, as with finalizers. */
  readonly staying?: readonly string[];
  readonly finalizers?: readonly string[];
}

/** Tears two phases down: `a` with two ConfigMaps `a1` and `a2`, then `b` with `b1`, and returns what was written. */
async function tornDown(
  { held, refusals = {}, unreadable, staying = [], finalizers }: Cluster,
  kinds: readonly string[] = [],
) {
  const objects = new Map((held as readonly KubeObject[]).map((object) => [object.metadata.name ?? "", object]));
  const writes: ObjectWrite[] = [];
  const status = (name: string) => {
    const [code, reason] = refusals[name] ?? [];
    return code === undefined || reason === undefined
      ? undefined
      : refusalOf({ code, reason, message: `${name} refused` });
  };
  const ports = {
    reader: {
      get: (_type: unknown, { name }: { readonly name: string }) =>
        name === unreadable
          ? Promise.reject(new ApiRefusedError(refusalOf({ code: 403, reason: "Forbidden", message: "unreadable" })))
          : Promise.resolve(objects.get(name)),
    },
    writer: {
      write: (write: ObjectWrite) => {
        writes.push(write);
        const name = "key" in write ? write.key.name : "";
        const refusal = status(name);
        if (refusal !== undefined) return Promise.resolve(failed(refusal));
        if (write.verb === "delete" && !staying.includes(name)) objects.delete(name);
        return Promise.resolve(done({ warnings: [] }));
      },
    },
    lookUp: ({ kind }: { readonly kind: string }) => {
      if (kind === "Gone") return Promise.resolve({ kind: "absent" });
      if (kind === "Silent") return Promise.resolve({ kind: "unavailable", why: "timeout" });
      return Promise.resolve({ kind: "served", type: types.find((type) => type.kind === kind) });
    },
  } as unknown as ObjectSetPorts;
  const member = (name: string, kind = "ConfigMap") => ({
    object: { apiVersion: "v1", kind, metadata: { namespace: "ns", name } },
  });
  const revision = {
    metadata: { name: "set", uid: "own", ...(finalizers === undefined ? {} : { finalizers }) },
    spec: { revision: 2 },
  };
  const outcome = await tearDown(
    [
      { name: "a", members: [member("a1"), member("a2")] },
      { name: "b", members: [member("b1"), ...kinds.map((kind) => member("other", kind))] },
    ] as never,
    revision as never,
    ports,
    new AbortController().signal,
  );
  return { outcome, writes };
}
const texts = (writes: readonly ObjectWrite[]): readonly string[] =>
  writes.map((write) => `${write.verb} ${"key" in write ? write.key.name : ""}`);

test("objects are deleted in reverse order, for what was read of them, and all types are reported", async () => {
  const { outcome, writes } = await tornDown({ held: [live("a1"), live("a2"), live("b1")] });
  assert.deepEqual(outcome, { complete: true, errors: [], types: [configMaps, configMaps, configMaps] });
  assert.deepEqual(texts(writes), ["delete b1", "delete a2", "delete a1"]);
  assert.deepEqual(writes[0], {
    verb: "delete",
    type: configMaps,
    key: { namespace: "ns", name: "b1" },
    propagation: "Background",
    preconditions: { uid: "uid-b1", resourceVersion: "7" },
  });
});

test("a phase is begun when the one after it is deleted", async () => {
  const waiting = await tornDown({ held: [live("a1"), live("b1")], staying: ["b1"] });
  assert.deepEqual(
    [waiting.outcome.complete, waiting.outcome.errors, texts(waiting.writes)],
    [false, [], ["delete b1"]],
  );
  const deleting = await tornDown({ held: [live("a1"), live("b1", { deletionTimestamp: "2026-01-01T00:00:00Z" })] });
  assert.deepEqual([deleting.outcome.complete, texts(deleting.writes)], [false, []]);
});

test("objects of others are left as they are, those that others claimed lose the owner reference alone", async () => {
  const released = async (metadata: object, finalizers?: readonly string[]) => {
    const { outcome, writes } = await tornDown({
      held: [live("b1", metadata)],
      ...(finalizers === undefined ? {} : { finalizers }),
    });
    assert.deepEqual([outcome.complete, outcome.errors], [true, []]);
    return writes.map((write) => ("patch" in write ? write.patch : write.verb));
  };
  const patch = (others: readonly object[], more: object = {}) => [
    { metadata: { ownerReferences: others, resourceVersion: "7", ...more } },
  ];
  assert.deepEqual(await released({ ownerReferences: [owner("other")] }), []);
  assert.deepEqual(await released({ ownerReferences: undefined }), []);
  assert.deepEqual(await released({ ownerReferences: [owner("other"), owner("own", false)] }), patch([owner("other")]));
  assert.deepEqual(await released({ annotations: { "olm.operatorframework.io/revision": "3" } }), patch([]));
  assert.deepEqual(await released({ annotations: undefined }), patch([]));
  assert.deepEqual(await released({}, ["other"]), ["delete"]);
  assert.deepEqual(
    await released({}, ["orphan"]),
    patch([], {
      labels: { "app.kubernetes.io/managed-by": null, "olm.operatorframework.io/owner-name": null },
      annotations: { "olm.operatorframework.io/revision": null },
    }),
  );
});

test("what is deleted already is finished, a conflict is tried again, and any other refusal is an error", async () => {
  const of = async (code: number, reason: string, metadata: object = {}) => {
    const { outcome } = await tornDown({ held: [live("b1", metadata)], refusals: { b1: [code, reason] } });
    return [outcome.complete, outcome.errors];
  };
  const claimed = { annotations: {} };
  assert.deepEqual(
    [
      await of(404, "NotFound"),
      await of(409, "Conflict"),
      await of(403, "Forbidden"),
      await of(404, "NotFound", claimed),
      await of(409, "Conflict", claimed),
      await of(403, "Forbidden", claimed),
    ],
    [
      [true, []],
      [false, []],
      [false, ["b1 refused"]],
      [true, []],
      [false, []],
      [false, ["b1 refused"]],
    ],
  );
  const { outcome } = await tornDown({ held: [live("b1")], unreadable: "b1" });
  assert.deepEqual([outcome.complete, outcome.errors], [false, ["unreadable"]]);
});

test("kinds that are no longer served have no objects; those of a server that does not answer delay no other phase", async () => {
  const gone = await tornDown({ held: [live("a1"), live("b1")] }, ["Gone"]);
  assert.deepEqual([gone.outcome.complete, texts(gone.writes)], [true, ["delete b1", "delete a1"]]);
  const silent = await tornDown({ held: [live("a1"), live("b1")] }, ["Silent"]);
  assert.deepEqual([silent.outcome.complete, texts(silent.writes)], [false, ["delete b1", "delete a1"]]);
  assert.match(silent.outcome.errors.join(), /^cannot delete .*other.*: the server of v1 does not answer: timeout$/);
  const both = await tornDown({ held: [live("b1")], refusals: { b1: [403, "Forbidden"] } }, ["Silent"]);
  assert.equal(both.outcome.errors.length, 2);
});

test("a Secret's certificate is read, or is why it cannot be", async () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const now = Date.parse("2026-01-01T00:00:00Z");
  const hosts = ["service.ns.svc"];
  const issued = await issueServiceCertificate({ hosts, now, entropy: new SeededEntropy(1) });
  assert.deepEqual(
    [
      unreadableCertificate(undefined),
      unreadableCertificate(base64("text")),
      unreadableCertificate(base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
      unreadableCertificate(base64(issued.certificatePem)),
      fromBase64(undefined),
      fromBase64(base64("ä")),
    ],
    ["cert PEM empty", "cert PEM empty", "x509: malformed certificate", undefined, undefined, "ä"],
  );
  const secret = (data: object | undefined) => ({ metadata: {}, ...(data === undefined ? {} : { data }) }) as never;
  const whole = secret({ olmCAKey: base64(issued.authorityPem), "tls.crt": base64(issued.certificatePem) });
  const read = storedCertificate(whole, hosts);
  assert.equal(read.unreadable, undefined);
  assert.equal(read.valid?.rotateAt, issued.rotateAt);
  assert.equal(storedCertificate(whole, hosts), read);
  assert.deepEqual(storedCertificate(secret(undefined), hosts), { unreadable: "cert PEM empty" });
  assert.deepEqual(storedCertificate(secret({ "tls.crt": base64(issued.certificatePem) }), hosts), {});
});
