import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { contestedBy, describedRoles, serversOf } from "./described-roles.ts";

/** `kindOf` gives the kind of each API. */
const csvOf = (kindOf: () => string): ClusterServiceVersion => {
  const version = "v1";
  const api = (name: string): { readonly name: string; readonly version: string; readonly kind: string } => ({
    name,
    version,
    get kind() {
      return kindOf();
    },
  });
  const services = ["a", "b"].map((name) => Object.assign(api(name), { group: "fake.api.group", deploymentName: "d" }));
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1" },
    spec: {
      displayName: "op",
      install: { strategy: "deployment" },
      customresourcedefinitions: { owned: ["x.y", "nodot", "z.y", "x.y"].map(api) },
      apiservicedefinitions: { owned: services },
    },
  };
};

test("the servers of a CSV are those of its roles, each once", () => {
  const csv = csvOf(() => "Kind");
  assert.deepEqual(serversOf(csv), ["x.y", "z.y", "v1.fake.api.group"]);
  assert.deepEqual(serversOf(csv), [...new Set(describedRoles(csv).map(({ server }) => server.name))]);
});

test("the servers of a CSV are found without the labels of its roles, which are hashes", () => {
  let asked = 0;
  serversOf(csvOf(() => `${asked++}`));
  assert.equal(asked, 0);
});

test("CSVs whose roles have one name find one another, also when their APIs have different groups", () => {
  const csv = csvOf(() => "Kind");
  assert.deepEqual(contestedBy(csv).slice(3), ["x.y-v1", "nodot-v1", "z.y-v1", "a-v1", "b-v1"]);
});
