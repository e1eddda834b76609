import assert from "node:assert/strict";
import { test } from "node:test";
import { reservedClaims, reservedClaimsProblem, reservedCrds } from "./reserved-claims.ts";

const crd = (name: string, group: string) => ({
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: { group },
});

test("CustomResourceDefinitions of the lifecycle manager are found by name and by group, other kinds never", () =>
  assert.deepEqual(
    reservedCrds([
      crd("subscriptions.operators.coreos.com", "example.com"),
      crd("widgets", "purser.dev"),
      crd("widgets.example.com", "example.com"),
      crd("widgets.demo.purser.dev", "demo.purser.dev"),
      { kind: "CustomResourceDefinition", metadata: { name: "clustercatalogs.olm.operatorframework.io" } },
      { kind: "CustomResourceDefinition", spec: { group: 1 } },
      { ...crd("subscriptions.operators.coreos.com", "purser.dev"), kind: "ConfigMap" },
    ]),
    ["subscriptions.operators.coreos.com", "widgets", "clustercatalogs.olm.operatorframework.io"],
  ));

test("a CSV claims the CRDs that it owns or converts and the APIServices that it owns, each once", () => {
  const owned = (name: string) => ({ name, version: "v1", kind: "A" });
  const service = (group: string) => ({ name: "a", group, version: "v1", kind: "A" });
  assert.deepEqual(
    reservedClaims({
      spec: {
        install: { strategy: "deployment" },
        customresourcedefinitions: {
          owned: [owned("a.purser.dev"), owned("a.example.com")],
          required: [owned("b.purser.dev")],
        },
        apiservicedefinitions: { owned: [service("packages.operators.coreos.com"), service("example.com")] },
        webhookdefinitions: [
          { type: "ConversionWebhook", conversionCRDs: ["a.purser.dev", "c.purser.dev", "c.example.com"] },
          { type: "ValidatingAdmissionWebhook", conversionCRDs: ["d.purser.dev"] },
        ],
      },
    } as unknown as Parameters<typeof reservedClaims>[0]),
    ["a.purser.dev", "c.purser.dev", "v1.packages.operators.coreos.com"],
  );
});

test("claims are named once, and none are no problem", () => {
  assert.equal(reservedClaimsProblem([]), undefined);
  assert.equal(
    reservedClaimsProblem(["a.purser.dev", "b.purser.dev", "a.purser.dev"]),
    "it brings APIs of the lifecycle manager: a.purser.dev, b.purser.dev. An operator may require APIs of the groups operators.coreos.com, packages.operators.coreos.com, olm.operatorframework.io, purser.dev, but neither own nor convert them",
  );
});
