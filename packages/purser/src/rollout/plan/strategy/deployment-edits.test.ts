import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { editedField, isInstalled } from "./deployment-edits.ts";

const port = { containerPort: 80, name: "http" };
const container = {
  name: "c",
  image: "i:1",
  args: ["--serve"],
  env: [{ name: "A", value: "1" }],
  ports: [port],
  resources: { limits: { cpu: "1000m" } },
};
const pod = { nodeSelector: { zone: "a" }, containers: [container] };
const wanted = { metadata: { labels: { app: "d" } }, spec: { replicas: 2, template: { spec: pod } } };

const label = { "f:metadata": { "f:labels": { "f:olm.deployment-spec-hash": {} } } };
const inContainer = (fields: JsonObject): JsonObject => ({
  "f:template": { "f:spec": { "f:containers": { 'k:{"name":"c"}': fields } } },
});
const entry = (manager: string, fields: JsonObject, subresource?: string): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1: fields,
  ...(subresource === undefined ? {} : { subresource }),
});
/** The installer owns the hash and this of the spec. */
const installer = (spec: JsonObject): ManagedFieldsEntry => entry("installer", { ...label, "f:spec": spec });
const other = (spec: JsonObject, subresource?: string): ManagedFieldsEntry =>
  entry("other", { "f:spec": spec }, subresource);

const portKey = 'k:{"containerPort":80,"protocol":"TCP"}';
const named = inContainer({ ".": {}, "f:name": {}, "f:ports": { [portKey]: { ".": {}, "f:name": {} } } });

interface Row {
  readonly what: string;
  readonly pod?: object;
  readonly container?: object;
  readonly replicas?: number;
  readonly managers: readonly ManagedFieldsEntry[];
  readonly strategy?: JsonObject;
  readonly field: string | undefined;
}

const place = "spec.template.spec.containers[name=c]";
const rows: readonly Row[] = [
  { what: "nothing differs", managers: [installer(named)], field: undefined },
  {
    what: "the image belongs to another manager",
    container: { image: "i:2" },
    managers: [installer(named), other(inContainer({ "f:image": {} }))],
    field: `${place}.image`,
  },
  {
    what: "nobody is known to have installed it",
    container: { image: "i:2" },
    managers: [other(inContainer({ "f:image": {} }))],
    field: undefined,
  },
  {
    what: "the image differs but the installer wrote it, which an admission webhook may have changed",
    container: { image: "mirror/i:1" },
    managers: [installer(inContainer({ "f:image": {} }))],
    field: undefined,
  },
  {
    what: "an amount is written in another way",
    container: { resources: { limits: { cpu: "1" } } },
    managers: [installer(named), other(inContainer({ "f:resources": {} }))],
    field: undefined,
  },
  {
    what: "an amount was changed",
    container: { resources: { limits: { cpu: "2" } } },
    managers: [installer(named), other(inContainer({ "f:resources": { "f:limits": { "f:cpu": {} } } }))],
    field: `${place}.resources.limits.cpu`,
  },
  {
    what: "a member is missing, which the server may have dropped",
    container: { resources: {} },
    managers: [installer(named)],
    field: undefined,
  },
  {
    what: "the arguments are missing",
    container: { args: undefined },
    managers: [installer(named)],
    field: `${place}.args`,
  },
  {
    what: "a whole list was changed",
    container: { args: ["--other"] },
    managers: [installer(named), other(inContainer({ "f:args": {} }))],
    field: `${place}.args`,
  },
  {
    what: "the container is missing",
    pod: { containers: [{ name: "x", image: "i" }] },
    managers: [installer({ "f:template": { "f:spec": { "f:containers": { 'k:{"name":"x"}': { "f:name": {} } } } } })],
    field: place,
  },
  {
    what: "an item is found by a key with a default member",
    container: { ports: [{ ...port, protocol: "TCP" }] },
    managers: [installer(named)],
    field: undefined,
  },
  {
    what: "a member of an item was changed that has a default in its key",
    container: { ports: [{ ...port, protocol: "TCP", name: "web" }] },
    managers: [
      installer(inContainer({ "f:ports": { [portKey]: { ".": {} } } })),
      other(inContainer({ "f:ports": { [portKey]: { "f:name": {} } } })),
    ],
    field: `${place}.ports[containerPort=80].name`,
  },
  {
    what: "a map was replaced as a whole by another manager",
    pod: { nodeSelector: { zone: "b" } },
    managers: [installer(named), other({ "f:template": { "f:spec": { "f:nodeSelector": {} } } })],
    field: "spec.template.spec.nodeSelector.zone",
  },
  {
    what: "a map differs that the installer owns as a whole",
    pod: { nodeSelector: { zone: "b" } },
    managers: [installer({ "f:template": { "f:spec": { "f:nodeSelector": {} } } })],
    field: undefined,
  },
  {
    what: "something was added",
    container: {
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      stdin: true,
    },
    managers: [
      installer(inContainer({ "f:env": { 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} } } })),
      other(inContainer({ "f:stdin": {}, "f:env": { 'k:{"name":"B"}': { ".": {} } } })),
    ],
    field: undefined,
  },
  {
    what: "it was scaled to 0",
    replicas: 0,
    managers: [installer(named), other({ "f:replicas": {} }, "scale")],
    field: "spec.replicas",
  },
  {
    what: "it was scaled to 0 and the strategy has no number",
    replicas: 0,
    strategy: {},
    managers: [installer(named), other({ "f:replicas": {} }, "scale")],
    field: "spec.replicas",
  },
  {
    what: "it was scaled to another number",
    replicas: 7,
    managers: [installer(named), other({ "f:replicas": {} }, "scale")],
    field: undefined,
  },
  {
    what: "the number of replicas was edited",
    replicas: 7,
    managers: [installer(named), other({ "f:replicas": {} })],
    field: "spec.replicas",
  },
  {
    what: "the number of replicas was edited after it had been scaled",
    replicas: 7,
    managers: [installer(named), other({ "f:paused": {} }, "scale"), other({ "f:replicas": {} })],
    field: "spec.replicas",
  },
  {
    what: "the number of replicas was edited and the strategy has none",
    replicas: 7,
    strategy: {},
    managers: [installer(named), other({ "f:replicas": {} })],
    field: undefined,
  },
  {
    what: "the installer wrote another number",
    replicas: 0,
    managers: [installer({ ...named, "f:replicas": {} })],
    field: undefined,
  },
];

function liveOf(row: Omit<Row, "what" | "field">): Deployment {
  const template = { spec: { ...pod, containers: [{ ...container, ...row.container }], ...row.pod } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", labels: { app: "d", more: "1" }, managedFields: row.managers },
    spec: { replicas: row.replicas ?? 2, template, selector: {} },
  } as unknown as Deployment;
}

for (const row of rows)
  test(`the edited field is ${row.field ?? "none"} when ${row.what}`, () => {
    const { replicas, ...rest } = wanted.spec;
    const spec = row.strategy ?? { replicas };
    assert.equal(editedField(liveOf(row), { ...wanted, spec: { ...rest, ...spec } } as JsonObject), row.field);
  });

const held: readonly (readonly [string, Omit<Row, "what" | "field">, boolean])[] = [
  ["all is as wanted", { managers: [installer(named)] }, true],
  ["its managers are not known", { managers: [] }, false],
  [
    "others added members and items",
    { container: { env: [{ name: "B" }, ...container.env], stdin: true }, managers: [installer(named)] },
    true,
  ],
  ["a member is missing", { container: { args: undefined }, managers: [installer(named)] }, false],
  ["an item is missing", { container: { env: [{ name: "B", value: "1" }] }, managers: [installer(named)] }, false],
  ["a list is absent", { pod: { containers: undefined }, managers: [installer(named)] }, false],
  ["a value differs", { container: { image: "i:2" }, managers: [installer(named)] }, false],
  [
    "an amount is written in another way",
    { container: { resources: { limits: { cpu: "1" } } }, managers: [installer(named)] },
    true,
  ],
  ["an autoscaler scaled it", { replicas: 7, managers: [other({ "f:replicas": {} }, "scale")] }, true],
  ["it was scaled to 0", { replicas: 0, managers: [other({ "f:replicas": {} }, "scale")] }, false],
  ["its replicas were edited", { replicas: 7, managers: [other({ "f:replicas": {} })] }, false],
];
for (const [what, row, expected] of held)
  test(`a Deployment is ${expected ? "left as it is" : "written"} when ${what}`, () =>
    assert.equal(isInstalled(liveOf(row), wanted as unknown as JsonObject), expected));
