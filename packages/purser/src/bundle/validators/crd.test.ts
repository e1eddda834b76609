import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { columnErrors, conversionErrors, namesErrors, subresourceErrors } from "./crd-parts.ts";
import { validateCrd } from "./crd.ts";

/** The texts, without the long one about labels. */
const texts = (errors: readonly Parameters<typeof formatFieldError>[0][]): readonly string[] =>
  errors.map((error) => formatFieldError(error).replaceAll(label, "LABEL"));
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

test("names of a CRD are labels, kinds in mixed case, and kind and listKind differ", () => {
  const names = {
    plural: "A_",
    singular: "b_",
    kind: "C_",
    listKind: "C_",
    shortNames: ["ok", "D_", 1],
    categories: ["E_"],
  };
  assert.deepEqual(texts(namesErrors(names)), [
    'spec.names.plural: Invalid value: "A_": LABEL',
    'spec.names.singular: Invalid value: "b_": LABEL',
    'spec.names.kind: Invalid value: "C_": may have mixed case, but should otherwise match: LABEL',
    'spec.names.listKind: Invalid value: "C_": may have mixed case, but should otherwise match: LABEL',
    'spec.names.shortNames[1]: Invalid value: "D_": LABEL',
    'spec.names.shortNames[2]: Invalid value: "": LABEL',
    'spec.names.listKind: Invalid value: "C_": kind and listKind may not be the same',
    'spec.names.categories[0]: Invalid value: "E_": LABEL',
  ]);
  assert.deepEqual(texts(namesErrors({})), []);
  assert.deepEqual(texts(namesErrors({ plural: "as", singular: "a", kind: "A", listKind: "AList" })), []);
});

test("printer columns have a name, a type, a format and a simple path", () => {
  const types = "must be one of boolean,date,integer,number,string";
  const formats = "must be one of byte,date,date-time,double,float,int32,int64,password";
  const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
    [{}, ["c.name: Required value", `c.type: Required value: ${types}`, "c.JSONPath: Required value"]],
    [
      { name: "n", type: "x", format: "y", jsonPath: "z" },
      [
        `c.type: Invalid value: "x": ${types}`,
        `c.format: Invalid value: "y": ${formats}`,
        'c.JSONPath: Invalid value: "z": must be a simple json path starting with .',
      ],
    ],
    ...["boolean", "date", "integer", "number", "string"].map(
      (type) => [{ name: "n", type, jsonPath: ".a" }, []] as const,
    ),
    ...["byte", "date", "date-time", "double", "float", "int32", "int64", "password"].map(
      (format) => [{ name: "n", type: "date", format, JSONPath: ".a" }, []] as const,
    ),
  ];
  for (const [column, expected] of rows) assert.deepEqual(texts(columnErrors(column, "c")), expected);
});

test("the scale subresource names paths under spec and status", () => {
  const rows: readonly (readonly [JsonValue, readonly string[]])[] = [
    ["none", []],
    [{}, ["s.scale.specReplicasPath: Required value", "s.scale.statusReplicasPath: Required value"]],
    [
      { specReplicasPath: "a", statusReplicasPath: ".spec.a", labelSelectorPath: "x" },
      [
        's.scale.specReplicasPath: Invalid value: "a": must be a simple json path starting with .',
        's.scale.statusReplicasPath: Invalid value: ".spec.a": should be a json path under .status',
        's.scale.labelSelectorPath: Invalid value: "x": must be a simple json path starting with .',
      ],
    ],
    [
      { specReplicasPath: ".special", statusReplicasPath: ".status.a", labelSelectorPath: ".x" },
      [
        's.scale.specReplicasPath: Invalid value: ".special": should be a json path under .spec',
        's.scale.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec or .status',
      ],
    ],
    [{ specReplicasPath: ".spec.a", statusReplicasPath: ".status.a", labelSelectorPath: ".spec.s" }, []],
    [{ specReplicasPath: ".spec.a", statusReplicasPath: ".status.a", labelSelectorPath: ".status.s" }, []],
  ];
  for (const [scale, expected] of rows) assert.deepEqual(texts(subresourceErrors({ scale }, "s")), expected);
  assert.deepEqual(texts(subresourceErrors({ status: {} }, "s")), []);
});

test("versions are converted by a webhook that is named, or not at all", () => {
  const at = "spec.conversion";
  const only = "Forbidden: should not be set when strategy is not set to Webhook";
  const webhook = (webhookClientConfig: JsonValue, ...conversionReviewVersions: readonly string[]) => ({
    strategy: "Webhook",
    webhookClientConfig,
    conversionReviewVersions,
  });
  const service = { name: "n", namespace: "ns" };
  const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
    [{ strategy: "None" }, []],
    [{}, [`${at}.strategy: Required value`]],
    [
      { strategy: "X", webhookClientConfig: {}, conversionReviewVersions: ["v1"] },
      [
        `${at}.strategy: Unsupported value: "X": supported values: "None", "Webhook"`,
        `${at}.webhookClientConfig: ${only}`,
        `${at}.conversionReviewVersions: ${only}`,
      ],
    ],
    [
      { strategy: "Webhook" },
      [
        `${at}.webhookClientConfig: Required value: required when strategy is set to Webhook`,
        `${at}.conversionReviewVersions: Required value`,
      ],
    ],
    [
      webhook({}, "v2"),
      [
        `${at}.webhookClientConfig: Required value: exactly one of url or service is required`,
        `${at}.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1`,
      ],
    ],
    [
      webhook({ url: "https://a", service }, "v1"),
      [`${at}.webhookClientConfig: Required value: exactly one of url or service is required`],
    ],
    [
      webhook({ url: "http://a" }, "v1beta1"),
      [
        `${at}.webhookClientConfig.url: Invalid value: "http://a": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [webhook({ url: "https://a" }, "v2", "v1"), []],
    [
      webhook({ service: {} }, "v1"),
      [
        `${at}.webhookClientConfig.service.name: Required value: service name is required`,
        `${at}.webhookClientConfig.service.namespace: Required value: service namespace is required`,
      ],
    ],
    [webhook({ service }, "v1"), []],
  ];
  for (const [conversion, expected] of rows) assert.deepEqual(texts(conversionErrors(conversion)), expected);
});

const versionOf = (name: string, more: JsonObject = {}): JsonObject => ({ name, served: true, storage: true, ...more });
const whole: JsonObject = {
  group: "g.io",
  scope: "Namespaced",
  names: { plural: "as", kind: "A" },
  versions: [versionOf("v1", { schema: { a: 1 } })],
};

/** The details of a CRD with this spec; `metadata` beside its name. */
function details(spec: JsonObject, version: "v1" | "v1beta1" = "v1", metadata: JsonObject = {}): readonly string[] {
  const object = { kind: "CustomResourceDefinition", metadata: { name: "as.g.io", ...metadata }, spec };
  const { name, issues } = validateCrd({
    object,
    version,
    place: { file: "f" },
    locate: (pointer) => ({ file: "f", pointer }),
  });
  assert.equal(name, object.metadata.name);
  return issues.map(({ rule, level, detail, field, place, type }) => {
    assert.deepEqual([rule, level], ["crd-field", "Error"]);
    assert.ok(type !== undefined && field !== undefined && detail.startsWith(field));
    assert.equal(place?.pointer, `/${field.replaceAll("[", ".").replaceAll("]", "").replaceAll(".", "/")}`);
    return detail.replaceAll(label, "LABEL").replace(/(spec.versions: Invalid value: ).*: (must|per)/, "$1...: $2");
  });
}

test("a CRD has a name after its plural and group, and no namespace", () => {
  assert.deepEqual(details(whole), []);
  assert.deepEqual(details(whole, "v1", { name: "bs.g.io" }), [
    'metadata.name: Invalid value: "bs.g.io": must be spec.names.plural+"."+spec.group',
  ]);
  assert.deepEqual(details(whole, "v1", { name: "" }), [
    "metadata.name: Required value: name or generateName is required",
  ]);
  assert.deepEqual(details(whole, "v1", { namespace: "ns" }), [
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
});

test("group, scope and names are required, a group is a domain, and protected groups are approved", () => {
  const name = (group: string, annotations: JsonObject = {}) =>
    details({ ...whole, group }, "v1", { name: `as.${group}`, annotations });
  const { scope: _scope, ...scopeless } = whole;
  assert.deepEqual(details(scopeless), ["spec.scope: Required value"]);
  assert.deepEqual(details({ ...whole, scope: "x" }), [
    'spec.scope: Unsupported value: "x": supported values: "Cluster", "Namespaced"',
  ]);
  assert.deepEqual(details({ ...whole, scope: "Cluster" }), []);
  assert.deepEqual(name("domain"), ['spec.group: Invalid value: "domain": should be a domain with at least one dot']);
  assert.equal(
    name("").find((text) => text.startsWith("spec.group")),
    "spec.group: Required value",
  );
  assert.match(
    name("G.io").find((text) => text.startsWith("spec.group")) ?? "",
    /^spec.group: Invalid value: "G.io": ./,
  );
  assert.deepEqual(
    details({ ...whole, names: {} }, "v1", { name: ".g.io" }).filter((text) => text.endsWith("Required value")),
    ["plural", "singular", "kind", "listKind"].map((key) => `spec.names.${key}: Required value`),
  );
  const approval = "api-approved.kubernetes.io";
  const must = `protected groups must have approval annotation "${approval}"`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  for (const group of ["x.k8s.io", "k8s.io", "kubernetes.io", "a.kubernetes.io"]) {
    assert.deepEqual(name(group), [`metadata.annotations[${approval}]: Required value: ${must}, ${see}`]);
    assert.deepEqual(name(group, { [approval]: "unapproved, for now" }), []);
    assert.deepEqual(name(group, { [approval]: "https://a/b" }), []);
  }
  assert.deepEqual(name("k8s.io", { [approval]: "yes" }), [
    `metadata.annotations[${approval}]: Invalid value: "yes": ${must} with either a URL or a reason starting with "unapproved", ${see}`,
  ]);
  assert.deepEqual(name("notk8s.io"), []);
});

test("versions have unique names that are labels, and one of them is stored", () => {
  const of = (...versions: readonly JsonObject[]) => details({ ...whole, versions });
  const other = { storage: false, schema: { b: 1 } };
  assert.deepEqual(of(versionOf("v1"), versionOf("v2", other)), []);
  assert.deepEqual(of(versionOf("v1"), versionOf("v1", other)), [
    "spec.versions: Invalid value: ...: must contain unique version names",
  ]);
  const stored = "spec.versions: Invalid value: ...: must have exactly one version marked as storage version";
  assert.deepEqual(of(versionOf("v1"), versionOf("v2")), [stored]);
  assert.deepEqual(of(versionOf("v1", { storage: false })), [stored]);
  assert.deepEqual(of(), [stored]);
  assert.deepEqual(of(versionOf("v1"), versionOf("V_", other)), ['spec.versions[1].name: Invalid value: "V_": LABEL']);
  assert.deepEqual(of(versionOf("V_")), [
    'spec.versions[0].name: Invalid value: "V_": LABEL',
    'spec.version: Invalid value: "V_": LABEL',
  ]);
});

test("columns and subresources are checked where they stand: with all versions when they share them, else with each", () => {
  const columns = { additionalPrinterColumns: [{ name: "n", type: "date", jsonPath: "x" }] };
  const scale = { subresources: { scale: { specReplicasPath: ".spec.a" } } };
  const path = 'JSONPath: Invalid value: "x": must be a simple json path starting with .';
  const of = (...versions: readonly JsonObject[]) => details({ ...whole, versions });
  const second = (more: JsonObject = {}) => versionOf("v2", { storage: false, ...more });
  assert.deepEqual(of(versionOf("v1", columns), second(columns)), [`spec.additionalPrinterColumns[0].${path}`]);
  assert.deepEqual(of(versionOf("v1"), second(columns)), [`spec.versions[1].additionalPrinterColumns[0].${path}`]);
  assert.deepEqual(
    details({
      ...whole,
      versions: [
        versionOf("v1", { subresources: { scale: { specReplicasPath: "x", statusReplicasPath: ".status.a" } } }),
      ],
    }),
    ['spec.subresources.scale.specReplicasPath: Invalid value: "x": must be a simple json path starting with .'],
  );
  // Findings about status are upstream's to make elsewhere.
  assert.deepEqual(of(versionOf("v1", scale)), []);
  assert.deepEqual(of(versionOf("v1"), second({ subresources: { scale: { statusReplicasPath: ".status.a" } } })), [
    "spec.versions[1].subresources.scale.specReplicasPath: Required value",
  ]);
});

test("unknown fields may not be preserved for a whole CRD of v1, and not with a webhook", () => {
  const preserved =
    "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  const conversion = {
    strategy: "Webhook",
    webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] },
  };
  assert.deepEqual(details({ ...whole, preserveUnknownFields: true }), [preserved]);
  assert.deepEqual(details({ ...whole, preserveUnknownFields: true, conversion }), [
    'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
    preserved,
  ]);
  assert.deepEqual(details({ ...whole, preserveUnknownFields: true, conversion: { strategy: "None" } }), [preserved]);
  assert.deepEqual(details({ ...whole, conversion }), []);
  assert.deepEqual(details({ ...whole, conversion: { strategy: "Webhook" } }), [
    "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
    "spec.conversion.conversionReviewVersions: Required value",
  ]);
});

test("a CRD of v1beta1 has defaults, one version at the top, and fields of all versions only there", () => {
  const old = { group: "g.io", version: "v1", names: { plural: "as", kind: "A" }, preserveUnknownFields: false };
  const of = (spec: JsonObject) => details({ ...old, ...spec }, "v1beta1");
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ preserveUnknownFields: true }).length, 1);
  assert.deepEqual(of({ version: "V_" }), [
    'spec.versions[0].name: Invalid value: "V_": LABEL',
    'spec.version: Invalid value: "V_": LABEL',
  ]);
  assert.deepEqual(of({ versions: [versionOf("v2")] }), [
    'spec.version: Invalid value: "v1": must match the first version in spec.versions',
  ]);
  const alike = {
    schema: { a: 1 },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "n", type: "date", JSONPath: ".a" }],
  };
  assert.deepEqual(
    of({ versions: [versionOf("v1", alike)] }),
    [
      ["schemas", "validation"],
      ["subresources", "subresources"],
      ["additionalPrinterColumns", "additionalPrinterColumns"],
    ].map(
      ([plural, above]) =>
        `spec.versions: Invalid value: ...: per-version ${plural} may not all be set to identical values (top-level ${above} should be used instead)`,
    ),
  );
  assert.deepEqual(of({ versions: [versionOf("v1", alike), versionOf("v2", { storage: false })] }), []);
  assert.deepEqual(
    of({ additionalPrinterColumns: [{ name: "n", type: "date", JSONPath: "x" }], conversion: { strategy: "None" } }),
    ['spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .'],
  );
});

test("the values of an issue are texts as Go prints them", () => {
  const values = (spec: JsonObject) => {
    const object = { metadata: { name: "as.g.io" }, spec: { ...whole, ...spec } };
    return validateCrd({ object, version: "v1", place: { file: "f" }, locate: () => ({ file: "f" }) }).issues.map(
      ({ value }) => value,
    );
  };
  assert.deepEqual(values({ scope: "x", preserveUnknownFields: true }), [
    { text: "x" },
    { text: "0x0", type: "*bool" },
  ]);
  const column = { name: "n", type: "date", jsonPath: ".a" };
  const versions = [
    versionOf("v1"),
    versionOf("v2", { deprecated: true, deprecationWarning: "w", schema: {}, additionalPrinterColumns: [column] }),
  ];
  assert.deepEqual(values({ versions }), [
    {
      text: "[{v1 true true false <nil> <nil> <nil> [] []} {v2 true true true w 0x0 <nil> [{...}] []}]",
      type: "[]apiextensions.CustomResourceDefinitionVersion",
    },
  ]);
});
