import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "js-yaml";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { overlayOf } from "./kustomize.ts";

const object = (name: string, data: object): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "n" }, data }) as unknown as KubeObject;

test("an overlay adds, removes and replaces by path, deletes what is not wanted, and adds what is new", () => {
  const before = [object("a", { "x/y": "1", gone: "2", same: "3" }), object("b", {})];
  const { added, patches } = overlayOf(before, [object("a", { "x/y": "9", same: "3", fresh: "4" }), object("c", {})]);
  assert.deepEqual(added, [object("c", {})]);
  assert.deepEqual(
    patches.map(({ target, patch }) => [target, load(patch as string)]),
    [
      [
        { version: "v1", kind: "ConfigMap", name: "a", namespace: "n" },
        [
          { op: "replace", path: "/data/x~1y", value: "9" },
          { op: "remove", path: "/data/gone" },
          { op: "add", path: "/data/fresh", value: "4" },
        ],
      ],
      [undefined, { $patch: "delete", apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "n" } }],
    ],
  );
});
