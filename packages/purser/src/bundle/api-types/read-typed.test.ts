import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { canonicalQuantity } from "./canonical-quantity.ts";
import { asDecoder, readTyped } from "./read-typed.ts";
import { writeTyped } from "./write-typed.ts";

test("an amount is written as Kubernetes writes it", () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ["1024Mi", "1Gi"],
    ["100Mi", "100Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.5", "500m"],
    ["0100m", "0100m"],
    ["1e3", "1e3"],
    ["1000", "1k"],
    ["0", "0"],
    ["1500m", "1500m"],
    ["lots", undefined],
  ];
  for (const [text, canonical] of table) assert.equal(canonicalQuantity(text), canonical, text);
});

test("a CSV's version may lack parts, and leading zeros do not count", () => {
  const read = (version: string): string => {
    const csv = readTyped("csv.ClusterServiceVersion", { spec: { version } });
    return csv.ok ? (JSON.stringify(csv.value).match(/"version":"([^"]*)"/)?.[1] ?? "") : csv.problem.message;
  };
  const table: readonly (readonly [string, string])[] = [
    ["v1.2", "1.2.0"],
    ["01.002.3", "1.2.3"],
    ["1.2-rc", "Short version cannot contain PreRelease/Build meta data"],
    ["", 'strconv.ParseUint: parsing "": invalid syntax'],
  ];
  assert.deepEqual(
    table.map(([version]) => [version, read(version)]),
    table,
  );
});

test("reading through a type drops unknown members and adds those that Go always writes", () => {
  const read = readTyped("Deployment", {
    kind: "Deployment",
    bogus: 1,
    spec: { template: { spec: { containers: [{ name: "c", env: [] }] } } },
  });
  assert.ok(read.ok);
  assert.deepEqual(read.value, {
    kind: "Deployment",
    metadata: {},
    spec: {
      selector: null,
      template: { metadata: {}, spec: { containers: [{ name: "c", resources: {} }] } },
      strategy: {},
    },
    status: {},
  });
});

test("an amount that is null is zero", () => {
  const resources = { limits: { cpu: null, memory: "1024Mi" } };
  const read = readTyped("Deployment", { spec: { template: { spec: { containers: [{ name: "c", resources }] } } } });
  assert.ok(read.ok);
  assert.match(JSON.stringify(read.value), /"resources":\{"limits":\{"cpu":"0","memory":"1Gi"\}\}/);
});

test("a value of the wrong shape is refused with its place", () => {
  const read = readTyped("Deployment", { spec: { template: { spec: { containers: {} } } } });
  assert.deepEqual(read, {
    ok: false,
    problem: { pointer: "/spec/template/spec/containers", message: "cannot restore slice from map" },
  });
});

test("only Go's own decoder folds the case of keys", () => {
  const csv = { spec: { MinKubeVersion: "1.30.0" } };
  const exact = readTyped("csv.ClusterServiceVersion", csv);
  const folded = readTyped("csv.ClusterServiceVersion", csv, asDecoder);
  assert.ok(exact.ok && folded.ok);
  assert.equal(JSON.stringify(exact.value).includes("minKubeVersion"), false);
  assert.equal(JSON.stringify(folded.value).includes('"minKubeVersion":"1.30.0"'), true);
});

test("text is written with members in declared order, map keys sorted and HTML escaped", () => {
  const rule = { apiGroups: ["<&>"], verbs: ["get"] };
  assert.equal(writeTyped("PolicyRule", rule), '{"verbs":["get"],"apiGroups":["\\u003c\\u0026\\u003e"]}');
  assert.equal(writeTyped("{}string", { "10": "b", "2": "a" }), '{"10":"b","2":"a"}');
});

test("maps may have the keys __proto__ and constructor", () => {
  const read = readTyped("ObjectMeta", JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}') as never);
  assert.ok(read.ok);
  assert.equal(JSON.stringify(read.value), '{"labels":{"__proto__":"x","constructor":"y"}}');
});

test("Go's decoder names the field and its type; the first in the text counts, but for what a type's own parser refuses", () => {
  const csv = (spec: JsonObject): string => {
    const read = readTyped("csv.ClusterServiceVersion", { spec }, asDecoder);
    return read.ok ? "" : `${read.problem.pointer} ${read.problem.message.replace("json: cannot unmarshal ", "")}`;
  };
  const into = (field: string, type: string): string => `into Go struct field ${field} of type ${type}`;
  const rules = [{ verbs: [["get"]] }];
  assert.deepEqual(
    [
      csv({ displayName: ["a"] }),
      csv({ relatedImages: { a: 1 } }),
      csv({ relatedImages: [{ image: {} }] }),
      csv({ install: { spec: { clusterPermissions: [{ rules }] } } }),
      csv({ annotations: { a: 1 }, labels: 1, icon: "x" }),
      csv({ install: { spec: { deployments: [{ spec: { replicas: 1.5 } }] } } }),
      csv({ displayName: 1, version: "1.2.3-" }),
    ],
    [
      `/spec/displayName array ${into("ClusterServiceVersionSpec.spec.displayName", "string")}`,
      `/spec/relatedImages object ${into("ClusterServiceVersionSpec.spec.relatedImages", "[]v1alpha1.RelatedImage")}`,
      `/spec/relatedImages/0/image object ${into("RelatedImage.spec.relatedImages.image", "string")}`,
      `/spec/install/spec/clusterPermissions/0/rules/0/verbs/0 array ${into("PolicyRule.spec.install.spec.clusterPermissions.rules.verbs", "string")}`,
      `/spec/annotations/a number ${into("ClusterServiceVersionSpec.spec.annotations", "string")}`,
      `/spec/install/spec/deployments/0/spec/replicas number 1.5 ${into("DeploymentSpec.spec.install.spec.deployments.spec.replicas", "int32")}`,
      "/spec/version Prerelease is empty",
    ],
  );
  const metadata = readTyped("ObjectMeta", { name: true }, { ...asDecoder, under: ["metadata"] });
  assert.equal(
    metadata.ok || metadata.problem.message,
    `json: cannot unmarshal bool ${into("ObjectMeta.metadata.name", "string")}`,
  );
  const items = readTyped(
    "Deployment",
    { spec: { template: { spec: { containers: [...Array(10).fill({}), 1, 2] } } } },
    asDecoder,
  );
  assert.equal(items.ok || items.problem.pointer, "/spec/template/spec/containers/10");
});

test("the decoder refuses integers out of their range, the converter takes them", () => {
  const refused = (field: string, value: number): string | undefined => {
    const read = readTyped("DeploymentSpec", { template: {}, [field]: value }, asDecoder);
    return read.ok ? undefined : read.problem.message;
  };
  const inField = "into Go struct field DeploymentSpec.replicas of type int32";
  assert.deepEqual(
    [2 ** 31 - 1, -(2 ** 31), 2 ** 31, -(2 ** 31) - 1, 1e21].map((value) => refused("replicas", value)),
    [
      undefined,
      undefined,
      `json: cannot unmarshal number 2147483648 ${inField}`,
      `json: cannot unmarshal number -2147483649 ${inField}`,
      `json: cannot unmarshal number 1e+21 ${inField}`,
    ],
  );
  assert.ok(readTyped("DeploymentSpec", { replicas: 1e21 }).ok);
});
