// The doctor against the embedded API server with RBAC, where Purser's manifests were applied.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { clusterRoles, customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { ownerKindLabel, ownerNameLabel } from "../../apis/v1/labels.ts";
import { improved } from "../../compat.ts";
import { installationObjects } from "../../deploy/manifests.ts";
import { rights } from "../../deploy/rights/rights.ts";
import { holds } from "../../deploy/conditions.ts";
import { defaultValues, type InstallValues, withValues } from "../../deploy/values.ts";
import { variants, variantValues } from "../../deploy/variants.ts";
import { installedValues } from "../../deploy/installed-values.ts";
import { skewOf, tagOf } from "../../deploy/version-skew.ts";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { ensureNamespace } from "../catalog-objects.ts";
import { applyOwnCrds } from "../own-manifests.ts";
import { observeDoctor } from "./observe-doctor.ts";
import type { DoctorCheck } from "./plan/check.ts";
import { doctorChecks } from "./plan/doctor-checks.ts";

const never = new AbortController().signal;
let base: ApiServer;
before(async () => {
  base = await createApiServer();
  await applyOwnCrds(createClient(base.transport()), systemClock, never, improved);
});
after(() => base.stop());

async function applyAll(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  const discovery = createDiscovery(client);
  await ensureNamespace(client, "purser-system", never);
  for (const object of objects) {
    const type = await discovery.typeOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    assert.ok(type !== undefined, object.kind);
    written(await client.write({ verb: "apply", type, object, fieldManager: "kubectl", force: true }, never));
  }
}

async function examine(server: ApiServer): Promise<readonly DoctorCheck[]> {
  const transport = server.transport();
  const client = createClient(transport);
  const options = { client, transport, clock: systemClock, version: "0.1.0" };
  return doctorChecks(await observeDoctor(options, never));
}

const findingsOf = (checks: readonly DoctorCheck[], name: string): readonly string[] =>
  checks.flatMap((check) => (check.name === name ? check.findings.map(({ summary }) => summary) : []));

test("the manifests grant every right that the doctor asks for, and each one that is removed is named with its reason", async () => {
  const server = await base.fork();
  try {
    const client = createClient(server.transport());
    await applyAll(client, installationObjects(defaultValues));
    const whole = await examine(server);
    assert.deepEqual(findingsOf(whole, "rights"), []);
    assert.match(whole[0]?.summary ?? "", /^\d{3} rights of ServiceAccount purser-system\/purser$/);
    written(
      await client.write(
        { verb: "patch", type: clusterRoles, key: { name: "purser" }, patch: { rules: [] }, patchType: "merge" },
        never,
      ),
    );
    const wanted = rights.filter(
      ({ scope, condition }) => scope === "cluster" && (condition === undefined || holds(condition, defaultValues)),
    );
    const found = findingsOf(await examine(server), "rights");
    assert.equal(found.length, wanted.length);
    for (const { why } of wanted)
      assert.ok(
        found.some((summary) => summary.endsWith(`, which is required to ${why}`)),
        why,
      );
  } finally {
    await server.stop();
  }
});

test("on a cluster without definitions and without Purser only the definitions are missing", async () => {
  const server = await createApiServer();
  try {
    const found = (await examine(server)).flatMap(({ name, findings }) => findings.map(() => name));
    assert.deepEqual([...new Set(found)], ["definitions"]);
    assert.equal(found.length, 13);
  } finally {
    await server.stop();
  }
});

test("a conversion webhook without a Service is found, and that stored objects cannot be read through it", async () => {
  const server = await base.fork();
  try {
    const client = createClient(server.transport());
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { kind: "Kiln", listKind: "KilnList", plural: "kilns", singular: "kiln" };
    const webhook = {
      clientConfig: { service: { namespace: "far", name: "hook" }, caBundle: "" },
      conversionReviewVersions: ["v1"],
    };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: "kilns.example.com",
        labels: { [ownerNameLabel]: "kiln", [ownerKindLabel]: "ClusterExtension" },
      },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names,
        versions: [
          { name: "v1", served: true, storage: true, schema },
          { name: "v2", served: true, storage: false, schema },
        ],
        conversion: { strategy: "Webhook", webhook },
      },
    };
    written(await client.write({ verb: "create", type: customResourceDefinitions, object: crd }, never));
    const conversions = async () => (await examine(server)).find(({ name }) => name === "conversions")?.findings ?? [];
    assert.deepEqual(
      (await conversions()).map(({ severity, summary }) => [severity, summary]),
      [["warning", "its webhook cannot convert objects: Service far/hook does not exist"]],
    );
    const type = { group: "example.com", version: "v1", kind: "Kiln", plural: "kilns", namespaced: false };
    const object = { apiVersion: "example.com/v1", kind: "Kiln", metadata: { name: "a" } };
    for (let tries = 0; ; tries++) {
      const made = await client.write({ verb: "create", type, object }, never);
      if (made.ok) break;
      assert.ok(tries < 500, JSON.stringify(made.problem));
      await systemClock.sleep(10, never);
    }
    assert.deepEqual(
      (await conversions()).map(({ severity, summary }) => [severity, summary]),
      [["problem", "objects cannot be read in every version: Service far/hook does not exist"]],
    );
  } finally {
    await server.stop();
  }
});

test("where only OLM v1 is served, only its definitions are looked for", async () => {
  const server = await createApiServer();
  try {
    const client = createClient(server.transport());
    await applyAll(client, installationObjects(withValues(defaultValues, { "apis.v0": false })));
    assert.equal(findingsOf(await examine(server), "definitions").length, 5);
  } finally {
    await server.stop();
  }
});

test("the definitions that Purser applies are neither older nor newer than its own", async () => {
  assert.deepEqual(findingsOf(await examine(base), "definitions"), []);
});

for (const [name, values] of [
  ...variants.map((variant) => [variant.name, variantValues(variant)] as const),
  ["packageApi: false", withValues(defaultValues, { packageApi: false })],
] satisfies (readonly [string, InstallValues])[])
  test(`the rights of the installation ${name} follow from its Deployment`, () => {
    const deployment = installationObjects(values).find(({ kind }) => kind === "Deployment");
    const read = installedValues(deployment as Deployment);
    const granted = (of: InstallValues): readonly string[] =>
      rights.flatMap(({ condition, why }) => (condition === undefined || holds(condition, of) ? [why] : []));
    assert.deepEqual(granted(read), granted(values));
  });

for (const [client, controllers, skew] of [
  ["1.4.0", "1.4.7", "same"],
  ["1.4.0", "1.3.9", "supported"],
  ["1.4.0", "v1.5.0-rc.1", "supported"],
  ["1.4.0", "1.6.0", "unsupported"],
  ["2.0.0", "1.0.0", "unsupported"],
  ["1.4.0", "latest", "unknown"],
] as const)
  test(`a client of ${client} with controllers of ${controllers} is ${skew}`, () => {
    assert.equal(skewOf(client, controllers), skew);
  });

test("the tag of an image is read beside a port and a digest", () => {
  assert.equal(tagOf("localhost:5000/purser:1.2.3@sha256:aa"), "1.2.3");
  assert.equal(tagOf("localhost:5000/purser"), undefined);
});
