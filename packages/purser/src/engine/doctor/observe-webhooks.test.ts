import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { issueAuthority } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";
import { observeWebhooks } from "./observe-webhooks.ts";

const ends = Date.parse("2027-01-01T00:00:00Z");
let caBundle: string;
before(async () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const options = { commonName: "ca", now, validityMs: ends - now, entropy: new SeededEntropy(1) };
  caBundle = Buffer.from((await issueAuthority(options)).certificatePem).toString("base64");
});

function configuration(kind: string, webhooks: readonly object[] | undefined, labels?: object): KubeObject {
  const metadata = { name: "hooks", ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata, webhooks } as unknown as KubeObject;
}
const validating = (webhook: object, labels?: object): KubeObject =>
  configuration("ValidatingWebhookConfiguration", [{ name: "a.g.io", clientConfig: {}, ...webhook }], labels);
const service = { apiVersion: "v1", kind: "Service", metadata: { namespace: "ns", name: "svc" } } as KubeObject;
const slice = (name: string, ...ready: readonly (boolean | undefined)[]): KubeObject =>
  ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "ns", name: "x", labels: { "kubernetes.io/service-name": name } },
    endpoints: ready.map((one) => (one === undefined ? {} : { conditions: { ready: one } })),
  }) as unknown as KubeObject;

const observed = (...held: readonly KubeObject[]) =>
  observeWebhooks(new RecordingCluster(held) as unknown as KubeClient);

const hook = {
  object: "ValidatingWebhookConfiguration hooks",
  name: "a.g.io",
  groups: [],
  failsOpen: false,
  isOperators: false,
  authority: { kind: "absent" },
};
const called = { clientConfig: { service: { namespace: "ns", name: "svc" } } };
const state = (name: string): object => ({ service: { namespace: "ns", name: "svc", state: name } });
const rules = [{ apiGroups: ["b.io", "a.io"] }, { apiGroups: ["a.io"] }, {}];
const ofCsv = { "olm.owner.kind": "ClusterServiceVersion", "olm.owner.namespace": "ns", "olm.owner": "op.v1" };
const ofExtension = {
  "olm.operatorframework.io/owner-kind": "ClusterExtension",
  "olm.operatorframework.io/owner-name": "op",
};
for (const [what, held, expected] of [
  ["outside of the cluster", [validating({})], {}],
  ["with its groups, each once", [validating({ rules })], { groups: ["b.io", "a.io"] }],
  ["that fails open", [validating({ failurePolicy: "Ignore" })], { failsOpen: true }],
  ["that fails closed", [validating({ failurePolicy: "Fail" })], {}],
  ["of a ClusterServiceVersion", [validating({}, ofCsv)], { isOperators: true, installation: "csv/ns/op.v1" }],
  ["of a ClusterExtension", [validating({}, ofExtension)], { isOperators: true, installation: "ext/op" }],
  ["of something else", [validating({}, { "olm.owner.kind": "Other", "olm.owner": "op" })], {}],
  ["without its Service", [validating(called)], state("missing")],
  ["whose Service has no EndpointSlices", [validating(called), service], state("ready")],
  ["whose Service has a ready endpoint", [validating(called), service, slice("svc", false, true)], state("ready")],
  ["whose endpoint does not say", [validating(called), service, slice("svc", undefined)], state("ready")],
  ["whose endpoints are not ready", [validating(called), service, slice("svc", false)], state("notReady")],
  ["whose Service has no endpoint", [validating(called), service, slice("svc")], state("notReady")],
  ["beside the endpoints of another", [validating(called), service, slice("other", false)], state("ready")],
  [
    "whose authority cannot be read",
    [validating({ clientConfig: { caBundle: "eA==" } })],
    { authority: { kind: "unreadable" } },
  ],
] as const)
  test(`a webhook ${what} is observed`, async () =>
    assert.deepEqual(await observed(...held), [{ ...hook, ...expected }]));

test("a webhook's authority has the end of its certificate", async () => {
  const [found] = await observed(validating({ clientConfig: { caBundle } }));
  assert.deepEqual(found?.authority, { kind: "present", notAfter: ends });
});

test("webhooks of both kinds are observed, and a configuration without any is none", async () => {
  const found = await observed(
    validating({}),
    configuration("MutatingWebhookConfiguration", [{ name: "m.g.io", clientConfig: {} }]),
    configuration("MutatingWebhookConfiguration", undefined),
  );
  assert.deepEqual(
    found.map(({ object, name }) => `${object} ${name}`),
    ["ValidatingWebhookConfiguration hooks a.g.io", "MutatingWebhookConfiguration hooks m.g.io"],
  );
});
