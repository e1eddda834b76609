import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { digestOf } from "@purser/kubernetes/digest";
import { bundleFaults } from "./bundle-validators.ts";

/** The faults of a bundle with one deployment `d`, the CRD `a.x` and these webhooks. */
function faults(...webhooks: readonly JsonObject[]): readonly string[] {
  const owned = [{ name: "a.x", kind: "A", version: "v1" }];
  const spec = {
    install: { strategy: "deployment", spec: { deployments: [{ name: "d", spec: {} }] } },
    installModes: [{ type: "AllNamespaces", supported: true }],
    customresourcedefinitions: { owned },
    webhookdefinitions: webhooks.map((webhook) => ({ deploymentName: "d", ...webhook })),
  };
  return bundleFaults({
    digest: digestOf(""),
    packageName: "p",
    annotations: {},
    csv: { metadata: { name: "p.v1" }, spec },
    crds: [{ object: { metadata: { name: "a.x" } }, place: { file: "manifests/a.yaml" } }],
    others: [],
    properties: [],
    dependencies: [],
  });
}

const conversion = (generateName: string, ...conversionCRDs: readonly string[]) => ({
  type: "ConversionWebhook",
  generateName,
  conversionCRDs,
});

test("webhooks of one name and type are refused, whatever type they state", () => {
  assert.deepEqual(
    faults(
      { type: "ValidatingAdmissionWebhook", generateName: "v" },
      { type: "Other", generateName: "o" },
      { type: "MutatingAdmissionWebhook", generateName: "v" },
      { type: "Other", generateName: "o" },
      { type: "ValidatingAdmissionWebhook", generateName: "v" },
    ),
    ["duplicate webhook 'o' of type 'Other'", "duplicate webhook 'v' of type 'ValidatingAdmissionWebhook'"],
  );
});

test("a name that no webhook can have is refused for every type", () => {
  assert.deepEqual(
    faults({ type: "Other", generateName: "-" }).map((fault) => fault.split(":")[0]),
    ["webhook of type 'Other' has invalid name '-'"],
  );
});

test("a definition is converted once: by one webhook that lists it once", () => {
  const rows = [
    [[conversion("c", "a.x")], []],
    [
      [conversion("b", "a.x"), conversion("a", "a.x")],
      ["conversion webhooks [a,b] reference same custom resource definition 'a.x'"],
    ],
    [[conversion("c", "a.x", "a.x")], ["conversion webhooks [c,c] reference same custom resource definition 'a.x'"]],
    [
      [conversion("c", "b.x", "b.x")],
      [
        "conversion webhooks [c,c] reference same custom resource definition 'b.x'",
        "conversion webhook 'c' references custom resource definition 'b.x' not owned bundle",
        "conversion webhook 'c' references custom resource definition 'b.x' not owned bundle",
      ],
    ],
  ] as const;
  assert.deepEqual(
    rows.map(([webhooks]) => [webhooks, faults(...webhooks)]),
    rows,
  );
});
