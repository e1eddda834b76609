import assert from "node:assert/strict";
import { before, test } from "node:test";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  clusterRoleBindings,
  deployments,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { authorityHash, serviceCertificateValidityMs } from "@purser/kubernetes/certificate/service-certificate";
import { formatTime } from "@purser/kubernetes/clock";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { applyMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ClusterServiceVersion, ClusterServiceVersionSpec } from "../../../apis/v0/cluster-service-version.ts";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import { improved } from "../../../compat.ts";
import { installStrategy } from "../../../rollout/install-strategy.ts";
import { observeCsv } from "./observe-csv.ts";
import { afterApply } from "./plan/after-apply.ts";
import { planCsv } from "./plan/plan-csv.ts";
import { csvAt, group, namespace, now, type Phase } from "./plan/testing/csv-world.ts";
import type { CsvWorld } from "./plan/world.ts";

const never = new AbortController().signal;
const dayMs = 86_400_000;
const entry = (name: string): JsonObject => ({
  name,
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { serviceAccountName: "pods", containers: [{ name: "c", image: "i" }] },
    },
  },
});
const install = { strategy: "deployment", spec: { deployments: [entry("d")] } };
const api = { group: "apps.g.io", version: "v1", kind: "Thing", name: "things", deploymentName: "d" };
const webhook = {
  type: "ValidatingAdmissionWebhook",
  generateName: "check.g.io",
  deploymentName: "d",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

const around = {
  compat: improved,
  client: { version: () => Promise.resolve({ major: "", minor: "", gitVersion: "v1.36.3" }) },
  discovery: {
    typeOfLately: ({
      group: of,
      version,
      kind,
    }: {
      readonly group: string;
      readonly version: string;
      readonly kind: string;
    }) => Promise.resolve({ group: of, version, kind, plural: "", namespaced: true }),
  },
};

/** The objects of an installed operator at a time, its next pass, and what it writes into its own status. */
class Operator {
  readonly cluster: RecordingCluster;
  csv: ClusterServiceVersion;

  constructor(spec: object) {
    const base = csvAt("op.v1", "InstallReady");
    this.csv = { ...base, spec: { ...base.spec, install, ...spec } as unknown as ClusterServiceVersionSpec };
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "pods" } };
    const annotations = { "olm.providedAPIs": "Thing.v1.apps.g.io,Thing.v1.zoo.g.io" };
    const listing = { ...group, metadata: { ...group.metadata, annotations } };
    this.cluster = new RecordingCluster([listing, account]);
  }

  at(phase: Phase, reason = ""): void {
    const { conditions: _, ...status } = this.csv.status ?? {};
    this.csv = { ...this.csv, status: { ...status, phase, reason, message: "" } };
  }

  async world(): Promise<CsvWorld> {
    await this.cluster.write({
      verb: "apply",
      type: clusterServiceVersions,
      object: this.csv,
      fieldManager: "t",
      force: true,
    });
    const world = await observeCsv({ namespace, name: "op.v1" }, { reader: this.cluster, signal: never }, around);
    assert.ok(world !== undefined);
    return world;
  }

  /** One pass; what it wrote as `PHASE/REASON: MESSAGE`, or when it looks again. */
  async pass(time: number): Promise<string> {
    const world = await this.world();
    let plan = planCsv(world, time);
    const [first] = plan.actions;
    if (first?.kind === "install") {
      const ports = { writer: this.cluster, clock: new VirtualClock(time), entropy: new SeededEntropy(time) };
      plan = afterApply(world, await installStrategy(first.strategy, ports, never), time);
      await this.#becomesReady();
    }
    const change = plan.actions.find((action) => action.kind === "status");
    if (change === undefined)
      return plan.recheckAfterMs === undefined ? "rest" : `again after ${plan.recheckAfterMs} ms`;
    this.csv = { ...this.csv, status: change.status };
    return `${change.status.phase}/${change.status.reason}: ${change.status.message}`;
  }

  async #becomesReady(): Promise<void> {
    const conditions = [{ type: "Available", status: "True" }];
    for (const type of [deployments, apiServices] as readonly ResourceType[])
      for (const object of await this.cluster.list(type))
        await this.change(type, object.metadata.name ?? "", { status: { conditions } });
  }

  /** Passes until the CSV rests, without their messages. */
  async settles(time: number): Promise<readonly string[]> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.pass(time);
      if (line === "rest" || line.startsWith("again")) return lines;
      lines.push(line.replace(/:.*/s, ""));
      assert.ok(lines.length < 20, "the CSV does not rest");
    }
  }

  async change(type: ResourceType, name: string, patch: JsonValue, where = namespace): Promise<void> {
    const key = type.namespaced ? { namespace: where, name } : { name };
    const held = await this.cluster.get(type, key);
    assert.ok(held !== undefined, `${type.kind} ${name} exists`);
    const object = applyMergePatch(held as unknown as JsonValue, patch) as unknown as KubeObject;
    await this.cluster.write({ verb: "replace", type, object });
  }

  async remove(type: ResourceType, name: string, where = namespace): Promise<void> {
    const key: ObjectKey = type.namespaced ? { namespace: where, name } : { name };
    assert.ok((await this.cluster.get(type, key)) !== undefined, `${type.kind} ${name} exists`);
    this.cluster.drop(type, key);
  }

  /** Puts an authority and a certificate into the Secret. */
  async holds(data: Readonly<Record<string, string | null>>, annotations: JsonObject = {}): Promise<void> {
    const encoded = Object.entries(data).map(([name, text]) => [name, text === null ? null : btoa(text)]);
    await this.change(secrets, "d-service-cert", {
      data: Object.fromEntries(encoded) as JsonObject,
      metadata: { annotations },
    });
  }
}

/** An operator that has succeeded. */
async function succeeded(spec: object): Promise<Operator> {
  const operator = new Operator(spec);
  assert.deepEqual(await operator.settles(now), ["Installing/InstallSucceeded", "Succeeded/InstallSucceeded"]);
  return operator;
}
const ofWebhook = (): Promise<Operator> => succeeded({ webhookdefinitions: [webhook] });
const ofApi = (): Promise<Operator> => succeeded({ apiservicedefinitions: { owned: [api] } });

interface Pem {
  readonly authority: string;
  readonly serving: string;
}

const hosts = ["d-service.ns", "d-service.ns.svc", "d-service.ns.svc.cluster.local"];

/** A pair whose authority and certificate are valid from and for so many milliseconds around `now`. */
async function pairOf(
  authority: readonly [number, number],
  serving: readonly [number, number],
  names: readonly string[] = hosts,
): Promise<Pem> {
  const entropy = new SeededEntropy(7);
  const span = ([from, to]: readonly [number, number]) => ({ entropy, now: now + from, validityMs: to - from });
  const issuer = await issueAuthority({ ...span(authority), commonName: "ca" });
  const leaf = await issueServing({ ...span(serving), authority: issuer, hosts: names });
  return { authority: issuer.certificatePem, serving: leaf.certificatePem };
}

const year: readonly [number, number] = [-dayMs, 365 * dayMs];
let sound: Pem;
let foreign: Pem;
before(async () => {
  sound = await pairOf(year, year);
  foreign = await pairOf(year, year);
});

type Change = (operator: Operator) => Promise<void>;
const holding = (make: () => Pem | Promise<Pem>): Change => {
  return async (operator) => {
    const { authority, serving } = await make();
    await operator.holds({ olmCAKey: authority, "tls.crt": serving });
  };
};
const lacksHost = (missing: string): Change =>
  holding(() =>
    pairOf(
      year,
      year,
      hosts.filter((host) => host !== missing),
    ),
  );

const rotations: readonly (readonly [string, Change])[] = [
  ["does not exist", (operator) => operator.remove(secrets, "d-service-cert")],
  ["has no olmCAKey", (operator) => operator.holds({ olmCAKey: null })],
  ["has no tls.crt", (operator) => operator.holds({ "tls.crt": null })],
  ["has an olmCAKey that is no certificate", (operator) => operator.holds({ olmCAKey: "garbage" })],
  ["has a tls.crt that is no certificate", (operator) => operator.holds({ "tls.crt": "garbage" })],
  ["has an authority that has expired", holding(() => pairOf([-2 * dayMs, -dayMs], year))],
  ["has a certificate that has expired", holding(() => pairOf(year, [-2 * dayMs, -dayMs]))],
  ["has an authority that is not valid yet", holding(() => pairOf([dayMs, 9 * dayMs], year))],
  ["has a certificate that is not valid yet", holding(() => pairOf(year, [dayMs, 9 * dayMs]))],
  ["has an authority that expires within a day", holding(() => pairOf([-dayMs, dayMs - 1000], year))],
  ["has a certificate that expires within a day", holding(() => pairOf(year, [-dayMs, dayMs - 1000]))],
  ["has a certificate of another authority", holding(() => ({ authority: foreign.authority, serving: sound.serving }))],
  ...hosts.map((host): readonly [string, Change] => [`has a certificate without the name ${host}`, lacksHost(host)]),
];

const rotated = [
  "Pending/NeedsCertRotation",
  "InstallReady/AllRequirementsMet",
  "Installing/InstallSucceeded",
  "Succeeded/InstallSucceeded",
];

for (const [what, change] of rotations) {
  test(`a webhook's certificate is issued anew when its Secret ${what}`, async () => {
    const operator = await ofWebhook();
    await change(operator);
    assert.equal(await operator.pass(now), "Pending/NeedsCertRotation: CSV owns resources that require a cert refresh");
    operator.at("Failed", "InstallCheckFailed");
    assert.equal(await operator.pass(now), "Pending/NeedsCertRotation: owned APIServices need cert refresh");
    operator.at("Succeeded");
    assert.deepEqual(await operator.settles(now), rotated);
    const { valid } = (await operator.world()).strategy.certificates.get("d") ?? {};
    assert.equal(valid?.rotateAt, now + serviceCertificateValidityMs - dayMs);
    const [configuration] = await operator.cluster.list(validatingWebhookConfigurations);
    const held = await operator.cluster.get(secrets, { namespace, name: "d-service-cert" });
    assert.equal(configuration?.webhooks?.[0]?.clientConfig.caBundle, held?.data?.["olmCAKey"]);
    const [deployment] = await operator.cluster.list(deployments);
    assert.equal(
      deployment?.spec?.template.metadata?.annotations?.["olmcahash"],
      authorityHash(Buffer.from(held?.data?.["olmCAKey"] ?? "", "base64")),
    );
  });
}

test("a webhook's certificate is issued anew a day before it expires, and looked at then", async () => {
  const operator = await ofWebhook();
  const due = now + serviceCertificateValidityMs - dayMs;
  assert.equal(await operator.pass(now), `again after ${dayMs} ms`);
  assert.equal(await operator.pass(due - 1000), "again after 1001 ms");
  assert.equal(await operator.pass(due), "again after 1 ms");
  assert.deepEqual(await operator.settles(due + 1), rotated);
  assert.equal(operator.csv.status?.certsRotateAt, formatTime(due + serviceCertificateValidityMs - dayMs));
});

test("the certificate that expires first decides when certificates are looked at", async () => {
  const second = { ...webhook, generateName: "other.g.io", deploymentName: "e" };
  const strategy = { strategy: "deployment", spec: { deployments: [entry("d"), entry("e")] } };
  const operator = await succeeded({ install: strategy, webhookdefinitions: [webhook, second] });
  await holding(() => pairOf([-dayMs, 1.5 * dayMs], year))(operator);
  assert.equal(await operator.pass(now), `again after ${dayMs / 2 + 1} ms`);
});

test("a sound certificate is kept whatever the private key, the hash and the dates in the status are", async () => {
  const operator = await ofWebhook();
  await operator.holds({ "tls.key": "garbage" }, { olmcahash: "garbage" });
  const status = { ...operator.csv.status, certsRotateAt: "2020-01-01T00:00:00Z" };
  operator.csv = { ...operator.csv, status } as ClusterServiceVersion;
  assert.equal(await operator.pass(now), `again after ${dayMs} ms`);
});

test("a webhook whose configuration was deleted is installed again", async () => {
  const operator = await ofWebhook();
  const [configuration] = await operator.cluster.list(validatingWebhookConfigurations);
  await operator.remove(validatingWebhookConfigurations, configuration?.metadata.name ?? "");
  assert.equal(await operator.pass(now), "Pending/NeedsReinstall: calculated deployment install is bad");
  operator.at("Failed");
  assert.equal(await operator.pass(now), "Pending/NeedsReinstall: calculated deployment install is bad");
  operator.at("Installing");
  assert.equal(await operator.pass(now), "Pending/NeedsReinstall: calculated deployment install is bad");
  assert.deepEqual(await operator.settles(now), rotated.slice(1));
});

test("a webhook of a Deployment that the strategy does not have is not installed", async () => {
  const operator = new Operator({ webhookdefinitions: [{ ...webhook, deploymentName: "other" }] });
  operator.at("Installing");
  assert.equal(await operator.pass(now), "Pending/NeedsReinstall: calculated deployment install is bad");
});

const reader = "d-service-auth-reader";
const delegator = "d-service-system:auth-delegator";
const missing = (resource: string, name: string): string => `${resource} "${name}" not found`;
const inconsistent: readonly (readonly [string, Change, string])[] = [
  [
    "without its APIService",
    (operator) => operator.remove(apiServices, "v1.apps.g.io"),
    missing("apiservice.apiregistration.k8s.io", "v1.apps.g.io"),
  ],
  ["without its Service", (operator) => operator.remove(services, "d-service"), missing("service", "d-service")],
  [
    "whose APIService names another Service",
    (operator) => operator.change(apiServices, "v1.apps.g.io", { spec: { service: { name: "other" } } }),
    "found APIService and service reference mismatch",
  ],
  [
    "whose APIService names the Service of another namespace",
    (operator) => operator.change(apiServices, "v1.apps.g.io", { spec: { service: { namespace: "other" } } }),
    "found APIService and service reference mismatch",
  ],
  [
    "whose APIService names no Service",
    (operator) => operator.change(apiServices, "v1.apps.g.io", { spec: { service: null } }),
    "found APIService and service reference mismatch",
  ],
  [
    "whose APIService has no caBundle",
    (operator) => operator.change(apiServices, "v1.apps.g.io", { spec: { caBundle: null } }),
    "cert PEM empty",
  ],
  [
    "whose caBundle is no certificate",
    (operator) => operator.change(apiServices, "v1.apps.g.io", { spec: { caBundle: btoa("garbage") } }),
    "cert PEM empty",
  ],
  [
    "whose caBundle is PEM of something else",
    (operator) =>
      operator.change(apiServices, "v1.apps.g.io", {
        spec: { caBundle: btoa("-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n") },
      }),
    "x509: malformed certificate",
  ],
  ["without its Secret", (operator) => operator.remove(secrets, "d-service-cert"), missing("secret", "d-service-cert")],
  ["whose tls.crt is no certificate", (operator) => operator.holds({ "tls.crt": "garbage" }), "cert PEM empty"],
  [
    "whose Secret has the hash of another authority",
    (operator) => operator.holds({}, { olmcahash: "other" }),
    "secret d-service-cert CA cert hash does not match expected",
  ],
  [
    "whose caBundle is another authority",
    (operator) => operator.change(apiServices, "v1.apps.g.io", { spec: { caBundle: btoa(foreign.authority) } }),
    "secret d-service-cert CA cert hash does not match expected",
  ],
  ["without its Deployment", (operator) => operator.remove(deployments, "d"), missing("deployment.apps", "d")],
  [
    "whose pods have the hash of another authority",
    (operator) =>
      operator.change(deployments, "d", { spec: { template: { metadata: { annotations: { olmcahash: "other" } } } } }),
    "deployment d CA cert hash does not match expected",
  ],
  [
    "without the Role for its Secret",
    (operator) => operator.remove(roles, "d-service-cert"),
    missing("role.rbac.authorization.k8s.io", "d-service-cert"),
  ],
  [
    "without the RoleBinding for its Secret",
    (operator) => operator.remove(roleBindings, "d-service-cert"),
    missing("rolebinding.rbac.authorization.k8s.io", "d-service-cert"),
  ],
  [
    "without the binding to system:auth-delegator",
    (operator) => operator.remove(clusterRoleBindings, delegator),
    missing("clusterrolebinding.rbac.authorization.k8s.io", delegator),
  ],
  [
    "without the binding in kube-system",
    (operator) => operator.remove(roleBindings, reader, "kube-system"),
    missing("rolebinding.rbac.authorization.k8s.io", reader),
  ],
  [
    "without both bindings to roles of the cluster",
    async (operator) => {
      await operator.remove(clusterRoleBindings, delegator);
      await operator.remove(roleBindings, reader, "kube-system");
    },
    `[${missing("clusterrolebinding.rbac.authorization.k8s.io", delegator)}, ${missing("rolebinding.rbac.authorization.k8s.io", reader)}]`,
  ],
];

for (const [what, change, message] of inconsistent) {
  test(`an API ${what} is installed again`, async () => {
    const operator = await ofApi();
    await change(operator);
    operator.at("Failed", "ComponentUnhealthy");
    assert.equal(await operator.pass(now), `Pending/APIServiceResourcesNeedReinstall: ${message}`);
    operator.at("Succeeded");
    assert.equal(await operator.pass(now), `Failed/APIServiceResourceIssue: ${message}`);
    assert.deepEqual(await operator.settles(now), ["Pending/APIServiceResourcesNeedReinstall", ...rotated.slice(1)]);
  });
}

test("an API whose pods have no ServiceAccount is attempted with pauses", async () => {
  const operator = await ofApi();
  await operator.remove(serviceAccounts, "pods");
  const message = missing("serviceaccounts", "pods");
  assert.equal(await operator.pass(now), `Failed/APIServiceResourceIssue: ${message}`);
  const again = ["Pending/APIServiceResourcesNeedReinstall", ...rotated.slice(1), "Failed/APIServiceResourceIssue"];
  assert.deepEqual(await operator.settles(now), again);
  assert.equal(await operator.pass(now), "again after 2001 ms");
  assert.deepEqual(await operator.settles(now + 2_001), again);
  assert.equal(await operator.pass(now + 2_001), "again after 4000 ms");
});

test("an API whose authority expired is served with a new one", async () => {
  for (const phase of ["Succeeded", "Failed"] as const) {
    const operator = await ofApi();
    const { authority, serving } = await pairOf([-2 * dayMs, -dayMs], [-2 * dayMs, -dayMs]);
    const hash = authorityHash(Buffer.from(authority));
    await operator.holds({ olmCAKey: authority, "tls.crt": serving }, { olmcahash: hash });
    await operator.change(apiServices, "v1.apps.g.io", { spec: { caBundle: btoa(authority) } });
    await operator.change(deployments, "d", {
      spec: { template: { metadata: { annotations: { olmcahash: hash } } } },
    });
    operator.at(phase);
    assert.deepEqual(await operator.settles(now), rotated, phase);
    const [service] = await operator.cluster.list(apiServices);
    const held = await operator.cluster.get(secrets, { namespace, name: "d-service-cert" });
    assert.notEqual(held?.data?.["olmCAKey"], btoa(authority));
    assert.equal(service?.spec?.caBundle, held?.data?.["olmCAKey"]);
  }
});

test("an API that another operator has taken is left to it, and its other faults do not matter", async () => {
  const second = { ...api, group: "zoo.g.io" };
  const operator = await succeeded({ apiservicedefinitions: { owned: [{ ...api }, second] } });
  await operator.change(apiServices, "v1.zoo.g.io", { metadata: { labels: { "olm.owner": "stranger" } } });
  await operator.remove(clusterRoleBindings, delegator);
  const message = `[${missing("clusterrolebinding.rbac.authorization.k8s.io", delegator)}, v1.zoo.g.io is unadoptable]`;
  assert.equal(await operator.pass(now), `Failed/APIServiceResourceIssue: ${message}`);
  assert.equal(await operator.pass(now), "rest");
});
