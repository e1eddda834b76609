import assert from "node:assert/strict";
import { test } from "node:test";
import { managerFindings } from "./manager-findings.ts";
import { nothing } from "../testing/empty-takeover-world.ts";

test("the API of PackageManifests stays with a server that answers", () => {
  const found = managerFindings(
    {
      ...nothing,
      packageApi: {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name: "v1.packages.operators.coreos.com" },
        spec: { service: { namespace: "olm", name: "packageserver-service" } },
        status: { conditions: [{ type: "Available", status: "True" }] },
      } as never,
    },
    0,
  );
  assert.deepEqual(found, [
    {
      code: "PackageApi",
      severity: "note",
      object: "APIService v1.packages.operators.coreos.com",
      summary: "is left to Service olm/packageserver-service while that is available",
    },
  ]);
});
