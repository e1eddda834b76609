import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";

const row = 305;

const rule = "self.a.all(x, self.a.all(y, x + y >= 0))";

/** A definition with a list and rules that compare its items pairwise; their estimated cost is accepted. */
async function define(scene: Scene, most: number, rules: readonly string[]): Promise<string> {
  const list = { type: "array", maxItems: most, items: { type: "integer" } };
  const validations = rules.map((text) => ({ rule: text })) as unknown as JsonValue;
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { a: list }, "x-kubernetes-validations": validations },
    },
  };
  return scene.define(scene.definition("foos", "Foo", schema));
}

function withItems(scene: Scene, count: number): JsonObject {
  return scene.object("Foo", "x", { spec: { a: Array.from({ length: count }, () => 1) } });
}

export const ruleCostRows: readonly Row[] = [
  {
    row,
    name: "a rule that exceeds its cost limit refuses the object",
    run: async (scene) => {
      const path = await define(scene, 1000, [rule]);
      assertAnswer(await scene.ask({ method: "POST", path, body: withItems(scene, 10) }), { code: 201 });
      assertAnswer(await scene.ask({ method: "POST", path: `${path}?dryRun=All`, body: withItems(scene, 1000) }), {
        code: 422,
        message: `Foo.${scene.group} "x" is invalid: spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
      });
    },
  },
  {
    row,
    name: "rules that together exceed the cost limit refuse the object",
    run: async (scene) => {
      // Different rules, each below the limit.
      const rules = Array.from({ length: 24 }, (_, index) => `${rule} || ${index} < 0`);
      const path = await define(scene, 300, rules);
      assertAnswer(await scene.ask({ method: "POST", path, body: withItems(scene, 10) }), { code: 201 });
      assertAnswer(await scene.ask({ method: "POST", path: `${path}?dryRun=All`, body: withItems(scene, 300) }), {
        code: 422,
        message: `Foo.${scene.group} "x" is invalid: spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run`,
      });
    },
  },
];
