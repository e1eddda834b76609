import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { mergeSchemaOf } from "./builtin-merge-schemas.ts";
import { applyServerSide } from "./apply-server-side.ts";
import { updateManagedFields } from "./managed-fields.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { mergeSchemaOfStructural } from "./crd-merge-schema.ts";
import { compileSchema } from "../schema/structural-schema.ts";

function textOf(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

/** A minimal server: one object, a clock that ticks with every write. */
class Bench {
  live: JsonObject | undefined;
  #tick = 0;
  readonly #apiVersion: string;
  readonly schema: MergeSchema;
  readonly head: JsonObject;

  constructor(schema: MergeSchema | undefined, head: JsonObject) {
    assert.ok(schema !== undefined);
    this.schema = schema;
    this.head = head;
    this.#apiVersion = textOf(head, "apiVersion");
  }

  #now(): string {
    return new Date(Date.UTC(2026, 0, 1) + 1000 * this.#tick++).toISOString().replace(".000", "");
  }

  #base(): JsonObject {
    return { ...this.head, metadata: { name: "x" } };
  }

  /** "same" for a no-op, else the message of a refusal or "". */
  apply(
    manager: string,
    body: JsonObject,
    options: { force?: boolean; subresource?: string; reset?: string[][] } = {},
  ): string {
    const result = allSteps(
      applyServerSide({
        ...(this.live === undefined ? {} : { live: this.live }),
        applied: { ...this.#base(), ...body },
        manager,
        force: options.force === true,
        apiVersion: this.#apiVersion,
        ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
        ...(options.reset === undefined ? {} : { resetFields: options.reset }),
        schema: this.schema,
        now: this.#now(),
      }),
    );
    if (!result.ok) return result.problem.message;
    this.live = result.value.object;
    return result.value.changed ? "" : "same";
  }

  update(manager: string, next: JsonObject, subresource?: string): void {
    const sent = { ...this.#base(), ...next };
    const fields = allSteps(
      updateManagedFields({
        ...(this.live === undefined ? {} : { old: this.live }),
        next: sent,
        manager,
        apiVersion: this.#apiVersion,
        ...(subresource === undefined ? {} : { subresource }),
        schema: this.schema,
        now: this.#now(),
      }),
    );
    const metadata: JsonObject = { ...(sent["metadata"] as JsonObject), managedFields: fields as unknown as JsonValue };
    this.live = { ...sent, metadata };
  }

  part(...path: string[]): JsonValue | undefined {
    let value: JsonValue | undefined = this.live;
    for (const key of path) value = (value as JsonObject | undefined)?.[key];
    return value;
  }

  owners(): JsonObject {
    const entries = (this.part("metadata", "managedFields") ?? []) as readonly JsonObject[];
    return Object.fromEntries(
      entries.map((entry) => [
        ["manager", "operation", "subresource"]
          .map((key) => textOf(entry, key))
          .filter((part) => part !== "")
          .join("/"),
        entry["fieldsV1"],
      ]),
    );
  }
}

const configMap = { apiVersion: "v1", kind: "ConfigMap" };
const configMapSchema = mergeSchemaOf({ group: "", version: "v1", kind: "ConfigMap" });

test("appliers and updaters of a ConfigMap", () => {
  const bench = new Bench(configMapSchema, configMap);
  const { apply, owners, data } = {
    apply: (manager: string, held: JsonObject | undefined, force = false) =>
      bench.apply(manager, held === undefined ? {} : { data: held }, { force }),
    owners: () => bench.owners(),
    data: () => bench.part("data"),
  };
  assert.equal(apply("m1", { a: "1", b: "1" }), "");
  assert.deepEqual(owners(), { "m1/Apply": { "f:data": { "f:a": {}, "f:b": {} } } });
  assert.equal(apply("m1", { a: "1", b: "1" }), "same");
  assert.equal(apply("m1", { a: "1" }), "");
  assert.deepEqual(data(), { a: "1" });
  assert.deepEqual(owners(), { "m1/Apply": { "f:data": { "f:a": {} } } });
  apply("m2", { c: "1" });
  assert.deepEqual(data(), { a: "1", c: "1" });
  assert.equal(apply("m2", { a: "2" }), 'Apply failed with 1 conflict: conflict with "m1": .data.a');
  apply("m2", { a: "2" }, true);
  assert.deepEqual(data(), { a: "2" });
  assert.deepEqual(owners(), { "m2/Apply": { "f:data": { "f:a": {} } } });
  assert.equal(apply("m1", { a: "2" }), "");
  assert.deepEqual(owners(), { "m1/Apply": { "f:data": { "f:a": {} } }, "m2/Apply": { "f:data": { "f:a": {} } } });
  apply("m1", {});
  assert.deepEqual(data(), { a: "2" });
  assert.deepEqual(owners(), { "m2/Apply": { "f:data": { "f:a": {} } }, "m1/Apply": { "f:data": {} } });
  apply("m1", undefined);
  assert.deepEqual(Object.keys(owners()), ["m2/Apply"]);
  bench.update("u1", { data: { a: "p", z: "z" } });
  assert.deepEqual(owners(), { "u1/Update": { "f:data": { "f:a": {}, "f:z": {} } } });
  assert.equal(apply("m1", { a: "q" }), 'Apply failed with 1 conflict: conflict with "u1" using v1: .data.a');
  apply("m1", { a: "q" }, true);
  assert.deepEqual(owners(), { "m1/Apply": { "f:data": { "f:a": {} } }, "u1/Update": { "f:data": { "f:z": {} } } });
});

test("an explicit null is owned", () => {
  const bench = new Bench(configMapSchema, configMap);
  bench.apply("m2", { data: { a: "2" } });
  bench.apply("m1", { data: { a: null } }, { force: true });
  assert.deepEqual(bench.owners(), { "m1/Apply": { "f:data": { "f:a": {} } } });
  assert.deepEqual(bench.part("data"), { a: null });
});

test("kubectl takes over its client-side apply", () => {
  const bench = new Bench(configMapSchema, configMap);
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const before = '{"apiVersion":"v1","data":{"a":"1","b":"1"},"kind":"ConfigMap","metadata":{"name":"x"}}\n';
  bench.update("kubectl-client-side-apply", {
    data: { a: "1", b: "1" },
    metadata: { name: "x", annotations: { [annotation]: before } },
  });
  assert.equal(bench.apply("kubectl", { data: { a: "1" } }), "");
  assert.deepEqual(bench.part("data"), { a: "1", b: "1" });
  assert.equal(
    bench.part("metadata", "annotations", annotation),
    '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
  );
  assert.equal(
    bench.apply("argo", { data: { a: "2" } }),
    'Apply failed with 2 conflicts: conflicts with "kubectl":\n- .data.a\nconflicts with "kubectl-client-side-apply" using v1:\n- .data.a',
  );
});

test("a configuration that does not fit its type is refused", () => {
  const bench = new Bench(configMapSchema, configMap);
  assert.equal(
    bench.apply("m1", { bogus: 1 }),
    "failed to create typed patch object (/x; /v1, Kind=ConfigMap): .bogus: field not declared in schema",
  );
  assert.equal(
    bench.apply("m1", { metadata: { name: "x", namespace: "demo" }, data: { a: 5 } }),
    "failed to create typed patch object (demo/x; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:5}",
  );
});

const deployment = { apiVersion: "apps/v1", kind: "Deployment" };
const deploymentSchema = mergeSchemaOf({ group: "apps", version: "v1", kind: "Deployment" });

function pods(...containers: JsonObject[]): JsonObject {
  return {
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers } },
    },
  };
}

function containerOwners(bench: Bench, manager: string): JsonValue | undefined {
  let value: JsonValue | undefined = bench.owners()[manager];
  for (const key of ["f:spec", "f:template", "f:spec", "f:containers"])
    value = (value as JsonObject | undefined)?.[key];
  return value;
}

const first = {
  name: "c1",
  image: "i1",
  args: ["x", "y"],
  env: [{ name: "E1", value: "1" }],
  ports: [{ containerPort: 80 }],
};

test("containers, env and ports merge by their keys", () => {
  const bench = new Bench(deploymentSchema, deployment);
  assert.equal(bench.apply("m1", pods(first)), "");
  assert.deepEqual(containerOwners(bench, "m1/Apply"), {
    'k:{"name":"c1"}': {
      ".": {},
      "f:args": {},
      "f:env": { 'k:{"name":"E1"}': { ".": {}, "f:name": {}, "f:value": {} } },
      "f:image": {},
      "f:name": {},
      "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
    },
  });
  assert.deepEqual((bench.owners()["m1/Apply"] as JsonObject)["f:spec"], {
    "f:selector": {},
    "f:template": {
      "f:metadata": { "f:labels": { "f:a": {} } },
      "f:spec": { "f:containers": containerOwners(bench, "m1/Apply") },
    },
  });
  bench.apply("m2", pods({ name: "c2", image: "i2" }));
  const names = (): readonly unknown[] =>
    (bench.part("spec", "template", "spec", "containers") as readonly JsonObject[]).map((c) => c["name"]);
  assert.deepEqual(names(), ["c1", "c2"]);
  assert.equal(
    bench.apply("m2", pods({ name: "c1", image: "iX", args: ["z"] }, { name: "c2", image: "i2" })),
    'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.template.spec.containers[name="c1"].args\n- .spec.template.spec.containers[name="c1"].image',
  );
  bench.apply("m2", pods({ name: "c1", env: [{ name: "E2", value: "2" }] }));
  assert.deepEqual(names(), ["c1"]);
  assert.deepEqual(containerOwners(bench, "m2/Apply"), {
    'k:{"name":"c1"}': {
      ".": {},
      "f:env": { 'k:{"name":"E2"}': { ".": {}, "f:name": {}, "f:value": {} } },
      "f:name": {},
    },
  });
  const [only] = bench.part("spec", "template", "spec", "containers") as readonly JsonObject[];
  assert.deepEqual(
    ((only?.["env"] ?? []) as readonly JsonObject[]).map((env) => env["name"]),
    ["E1", "E2"],
  );
  assert.match(
    bench.apply("m1", pods(first, first)),
    /\.spec\.template\.spec\.containers: duplicate entries for key \[name="c1"\]$/,
  );
  bench.apply("m1", pods({ name: "c1", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] }));
  const ports = (containerOwners(bench, "m1/Apply") as JsonObject)['k:{"name":"c1"}'] as JsonObject;
  assert.deepEqual(ports["f:ports"], {
    'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
    'k:{"containerPort":80,"protocol":"UDP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
  });
});

test("a nameless container is a second item, and c1 is kept by its other owner", () => {
  const bench = new Bench(deploymentSchema, deployment);
  bench.apply("m1", pods(first));
  bench.apply("m2", pods({ name: "c1", env: [{ name: "E2", value: "2" }] }));
  bench.apply("m1", pods({ image: "i" }));
  const containers = bench.part("spec", "template", "spec", "containers") as readonly JsonObject[];
  assert.deepEqual(containers, [{ name: "c1", env: [{ name: "E2", value: "2" }] }, { image: "i" }]);
});

test("scale and status have their own managers", () => {
  const bench = new Bench(deploymentSchema, deployment);
  bench.apply("m1", { spec: { ...(pods(first)["spec"] as JsonObject), replicas: 0 } });
  bench.update("scaler", { ...bench.live, spec: { ...(bench.part("spec") as JsonObject), replicas: 3 } }, "scale");
  assert.deepEqual(bench.owners()["scaler/Update/scale"], { "f:spec": { "f:replicas": {} } });
  assert.equal(
    bench.apply("m1", { spec: { ...(pods(first)["spec"] as JsonObject), replicas: 0 } }),
    'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
  );
  assert.equal(bench.apply("m1", pods(first)), "same");
  assert.equal(bench.part("spec", "replicas"), 3);
  const status = { observedGeneration: 1, conditions: [{ type: "Foo", status: "True" }] };
  bench.apply(
    "st",
    { metadata: { name: "x", labels: { l: "1" } }, spec: { replicas: 9 }, status },
    {
      subresource: "status",
      reset: [["spec"], ["metadata", "labels"]],
    },
  );
  assert.equal(bench.part("spec", "replicas"), 3);
  assert.deepEqual(bench.owners()["st/Apply/status"], {
    "f:status": {
      "f:conditions": { 'k:{"type":"Foo"}': { ".": {}, "f:status": {}, "f:type": {} } },
      "f:observedGeneration": {},
    },
  });
  assert.equal(bench.apply("mm", { status: { replicas: 5 } }, { reset: [["status"]] }), "same");
});

test("finalizers are a set, owner references are atomic items", () => {
  const bench = new Bench(configMapSchema, configMap);
  const meta = (finalizers?: string[]): JsonObject => ({
    metadata: { name: "x", ...(finalizers === undefined ? {} : { finalizers }) },
  });
  bench.apply("f1", meta(["x/a"]));
  bench.apply("f2", meta(["x/b", "x/a"]));
  assert.deepEqual(bench.part("metadata", "finalizers"), ["x/b", "x/a"]);
  bench.apply("f1", meta());
  assert.deepEqual(bench.part("metadata", "finalizers"), ["x/b", "x/a"]);
  bench.apply("f2", meta());
  assert.equal(bench.part("metadata", "finalizers"), undefined);
  assert.match(
    bench.apply("f2", meta(["x/b", "x/b"])),
    /\.metadata\.finalizers: duplicate entries for key \[="x\/b"\]$/,
  );
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "U" };
  bench.apply("o1", { metadata: { name: "x", ownerReferences: [owner] } });
  assert.deepEqual(bench.owners(), { "o1/Apply": { "f:metadata": { "f:ownerReferences": { 'k:{"uid":"U"}': {} } } } });
});

const crd = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        st: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        at: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "integer" } },
        plain: { type: "array", items: { type: "string" } },
        mp: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: { type: "string" }, v: { type: "string" }, w: { type: "string" } },
          },
        },
        am: { type: "object", "x-kubernetes-map-type": "atomic", properties: { x: { type: "integer" } } },
        gm: { type: "object", additionalProperties: { type: "string" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        dft: { type: "string", default: "D" },
        io: { "x-kubernetes-int-or-string": true },
        n: { type: "string", nullable: true },
      },
    },
  },
});

function customBench(): Bench {
  assert.ok(crd.ok);
  return new Bench(mergeSchemaOfStructural(crd.value), { apiVersion: "ex.io/v1", kind: "Ssa" });
}

const all = {
  a: "1",
  st: ["p", "q"],
  at: [1, 2],
  plain: ["x", "y"],
  mp: [
    { k: "k1", v: "v1" },
    { k: "k2", v: "v2" },
  ],
  am: { x: 1 },
  gm: { x: "1" },
  free: { l: [{ a: 1 }], m: { b: 2 } },
  io: 5,
  n: null,
};

test("lists, maps and unknown parts of a custom resource", () => {
  const bench = customBench();
  const apply = (manager: string, spec: JsonObject): string => bench.apply(manager, { spec });
  assert.equal(apply("m1", all), "");
  const item = { ".": {}, "f:k": {}, "f:v": {} };
  assert.deepEqual(bench.owners()["m1/Apply"], {
    "f:spec": {
      "f:a": {},
      "f:am": {},
      "f:at": {},
      "f:free": { "f:l": {}, "f:m": { ".": {}, "f:b": {} } },
      "f:gm": { "f:x": {} },
      "f:io": {},
      "f:mp": { 'k:{"k":"k1"}': item, 'k:{"k":"k2"}': item },
      "f:n": {},
      "f:plain": {},
      "f:st": { 'v:"p"': {}, 'v:"q"': {} },
    },
  });
  const more = {
    st: ["q", "r"],
    mp: [
      { k: "k3", v: "v3" },
      { k: "k1", w: "w" },
    ],
    gm: { y: "2" },
    free: { m: { c: 3 } },
  };
  assert.equal(apply("m2", more), "");
  assert.deepEqual(bench.part("spec", "st"), ["p", "q", "r"]);
  assert.deepEqual(bench.part("spec", "mp"), [
    { k: "k3", v: "v3" },
    { k: "k1", v: "v1", w: "w" },
    { k: "k2", v: "v2" },
  ]);
  assert.deepEqual(bench.part("spec", "free", "m"), { b: 2, c: 3 });
  assert.equal(apply("m2", { at: [1, 2, 3] }), 'Apply failed with 1 conflict: conflict with "m1": .spec.at');
  assert.equal(apply("m2", { at: [1, 2], am: { x: 1 } }), "");
  assert.deepEqual(bench.owners()["m2/Apply"], { "f:spec": { "f:am": {}, "f:at": {} } });
  assert.deepEqual(bench.part("spec", "st"), ["p", "q"]);
  assert.deepEqual(bench.part("spec", "free"), { l: [{ a: 1 }], m: { b: 2 } });
  assert.match(apply("m2", { plain: ["z", "y"] }), /\.spec\.plain$/);
  assert.match(apply("m2", { free: { l: [{ a: 2 }] } }), /\.spec\.free\.l$/);
  assert.equal(apply("m1", { a: "1", st: ["p"], mp: [{ k: "k1", v: "v1" }] }), "");
  assert.deepEqual(bench.part("spec"), { a: "1", st: ["p"], mp: [{ k: "k1", v: "v1" }], at: [1, 2], am: { x: 1 } });
  assert.equal(apply("m5", { dft: "E" }), "");
});

test("an updater and an applier of one name are two managers", () => {
  const bench = customBench();
  bench.apply("m1", { spec: { a: "1" } });
  bench.update("upd", { ...bench.live, spec: { a: "u" } });
  assert.deepEqual(bench.owners(), { "upd/Update": { "f:spec": { "f:a": {} } } });
  assert.match(bench.apply("m1", { spec: { a: "1" } }), /conflict with "upd" using ex\.io\/v1: \.spec\.a$/);
  assert.match(bench.apply("upd", { spec: { a: "u2" } }), /conflict with "upd" using ex\.io\/v1/);
  bench.apply("upd", { spec: { a: "u2" } }, { force: true });
  assert.deepEqual(bench.owners(), { "upd/Apply": { "f:spec": { "f:a": {} } } });
});

test("reset managed fields stay empty until an apply", () => {
  const bench = customBench();
  bench.update("c", { spec: { a: "1", dft: "D" } });
  bench.update("c", { metadata: { name: "x", managedFields: [{}] }, spec: { a: "1", dft: "D" } });
  assert.deepEqual(bench.owners(), {});
  bench.update("c", { ...bench.live, spec: { a: "2", dft: "D" } });
  assert.deepEqual(bench.owners(), {});
  assert.match(
    bench.apply("m1", { spec: { a: "3" } }),
    /conflict with "before-first-apply" using ex\.io\/v1: \.spec\.a$/,
  );
  bench.apply("m1", { spec: { n: "q" } });
  assert.deepEqual(bench.owners(), {
    "m1/Apply": { "f:spec": { "f:n": {} } },
    "before-first-apply/Update": { "f:spec": { ".": {}, "f:a": {}, "f:dft": {} } },
  });
});

test("an item of a keyed list without its keys is refused", () => {
  assert.match(
    customBench().apply("m1", { spec: { mp: [{ v: "1" }] } }),
    /: \.spec\.mp: element 0: associative list with keys has an element that omits all key fields \["k"\] \(and doesn't have default values for any key fields\)$/,
  );
});

test("the oldest updaters are merged", () => {
  const bench = customBench();
  bench.update("c", { spec: { a: "0" } });
  for (let i = 0; i < 13; i++) {
    const name = `u${String(i).padStart(2, "0")}`;
    bench.update(name, {
      ...bench.live,
      spec: { ...(bench.part("spec") as JsonObject), gm: { ...(bench.part("spec", "gm") as JsonObject), [name]: "1" } },
    });
  }
  const names = Object.keys(bench.owners()).map((owner) => owner.split("/")[0]);
  assert.deepEqual(names, ["ancient-changes", "u04", "u05", "u06", "u07", "u08", "u09", "u10", "u11", "u12"]);
});

test("merged lists follow the configuration's order around live-only items", () => {
  const order = (live: string[], config: string[]): JsonValue | undefined => {
    const bench = customBench();
    bench.apply("m1", { spec: { st: live } });
    bench.apply("m2", { spec: { st: config } });
    return bench.part("spec", "st");
  };
  assert.deepEqual(order(["k1", "k2"], ["k3", "k1"]), ["k3", "k1", "k2"]);
  assert.deepEqual(order(["p", "q"], ["q", "r"]), ["p", "q", "r"]);
  assert.deepEqual(order(["a"], ["b", "a"]), ["b", "a"]);
});
