import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { readExtensionConfig } from "./extension-config.ts";

/** Supports the install modes whose first letters are given. */
function csvOf(modes: string): ClusterServiceVersion {
  const installModes = ["OwnNamespace", "SingleNamespace", "AllNamespaces"].map((type) => ({
    type,
    supported: modes.includes(type.slice(0, 1)),
  }));
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "op.v1" },
    spec: { installModes, install: { strategy: "deployment" } },
  } as unknown as ClusterServiceVersion;
}

/** `FIELD at SCHEMA PATH: TEXT`, with the value that is wanted where there is only one. */
function faultsOf(modes: string, config: JsonValue | undefined): readonly string[] {
  const read = readExtensionConfig(csvOf(modes), "ns", config, []);
  return read.ok
    ? []
    : read.problem.faults.map(
        ({ field, schemaPath, text, wanted }) =>
          `${field.join(".")} at ${schemaPath}: ${text}${wanted === undefined ? "" : ` [${wanted}]`}`,
      );
}

const own =
  "(the namespace where the operator is installed) because this operator only supports OwnNamespace install mode";

for (const [what, modes, config, expected] of [
  ["an unknown field", "A", { colour: 1 }, ['colour at #/additionalProperties: unknown field "colour"']],
  [
    "a missing field that may have one value only",
    "O",
    undefined,
    ['watchNamespace at #/required: required field "watchNamespace" is missing [ns]'],
  ],
  ["a missing field", "S", {}, ['watchNamespace at #/required: required field "watchNamespace" is missing']],
  [
    "null where a text is required",
    "O",
    { watchNamespace: null },
    ['watchNamespace at #/properties/watchNamespace/type: required field "watchNamespace" is missing [ns]'],
  ],
  [
    "a value that the install mode does not allow",
    "O",
    { watchNamespace: "x" },
    [
      `watchNamespace at #/properties/watchNamespace/format: invalid format for field "watchNamespace": 'x' is not valid ownNamespaceInstallMode: invalid value "x": must be "ns" ${own} [ns]`,
    ],
  ],
  [
    "the same where null is allowed too, which is no help",
    "AO",
    { watchNamespace: "x" },
    [
      `watchNamespace at #/properties/watchNamespace/anyOf/1/format: invalid format for field "watchNamespace": 'x' is not valid ownNamespaceInstallMode: invalid value "x": must be "ns" ${own} [ns]`,
    ],
  ],
  [
    "another type than all that are allowed",
    "AO",
    { watchNamespace: 1 },
    ['watchNamespace at #/properties/watchNamespace/anyOf: invalid value for field "watchNamespace"'],
  ],
  [
    "two faults of one text",
    "S",
    { watchNamespace: "A".repeat(64) },
    [
      'watchNamespace at #/properties/watchNamespace/maxLength: field "watchNamespace" must have maximum length of 63 (len=64)',
      'watchNamespace at #/properties/watchNamespace/pattern: field "watchNamespace" must match pattern "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"',
    ],
  ],
  [
    "a member below a shared definition, which OLM's text does not name",
    "A",
    { deploymentConfig: { env: [{ name: "A" }, { value: "b" }] } },
    [
      'deploymentConfig.env.1.name at #/properties/deploymentConfig/properties/env/items/required: required field "name" is missing',
    ],
  ],
  [
    "wrong types beside an unknown field and a choice: none hides another",
    "AO",
    { deploymentConfig: { env: 4, foo: 1 }, watchNamespace: 3 },
    [
      'deploymentConfig.env at #/properties/deploymentConfig/properties/env/type: invalid type for field "deploymentConfig.env": got number, want array',
      'deploymentConfig.foo at #/properties/deploymentConfig/additionalProperties: unknown field "foo"',
      'watchNamespace at #/properties/watchNamespace/anyOf: invalid value for field "watchNamespace"',
    ],
  ],
  [
    "a key with a slash",
    "A",
    { deploymentConfig: { nodeSelector: { "a/b": 1 } } },
    [
      'deploymentConfig.nodeSelector.a/b at #/properties/deploymentConfig/properties/nodeSelector/additionalProperties/type: invalid type for field "deploymentConfig.nodeSelector.a/b": got number, want string',
    ],
  ],
  [
    "quantities as text and as number",
    "A",
    { deploymentConfig: { resources: { limits: { cpu: "1", memory: 1 } } } },
    [],
  ],
  [
    "a quantity that is neither text nor number",
    "A",
    { deploymentConfig: { resources: { limits: { cpu: true } } } },
    [
      'deploymentConfig.resources.limits.cpu at #/properties/deploymentConfig/properties/resources/properties/limits/additionalProperties/oneOf: invalid value for field "deploymentConfig.resources.limits.cpu"',
    ],
  ],
  ["a configuration that is no object", "A", true, [" at #/type: invalid type: got boolean, want object"]],
  ["a configuration that fits", "AO", { watchNamespace: "ns" }, []],
] as const satisfies readonly (readonly [string, string, JsonValue | undefined, readonly string[]])[])
  test(`names field and rule of ${what}`, () => assert.deepEqual(faultsOf(modes, config), expected));

for (const [what, config, message] of [
  [
    "as text that is no YAML",
    "a: b: c",
    "invalid ClusterExtension configuration: invalid configuration: mapping values are not allowed in this context",
  ],
  [
    "with a quantity that fits the schema and is none",
    { deploymentConfig: { resources: { limits: { cpu: "lots" } } } },
    "invalid deploymentConfig: failed to unmarshal deploymentConfig: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
] as const)
  test(`a configuration ${what} is refused in OLM's words, as an error that is not retried`, () => {
    const read = readExtensionConfig(csvOf("A"), "ns", config, []);
    assert.equal(read.ok ? "" : read.problem.message, `terminal error: ${message}`);
  });
