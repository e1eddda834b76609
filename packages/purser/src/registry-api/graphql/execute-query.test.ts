// Results beside those of graphql-go 0.8.1 with the schema of catalogd 1.11.0; where they differ, docs/differences.md says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { catalogSchema } from "./catalog-schema.ts";
import { discoverSchemas } from "./discovered-schema.ts";
import { executeQuery, readQuery } from "./execute-query.ts";
import { fieldName, queryFieldName, typeName } from "./names.ts";
import { queryOf } from "./query-request.ts";

const catalog: readonly JsonObject[] = [
  {
    schema: "olm.package",
    name: "p",
    icon: { base64data: "x", mediatype: "y" },
    n: 5,
    big: 12345678901,
    f: 1.5,
    t: true,
    tags: ["a", "b"],
    nums: [1, 2.5],
    mixed: ["a", 1],
    objects: [{}],
    empty: [],
    nul: null,
  },
  {
    schema: "olm.channel",
    name: "stable",
    package: "p",
    entries: [
      { name: "p.v1", skips: ["a", "b"] },
      { name: "p.v2", n: 3 },
    ],
  },
  { schema: "olm.package", name: "q", n: "abc", f: 2, t: "x", tags: "z", icon: "plain", "weird-key_x": 1 },
  { schema: "olm.package", name: "r", n: 5.7, t: 0, f: "1.25", defaultChannel: 7, big: 1e300 },
  { name: "without a schema" },
];

function ask(query: string, blobs: readonly JsonObject[] = catalog): JsonValue {
  const read = readQuery(query);
  if ("refusal" in read) return JSON.parse(read.refusal) as JsonValue;
  const schema = catalogSchema(discoverSchemas(blobs), (wanted, offset, limit) =>
    blobs.filter(({ schema: own }) => own === wanted).slice(offset, offset + limit),
  );
  assert.ok(schema.ok, JSON.stringify(schema));
  return JSON.parse(executeQuery(schema.value, read.document)) as JsonValue;
}
const dataOf = (answer: JsonValue): JsonValue | undefined => (answer as JsonObject)["data"];
const messagesOf = (answer: JsonValue): readonly unknown[] =>
  ((answer as JsonObject)["errors"] as readonly JsonObject[]).map(({ message }) => message);

test("the summary counts the blobs and fields of every schema", () => {
  assert.deepEqual(ask("{summary{totalSchemas schemas{name totalObjects totalFields}}}"), {
    data: {
      summary: {
        totalSchemas: 2,
        schemas: [
          { name: "olm.channel", totalObjects: 1, totalFields: 4 },
          { name: "olm.package", totalObjects: 3, totalFields: 15 },
        ],
      },
    },
  });
  assert.deepEqual(ask("{summary{totalSchemas schemas{name}}}", []), {
    data: { summary: { totalSchemas: 0, schemas: [] } },
  });
});

test("the first value of a field decides its type, other values are converted or null, objects are JSON", () => {
  assert.deepEqual(dataOf(ask("{olmpackages{name n f t icon nul weirdKeyX defaultChannel big}}")), {
    olmpackages: [
      {
        name: "p",
        n: 5,
        f: 1.5,
        t: true,
        icon: '{"base64data":"x","mediatype":"y"}',
        nul: null,
        weirdKeyX: null,
        defaultChannel: null,
        big: null,
      },
      { name: "q", n: null, f: 2, t: true, icon: "plain", nul: null, weirdKeyX: 1, defaultChannel: null, big: null },
      { name: "r", n: 5, f: 1.25, t: false, icon: null, nul: null, weirdKeyX: null, defaultChannel: 7, big: null },
    ],
  });
});

test("a list of plain values is a list, and a list of objects a list of their fields", () => {
  assert.deepEqual(ask("{olmpackages(limit:2){tags nums mixed objects empty}}"), {
    data: {
      olmpackages: [
        { tags: ["a", "b"], nums: [1, 2.5], mixed: ["a", "1"], objects: ["{}"], empty: [] },
        { tags: ["z"], nums: null, mixed: null, objects: null, empty: null },
      ],
    },
  });
  assert.deepEqual(ask("{olmchannels{entries{name n skips}}}"), {
    data: {
      olmchannels: [
        {
          entries: [
            { name: "p.v1", n: null, skips: ["a", "b"] },
            { name: "p.v2", n: 3, skips: null },
          ],
        },
      ],
    },
  });
});

test("fields of objects in lists are those of the first ten, of all blobs, and the first value decides the type", () => {
  const blobs = [
    {
      schema: "b",
      list: [{ a: 1 }, ...Array.from({ length: 9 }, () => ({ b: "x" })), { eleventh: 1 }],
      later: "plain",
    },
    { schema: "b", list: [{ a: "text", c: true }], later: [{ d: 1 }] },
  ];
  assert.deepEqual(dataOf(ask("{bs(offset:1){list{a b c} later{d}}}", blobs)), {
    bs: [{ list: [{ a: null, b: null, c: true }], later: [{ d: 1 }] }],
  });
  assert.deepEqual(messagesOf(ask("{bs{list{eleventh}}}", blobs)), ['Cannot query field "eleventh" on type "BList".']);
});

const pages: readonly (readonly [argument: string, first: string, length: number])[] = [
  ["", "b0", 100],
  ["(limit:3,offset:2)", "b2", 3],
  ["(limit:101)", "b0", 100],
  ["(limit:0,offset:149)", "b149", 1],
  ["(limit:-1,offset:-1)", "b0", 100],
  ["(limit:null,offset:null)", "b0", 100],
];
for (const [argument, first, length] of pages)
  test(`bs${argument} of 150 blobs begins with ${first} and has ${length}`, () => {
    const blobs = Array.from({ length: 150 }, (_, at) => ({ schema: "b", name: `b${at}` }));
    const { bs } = dataOf(ask(`{bs${argument}{name}}`, blobs)) as { readonly bs: readonly { readonly name: string }[] };
    assert.deepEqual([bs[0]?.name, bs.length], [first, length]);
  });

const names: readonly (readonly [key: string, field: string, type: string])[] = [
  ["name", "name", "Name"],
  ["package-name", "packageName", "PackageName"],
  ["", "value", "Unknown"],
  ["123invalid", "field_123invalid", "Invalid"],
  ["CamelCase", "camelCase", "Camelcase"],
  ["UPPERCASE", "uppercase", "Uppercase"],
  ["mixed_case-field.name", "mixedCaseFieldName", "MixedCaseFieldName"],
  ["---", "field_", "Unknown"],
  ["123", "field_123", "Unknown"],
  ["field@#$%", "field", "Field"],
  [
    "operators.operatorframework.io/bundle.v1",
    "operatorsOperatorframeworkIoBundleV1",
    "OperatorsOperatorframeworkIoBundleV1",
  ],
];
for (const [key, field, type] of names)
  test(`"${key}" is the field ${field} and the type ${type}`, () => {
    assert.deepEqual([fieldName(key), typeName(key)], [field, type]);
  });

test("a schema of blobs is queried by its letters and digits with an s", () => {
  assert.deepEqual(["olm.bundle", "Acme_Note2", "é"].map(queryFieldName), ["olmbundles", "acmenote2s", "s"]);
});

const unbuildable: readonly (readonly [schemas: readonly JsonObject[], problem: RegExp])[] = [
  [
    [{ schema: "a.b" }, { schema: "a_b" }],
    /^type name collision: schemas "a\.b" and "a_b" both sanitize to GraphQL type "AB"$/,
  ],
  [[{ schema: "a.b" }, { schema: "ab" }], /^query field collision: schemas "a\.b" and "ab" both map to field "abs"$/],
  [[{ schema: "query" }], /multiple types named "Query"/],
  [[{ schema: "a", b: [{ c: 1 }] }, { schema: "a.b" }], /multiple types named "AB"/],
  [[{ schema: "1.2" }], /^Names must start with/],
];
for (const [blobs, problem] of unbuildable)
  test(`a catalog of ${JSON.stringify(blobs)} has no GraphQL schema`, () => {
    const built = catalogSchema(discoverSchemas(blobs), () => []);
    assert.match(built.ok ? "" : built.problem, problem);
  });

const nested = (levels: number): string => `${"{a".repeat(levels)}${"}".repeat(levels)}`;
const many = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(" ");
const limits: readonly (readonly [name: string, query: string, message: string | undefined])[] = [
  ["10 levels", nested(10), undefined],
  ["11 levels", nested(11), "query exceeds maximum depth of 10"],
  ["11 levels in a fragment", `{...F} fragment F on X ${nested(10)}`, "query exceeds maximum depth of 10"],
  [
    "11 levels of inline fragments",
    `${"{... on X".repeat(10)}{a}${"}".repeat(10)}`,
    "query exceeds maximum depth of 10",
  ],
  ["50 aliases", `{${many(50, (at) => `a${at}: b`)}}`, undefined],
  ["51 aliases", `{${many(51, (at) => `a${at}: b`)}}`, "query exceeds maximum alias count of 50"],
  ["500 fields", `{${many(500, (at) => `a${at}`)}}`, undefined],
  ["501 fields", `{${many(501, (at) => `a${at}`)}}`, "query exceeds maximum field count of 500"],
  ["a fragment of 300 fields spread twice", `{...F ...F} fragment F on X {${many(300, (at) => `a${at}`)}}`, undefined],
  [
    "a fragment of 300 fields in two operations",
    `query A {...F} query B {...F} fragment F on X {${many(300, (at) => `a${at}`)}}`,
    "query exceeds maximum field count of 500",
  ],
  [
    "501 fields that nothing uses",
    `{a} fragment F on X {${many(501, (at) => `a${at}`)}}`,
    "query exceeds maximum field count of 500",
  ],
  ["fragments in a circle", "{...F} fragment F on X {...G} fragment G on X {...F}", undefined],
  ["text that is no query", "{{{", 'query parse error: Syntax Error: Expected Name, found "{".'],
  ["30,000 opening brackets", "{a".repeat(30_000), "query parse error: the query is nested too deeply"],
];
for (const [name, query, message] of limits)
  test(`${name}: ${message ?? "within the limits"}`, () => {
    const read = readQuery(query);
    if (message === undefined) assert.ok("document" in read, JSON.stringify(read));
    else
      assert.deepEqual("refusal" in read && JSON.parse(read.refusal), {
        data: null,
        errors: [{ message, locations: [] }],
      });
  });

test("errors of a query come with their place, and nothing is executed", () => {
  assert.deepEqual(ask("{ olmpackage }"), {
    data: null,
    errors: [{ message: 'Cannot query field "olmpackage" on type "Query".', locations: [{ line: 1, column: 3 }] }],
  });
  assert.deepEqual(messagesOf(ask("{...F} fragment F on Query {...F}")), ['Cannot spread fragment "F" within itself.']);
  assert.deepEqual(messagesOf(ask("mutation {a}")), ["The mutation operation is not supported by the schema."]);
});

test("a result of more than 32 MiB is refused with what to do", () => {
  const blobs = Array.from({ length: 100 }, (_, at) => ({ schema: "b", name: `b${at}`, text: "x".repeat(400_000) }));
  const answer = ask("{bs{text}}", blobs);
  const messages = new Set(messagesOf(answer));
  assert.deepEqual(
    [...messages],
    ["the result of the query is too large: ask for fewer fields, or for fewer items with limit"],
  );
  assert.deepEqual(dataOf(ask("{bs(limit:80){name}}", blobs)), {
    bs: blobs.slice(0, 80).map(({ name }) => ({ name })),
  });
});

test("very many small values are a result that is too large", () => {
  const answer = ask("{bs{nums}}", [{ schema: "b", nums: Array.from({ length: 2_100_000 }, () => 1) }]);
  assert.match(String(messagesOf(answer)[0]), /^the result of the query is too large/);
});

const bodies: readonly (readonly [name: string, body: string | undefined, answer: string])[] = [
  ["a query", '{"query":"{a}","variables":{}}', "{a}"],
  ["Query with a capital letter", '{"Query":"{a}"}', "{a}"],
  ["too much", undefined, "Invalid request body"],
  ["half a text", '{"query', "Invalid request body"],
  ["a list", "[]", "Invalid request body"],
  ["a number as query", '{"query":5}', "Invalid request body"],
  ["null", "null", "Query cannot be empty"],
  ["no query", "{}", "Query cannot be empty"],
  ["an empty query", '{"query":""}', "Query cannot be empty"],
  ["100,000 bytes", JSON.stringify({ query: "x".repeat(100_000) }), "x".repeat(100_000)],
  ["100,001 bytes", JSON.stringify({ query: "x".repeat(100_001) }), "Query too large"],
  ["100,001 bytes of 50,001 characters", JSON.stringify({ query: `${"é".repeat(50_000)}x` }), "Query too large"],
];
for (const [name, body, answer] of bodies)
  test(`a body with ${name} is read or refused`, () => {
    const read = queryOf(body);
    assert.equal(read.ok ? read.value : read.problem, answer);
  });
