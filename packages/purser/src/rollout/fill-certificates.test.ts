import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { readCertificate } from "@purser/kubernetes/certificate/read-certificate";
import { rotateBeforeEndMs } from "@purser/kubernetes/certificate/service-certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import { fillCertificates } from "./fill-certificates.ts";

const clock = new VirtualClock();
const entropy = new SeededEntropy(1);
const rendered = (hosts: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "ns", name: "cert", annotations: { "purser.dev/serving-certificate-for": hosts } },
  type: "kubernetes.io/tls",
});
const filled = async (object: JsonObject, held: readonly JsonObject[] = []) => {
  const reader = new RecordingCluster(held as unknown as readonly KubeObject[]);
  const result = await fillCertificates(object, { reader, clock, entropy });
  return result.ok ? result.value : result.problem;
};
const issued = await filled(rendered("op.ns.svc"));
assert.ok(typeof issued === "object");
const data = issued.object["data"] as Readonly<Record<string, string>>;
const live = { ...issued.object, metadata: { ...(issued.object["metadata"] as JsonObject), resourceVersion: "7" } };

test("a serving certificate is issued for its hosts, and is due a day before its end", () => {
  const facts = readCertificate(Buffer.from(data["tls.crt"] ?? "", "base64").toString());
  assert.ok(facts.ok);
  assert.equal(issued.rotateAt, facts.value.notAfter - rotateBeforeEndMs);
  assert.deepEqual(Object.keys(data), ["ca.crt", "tls.crt", "tls.key"]);
});

test("a valid one is kept, whatever else is in its Secret", async () => {
  const held = { ...live, data: { ...data, other: "x" } };
  assert.deepEqual(await filled(rendered("op.ns.svc"), [held]), { object: issued.object, rotateAt: issued.rotateAt });
});

for (const [what, held, hosts] of [
  ["whose key is missing", { "ca.crt": data["ca.crt"] ?? "", "tls.crt": data["tls.crt"] ?? "" }, "op.ns.svc"],
  ["whose authority is missing", { "tls.key": data["tls.key"] ?? "", "tls.crt": data["tls.crt"] ?? "" }, "op.ns.svc"],
  ["that cannot be read", { ...data, "tls.crt": btoa("x") }, "op.ns.svc"],
  ["for other hosts", data, "other.ns.svc"],
] as const)
  test(`one ${what} is issued anew`, async () => {
    const next = await filled(rendered(hosts), [{ ...live, data: held }]);
    assert.ok(typeof next === "object");
    assert.notEqual((next.object["data"] as JsonObject)["tls.crt"], data["tls.crt"]);
  });

const asking = (more: JsonObject, from = "ns/cert"): JsonObject => ({
  apiVersion: "v1",
  kind: "K",
  metadata: { name: "a", annotations: { "purser.dev/inject-ca-from-secret": from } },
  ...more,
});
const caBundle = data["ca.crt"] ?? "";
for (const [what, before, after] of [
  [
    "every webhook",
    { webhooks: [{ name: "a", clientConfig: { service: { name: "s" } } }, { name: "b" }] },
    {
      webhooks: [
        { name: "a", clientConfig: { service: { name: "s" }, caBundle } },
        { name: "b", clientConfig: { caBundle } },
      ],
    },
  ],
  [
    "the conversion of a CRD",
    { spec: { group: "g.io", conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "u" } } } } },
    { spec: { group: "g.io", conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "u", caBundle } } } } },
  ],
  ["nothing of a CRD without conversion", { spec: { group: "g.io" } }, { spec: { group: "g.io" } }],
  ["nothing of an object without spec", {}, {}],
] as const)
  test(`the authority is set in ${what}`, async () =>
    assert.deepEqual(await filled(asking(before), [live]), { object: asking(after) }));

test("an authority that does not exist yet is a problem that names its Secret", async () =>
  assert.equal(await filled(asking({}, "ns/later"), [live]), 'secret "ns/later" holds no authority (ca.crt) yet'));

test("objects without a certificate stay as they are", async () => {
  for (const object of [
    { apiVersion: "v1", kind: "ConfigMap" },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    { ...rendered("op.ns.svc"), kind: "ConfigMap" },
  ])
    assert.deepEqual(await filled(object), { object });
});
