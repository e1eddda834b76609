import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { explanationOf } from "./explained.ts";
import type { NormalForm } from "./normal-form.ts";
import type { Operation } from "./operation.ts";

const past = { emptied: false };
const form = (code: number, body: NormalForm["body"] = {}, warnings: readonly string[] = []): NormalForm => ({
  code,
  warnings,
  body,
});
const operation = (change: object): Operation =>
  ({
    subject: { kind: "ConfigMap" },
    method: "PATCH",
    path: "/a",
    contentType: "",
    body: "",
    ...change,
  }) as unknown as Operation;

const refusal = (code: number, reason: string, message = "", causes: readonly string[] = []): NormalForm =>
  form(code, { kind: "Status", status: "Failure", reason, message, details: { causes } });
const invalid = (...fields: readonly string[]): NormalForm =>
  refusal(
    422,
    "Invalid",
    "is invalid",
    fields.map((field) => JSON.stringify([field, "FieldValueInvalid", "Invalid value"])),
  );
const object = (kind: string, metadata: JsonObject = {}, more: JsonObject = {}): NormalForm =>
  form(200, { kind, metadata: { name: "a", ...metadata }, ...more });

interface Rule {
  readonly what: string;
  readonly asked: Operation;
  readonly past?: { readonly emptied: boolean };
  /** Answers of kube-apiserver and of ours that the rule explains. */
  readonly explained: readonly (readonly [real: NormalForm, ours: NormalForm])[];
  /** Wrong answers of ours, or answers of kube-apiserver that the rule is not about. */
  readonly unexplained: readonly (readonly [real: NormalForm, ours: NormalForm])[];
}

const closed = form(0, "closed");
const yaml = (message: string): NormalForm =>
  refusal(400, "BadRequest", `error converting YAML to JSON: yaml: ${message}`);
const cel = (message: string, place = "1:10"): NormalForm =>
  refusal(422, "Invalid", "", [
    `compilation failed: ERROR: <input>:${place}: Syntax error: ${message}\\n | x(\\n | .^`,
  ]);
const versions = (quoted: string): NormalForm =>
  refusal(422, "Invalid", `Invalid value: {"OpenAPIV3Schema":{"Properties":${quoted}}}: must have one`);
const key = (text: string, start = "failed to create typed patch object"): NormalForm =>
  refusal(500, "", `${start}: .spec.mp: [k=${text}]: field not declared`);
const timed = (change: JsonObject): JsonObject => ({
  deletionTimestamp: "TIME",
  deletionGracePeriodSeconds: 0,
  ...change,
});
const conflict = refusal(409, "Conflict", "the object has been modified; please apply your changes");
const job = { kind: "Job", controlled: true };

const rules: readonly Rule[] = [
  {
    what: "a connection closed on a merge key that is not a scalar",
    asked: operation({ contentType: "application/strategic-merge-patch+json" }),
    explained: [
      [closed, invalid("patch")],
      [closed, refusal(400, "BadRequest")],
    ],
    unexplained: [
      [closed, invalid("spec.containers")],
      [closed, refusal(422, "BadRequest")],
      [closed, refusal(403, "Forbidden")],
      [closed, refusal(409, "Conflict")],
      [closed, form(422)],
      [closed, object("ConfigMap")],
      [closed, refusal(500, "InternalError")],
      [form(0, "a"), form(0, "b")],
      [object("ConfigMap"), invalid("patch")],
    ],
  },
  {
    what: "a connection closed on selectable fields of a schema that is not structural",
    asked: operation({ subject: { kind: "CustomResourceDefinition" }, body: '{"selectableFields":[]}' }),
    explained: [
      [closed, invalid("spec.validation.openAPIV3Schema.type")],
      [closed, invalid("metadata.name", "spec.selectableFields[0].jsonPath")],
    ],
    unexplained: [
      [closed, invalid("metadata.name")],
      [closed, invalid()],
      [closed, object("CustomResourceDefinition")],
      [closed, refusal(400, "BadRequest")],
    ],
  },
  {
    what: "a connection closed on a Service that becomes headless with two IP families",
    asked: operation({
      subject: { kind: "Service" },
      body: '{"spec":{"clusterIP":"None","ipFamilyPolicy":"RequireDualStack"}}',
    }),
    explained: [
      [closed, invalid("spec.clusterIPs[0]")],
      [closed, invalid("spec.ipFamilyPolicy")],
    ],
    unexplained: [
      [closed, invalid("spec.ports")],
      [closed, object("Service")],
      [closed, refusal(500, "InternalError")],
    ],
  },
  {
    what: "an empty map in a quoted list of versions",
    asked: operation({}),
    explained: [
      [versions("null"), versions("{}")],
      [versions("{}"), versions("null")],
    ],
    unexplained: [
      [versions("null"), versions("[]")],
      [versions("null"), versions("{} ")],
      [versions("null"), refusal(422, "Invalid", 'Invalid value: {"OpenAPIV3Schema":{}}: must have one')],
      [versions("null"), { ...versions("{}"), code: 400 }],
    ],
  },
  {
    what: "an error text of the YAML parser",
    asked: operation({ contentType: "application/apply-patch+yaml" }),
    explained: [
      [yaml("line 3: did not find expected key"), yaml("line 2: found character that cannot start any token")],
      [yaml("line 3: did not find expected key"), yaml("control characters are not allowed")],
    ],
    unexplained: [
      [yaml("line 3: did not find expected key"), yaml("")],
      [yaml("line 3: did not find expected key"), yaml("line 3: ")],
      [yaml("line 3: did not find expected key"), yaml("undefined")],
      [yaml("line 3: did not find expected key"), refusal(400, "BadRequest", "cannot be read")],
      [yaml("line 3: did not find expected key"), { ...yaml("line 3: found no key"), code: 422 }],
      [yaml("line 3: did not find expected key"), { ...yaml("line 3: found no key"), warnings: ["a"] }],
    ],
  },
  {
    what: "an error text of the CEL parser",
    asked: operation({}),
    explained: [[cel("mismatched input '<EOF>'"), cel("Unexpected token: EOF")]],
    unexplained: [
      [cel("mismatched input '<EOF>'"), cel("")],
      [cel("mismatched input '<EOF>'"), cel("Unexpected token: EOF", "1:1")],
      [cel("mismatched input '<EOF>'"), invalid("spec")],
      [invalid("spec"), invalid("status")],
    ],
  },
  {
    what: "an empty list in metadata that kube-apiserver stores invisibly",
    asked: operation({ subject: { kind: "Foo", custom: true } }),
    past: { emptied: true },
    explained: [[object("Foo", { resourceVersion: "changed" }), object("Foo", { resourceVersion: "unchanged" })]],
    unexplained: [
      [object("Foo", { resourceVersion: "unchanged" }), object("Foo", { resourceVersion: "changed" })],
      [
        object("Foo", { resourceVersion: "changed" }),
        object("Foo", { resourceVersion: "unchanged", labels: { a: "b" } }),
      ],
      [object("Foo", { resourceVersion: "changed" }), object("Foo")],
    ],
  },
  {
    what: "a list key that is a map",
    asked: operation({}),
    explained: [[key("map[a:1"), key('{"a":1}')]],
    unexplained: [
      [key("map[a:1"), key("")],
      [key("map[a:1", "failed"), key('{"a":1}', "failed")],
      [key("map[a:1"), key("x]: other [k=y")],
    ],
  },
  {
    what: "a protection finalizer that a controller restored",
    asked: operation({ subject: { kind: "PersistentVolume" } }),
    explained: [
      [object("PersistentVolume", timed({})), object("PersistentVolume")],
      [
        object("PersistentVolume", { managedFields: [{ fieldsV1: { "f:finalizers": { "v:a": {} } } }] }),
        object("PersistentVolume", { managedFields: [{ fieldsV1: { "f:finalizers": { ".": {}, "v:a": {} } } }] }),
      ],
      [
        refusal(422, "Invalid", '{"finalizers":["a","kubernetes.io/pv-protection"],"name":"a"}'),
        refusal(422, "Invalid", '{"finalizers":["a"],"name":"a"}'),
      ],
    ],
    unexplained: [
      [object("PersistentVolume"), object("PersistentVolume", timed({}))],
      [object("PersistentVolume", timed({})), object("PersistentVolume", { labels: { a: "b" } })],
      [
        object("PersistentVolume", { managedFields: [{ fieldsV1: { "f:finalizers": { ".": {}, "v:a": {} } } }] }),
        object("PersistentVolume", { managedFields: [{ fieldsV1: { "f:finalizers": { "v:a": {} } } }] }),
      ],
      [
        refusal(422, "Invalid", '{"finalizers":["a"],"name":"a"}'),
        refusal(422, "Invalid", '{"finalizers":["a","kubernetes.io/pv-protection"],"name":"a"}'),
      ],
      [object("PersistentVolume", timed({})), form(404)],
    ],
  },
  {
    what: "a conflict with a controller of the real cluster",
    asked: operation({ subject: job, body: '{"a":"{{rv}}"}' }),
    explained: [
      [conflict, object("Job")],
      [conflict, { ...object("Job"), code: 201 }],
    ],
    unexplained: [
      [conflict, object("Pod")],
      [conflict, form(200, { kind: "Status", status: "Success" })],
      [conflict, form(200)],
      [conflict, invalid("spec")],
      [conflict, form(500)],
      [refusal(409, "Conflict", "another reason"), object("Job")],
    ],
  },
  {
    what: "a conflict about a scale",
    asked: operation({ subject: job, path: "/a/scale", body: '{"a":"{{rv}}"}' }),
    explained: [[conflict, object("Scale")]],
    unexplained: [[conflict, object("Job")]],
  },
  {
    what: "a conflict about a deletion",
    asked: operation({ subject: job, method: "DELETE", body: '{"a":"{{rv}}"}' }),
    explained: [
      [conflict, form(200, { kind: "Status", status: "Success" })],
      [conflict, object("Job")],
    ],
    unexplained: [[conflict, form(200, { kind: "Status", status: "Failure" })]],
  },
  {
    what: "a pod that the garbage collector deletes",
    asked: operation({ subject: { kind: "Pod" } }),
    explained: [[object("Pod", timed({}), { status: { phase: "Failed" } }), object("Pod", timed({}), { status: {} })]],
    unexplained: [
      [object("Pod", timed({}), { status: { phase: "Failed" } }), object("Pod", {}, { status: {} })],
      [object("Pod", timed({}), { status: { phase: "Failed" } }), object("Pod", timed({}), { spec: {} })],
      [object("Pod", {}, { status: { phase: "Failed" } }), object("Pod", {}, { status: {} })],
    ],
  },
  {
    what: "labels of a Job that kube-apiserver stores with the next write",
    asked: operation({ subject: { kind: "Job" } }),
    explained: [[object("Job", { resourceVersion: "changed" }), object("Job", { resourceVersion: "unchanged" })]],
    unexplained: [
      [object("Job", { resourceVersion: "unchanged" }), object("Job", { resourceVersion: "changed" })],
      [object("Job", { resourceVersion: "changed" }), object("Job", { resourceVersion: "unchanged" }, { spec: {} })],
    ],
  },
];

for (const { what, asked, past: before = past, explained, unexplained } of rules)
  test(`${what} explains what ours must answer then, and no other answer of ours`, () => {
    const isExplained = ([real, ours]: readonly [NormalForm, NormalForm]): boolean =>
      explanationOf(asked, real, ours, before) !== undefined;
    assert.deepEqual(
      explained.map(isExplained),
      explained.map(() => true),
    );
    assert.deepEqual(
      unexplained.map(isExplained),
      unexplained.map(() => false),
    );
  });

test("without an empty list in its past a custom resource has no difference of revisions", () => {
  const asked = operation({ subject: { kind: "Foo", custom: true } });
  const [real, ours] = ["changed", "unchanged"].map((resourceVersion) => object("Foo", { resourceVersion }));
  assert.ok(real !== undefined && ours !== undefined);
  assert.equal(explanationOf(asked, real, ours, past), undefined);
});

test("a garbage collector that is late explains an object that is deleted here or kept by other finalizers, and nothing else", () => {
  const removal = operation({ subject: { kind: "Foo", custom: true }, method: "DELETE" });
  const kept = (finalizers: readonly string[] | undefined, labels: object = {}): NormalForm["body"] =>
    ({
      kind: "Foo",
      metadata: { ...(finalizers === undefined ? {} : { finalizers }), labels, name: "a" },
    }) as NormalForm["body"];
  const isExplained = (late: NormalForm, ours: NormalForm): boolean =>
    explanationOf(removal, late, ours, past) !== undefined;
  for (const added of ["orphan", "foregroundDeletion"]) {
    const alone = form(200, kept([added]));
    const deleted = form(200, { kind: "Status", status: "Success" });
    const rows: readonly (readonly [NormalForm, NormalForm, boolean])[] = [
      [alone, form(404), true],
      [alone, deleted, true],
      [alone, form(200, kept(undefined)), true],
      [form(200, kept(["a", added])), form(200, kept(["a"])), true],
      [form(200, kept([added, "a"])), form(200, kept(["a"])), true],
      [form(200, kept(["a", added])), form(200, kept([])), false],
      [alone, form(200, kept(undefined, { b: "c" })), false],
      [form(409, kept([added])), form(404), false],
      [form(200, kept(["a"])), form(404), false],
      [alone, form(403), false],
      [alone, form(500), false],
    ];
    assert.deepEqual(
      rows.map(([late, ours]) => isExplained(late, ours)),
      rows.map(([, , wanted]) => wanted),
    );
  }
});
