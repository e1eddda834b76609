import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import type { Scene } from "../../scene.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schemaField = "spec.validation.openAPIV3Schema";

interface Parts {
  readonly schema?: JsonObject;
  /** Members of the one version. */
  readonly version?: JsonObject;
  /** Members of `spec`. */
  readonly spec?: JsonObject;
}

async function tryOut(scene: Scene, { schema = { type: "object" }, version, spec }: Parts): Promise<string> {
  const body = scene.definition("foos", "Foo", schema, version, spec);
  const answer = await scene.ask({ method: "POST", path: `${definitions}?dryRun=All`, body });
  assert.ok(answer.code === 201 || answer.code === 422, answer.text);
  return answer.code === 201 ? "" : answer.message;
}

/** A row with an error; `S` in the message is the path of the schema. */
function refused(row: number, name: string, parts: Parts, expected: string): Row {
  return {
    row,
    name,
    run: async (scene) => {
      const message = await tryOut(scene, parts);
      const wanted = expected.replaceAll(/\bS(?=[.:]|$)/g, schemaField);
      assert.ok(message.includes(wanted), `${message}\n  has not\n  ${wanted}`);
    },
  };
}

const sampleSpec: JsonObject = {
  type: "object",
  properties: {
    a: { type: "integer" },
    t: { type: "string", maxLength: 20 },
    when: { type: "string", format: "date-time" },
    list: { type: "array", maxItems: 5, items: { type: "integer" } },
    words: { type: "array", maxItems: 5, items: { type: "string", maxLength: 5 } },
    nested: {
      type: "array",
      maxItems: 5,
      items: { type: "array", maxItems: 5, items: { type: "integer" } },
    },
    map: { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 5 } },
    "dash-ed": { type: "integer" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

function withRules(...rules: readonly JsonObject[]): Parts {
  return {
    schema: { type: "object", properties: { spec: { ...sampleSpec, "x-kubernetes-validations": rules } } },
  };
}

const at = "S.properties[spec].x-kubernetes-validations[0]";

/** Name, rules of `spec`, one of the errors. */
const ruleRefusals: readonly (readonly [string, readonly JsonObject[], string])[] = [
  ["K8 syntax", [{ rule: "self.a >" }], `${at}.rule: Invalid value: `],
  ["K8 syntax error with position", [{ rule: "self.a >" }], "compilation failed: ERROR: <input>:1:9: Syntax error: "],
  ["K8 unknown field", [{ rule: "self.zz > 1" }], "undefined field 'zz'"],
  ["K8 not bool", [{ rule: "self.a + 1" }], "cel expression must evaluate to a bool"],
  ["K8 empty", [{ rule: "" }], `${at}.rule: Required value: rule is not specified`],
  [
    "K8 message expression",
    [{ rule: "self.a > 1", messageExpression: "self.a" }],
    `${at}.messageExpression: Invalid value: `,
  ],
  [
    "K8 message expression of another type",
    [{ rule: "self.a > 1", messageExpression: "self.a" }],
    "messageExpression must evaluate to a string",
  ],
  [
    "K8 line breaks in a message",
    [{ rule: "self.a > 1", message: "a\nb" }],
    `${at}.message: Invalid value: "a\\nb": must not contain line breaks`,
  ],
  [
    "K8 line breaks in a rule",
    [{ rule: "self.a > 1 &&\nself.a < 5" }],
    `${at}.message: Required value: message must be specified if rule contains line breaks`,
  ],
  [
    "K8 path",
    [{ rule: "self.a > 1", fieldPath: ".zz" }],
    `${at}.fieldPath: Invalid value: ".zz": must be a valid path`,
  ],
  [
    "K5 reason",
    [{ rule: "self.a > 1", reason: "Foo" }],
    `${at}.reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
  ],
  [
    "K2 optionalOldSelf without oldSelf",
    [{ rule: "self.a > 1", optionalOldSelf: true }],
    `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ],
  ["K1 fields of untyped objects", [{ rule: "self.free.x == 1" }], "undefined field 'x'"],
  ["K1 other metadata fields", [{ rule: "self.metadata.name == 'x'" }], "undefined field 'metadata'"],
];

const present = [
  "self.list.all(i, v, i < v)",
  "self.list.exists_one(i, v, i == v)",
  "self.list.transformList(i, v, i + v).size() > 0",
  "self.map.transformMap(k, v, v + 'x').size() > 0",
  "self.?t.orValue('') == ''",
  "self.list[?0].hasValue()",
  "optional.of(1).value() == 1",
  "self.t.charAt(0) == 'a'",
  "self.t.indexOf('a') == 0",
  "self.t.lowerAscii() == 'a'",
  "self.t.replace('a', 'b') == 'b'",
  "self.t.split(',').size() == 1",
  "self.t.substring(0, 1) == 'a'",
  "self.t.trim() == 'a'",
  "self.words.join(',') == 'a'",
  "'%s'.format([self.t]) == 'a'",
  "strings.quote(self.t) == 'a'",
  "self.list.isSorted()",
  "self.list.sum() > 1",
  "self.list.min() > 1",
  "self.list.max() > 1",
  "self.list.indexOf(1) == 0",
  "self.list.lastIndexOf(1) == 0",
  "self.list.sort() == self.list",
  "self.list.distinct() == self.list",
  "self.list.reverse() == self.list",
  "self.nested.flatten().size() == 1",
  "lists.range(3).size() == 3",
  "sets.contains(self.list, [1])",
  "sets.equivalent(self.list, [1])",
  "sets.intersects(self.list, [1])",
  "self.t.find('a') == 'a'",
  "self.t.findAll('a') == ['a']",
  "self.t.matches('^a$')",
  "isURL(self.t) && url(self.t).getHost() == 'x'",
  "isQuantity(self.t) && quantity(self.t).isGreaterThan(quantity('1Gi'))",
  "quantity(self.t).add(1).asInteger() == 2",
  "isIP(self.t) && ip(self.t).family() == 4",
  "isCIDR(self.t) && cidr(self.t).containsIP('10.0.0.1')",
  "!format.dns1123Label().validate(self.t).hasValue()",
  "format.named('dns1123Label').hasValue()",
  "isSemver(self.t) && semver(self.t).major() == 1",
  "duration(self.t) > duration('1s')",
  "timestamp(self.t) > timestamp('2020-01-01T00:00:00Z')",
  "self.when > timestamp('2020-01-01T00:00:00Z')",
  "type(self.a) == int",
  "dyn(self.a) == 1",
  "uint(self.a) == 1u",
  "double(self.a) == 1.0",
  "string(self.a) == '1'",
  "self.dash__dash__ed == 1 || true",
  "has(self.a) && self.map.all(k, self.map[k] == k)",
];

const absent = [
  "math.greatest(1, 2) == 2",
  "base64.encode(b'a') == 'YQ=='",
  "cel.bind(x, 1, x == 1)",
  "regex.replace(self.t, 'a', 'b') == 'b'",
  "self.t.reverse() == 'a'",
  "authorizer.path('/x').check('get').allowed()",
  "self.words.sum() == 'a'",
];

export const definitionRuleRows: readonly Row[] = [
  ...ruleRefusals.map(([name, rules, expected]) => refused(240, name, withRules(...rules), expected)),
  ...present.map((rule): Row => ({
    row: 240,
    name: `K10 supports ${rule}`,
    run: async (scene) => {
      assert.equal(await tryOut(scene, withRules({ rule })), "");
    },
  })),
  ...absent.map((rule): Row => ({
    row: 240,
    name: `K10 does not support ${rule}`,
    run: async (scene) => {
      assert.match(await tryOut(scene, withRules({ rule })), /compilation failed/);
    },
  })),
  refused(
    231,
    "Q21",
    {
      schema: {
        type: "object",
        properties: {
          a: {
            type: "array",
            "x-kubernetes-list-type": "set",
            items: { type: "object", properties: { k: { type: "string" } } },
          },
        },
      },
    },
    "S.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
  ),
  refused(
    231,
    "Q23",
    {
      schema: {
        type: "object",
        properties: {
          a: {
            type: "array",
            "x-kubernetes-list-type": "set",
            "x-kubernetes-list-map-keys": ["k"],
            items: { type: "string" },
          },
        },
      },
    },
    'S.properties[a].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
  ),
  refused(
    231,
    "Q25",
    { spec: { preserveUnknownFields: true } },
    "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
  ),
  refused(
    231,
    "Q26",
    { spec: { scope: "X" } },
    'spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"',
  ),
  refused(
    231,
    "Q27",
    { spec: { names: { plural: "foos", kind: "bar bar" } } },
    'spec.names.kind: Invalid value: "bar bar": may have mixed case, but should otherwise match: a DNS-1035 label must consist of ',
  ),
  refused(
    231,
    "Q28 name",
    { version: { additionalPrinterColumns: [{ type: "string", jsonPath: ".spec" }] } },
    "spec.additionalPrinterColumns[0].name: Required value",
  ),
  refused(
    231,
    "Q28 type",
    { version: { additionalPrinterColumns: [{ name: "N", type: "foo", jsonPath: ".spec" }] } },
    'spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
  ),
  refused(
    231,
    "Q28 path",
    { version: { additionalPrinterColumns: [{ name: "N", type: "string", jsonPath: "spec" }] } },
    'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
  ),
  refused(
    231,
    "Q29 unknown field",
    { version: { selectableFields: [{ jsonPath: ".spec.x" }] } },
    'spec.selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
  ),
  refused(
    231,
    "Q29 object",
    {
      schema: { type: "object", properties: { spec: { type: "object" } } },
      version: { selectableFields: [{ jsonPath: ".spec" }] },
    },
    'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ),
  refused(
    231,
    "Q30 spec",
    { version: { subresources: { scale: { specReplicasPath: "spec.replicas", statusReplicasPath: ".status.r" } } } },
    'spec.subresources.scale.specReplicasPath: Invalid value: "spec.replicas": must be a simple json path starting with .',
  ),
  refused(
    231,
    "Q30 status",
    { version: { subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".spec.r" } } } },
    'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.r": should be a json path under .status',
  ),
  refused(
    231,
    "Q31 client configuration",
    { spec: { conversion: { strategy: "Webhook" } } },
    "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
  ),
  refused(
    231,
    "Q31 review versions",
    { spec: { conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "https://x.example.com" } } } } },
    "spec.conversion.conversionReviewVersions: Required value",
  ),
  refused(
    231,
    "Q31 strategy",
    { spec: { conversion: { strategy: "Zork" } } },
    'spec.conversion.strategy: Unsupported value: "Zork": supported values: "None", "Webhook"',
  ),
  refused(
    231,
    "Q32",
    { version: { deprecated: true, deprecationWarning: "x".repeat(257) } },
    "deprecationWarning: Invalid value: ",
  ),
  refused(
    231,
    "Q32, why",
    { version: { deprecated: true, deprecationWarning: "x".repeat(257) } },
    "must be <= 256 characters long",
  ),
];
