import assert from "node:assert/strict";
import { test } from "node:test";
import { rights } from "../../src/deploy/rights/rights.ts";
import { holds } from "../../src/deploy/conditions.ts";
import { defaultValues, withValues } from "../../src/deploy/values.ts";
import { auditOf } from "./audit.ts";
import { usedRight, type UsedRight } from "./used-right.ts";

const rows: readonly (readonly [request: string, right: string])[] = [
  ["GET /version", "get -//version -"],
  ["GET /api/v1", "get -//api/v1 -"],
  ["GET /apis/apps/v1", "get -//apis/apps/v1 -"],
  ["GET /api/v1/namespaces", "list /namespaces -"],
  ["GET /api/v1/namespaces/a", "get /namespaces -"],
  ["PUT /api/v1/namespaces/a/finalize", "update /namespaces/finalize -"],
  ["GET /api/v1/namespaces/a/secrets?limit=5", "list /secrets a"],
  ["GET /api/v1/secrets?watch=true", "watch /secrets -"],
  ["GET /api/v1/namespaces/a/secrets/s", "get /secrets a"],
  ["POST /api/v1/namespaces/a/serviceaccounts/s/token", "create /serviceaccounts/token a"],
  ["PATCH /apis/apps/v1/namespaces/a/deployments/d", "patch apps/deployments a"],
  [
    "PUT /apis/olm.operatorframework.io/v1/clusterextensions/e/status",
    "update olm.operatorframework.io/clusterextensions/status -",
  ],
  ["DELETE /apis/apps/v1/namespaces/a/deployments/d", "delete apps/deployments a"],
  ["DELETE /apis/apps/v1/namespaces/a/deployments", "deletecollection apps/deployments a"],
];
for (const [line, wanted] of rows)
  test(`${line} needs ${wanted}`, () => {
    const [method = "", target = ""] = line.split(" ");
    const { verb, group = "-", resource, namespace = "-" } = usedRight(method, target);
    assert.equal(`${verb} ${group}/${resource} ${namespace}`, wanted);
  });

/** Requests that use every right of an installation. */
const all = rights
  .filter(({ condition, asked }) => asked === "request" && (condition === undefined || holds(condition, defaultValues)))
  .flatMap(({ group, resources, verbs, scope }) =>
    resources.flatMap((resource) =>
      verbs.map((verb): UsedRight => ({
        verb,
        group,
        resource,
        namespace: scope === "own" ? "purser-system" : undefined,
      })),
    ),
  );

test("requests that use every right leave nothing missing and nothing unused", () =>
  assert.deepEqual(auditOf(all, defaultValues), { missing: [], unused: [] }));

test("a right that no request used is reported", () =>
  assert.deepEqual(
    auditOf(
      all.filter(({ resource }) => resource !== "serviceaccounts/token"),
      defaultValues,
    ),
    {
      missing: [],
      unused: ["create core/serviceaccounts/token"],
    },
  ));

test("a request without a right is reported, also where another family has it", () => {
  const request: UsedRight = { verb: "create", group: "", resource: "serviceaccounts/token", namespace: "a" };
  const { missing } = auditOf([request], withValues(defaultValues, { "apis.v0": false }));
  assert.deepEqual(missing, ["create core/serviceaccounts/token"]);
});

test("a Lease outside of the own namespace is no right", () => {
  const request: UsedRight = {
    verb: "get",
    group: "coordination.k8s.io",
    resource: "leases",
    namespace: "kube-system",
  };
  assert.deepEqual(auditOf([request], defaultValues).missing, ["get coordination.k8s.io/leases"]);
});

test("reading which APIs there are and asking who one is needs no right of ours", () => {
  const requests = [usedRight("GET", "/apis"), usedRight("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews")];
  assert.deepEqual(auditOf(requests, defaultValues).missing, []);
});
