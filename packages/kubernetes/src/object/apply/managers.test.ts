import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { formatPath, pathsOf, setOf } from "./field-set.ts";
import {
  capUpdaters,
  decodeManagers,
  describeManager,
  dropEmpty,
  encodeManagers,
  type Manager,
  managerId,
  type Managers,
  withManagers,
  withoutManagers,
} from "./managers.ts";

const entry = (more: JsonObject = {}): JsonObject => ({
  manager: "m",
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:a": {} },
  ...more,
});
const manager = (name: string, more: Partial<Manager> = {}): Manager => ({
  name,
  operation: "Update",
  apiVersion: "v1",
  subresource: "",
  fields: setOf([[`f:${name}`]]),
  ...more,
});
const byId = (...managers: readonly Manager[]): Managers => new Map(managers.map((each) => [managerId(each), each]));

test("managedFields are read entry by entry, and none counts when one cannot be read", () => {
  const plain = manager("m", { fields: setOf([["f:a"]]) });
  const rows: readonly (readonly [JsonValue | undefined, readonly Manager[] | undefined])[] = [
    [undefined, []],
    [null, []],
    [[], []],
    [{}, undefined],
    [[entry()], [{ ...plain, time: "2026-01-01T00:00:00Z" }]],
    [[entry({ time: "", subresource: "status" })], [{ ...plain, subresource: "status" }]],
    [[entry({ time: undefined, manager: undefined })], [{ ...plain, name: "" }]],
    [
      [entry({ time: 1, fieldsV1: undefined, operation: "Apply" })],
      [manager("m", { operation: "Apply", fields: setOf([[]]) })],
    ],
    [[entry(), 1], undefined],
    [[entry({ operation: "Patch" })], undefined],
    [[entry({ operation: undefined })], undefined],
    [[entry({ apiVersion: "" })], undefined],
    [[entry({ apiVersion: 1 })], undefined],
    [[entry({ fieldsType: "FieldsV2" })], undefined],
    [[entry({ fieldsType: undefined })], undefined],
    [[entry({ fieldsV1: { later: {} } })], undefined],
  ];
  for (const [entries, expected] of rows) {
    const read = decodeManagers(entries);
    const shown = read === undefined ? undefined : [...read.values()].map((each) => ({ ...each, fields: paths(each) }));
    assert.deepEqual(
      shown,
      expected?.map((each) => ({ ...each, fields: paths(each) })),
      JSON.stringify(entries),
    );
  }
});
const paths = ({ fields }: Manager): string => allSteps(pathsOf(fields)).map(formatPath).join(" ");

test("a manager is known by its name, operation and subresource, an updater by its version too", () => {
  assert.deepEqual(
    [
      manager("m"),
      manager("", { apiVersion: "" }),
      manager("m", { operation: "Apply", subresource: "status" }),
      manager("m", { subresource: "scale", apiVersion: "apps/v1" }),
    ].map((each) => [managerId(each), describeManager(each)]),
    [
      ['{"manager":"m","operation":"Update","apiVersion":"v1"}', '"m" using v1'],
      ['{"operation":"Update"}', '"" using '],
      ['{"manager":"m","operation":"Apply","subresource":"status"}', '"m" with subresource "status"'],
      [
        '{"manager":"m","operation":"Update","apiVersion":"apps/v1","subresource":"scale"}',
        '"m" with subresource "scale" using apps/v1',
      ],
    ],
  );
});

test("entries are written appliers first, then by time in whole seconds, name, version and subresource", () => {
  const held = byId(
    manager("b", { time: "2026-01-01T00:00:02Z" }),
    manager("a", { time: "2026-01-01T00:00:02.9Z" }),
    manager("c", { time: "2026-01-01T00:00:01Z", subresource: "status" }),
    manager("c", { time: "2026-01-01T00:00:01Z", subresource: "" }),
    manager("c", { time: "2026-01-01T00:00:01Z", apiVersion: "v0" }),
    manager("z", { operation: "Apply", time: "2026-01-01T00:00:09Z" }),
    manager("", {}),
  );
  assert.deepEqual(
    encodeManagers(held).map((each) => JSON.stringify(each)),
    [
      '{"manager":"z","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:z":{}}}',
      '{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:":{}}}',
      '{"manager":"c","operation":"Update","apiVersion":"v0","time":"2026-01-01T00:00:01Z","fieldsType":"FieldsV1","fieldsV1":{"f:c":{}}}',
      '{"manager":"c","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:01Z","fieldsType":"FieldsV1","fieldsV1":{"f:c":{}}}',
      '{"manager":"c","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:01Z","fieldsType":"FieldsV1","fieldsV1":{"f:c":{}},"subresource":"status"}',
      '{"manager":"a","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:02.9Z","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}',
      '{"manager":"b","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:02Z","fieldsType":"FieldsV1","fieldsV1":{"f:b":{}}}',
    ],
  );
});

test("beyond ten updaters the oldest of each version are folded into one, which keeps the time of the last of them", () => {
  const updaters = (count: number, apiVersion: string, from: number): readonly Manager[] =>
    Array.from({ length: count }, (_, at) =>
      manager(`${apiVersion}-${String(at).padStart(2, "0")}`, {
        apiVersion,
        ...(from + at === 0 ? {} : { time: `2026-01-01T00:00:${String(from + at).padStart(2, "0")}Z` }),
      }),
    );
  const shown = (managers: Managers): readonly string[] =>
    [...managers.values()].map((each) => `${each.name} ${each.apiVersion} ${each.time ?? "-"} ${paths(each)}`);
  const applier = manager("x", { operation: "Apply" });
  const ten = byId(...updaters(10, "v1", 0), applier);
  assert.equal(capUpdaters(ten), ten);
  const kept = (first: number, last: number): readonly string[] =>
    updaters(last + 1, "v1", 0)
      .slice(first)
      .map((each) => `${each.name} v1 ${each.time ?? "-"} .${each.name}`);
  assert.deepEqual(shown(capUpdaters(byId(...updaters(13, "v1", 0).toReversed(), applier))), [
    ...kept(4, 12).toReversed(),
    "x v1 - .x",
    "ancient-changes v1 2026-01-01T00:00:03Z .v1-00 .v1-01 .v1-02 .v1-03",
  ]);
  assert.deepEqual(shown(capUpdaters(byId(...updaters(1, "v2", 0), ...updaters(11, "v1", 1)))), [
    "v2-00 v2 - .v2-00",
    ...updaters(11, "v1", 1)
      .slice(3)
      .map((each) => `${each.name} v1 ${each.time ?? ""} .${each.name}`),
    "ancient-changes v1 2026-01-01T00:00:03Z .v1-00 .v1-01 .v1-02",
  ]);
  const same = byId(...Array.from({ length: 11 }, (_, at) => manager(String.fromCharCode(107 - at))));
  assert.deepEqual(shown(capUpdaters(same)).at(-1), "ancient-changes v1 - .a .b");
  const before = manager("ancient-changes", { time: "2026-01-01T00:00:00Z", fields: setOf([["f:old"]]) });
  assert.deepEqual(shown(capUpdaters(byId(before, ...updaters(10, "v1", 1)))).slice(0, 2), [
    "ancient-changes v1 2026-01-01T00:00:01Z .old .v1-00",
    "v1-01 v1 2026-01-01T00:00:02Z .v1-01",
  ]);
});

test("managed fields are set in metadata, after its other members, and left out when there are none", () => {
  const held = byId(manager("m"));
  const entries = JSON.stringify(encodeManagers(held));
  const written = (object: JsonObject, managers: Managers): string =>
    JSON.stringify(allSteps(withManagers(object, managers)));
  const object = { metadata: { name: "x", managedFields: [1], labels: {} }, spec: 1, gone: undefined };
  assert.equal(written(object, held), `{"spec":1,"metadata":{"name":"x","labels":{},"managedFields":${entries}}}`);
  assert.equal(written(object, new Map()), '{"spec":1,"metadata":{"name":"x","labels":{}}}');
  assert.equal(written({ spec: 1 }, held), `{"spec":1,"metadata":{"managedFields":${entries}}}`);
  assert.equal(JSON.stringify(withoutManagers(object)), '{"spec":1,"metadata":{"name":"x","labels":{}}}');
  const plain = { metadata: { name: "x" } };
  assert.equal(withoutManagers(plain), plain);
  assert.deepEqual([...dropEmpty(byId(manager("m"), manager("n", { fields: setOf([]) }))).values()].map(paths), [".m"]);
});
