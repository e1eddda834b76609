import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  customResourceDefinitions,
  secrets,
  services,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import { certificateProviderAnnotation } from "../apis/v1/labels.ts";
import { parseCompat } from "../compat.ts";
import { installOpenShift } from "./testing/openshift-definitions.ts";
import { World } from "./testing/world.ts";

const webhook = `  webhookdefinitions:
    - type: ValidatingAdmissionWebhook
      generateName: vcache.demo.purser.dev
      deploymentName: ballast-cache-controller
      containerPort: 9443
      admissionReviewVersions: [v1]
      sideEffects: None
      failurePolicy: Fail
      webhookPath: /validate
      rules:
        - apiGroups: [ballast.demo.purser.dev]
          apiVersions: [v1]
          operations: [CREATE]
          resources: [caches]
`;

async function openWithWebhook(
  compatText: string,
  prepare: (world: World) => Promise<void> = async () => {},
): Promise<World> {
  const compat = parseCompat(compatText);
  assert.ok(compat.ok);
  const world = await World.open({ compat: compat.value });
  await prepare(world);
  const directory = join(world.bundlesDirectory, "ballast-cache", "0.4.1", "manifests");
  const file = join(directory, "ballast-cache.clusterserviceversion.yaml");
  const text = await readFile(file, "utf8");
  // Inserted into the spec, whose first field is displayName. Operators with webhooks must watch all namespaces.
  await writeFile(
    file,
    text
      .replace("  displayName:", `${webhook}  displayName:`)
      .replaceAll(
        /- type: (Own|Single|Multi)Namespace\n(\s+)supported: true/g,
        "- type: $1Namespace\n$2supported: false",
      ),
  );
  await world.extend("ballast-cache", "0.4.1");
  return world;
}

test("without --compat=webhook-certificates a bundle with a webhook installs with a certificate of our own where cert-manager is not served", async () => {
  const world = await openWithWebhook("");
  try {
    await world.reaches(clusterExtensions, { name: "ballast-cache" }, "installed", ({ status }) =>
      (status?.conditions ?? []).some(({ type, status: said }) => type === "Installed" && said === "True"),
    );
    const [configuration] = await world.client.list(validatingWebhookConfigurations);
    const authority = configuration?.webhooks?.[0]?.clientConfig.caBundle ?? "";
    assert.match(Buffer.from(authority, "base64").toString(), /BEGIN CERTIFICATE/);
    const held = await world.client.list(secrets, { namespace: "ballast-cache" });
    const serving = held.find(({ data }) => data?.["tls.crt"] !== undefined);
    assert.ok(serving?.metadata.name !== undefined, "no Secret with a serving certificate");
    const key = { namespace: "ballast-cache", name: serving.metadata.name };
    await world.settled();
    await world.remove(secrets, key);
    await world.reaches(secrets, key, "made again", ({ metadata }) => metadata.uid !== serving.metadata.uid);
  } finally {
    await world.stop();
  }
});

const certificateKind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "certificates.cert-manager.io" },
  spec: {
    group: "cert-manager.io",
    scope: "Namespaced",
    names: { plural: "certificates", kind: "Certificate" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
} as const;

for (const [compat, side, expected] of [
  ["", "without", ["ballast-cache-1 own"]],
  ["bundle-pins", "with", ["ballast-cache-1 undefined", "ballast-cache-2 undefined"]],
] as const)
  test(`${side} --compat=bundle-pins cert-manager that is installed later ${side === "with" ? "issues certificates in a new revision" : "changes no revision"}`, async () => {
    const world = await openWithWebhook(compat);
    try {
      const key = { name: "ballast-cache" };
      await world.reaches(clusterExtensions, key, "installed", ({ status }) => status?.install !== undefined);
      await world.create(customResourceDefinitions, certificateKind);
      await world.reaches(
        customResourceDefinitions,
        certificateKind.metadata,
        "served",
        ({ status }) =>
          status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") === true,
      );
      await world.settled();
      // Something wakes the extension.
      await world.merge(clusterExtensions, key, { spec: { progressDeadlineMinutes: 30 } });
      await world.reaches(clusterExtensions, key, "looked at again", ({ metadata, status }) =>
        (status?.conditions ?? []).every(({ observedGeneration }) => observedGeneration === metadata.generation),
      );
      await world.settled();
      const revisions = await world.client.list(clusterObjectSets);
      assert.deepEqual(
        revisions.map(({ metadata }) => `${metadata.name} ${metadata.annotations?.[certificateProviderAnnotation]}`),
        expected,
      );
    } finally {
      await world.stop();
    }
  });

test("on OpenShift the service CA issues the certificates of webhooks", async () => {
  const world = await openWithWebhook("", (opened) => installOpenShift(opened, "4.20.0"));
  try {
    await world.reaches(
      validatingWebhookConfigurations,
      { name: "vcache.demo.purser.dev" },
      "asks for the authority",
      ({ metadata }) => metadata.annotations?.["service.beta.openshift.io/inject-cabundle"] === "true",
    );
    const served = await world.client.list(services, { namespace: "ballast-cache" });
    assert.deepEqual(
      served.map(({ metadata }) => metadata.annotations?.["service.beta.openshift.io/serving-cert-secret-name"]),
      ["ballast-cache-controller-service-cert"],
    );
  } finally {
    await world.stop();
  }
});

test("with --compat=webhook-certificates the same bundle is refused in OLM's words", async () => {
  const world = await openWithWebhook("webhook-certificates");
  try {
    const refused = await world.reaches(clusterExtensions, { name: "ballast-cache" }, "refused", ({ status }) =>
      (status?.conditions ?? []).some(({ type, message }) => type === "Progressing" && message.includes("unsupported")),
    );
    const progressing = refused.status?.conditions?.find(({ type }) => type === "Progressing");
    assert.match(
      progressing?.message ?? "",
      /^BundleInvalid: .*\nerror for resolved bundle "ballast-cache\.v0\.4\.1" with version "0\.4\.1": .*webhookDefinitions/s,
    );
    assert.equal(refused.status?.install, undefined);
  } finally {
    await world.stop();
  }
});
