import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Answer } from "../../cluster.ts";
import { owners } from "../../owners.ts";
import type { Row } from "../../row.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at } from "../../scene.ts";

const strings = { type: "array", items: { type: "string" } };
const numbers = { type: "array", items: { type: "integer" } };
const textMap = { type: "object", additionalProperties: { type: "string" } };
const pair = { type: "object", properties: { k: { type: "string" }, v: { type: "string" }, w: { type: "string" } } };
const specSchema = {
  type: "object",
  properties: {
    a: { type: "string" },
    st: { ...strings, "x-kubernetes-list-type": "set" },
    at: { ...numbers, "x-kubernetes-list-type": "atomic" },
    plain: strings,
    mp: {
      type: "array",
      items: { ...pair, required: ["k"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
    am: { ...textMap, "x-kubernetes-map-type": "atomic" },
    gm: textMap,
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    dft: { type: "string", default: "D" },
    io: { "x-kubernetes-int-or-string": true },
    n: { type: "string", nullable: true },
  },
};

const all = {
  a: "1",
  st: ["p", "q"],
  at: [1, 2],
  plain: ["x", "y"],
  mp: [
    { k: "k1", v: "v1" },
    { k: "k2", v: "v2" },
  ],
  am: { x: "1" },
  gm: { x: "1" },
  free: { l: [{ a: 1 }], m: { b: 2 } },
  io: "5",
  n: null,
};

async function define(scene: Scene): Promise<string> {
  const schema = { type: "object", properties: { spec: specSchema } };
  return scene.define(scene.definition("ssas", "Ssa", schema));
}

/** Helpers for a row with several applies to the custom resource `x`. */
interface Course {
  readonly scene: Scene;
  readonly path: string;
  readonly apply: (manager: string, spec: JsonObject, query?: string) => Promise<Answer>;
  readonly update: (manager: string, patch: JsonValue) => Promise<Answer>;
}

async function course(scene: Scene): Promise<Course> {
  const path = `${await define(scene)}/x`;
  return {
    scene,
    path,
    apply: (manager, spec, query) => scene.apply(path, manager, scene.object("Ssa", "x", { spec }), query),
    update: (manager, patch) => scene.merge(`${path}?fieldManager=${manager}`, patch),
  };
}

function story(row: number, name: string, run: (course: Course) => Promise<void>): Row {
  return { row, name, run: async (scene) => run(await course(scene)) };
}

const more = {
  st: ["q", "r"],
  mp: [
    { k: "k3", v: "v3" },
    { k: "k1", w: "w1" },
  ],
  gm: { y: "1" },
  free: { m: { c: 3 } },
};

/** All fields by m1, some more by m2. */
async function both({ apply }: Course): Promise<Answer> {
  await apply("m1", all);
  return apply("m2", more);
}

function spec({ object }: Answer): JsonObject {
  return object["spec"] as JsonObject;
}

const key = (name: string): string => `k:{"k":"${name}"}`;

export const customApplyRows: readonly Row[] = [
  story(184, "lists and maps are owned as the schema declares", async ({ apply }) => {
    const answer = await apply("m1", all);
    assert.equal(answer.code, 201, answer.text);
    assert.equal(spec(answer)["dft"], "D");
    assert.deepEqual(owners(answer.object), {
      "m1/Apply": {
        "f:spec": {
          "f:a": {},
          "f:am": {},
          "f:at": {},
          "f:free": { "f:l": {}, "f:m": { ".": {}, "f:b": {} } },
          "f:gm": { "f:x": {} },
          "f:io": {},
          "f:mp": {
            [key("k1")]: { ".": {}, "f:k": {}, "f:v": {} },
            [key("k2")]: { ".": {}, "f:k": {}, "f:v": {} },
          },
          "f:n": {},
          "f:plain": {},
          "f:st": { 'v:"p"': {}, 'v:"q"': {} },
        },
      },
    });
  }),
  story(185, "sets, map lists and maps merge", async (ssa) => {
    const answer = await both(ssa);
    assert.equal(answer.code, 200, answer.text);
    const { st, mp, gm, free } = spec(answer);
    assert.deepEqual(
      { st, mp, gm, m: at(free, "m") },
      {
        st: ["p", "q", "r"],
        mp: [
          { k: "k3", v: "v3" },
          { k: "k1", v: "v1", w: "w1" },
          { k: "k2", v: "v2" },
        ],
        gm: { x: "1", y: "1" },
        m: { b: 2, c: 3 },
      },
    );
  }),
  story(186, "an atomic list is one field", async (ssa) => {
    await both(ssa);
    assertAnswer(await ssa.apply("m2", { at: [1, 2, 3] }), {
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "m1": .spec.at',
    });
  }),
  story(187, "equal atomic values are shared, and fields that are no longer applied are removed", async (ssa) => {
    await both(ssa);
    const answer = await ssa.apply("m2", { at: [1, 2], am: { x: "1" } });
    assert.equal(answer.code, 200, answer.text);
    const { st, mp, gm, free } = spec(answer);
    assert.deepEqual({ st, mp, gm, free }, { st: all.st, mp: all.mp, gm: all.gm, free: all.free });
    assert.deepEqual(owners(answer.object)["m2/Apply"], { "f:spec": { "f:am": {}, "f:at": {} } });
  }),
  story(188, "lists without a list type are atomic, also below preserve-unknown-fields", async (ssa) => {
    await both(ssa);
    const conflict = (field: string) => ({
      code: 409,
      message: `Apply failed with 1 conflict: conflict with "m1": ${field}`,
    });
    assertAnswer(await ssa.apply("m2", { plain: ["z", "y"] }), conflict(".spec.plain"));
    assertAnswer(await ssa.apply("m2", { free: { l: [{ a: 2 }] } }), conflict(".spec.free.l"));
  }),
  story(189, "fields that no manager applies any more are removed", async (ssa) => {
    await both(ssa);
    await ssa.apply("m2", { at: [1, 2], am: { x: "1" } });
    const answer = await ssa.apply("m1", { a: "1", st: ["p"], mp: [{ k: "k1", v: "v1" }] });
    assert.equal(answer.code, 200, answer.text);
    assert.deepEqual(spec(answer), {
      a: "1",
      st: ["p"],
      mp: [{ k: "k1", v: "v1" }],
      at: [1, 2],
      am: { x: "1" },
      dft: "D",
    });
  }),
  story(190, "a default has no owner", async (ssa) => {
    await ssa.apply("m1", all);
    const answer = await ssa.apply("m5", { dft: "E" });
    assert.equal(answer.code, 200, answer.text);
    assert.deepEqual(owners(answer.object)["m5/Apply"], { "f:spec": { "f:dft": {} } });
  }),
  story(191, "an update owns its field, which conflicts with an apply", async ({ apply, update }) => {
    await apply("m1", { a: "1", gm: { x: "1" } });
    const answer = await update("upd", { spec: { a: "u" } });
    assert.deepEqual(owners(answer.object), {
      "m1/Apply": { "f:spec": { "f:gm": { "f:x": {} } } },
      "upd/Update": { "f:spec": { "f:a": {} } },
    });
    const refused = await apply("m1", { a: "1", gm: { x: "1" } });
    assert.equal(refused.code, 409);
    assert.match(refused.message, /^Apply failed with 1 conflict: conflict with "upd" using .*\/v1: \.spec\.a$/);
  }),
  story(192, "one name that applies and updates is two managers", async ({ apply, update }) => {
    await apply("m1", { a: "1" });
    await update("upd", { spec: { a: "u" } });
    assert.equal((await apply("upd", { a: "u2" })).code, 409);
    const answer = await apply("upd", { a: "u2" }, "&force=true");
    assert.deepEqual(owners(answer.object), { "upd/Apply": { "f:spec": { "f:a": {} } } });
  }),
  story(193, "reset managers stay reset", async ({ apply, update }) => {
    await apply("m1", { a: "1" });
    await update("upd", { metadata: { managedFields: [{}] } });
    const answer = await update("upd", { spec: { a: "2" } });
    assert.equal(at(answer.object, "metadata", "managedFields"), undefined);
  }),
  story(
    194,
    "fields from before the first apply belong to before-first-apply",
    async ({ scene, path, apply, update }) => {
      const collection = path.slice(0, -2);
      await scene.ok({ method: "POST", path: collection, body: scene.object("Ssa", "x", { spec: { a: "1" } }) });
      await update("upd", { metadata: { managedFields: [{}] } });
      const refused = await apply("m1", { a: "3" });
      assert.equal(refused.code, 409);
      assert.match(refused.message, /conflict with "before-first-apply" using .*\/v1: \.spec\.a$/);
      const answer = await apply("m1", { n: "q" });
      assert.deepEqual(owners(answer.object), {
        "m1/Apply": { "f:spec": { "f:n": {} } },
        "before-first-apply/Update": { "f:spec": { ".": {}, "f:a": {}, "f:dft": {} } },
      });
    },
  ),
  story(196, "a list item needs one of its keys", async ({ apply }) => {
    const answer = await apply("m1", { mp: [{ v: "1" }] });
    assert.equal(answer.code, 500, answer.text);
    assert.ok(
      answer.message.endsWith(
        '.spec.mp: element 0: associative list with keys has an element that omits all key fields ["k"] (and doesn\'t have default values for any key fields)',
      ),
      answer.message,
    );
  }),
  story(197, "kubectl's change to server-side apply takes over its client-side apply", async (ssa) => {
    const { scene, path, apply } = ssa;
    const plain = scene.object("Ssa", "x", { spec: { a: "1", gm: { x: "1" } } });
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(plain) };
    const body = { ...plain, metadata: { name: "x", annotations } };
    await scene.ok({ method: "POST", path: `${path.slice(0, -2)}?fieldManager=kubectl-client-side-apply`, body });
    const answer = await apply("kubectl", { a: "2", gm: { x: "1" } });
    assert.equal(answer.code, 200, answer.text);
    assert.deepEqual(owners(answer.object)["kubectl/Apply"], { "f:spec": { "f:a": {}, "f:gm": { "f:x": {} } } });
    assert.equal(at(owners(answer.object), "kubectl-client-side-apply/Update", "f:spec", "f:a"), undefined);
  }),
  story(198, "more than ten updaters are merged into ancient-changes", async ({ scene, path, update }) => {
    const collection = path.slice(0, -2);
    const body = scene.object("Ssa", "x", { spec: { a: "0" } });
    await scene.ok({ method: "POST", path: `${collection}?fieldManager=c`, body });
    let answer: Answer | undefined;
    for (let n = 0; n <= 12; n++)
      answer = await update(`u${String(n).padStart(2, "0")}`, { spec: { gm: { [`k${n}`]: "1" } } });
    const names = Object.keys(owners(answer?.object ?? {}));
    assert.deepEqual(names.toSorted(), [
      "ancient-changes/Update",
      ...Array.from({ length: 9 }, (_, n) => `u${String(n + 4).padStart(2, "0")}/Update`),
    ]);
  }),
  story(199, "an apply must have the version of its path", async ({ scene, path }) => {
    const body = { ...scene.object("Ssa", "x"), apiVersion: `${scene.group}/v2` };
    assertAnswer(await scene.apply(path, "m1", body), {
      code: 400,
      message: `invalid object type: ${scene.group}/v2, Kind=Ssa`,
    });
  }),
  {
    row: 199,
    name: "managers are dropped when an object does not fit its type, and an apply to it fails",
    run: async (scene) => {
      const schema = { type: "object", properties: { at: { type: "string", format: "date-time" } } };
      const path = await scene.define(scene.definition("dates", "Dated", schema));
      const made = await scene.ok({ method: "POST", path, body: scene.object("Dated", "x", { at: ["x"] }) });
      assert.equal(at(made, "metadata", "managedFields"), undefined);
      assertAnswer(await scene.apply(`${path}/x`, "m1", scene.object("Dated", "x"), "&force=true"), {
        code: 500,
        message: `failed to create manager for existing fields: failed to convert new object (${scene.ns}/x; ${scene.group}/v1, Kind=Dated) to smd typed: .at: expected any scalar, got &{[x]}`,
      });
    },
  },
  {
    row: 199,
    name: "managers are dropped when a list owned through another version has a duplicate item",
    run: async (scene) => {
      const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const version = { served: true, schema: { openAPIV3Schema: schema } };
      const versions = [
        { name: "v1", storage: true, ...version },
        { name: "v2", storage: false, ...version },
      ];
      const path = await scene.define(scene.definition("twices", "Twice", schema, {}, { versions }));
      await scene.ok({ method: "POST", path, body: scene.object("Twice", "x", { a: "1" }) });
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u-1" };
      const body = { metadata: { ownerReferences: [owner, owner] } };
      const same = await scene.merge(`${path}/x?dryRun=All`, body);
      assert.notEqual(at(same.object, "metadata", "managedFields"), undefined);
      const other = await scene.merge(`${path.replace("/v1/", "/v2/")}/x?dryRun=All`, body);
      assert.equal(other.code, 200, other.text);
      assert.equal(at(other.object, "metadata", "managedFields"), undefined);
      assert.deepEqual(at(other.object, "metadata", "ownerReferences"), [owner]);
    },
  },
  {
    row: 199,
    name: "an embedded object with a non-string apiVersion is refused, and the error for a body without kind depends on field validation",
    run: async (scene) => {
      const embedded = { type: "object", "x-kubernetes-embedded-resource": true };
      const open = { ...embedded, "x-kubernetes-preserve-unknown-fields": true };
      const schema = { type: "object", properties: { inner: open } };
      const path = await scene.define(scene.definition("wraps", "Wrap", schema));
      const inner = { apiVersion: ["x"], kind: "X", metadata: { name: "n" } };
      assertAnswer(await scene.ask({ method: "POST", path, body: scene.object("Wrap", "x", { inner }) }), {
        code: 400,
        message: `Wrap in version "v1" cannot be handled as a Wrap: inner.apiVersion: Invalid value: ["x"]: must be a string`,
      });
      const headers = { "content-type": "application/json" };
      for (const body of ["null", "{}"]) {
        assertAnswer(await scene.ask({ method: "POST", path: `${path}?fieldValidation=Ignore`, body, headers }), {
          code: 400,
          message: `Wrap in version "v1" cannot be handled as a Wrap: Object 'Kind' is missing in '${body}'`,
        });
        assertAnswer(await scene.ask({ method: "POST", path, body, headers }), {
          code: 400,
          message: `the object provided is unrecognized (must be of type Wrap): Object 'Kind' is missing in '${body}' (…`,
        });
      }
    },
  },
];
