import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { mergeSchemaOf } from "../apply/builtin-merge-schemas.ts";
import { applyStrategicMergePatch, patchAsShown } from "./strategic-merge-patch.ts";

const pod = mergeSchemaOf({ group: "", version: "v1", kind: "Pod" });
assert.ok(pod !== undefined);

/** A document, a patch, and the result; or the code and the text of the refusal. */
const merges: readonly (readonly [document: JsonObject, patch: JsonObject, result: JsonValue])[] = [
  [
    { metadata: { finalizers: ["a", "b", "c"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"] } },
    { metadata: { finalizers: ["a", "c"] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { finalizers: ["b"], "$deleteFromPrimitiveList/finalizers": ["a"] } },
    { metadata: { finalizers: ["b"] } },
  ],
  [
    { metadata: { finalizers: [] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": [] } },
    { metadata: { finalizers: [] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": [1] } },
    "500 list element types are not identical: [[a] [1]]",
  ],
  [
    { metadata: { finalizers: [1] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": [1.5] } },
    "500 list element types are not identical: [[1] [1.5]]",
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } },
    { metadata: { finalizers: ["a"] } },
  ],
  [{}, { metadata: {}, "$deleteFromPrimitiveList/x": ["a"] }, { metadata: {} }],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { $deleteFromPrimitiveList: ["a"] } },
    "400 invalid patch format of primitive list",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$deleteFromPrimitiveList/containers": [{ name: "a", image: "i" }] } },
    { spec: { containers: [{ name: "a", image: "i" }] } },
  ],
  [
    { spec: { containers: [] } },
    { spec: { "$deleteFromPrimitiveList/containers": [{ name: "a", image: "i" }] } },
    { spec: { containers: [{ name: "a", image: "i" }] } },
  ],
  [
    { x: [{ name: "a" }] },
    { "$deleteFromPrimitiveList/x": [{ name: "a" }] },
    "500 cannot merge lists without merge key for struct",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "a", $patch: "replace" }, { name: "b" }] } },
    { spec: { containers: [{ name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a", $patch: "delete" }] } },
    { spec: { containers: [{ name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ $patch: "delete" }] } },
    "500 map: map[$patch:delete] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ $patch: "merge" }] } },
    "500 merging lists cannot yet be specified in the patch",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ $patch: "x" }] } },
    "500 unknown patch type: x in map: map[$patch:x]",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ image: "x" }] } },
    "500 map: map[image:x] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "a", $patch: "replace" }, "x"] } },
    "500 list element types are not identical: [[map[name:a]] [map[$patch:replace name:a] x]]",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: ["x"] } },
    "500 list element types are not identical: [[map[name:a]] [x]]",
  ],
  [
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 1 }] }] } },
    { spec: { containers: [{ name: "a", "$setElementOrder/ports": "x" }] } },
    "500 expected a []interface {}, but received a string",
  ],
  [
    { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    {
      spec: { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }], containers: [{ name: "a", image: "i" }] },
    },
    { spec: { containers: [{ name: "a", image: "i" }, { name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "b" }] } },
    { spec: { "$setElementOrder/containers": ["a"] } },
    "500 value for key 0 is not a map",
  ],
  [
    { spec: { containers: [{ name: "b" }] } },
    { spec: { "$setElementOrder/containers": [{ image: "a" }, { image: "c" }] } },
    "500 map: map[image:a] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    "500 no elements in any of the given slices",
  ],
  [{ spec: {} }, { spec: { "$setElementOrder/containers": [{ name: "a" }] } }, { spec: {} }],
  [
    { spec: { containers: "x" } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    "500 expected a []interface {}, but received a string",
  ],
  [
    { spec: { containers: 1.5 } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    "500 expected a []interface {}, but received a float64",
  ],
  [
    { spec: { containers: {} } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    "500 expected a []interface {}, but received a map[string]interface {}",
  ],
  [
    { spec: {} },
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: "x" } },
    "500 expected a []interface {}, but received a string",
  ],
  [{ spec: {} }, { spec: { $setElementOrder: [] } }, "400 invalid patch format of setElementOrder list"],
  [
    { spec: {} },
    { spec: { "$setElementOrder/none": [] } },
    '500 unable to find api field in struct PodSpec for the json field "none"',
  ],
  [
    { spec: { containers: [{ name: "b" }] } },
    {
      spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }], containers: [{ name: "a", $patch: "x" }] },
    },
    "500 unknown patch type: x in map: map[$patch:x name:a]",
  ],
  [
    { metadata: { finalizers: ["a", "c"] } },
    { metadata: { "$setElementOrder/finalizers": ["b", "a"], finalizers: ["b"] } },
    { metadata: { finalizers: ["b", "a", "c"] } },
  ],
  [
    { metadata: { finalizers: ["a", "b", "c"] } },
    { metadata: { "$setElementOrder/finalizers": ["c", "a"], "$deleteFromPrimitiveList/finalizers": ["b"] } },
    { metadata: { finalizers: ["c", "a"] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { finalizers: ["b", "a"] } },
    { metadata: { finalizers: ["b", "a"] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { finalizers: [1] } },
    "500 list element types are not identical: [[a] [1]]",
  ],
  [
    { spec: { nodeSelector: { a: "b" } } },
    { spec: { nodeSelector: { c: "d", $patch: "replace" } } },
    { spec: { nodeSelector: { c: "d" } } },
  ],
  [{ spec: {} }, { spec: { nodeSelector: { c: "d", $patch: "replace" } } }, { spec: {} }],
  [
    { spec: {} },
    {
      spec: {
        containers: [
          { name: "a", image: null, $patch: "delete" },
          { name: "b", image: null },
        ],
      },
    },
    { spec: { containers: [{ name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: { name: "a" } } },
    { spec: { containers: { name: "a" } } },
  ],
  [
    { spec: { tolerations: [{ key: "a" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
  ],
  [
    { spec: { volumes: [{ name: "a", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "a", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] } },
    { spec: { volumes: [{ name: "a", configMap: { name: "c" } }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, null] } },
    { spec: { containers: [{ name: "b" }] } },
    "500 list element types are not identical: [[map[name:a] <nil>] [map[name:b]]]",
  ],
  [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [{ a: 1 }, { a: null }, {}],
  [{ a: 1 }, {}, { a: 1 }],
  [{ a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
  [{ a: 1 }, { $patch: "replace", b: 1 }, { b: 1 }],
  [{ a: 1 }, { $patch: "delete" }, {}],
  [{ a: 1 }, { $patch: "other" }, "500 unknown patch type: other in map: map[$patch:other]"],
  [{ a: 1 }, { $patch: null }, "500 unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]"],
  [{ a: 1 }, { $patch: 5, x: "y" }, "500 unknown patch type: %!s(int64=5) in map: map[$patch:5 x:y]"],
  [{ a: 1 }, { $patch: 1.5 }, "500 unknown patch type: %!s(float64=1.5) in map: map[$patch:1.5]"],
  [{ a: 1 }, { $patch: true }, "500 unknown patch type: %!s(bool=true) in map: map[$patch:true]"],
  [{ a: 1 }, { $patch: [1] }, "500 unknown patch type: %!s([]interface {}=[1]) in map: map[$patch:[1]]"],
  [
    { a: 1 },
    { $patch: { b: 1 } },
    "500 unknown patch type: %!s(map[string]interface {}=map[b:1]) in map: map[$patch:map[b:1]]",
  ],
  [{ a: 1, b: 2 }, { $retainKeys: ["a"], a: 3 }, { a: 3 }],
  [{ a: 1 }, { $retainKeys: ["b"], a: 3 }, "400 invalid patch format of retainKeys"],
  [{ a: 1, b: 1 }, { $retainKeys: ["a"], c: null }, { a: 1 }],
  [{ a: 1 }, { $retainKeys: "a" }, "400 invalid patch format of retainKeys"],
  [
    { a: 1, l: [1] },
    { $retainKeys: ["a"], $patch: "x" },
    "500 unknown patch type: x in map: map[$patch:x $retainKeys:[a]]",
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a", image: "i" }] } },
    { spec: { containers: [{ name: "a", image: "i" }, { name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "b", image: "i" }] } },
    { spec: { containers: [{ name: "b", image: "i" }, { name: "a" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a", $patch: "delete" }] } },
    { spec: { containers: [{ name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ $patch: "replace" }, { name: "c" }] } },
    { spec: { containers: [{ name: "c" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "a", $patch: "merge" }] } },
    "500 merging lists cannot yet be specified in the patch",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "a", $patch: "what" }] } },
    "500 unknown patch type: what in map: map[$patch:what name:a]",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ $patch: "delete" }] } },
    "500 map: map[$patch:delete] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ image: "i" }] } },
    "500 map: map[image:i] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ image: "i" }] } },
    { spec: { containers: [{ name: "a" }] } },
    "500 map: map[image:i] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [5] } },
    "500 list element types are not identical: [[map[name:a]] [5]]",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: ["x", { name: "b" }] } },
    "500 list element types are not identical: [[map[name:a]] [x map[name:b]]]",
  ],
  [{ spec: { containers: [{ name: "a" }] } }, { spec: { containers: [] } }, { spec: { containers: [{ name: "a" }] } }],
  [{ spec: { containers: [] } }, { spec: { containers: [{ name: "a" }] } }, { spec: { containers: [{ name: "a" }] } }],
  [{ spec: { containers: [{ name: "a" }] } }, { spec: { containers: { a: 1 } } }, { spec: { containers: { a: 1 } } }],
  [{ spec: { containers: [{ name: "a" }] } }, { spec: { containers: null } }, { spec: {} }],
  [{ spec: { containers: "x" } }, { spec: { containers: [{ name: "b" }] } }, { spec: { containers: [{ name: "b" }] } }],
  [
    { spec: { containers: [{ name: "a", env: [{ name: "X", value: "1" }] }] } },
    {
      spec: {
        containers: [
          {
            name: "a",
            env: [
              { name: "Y", value: "2" },
              { name: "X", value: "3" },
            ],
          },
        ],
      },
    },
    {
      spec: {
        containers: [
          {
            name: "a",
            env: [
              { name: "Y", value: "2" },
              { name: "X", value: "3" },
            ],
          },
        ],
      },
    },
  ],
  [
    { spec: { containers: [{ name: "a", args: ["x", "y"] }] } },
    { spec: { containers: [{ name: "a", args: ["z"] }] } },
    { spec: { containers: [{ name: "a", args: ["z"] }] } },
  ],
  [
    { spec: { tolerations: [{ key: "a" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
  ],
  [
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { finalizers: ["c", "a"] } },
    { metadata: { finalizers: ["c", "a", "b"] } },
  ],
  [
    { metadata: { finalizers: ["a", "b", "c"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"] } },
    { metadata: { finalizers: ["a", "c"] } },
  ],
  [
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"], finalizers: ["d"] } },
    { metadata: { finalizers: ["d", "a"] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": "b" } },
    { metadata: { finalizers: ["a"] } },
  ],
  [{ metadata: {} }, { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"] } }, { metadata: {} }],
  [
    { metadata: { finalizers: [] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": [] } },
    { metadata: { finalizers: [] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": [5] } },
    "500 list element types are not identical: [[a] [5]]",
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { $deleteFromPrimitiveList: ["a"] } },
    "400 invalid patch format of primitive list",
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
    { metadata: {} },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { "$deleteFromPrimitiveList/containers": [{ name: "a", image: "i" }] } },
    { spec: { containers: [{ name: "a", image: "i" }, { name: "b" }] } },
  ],
  [
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$setElementOrder/finalizers": ["b", "a"] } },
    { metadata: { finalizers: ["b", "a"] } },
  ],
  [
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$setElementOrder/finalizers": ["c", "b", "a"], finalizers: ["c"] } },
    { metadata: { finalizers: ["c", "b", "a"] } },
  ],
  [
    { metadata: { finalizers: ["a", "b", "x"] } },
    { metadata: { "$setElementOrder/finalizers": ["b"] } },
    { metadata: { finalizers: ["a", "b", "x"] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
        containers: [{ name: "b", $patch: "delete" }],
      },
    },
    { spec: { containers: [{ name: "c" }, { name: "a" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
        containers: [
          { name: "c", image: "i" },
          { name: "b", $patch: "delete" },
        ],
      },
    },
    { spec: { containers: [{ name: "c", image: "i" }, { name: "a" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
        containers: [
          { name: "a", image: "i" },
          { name: "b", image: "j" },
        ],
      },
    },
    "500 The order in patch list:\n[map[image:i name:a] map[image:j name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "a" }] } },
    "500 The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": ["a"] } },
    "500 value for key 0 is not a map",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ x: 1 }] } },
    "500 map: map[x:1] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ x: 1 }], containers: [{ name: "b" }] } },
    "500 map: map[x:1] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: ["b"] } },
    "500 expected a map[string]interface {}, but received a string",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ x: 1 }] } },
    "500 map: map[x:1] does not contain declared merge key: name",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": "a" } },
    "500 expected a []interface {}, but received a string",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": { a: 1 } } },
    "500 expected a []interface {}, but received a map[string]interface {}",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { $setElementOrder: ["a"] } },
    "400 invalid patch format of setElementOrder list",
  ],
  [
    { spec: { containers: "x" } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    "500 expected a []interface {}, but received a string",
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: "x" } },
    "500 expected a []interface {}, but received a string",
  ],
  [{ spec: {} }, { spec: { "$setElementOrder/containers": [{ name: "a" }] } }, { spec: {} }],
  [
    { spec: { containers: [] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [] } },
    "500 no elements in any of the given slices",
  ],
  [
    { spec: {} },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
        containers: [{ name: "b" }, { name: "a" }],
      },
    },
    { spec: { containers: [{ name: "b" }, { name: "a" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/nothing": [{ name: "a" }] } },
    '500 unable to find api field in struct PodSpec for the json field "nothing"',
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [], containers: [{ name: "b" }] } },
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "d" }, { name: "e" }, { name: "b" }],
        containers: [{ name: "e" }, { name: "a", $patch: "delete" }, { name: "c", $patch: "delete" }],
      },
    },
    { spec: { containers: [{ name: "d" }, { name: "e" }, { name: "b" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "a2" }] } },
    {
      spec: {
        containers: [
          { name: "n", x: null },
          { name: "n", x: 1 },
        ],
      },
    },
    { spec: { containers: [{ name: "n", x: 1 }, { name: "a" }, { name: "a2" }] } },
  ],
  [{ metadata: {} }, { metadata: { labels: { a: null, b: "c" } } }, { metadata: { labels: { b: "c" } } }],
  [
    {},
    {
      metadata: { labels: { a: null, b: "c" }, annotations: { $patch: "delete", x: "y" } },
      list: [{ $patch: "delete" }, { a: null, b: [1] }],
    },
    { metadata: { labels: { b: "c" } }, list: [{ b: [1] }] },
  ],
  [
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP" }] }] } },
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, name: "http" }, { containerPort: 81 }] }] } },
    {
      spec: {
        containers: [
          { name: "a", ports: [{ containerPort: 80, protocol: "TCP", name: "http" }, { containerPort: 81 }] },
        ],
      },
    },
  ],
  [
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", $retainKeys: ["name", "secret"], secret: { secretName: "s" } }] } },
    { spec: { volumes: [{ name: "v", secret: { secretName: "s" } }] } },
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { finalizers: [1.5] } },
    "500 list element types are not identical: [[a] [1.5]]",
  ],
  [
    { metadata: { finalizers: [1] } },
    { metadata: { finalizers: [1.5] } },
    "500 list element types are not identical: [[1] [1.5]]",
  ],
  [
    { metadata: { finalizers: [null] } },
    { metadata: { finalizers: ["a"] } },
    "500 list element types are not identical: [[<nil>] [a]]",
  ],
  [
    { metadata: { finalizers: [["a"]] } },
    { metadata: { finalizers: [{ a: 1 }] } },
    "500 list element types are not identical: [[[a]] [map[a:1]]]",
  ],
  [
    { spec: {} },
    { spec: { "$setElementOrder/containers": null } },
    "500 expected a []interface {}, but received a %!s(<nil>)",
  ],
  [{ spec: {} }, { spec: { "$setElementOrder/containers": 1 } }, "500 expected a []interface {}, but received a int64"],
];

for (const [document, patch, expected] of merges)
  test(`${JSON.stringify(patch)} ${typeof expected === "string" ? "is refused for" : "patches"} ${JSON.stringify(document)}`, () => {
    const result = allSteps(applyStrategicMergePatch(document, patch, pod));
    assert.deepEqual(
      result.ok ? result.value : `${result.problem.isFormat ? 400 : 500} ${result.problem.message}`,
      expected,
    );
  });

test("a refusal shows a patch without its nulls where the document has nothing", () => {
  const patch = { a: null, b: { c: null, d: [null, { e: null }] }, f: { g: null, h: 1 }, i: { j: null } };
  assert.deepEqual(patchAsShown({ a: 1, f: { g: 1 }, i: 5 }, patch), {
    a: null,
    b: { d: [null, {}] },
    f: { g: null, h: 1 },
    i: { j: null },
  });
  assert.deepEqual(patchAsShown(undefined, { a: null, b: { c: null } }), { a: null, b: {} });
});
