import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigFault } from "../../../../bundle/config-schema.ts";
import { explainConfiguration } from "./explain-configuration.ts";
import { extensionOf } from "./testing/extension-world.ts";

const patch = "kubectl patch clusterextensions.olm.operatorframework.io ext --type merge -p";
const unknown = (...field: readonly string[]): ConfigFault => ({
  text: `unknown field "${field.at(-1)}"`,
  field,
  schemaPath: "#/additionalProperties",
});

for (const [what, inline, faults, summary, remedies] of [
  [
    "an unknown field beside others",
    { colour: 1, watchNamespace: "ns" },
    [unknown("colour")],
    'ext: spec.config.inline.colour: unknown field "colour" (schema #/additionalProperties)',
    [`Remove spec.config.inline.colour: ${patch} '{"spec":{"config":{"inline":{"colour":null}}}}'`],
  ],
  [
    "the only field, unknown: an empty configuration would be refused",
    { colour: 1 },
    [unknown("colour")],
    'ext: spec.config.inline.colour: unknown field "colour" (schema #/additionalProperties)',
    [`Remove spec.config.inline.colour: ${patch} '{"spec":{"config":null}}'`],
  ],
  [
    "an unknown field of the only field",
    { deploymentConfig: { selector: {} } },
    [unknown("deploymentConfig", "selector")],
    'ext: spec.config.inline.deploymentConfig.selector: unknown field "selector" (schema #/additionalProperties)',
    [
      `Remove spec.config.inline.deploymentConfig.selector: ${patch} '{"spec":{"config":{"inline":{"deploymentConfig":{"selector":null}}}}}'`,
    ],
  ],
  [
    "an unknown field in a list, which a merge patch cannot reach",
    {},
    [unknown("deploymentConfig", "env", "0", "x")],
    'ext: spec.config.inline.deploymentConfig.env[0].x: unknown field "x" (schema #/additionalProperties)',
    ["Correct spec.config.inline.deploymentConfig.env[0].x"],
  ],
  [
    "a field that may have one value only, and another one",
    {},
    [
      { text: "required", field: ["watchNamespace"], schemaPath: "#/required", wanted: "ns" },
      { text: "bad", field: ["deploymentConfig"], schemaPath: "#/properties/deploymentConfig" },
    ],
    "ext: spec.config.inline.watchNamespace: required (schema #/required); and 1 more",
    [
      `Set spec.config.inline.watchNamespace to ns: ${patch} '{"spec":{"config":{"configType":"Inline","inline":{"watchNamespace":"ns"}}}}'`,
      "Correct spec.config.inline.deploymentConfig",
    ],
  ],
  [
    "a watched namespace that is free to choose",
    {},
    [{ text: "required", field: ["watchNamespace"], schemaPath: "#/required" }],
    "ext: spec.config.inline.watchNamespace: required (schema #/required)",
    ["Set spec.config.inline.watchNamespace to a namespace that the bundle's install modes allow"],
  ],
] as const)
  test(`explains ${what}`, () => {
    const explained = explainConfiguration(extensionOf({ config: { configType: "Inline", inline } }), faults);
    assert.equal(explained.summary, summary);
    assert.deepEqual(
      explained.remedies.map(
        (remedy) => `${remedy.summary}${remedy.command === undefined ? "" : `: ${remedy.command}`}`,
      ),
      remedies,
    );
  });

test("at most three fields of many get a remedy, all a line of the derivation", () => {
  const faults = ["a", "b", "c", "d"].map((name) => ({
    text: "bad",
    field: [name],
    schemaPath: `#/properties/${name}`,
  }));
  const explained = explainConfiguration(extensionOf({ config: { configType: "Inline", inline: {} } }), faults);
  assert.deepEqual(
    explained.remedies.map(({ summary }) => summary),
    ["a", "b", "c"].map((name) => `Correct spec.config.inline.${name}`),
  );
  assert.equal(explained.derivation.length, 4);
  assert.match(explained.summary, /; and 3 more$/);
});
