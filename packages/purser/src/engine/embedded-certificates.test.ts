import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, namespaces, secrets } from "@purser/kubernetes/apis/resources";
import { clusterExtensions } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { startEmbedded } from "./embedded.ts";
import { embeddedOptions } from "./testing/embedded-options.ts";
import { packageDirectory } from "./package-directory.ts";

const never = new AbortController().signal;
const webhook = `  webhookdefinitions:
    - type: ValidatingAdmissionWebhook
      generateName: vcache.demo.purser.dev
      deploymentName: ballast-cache-controller
      containerPort: 9443
      admissionReviewVersions: [v1]
      sideEffects: None
      failurePolicy: Fail
      webhookPath: /validate
      rules: [{apiGroups: [ballast.demo.purser.dev], apiVersions: [v1], operations: [CREATE], resources: [caches]}]
`;

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
};

test("an extension with webhooks installs with our own certificate on an embedded cluster that serves cert-manager's kinds", async (context) => {
  const directory = await mkdtemp(join(tmpdir(), "purser-certificates-"));
  context.after(() => rm(directory, { recursive: true, force: true }));
  await cp(join(packageDirectory(), "demo", "default"), directory, { recursive: true });
  const file = join(directory, "bundles/ballast-cache/0.4.1/manifests/ballast-cache.clusterserviceversion.yaml");
  const text = await readFile(file, "utf8");
  const otherModes = /- type: (Own|Single|Multi)Namespace\n(\s+)supported: true/g;
  await writeFile(
    file,
    text
      .replace("  displayName:", `${webhook}  displayName:`)
      .replaceAll(otherModes, "- type: $1Namespace\n$2supported: false"),
  );
  const started = await startEmbedded(
    embeddedOptions(join(directory, "cache"), {
      catalogs: [{ namespace: "olm", name: "demo", path: join(directory, "catalog") }],
      bundleDirectories: [join(directory, "bundles")],
    }),
    never,
  );
  assert.ok(started.ok, JSON.stringify(started));
  const { client } = started.value;
  context.after(() => started.value.stop());
  const make = async (type: Parameters<typeof client.write>[0]["type"], object: unknown): Promise<void> => {
    const made = await client.write({ verb: "create", type, object: object as KubeObject }, never);
    assert.ok(made.ok, JSON.stringify(made));
  };
  await make(customResourceDefinitions, certificateKind);
  await make(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "cache" } });
  await make(clusterExtensions, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: "ballast-cache" },
    spec: {
      namespace: "cache",
      source: { sourceType: "Catalog", catalog: { packageName: "ballast-cache", version: "0.4.1" } },
    },
  });
  for await (const event of client.watch(clusterExtensions, {}, {}, never)) {
    if (event.type === "BOOKMARK") continue;
    const { status: shown } = event.object as ClusterExtension;
    const conditions = shown?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === "Installed" && status === "True")) break;
    const refused = conditions.find(({ message }) => /cert-manager|no matches for kind/.test(message));
    assert.equal(refused, undefined);
  }
  const held = await client.list(secrets, { namespace: "cache" });
  assert.ok(held.some(({ data }) => data?.["tls.crt"] !== undefined));
});
