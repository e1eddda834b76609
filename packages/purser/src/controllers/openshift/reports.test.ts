// The statuses of the ClusterOperators of both OLMs, for installed operators in different states.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ClusterOperator } from "../../apis/openshift.ts";
import { operatorReportControllers } from "../v0/operator-reports.ts";
import { passOf } from "../testing/passes.ts";
import { extensionReportControllers } from "../v1/extension-report.ts";
import type { ClusterOperators } from "./cluster-operator-controller.ts";

const object = (apiVersion: string, kind: string, metadata: JsonObject, more: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata, ...more }) as unknown as KubeObject;
const defined = ["clusteroperators", "clusterversions"].map((plural) =>
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", { name: `${plural}.config.openshift.io` }),
);
const cluster = object(
  "config.openshift.io/v1",
  "ClusterVersion",
  { name: "version" },
  { status: { desired: { version: "4.18.1" } } },
);
const operatorOf = (name: string): KubeObject => object("config.openshift.io/v1", "ClusterOperator", { name });
const supporting = (version: string): string => JSON.stringify([{ type: "olm.maxOpenShiftVersion", value: version }]);
const csvOf = (name: string, metadata: JsonObject): KubeObject =>
  object(
    "operators.coreos.com/v1alpha1",
    "ClusterServiceVersion",
    { namespace: "ns", name, ...metadata },
    { spec: { version: "1.0.0" }, status: { phase: "Succeeded" } },
  );
function revisionOf(number: number, version: string, status: string, owner = "ext"): KubeObject {
  return object(
    "olm.operatorframework.io/v1",
    "ClusterObjectSet",
    {
      name: `${owner}-${number}`,
      labels: { "olm.operatorframework.io/owner-name": owner },
      annotations: { "olm.properties": supporting(version) },
    },
    {
      spec: { lifecycleState: "Active", revision: number },
      status: { conditions: [{ type: "Succeeded", status }] },
    },
  );
}
const operators: ClusterOperators = {
  version: "1.2.3",
  names: { extensions: "olm", operators: "olm-v0", catalogs: "catalogs", packages: "packages" },
};

/** What the ClusterOperator shows of the condition Upgradeable, and of Progressing for packages. */
async function shown(name: string, ...held: readonly KubeObject[]): Promise<string> {
  const controllers = [...operatorReportControllers(operators), ...extensionReportControllers(operators)];
  const lines: string[] = [];
  for (const controller of controllers) {
    const { cluster: written, error } = await passOf(controller, { name }, [
      ...defined,
      cluster,
      operatorOf(name),
      ...held,
    ]);
    assert.equal(error, undefined);
    for (const write of written.requests) {
      assert.equal(write.verb, "replace");
      const { conditions = [] } = (write.object as ClusterOperator).status ?? {};
      const wanted = name === "packages" ? "Progressing" : "Upgradeable";
      for (const { type, status, message = "" } of conditions)
        if (type === wanted) lines.push(`${status} ${message.split("\n").at(-1)}`.trimEnd());
    }
  }
  return lines.join("; ");
}

const projected = { annotations: { "operatorframework.io/properties": supporting("4.18") } };
const written = { annotations: { "olm.properties": supporting("4.18") } };
const tooOld = (name: string): string => `False - maximum supported OCP version for ${name} is 4.18`;
for (const [what, name, held, expected] of [
  ["nothing that is installed", "olm-v0", [], "True"],
  ["a CSV by the properties of its bundle", "olm-v0", [csvOf("a.v1", projected)], tooOld("ns/a.v1")],
  ["a CSV by the properties of its author", "olm-v0", [csvOf("a.v1", written)], tooOld("ns/a.v1")],
  [
    "a CSV by those of its bundle first",
    "olm-v0",
    [csvOf("a.v1", { annotations: { ...projected.annotations, "olm.properties": supporting("4.20") } })],
    tooOld("ns/a.v1"),
  ],
  ["no copy of a CSV", "olm-v0", [csvOf("a.v1", { ...projected, labels: { "olm.copiedFrom": "other" } })], "True"],
  ["catalogs", "catalogs", [csvOf("a.v1", projected)], "True"],
  [
    "the package server by its label",
    "packages",
    [csvOf("a.v1", {}), csvOf("b.v1", { labels: { "olm.clusteroperator.name": "packages" } })],
    "False Deployed version 1.0.0",
  ],
  ["an extension by its installed bundle", "olm", [revisionOf(1, "4.18", "True")], tooOld("ext")],
  [
    "no extension by a bundle that is rolled out",
    "olm",
    [revisionOf(1, "4.20", "True"), revisionOf(2, "4.18", "False")],
    "True",
  ],
  ["no extension without an installed bundle", "olm", [revisionOf(1, "4.18", "False")], "True"],
  ["each extension", "olm", [revisionOf(1, "4.20", "True"), revisionOf(1, "4.18", "True", "other")], tooOld("other")],
] as const)
  test(`a ClusterOperator reports ${what}`, async () => assert.equal(await shown(name, ...held), expected));

test("a ClusterOperator without a name is not kept", () => {
  const names = (given: ClusterOperators["names"]): readonly string[] => {
    const some: ClusterOperators = { version: "1.2.3", names: given };
    return [...operatorReportControllers(some), ...extensionReportControllers(some)].map(({ name }) => name);
  };
  assert.deepEqual(names({}), []);
  assert.deepEqual(names({ catalogs: "a" }), ["cluster-operator-v0"]);
  assert.deepEqual(names({ extensions: "a" }), ["cluster-operator-v1"]);
});
