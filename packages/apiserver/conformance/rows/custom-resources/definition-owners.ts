import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertAnswer } from "../../row.ts";
import { at } from "../../scene.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function spec(schema: JsonObject): JsonObject {
  return { type: "object", properties: { spec: { type: "object", ...schema } } };
}

export const definitionOwnerRows: readonly Row[] = [
  {
    row: 233,
    name: "the server is the field manager of a definition's status",
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      await eventually(async () => {
        const held = await scene.ok({ path: `${definitions}/foos.${scene.group}` });
        const owners = (at(held, "metadata", "managedFields") ?? []) as unknown as readonly JsonObject[];
        const own = owners.find(({ manager }) => manager === "kube-apiserver");
        const condition = {
          ".": {},
          "f:lastTransitionTime": {},
          "f:message": {},
          "f:reason": {},
          "f:status": {},
          "f:type": {},
        };
        const { time: _time, ...entry } = own ?? {};
        assert.deepEqual(entry, {
          manager: "kube-apiserver",
          operation: "Update",
          apiVersion: "apiextensions.k8s.io/v1",
          subresource: "status",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:status": {
              "f:acceptedNames": { "f:kind": {}, "f:listKind": {}, "f:plural": {}, "f:singular": {} },
              "f:conditions": {
                'k:{"type":"Established"}': condition,
                'k:{"type":"NamesAccepted"}': condition,
              },
            },
          },
        });
      });
    },
  },
  {
    row: 234,
    name: "an empty list of schemas in items counts as absent",
    run: async (scene) => {
      const body = scene.definition("foos", "Foo", spec({ items: [], allOf: [], enum: [], required: [] }));
      const made = await scene.ok({ method: "POST", path: `${definitions}?dryRun=All`, body });
      const [version] = at(made, "spec", "versions") as unknown as readonly JsonObject[];
      assert.deepEqual(at(version, "schema", "openAPIV3Schema"), spec({}));
    },
  },
  {
    row: 234,
    name: "empty dependencies count as set",
    run: async (scene) => {
      const body = scene.definition("foos", "Foo", spec({ dependencies: {} }));
      assertAnswer(await scene.ask({ method: "POST", path: `${definitions}?dryRun=All`, body }), {
        code: 422,
        message: `CustomResourceDefinition.apiextensions.k8s.io "foos.${scene.group}" is invalid: spec.validation.openAPIV3Schema.properties[spec].dependencies: Forbidden: dependencies is not supported`,
      });
    },
  },
];
