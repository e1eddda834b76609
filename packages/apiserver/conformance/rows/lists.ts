import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { RequestRow, Row } from "../row.ts";
import { assertContains, assertAnswer } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, namesOf, text } from "../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";

async function labelled(scene: Scene): Promise<void> {
  await scene.make("la", { metadata: { labels: { app: "x", size: "5" } } });
  await scene.make("lb", { metadata: { labels: { app: "y", size: "9" } } });
  await scene.make("lc", { metadata: { labels: { tier: "t" } } });
}

const selections: readonly (readonly [string, readonly string[]])[] = [
  ["app=x", ["la"]],
  ["app==x", ["la"]],
  ["app!=x", ["a", "kube-root-ca.crt", "lb", "lc"]],
  ["app in (x,y)", ["la", "lb"]],
  ["app notin (x)", ["a", "kube-root-ca.crt", "lb", "lc"]],
  ["app", ["la", "lb"]],
  ["!app,tier", ["lc"]],
  ["size>5", ["lb"]],
  ["size<9", ["la"]],
];

const refusals: readonly (readonly [number, string, number, string])[] = [
  [101, "continue=garbage", 400, "invalid continue token: continue key is not valid: …"],
  [
    103,
    "resourceVersion=0&resourceVersionMatch=Exact",
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
  ],
  [
    103,
    "resourceVersionMatch=Exact",
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [
    103,
    "resourceVersion=1&resourceVersionMatch=Foo",
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
  ],
  [
    105,
    "resourceVersion=abc",
    400,
    'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [
    113,
    "sendInitialEvents=true",
    422,
    'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
  ],
  [103, "limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  [108, "labelSelector=app%20in%20x", 400, "unable to parse requirement: found 'x' expected: '('…"],
  [
    109,
    "fieldSelector=spec.x=y",
    400,
    '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [
    125,
    "watch=true&resourceVersion=abc",
    500,
    'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax…',
  ],
  [
    122,
    "watch=true&sendInitialEvents=true",
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan…',
  ],
];

export const listRows: readonly Row[] = [
  {
    row: 97,
    name: "pages have one revision, list each object once, and omit later ones",
    run: async (scene) => {
      const pods = `/api/v1/namespaces/${scene.ns}/secrets`;
      for (const name of ["a", "b", "c", "d", "e"])
        await scene.ok({ method: "POST", path: pods, body: { metadata: { name } } });
      const first = await scene.ok({ path: `${pods}?limit=2` });
      assert.deepEqual(namesOf(first), ["a", "b"]);
      assert.equal(at(first, "metadata", "remainingItemCount"), 3);
      await scene.ok({ method: "POST", path: pods, body: { metadata: { name: "bb" } } });
      await scene.ok({ method: "DELETE", path: `${pods}/d` });
      const second = await scene.ok({ path: `${pods}?limit=2&continue=${text(first, "metadata", "continue")}` });
      assert.deepEqual(namesOf(second), ["c", "d"]);
      const third = await scene.ok({ path: `${pods}?limit=2&continue=${text(second, "metadata", "continue")}` });
      assert.deepEqual(namesOf(third), ["e"]);
      assert.equal(text(third, "metadata", "continue"), "");
      assert.equal(text(third, "metadata", "resourceVersion"), text(first, "metadata", "resourceVersion"));
    },
  },
  {
    row: 99,
    name: "limit is ignored with resourceVersion 0",
    run: async (scene) => {
      await scene.make("b");
      const names = namesOf(await scene.ok({ path: `${scene.cms}?limit=1&resourceVersion=0` }));
      assert.ok(names.length >= 1);
      assert.equal(
        text(await scene.ok({ path: `${scene.cms}?limit=1&resourceVersion=0` }), "metadata", "continue"),
        "",
      );
    },
  },
  {
    row: 100,
    name: "remainingItemCount is absent with a selector",
    run: async (scene) => {
      await labelled(scene);
      const page = await scene.ok({ path: `${scene.cms}?limit=1&labelSelector=app` });
      assert.notEqual(text(page, "metadata", "continue"), "");
      assert.equal(at(page, "metadata", "remainingItemCount"), undefined);
    },
  },
  {
    row: 101,
    name: "continue and resourceVersion exclude each other",
    run: async (scene) => {
      await scene.make("b");
      const page = await scene.ok({ path: `${scene.cms}?limit=1` });
      const token = text(page, "metadata", "continue");
      assertAnswer(await scene.ask({ path: `${scene.cms}?limit=1&continue=${token}&resourceVersion=5` }), {
        code: 400,
        message: "specifying resource version is not allowed when using continue",
      });
    },
  },
  {
    row: 102,
    name: "resourceVersionMatch Exact returns a past state",
    run: async (scene) => {
      const then = text(await scene.ok({ path: scene.cms }), "metadata", "resourceVersion");
      await scene.make("later");
      const past = await scene.ok({ path: `${scene.cms}?resourceVersion=${then}&resourceVersionMatch=Exact` });
      assert.ok(!namesOf(past).includes("later"));
      assert.equal(text(past, "metadata", "resourceVersion"), then);
    },
  },
  ...refusals.map(([row, query, code, message]): RequestRow => ({
    row,
    name: `${query} is refused`,
    ask: { path: `/api/v1/configmaps?${query}` },
    code,
    message,
  })),
  {
    row: 104,
    name: "a future revision is waited for, then refused",
    ask: { path: `${cms}?resourceVersion=999999999` },
    code: 504,
    reason: "Timeout",
    message: "Timeout: Too large resource version: 999999999, current: …",
  },
  ...[cms, `${cms}/a`].flatMap((path) =>
    // Beyond the range of a double, beyond that of int64, and the largest uint64.
    ["9007199254740993", "9223372036854775808", "18446744073709551615"].map((revision): RequestRow => ({
      row: 104,
      name: `${path}: the revision ${revision} is too large, and quoted exactly`,
      ask: { path: `${path}?resourceVersion=${revision}` },
      code: 504,
      reason: "Timeout",
      message: `Timeout: Too large resource version: ${revision}, current: …`,
      contains: {
        details: {
          causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
          retryAfterSeconds: 1,
        },
      },
    })),
  ),
  ...(
    [
      ["-1", "invalid syntax"],
      ["0x1", "invalid syntax"],
      ["18446744073709551616", "value out of range"],
      ["99999999999999999999", "value out of range"],
    ] as const
  ).map(([revision, why]): RequestRow => ({
    row: 105,
    name: `a watch from ${revision}`,
    ask: { path: `${cms}?watch=true&resourceVersion=${revision}` },
    code: 500,
    message: `resourceVersion: Invalid value: "${revision}": strconv.ParseUint: parsing "${revision}": ${why}`,
  })),
  {
    row: 105,
    name: "a watch with initial events at a revision that is too large",
    run: async (scene) => {
      const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const watch = await scene.watch(`${scene.cms}?${query}&resourceVersion=18446744073709551615`);
      const event = await watch.next();
      assert.equal(event?.type, "ERROR");
      const status = event.object as unknown as JsonObject;
      assert.deepEqual([status["code"], status["reason"]], [504, "Timeout"]);
      assert.match(
        text(status, "message"),
        /^Timeout: Too large resource version: 18446744073709551615, current: \d+$/,
      );
    },
  },
  { row: 105, name: "a GET of a revision that is no number", ask: { path: `${cms}/a?resourceVersion=abc` }, code: 500 },
  ...selections.map(([selector, names]): Row => ({
    row: 107,
    name: `the selector ${selector}`,
    run: async (scene) => {
      await labelled(scene);
      const object = await scene.ok({ path: `${scene.cms}?labelSelector=${encodeURIComponent(selector)}` });
      // kube-root-ca.crt appears asynchronously.
      const found = namesOf(object).filter((name) => name !== "kube-root-ca.crt");
      assert.deepEqual(
        found,
        names.filter((name) => name !== "kube-root-ca.crt"),
      );
    },
  })),
  {
    row: 109,
    name: "field selectors of pods",
    ask: { path: "/api/v1/pods?fieldSelector=spec.foo=1" },
    code: 400,
    message: "field label not supported: spec.foo",
  },
  {
    row: 109,
    name: "field selectors of jobs",
    ask: { path: "/apis/batch/v1/jobs?fieldSelector=foo=1" },
    code: 400,
    message: 'field label "foo" not supported for Job',
  },
  {
    row: 110,
    name: "a field selector by name selects one object",
    run: async (scene) => {
      await scene.make("b");
      assert.deepEqual(namesOf(await scene.ok({ path: `${scene.cms}?fieldSelector=metadata.name=b` })), ["b"]);
    },
  },
  {
    row: 111,
    name: "selectable fields of custom resources work as field selectors",
    run: async (scene) => {
      const schema = {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: {
              s: { type: "string" },
              i: { type: "integer" },
              b: { type: "boolean" },
              o: { type: "string" },
            },
          },
        },
      };
      const path = await scene.define(
        scene.definition("sels", "Sel", schema, {
          selectableFields: [{ jsonPath: ".spec.s" }, { jsonPath: ".spec.i" }, { jsonPath: ".spec.b" }],
        }),
      );
      await scene.ok({ method: "POST", path, body: scene.object("Sel", "x", { spec: { s: "q", i: 5, b: true } }) });
      await scene.ok({ method: "POST", path, body: scene.object("Sel", "y", { spec: { s: "r", i: 6, b: false } }) });
      for (const field of ["spec.s=q", "spec.i=5", "spec.b=true"])
        assert.deepEqual(namesOf(await scene.ok({ path: `${path}?fieldSelector=${field}` })), ["x"], field);
      assert.equal((await scene.ask({ path: `${path}?fieldSelector=spec.o=1` })).code, 400);
    },
  },
  {
    row: 112,
    name: "list items of built-in kinds have no kind, those of custom resources have one; an empty list has items",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      assertContains(await scene.ok({ path }), { kind: "FooList", items: [] });
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "x") });
      const [custom] = at(await scene.ok({ path }), "items") as readonly { readonly kind?: string }[];
      assert.equal(custom?.kind, "Foo");
      const [builtIn] = at(await scene.ok({ path: scene.cms }), "items") as readonly { readonly kind?: string }[];
      assert.equal(builtIn?.kind, undefined);
    },
  },
];
