import assert from "node:assert/strict";
import { test } from "node:test";
import { hasFormat, isKnownFormat } from "./schema-formats.ts";
import { unknownFormats } from "./unknown-formats.ts";

test("a format is known for the type that it is checked for, and for no other", () => {
  const known = [
    ["string", "date-time"],
    ["string", "datetime"],
    ["", "uuid"],
    ["integer", "int32"],
    ["integer", "int64"],
    ["number", "float"],
    ["number", "double"],
  ] as const;
  const unknown = [
    ["string", "int32"],
    ["string", "semver"],
    ["", "float"],
    ["integer", "double"],
    ["integer", "uuid"],
    ["number", "int64"],
    ["boolean", "float"],
    ["object", "uuid"],
  ] as const;
  for (const [type, format] of known) assert.equal(isKnownFormat(type, format), true, `${type} ${format}`);
  for (const [type, format] of unknown) assert.equal(isKnownFormat(type, format), false, `${type} ${format}`);
});

test("unknown formats are found below every keyword, in the order of the keywords", () => {
  const is = (format: string) => ({ type: "string", format });
  assert.deepEqual(
    unknownFormats({
      ...is("root"),
      additionalItems: is("additional item"),
      additionalProperties: is("additional property"),
      dependencies: { a: is("dependency"), b: ["c"] },
      definitions: { a: is("definition") },
      patternProperties: { a: is("pattern property") },
      properties: { a: is("property"), b: is("uuid"), c: { type: "integer", format: "float" }, d: { format: "" } },
      not: is("not"),
      oneOf: [is("one")],
      anyOf: [is("any")],
      allOf: [is("all"), { not: { not: is("all") } }],
      items: is("item"),
    }),
    [
      "root",
      "item",
      "all",
      "all",
      "any",
      "one",
      "not",
      "property",
      "float",
      "pattern property",
      "definition",
      "dependency",
      "additional property",
      "additional item",
    ],
  );
  assert.deepEqual(unknownFormats({ items: [is("first"), null, is("second")], properties: [is("no map")] }), [
    "first",
    "second",
  ]);
});

const formats: readonly (readonly [format: string, valid: readonly string[], invalid: readonly string[]])[] = [
  ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"]],
  ["uri", ["/a", "https://a.example/b%20c", "mailto:a"], ["", "a/b", "/a b", "/a%2", "https://a\u0007"]],
  ["email", ["a@example.com", "Ann <a@example.com>", '"a b"@example.com', "a@[::1]"], ["a", "@example.com", "a@b@c"]],
  ["ipv4", ["192.0.2.1"], ["::1", "192.0.2.256"]],
  ["ipv6", ["2001:db8::1"], ["192.0.2.1", "2001:db8::1::"]],
  ["cidr", ["192.0.2.0/24", "2001:db8::/32"], ["192.0.2.0", "192.0.2.0/33"]],
  ["mac", ["01:23:45:67:89:ab", "0123.4567.89ab"], ["01:23:45:67:89", "01:23:45:67:89:ag"]],
  ["uuid", ["123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"], ["123e4567"]],
  ["uuid3", ["123e4567-e89b-32d3-a456-426614174000"], ["123e4567-e89b-42d3-a456-426614174000"]],
  ["uuid4", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-42d3-c456-426614174000"]],
  ["uuid5", ["123e4567-e89b-52d3-a456-426614174000"], ["123e4567-e89b-42d3-a456-426614174000"]],
  ["isbn", ["0-306-40615-2", "978-0-306-40615-7"], ["0306406153", "9780306406158"]],
  ["isbn10", ["0306406152", "080442957X"], ["0306406153", "978030640615"]],
  ["isbn13", ["9780306406157"], ["9780306406158", "0306406152"]],
  ["creditcard", ["4111 1111 1111 1111", "378282246310005"], ["4111111111111112", "1234567812345670"]],
  ["ssn", ["123-45-6789", "123456789"], ["123-456-789"]],
  ["hexcolor", ["#fff", "00ff00"], ["#ffff"]],
  ["rgbcolor", ["rgb(0, 128, 255)"], ["rgb(0, 128, 256)", "rgb(0, 128)"]],
  ["byte", ["YQ==", "YWI=", "YWJj"], ["YQ", "Y==="]],
  ["password", ["", "x"], []],
  [
    "date",
    ["2024-02-29", "2000-02-29", "2026-12-31"],
    ["2023-02-29", "1900-02-29", "2026-13-01", "2026-04-31", "26-01-01"],
  ],
  [
    "date-time",
    ["2026-01-02T03:04:05Z", "2026-01-02t23:59:59.5+02:00", "2024-02-29T00:00:00-12:00"],
    ["2026-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T00:60:00Z", "2026-01-02T00:00:60Z", "2026-01-02"],
  ],
  ["duration", ["1h30m", "-1.5s", "0", "3 days", "2 WEEKS", "5µs"], ["", "h", "3 years", "1"]],
  [
    "duration",
    [
      ..."w week weeks d day days h hr hour hours min minute minutes s sec second seconds".split(" "),
      ..."ms milli millis millisecond milliseconds us µs micro micros microsecond microseconds".split(" "),
      ..."ns nano nanos nanosecond nanoseconds".split(" "),
    ].map((unit) => `2 ${unit}`),
    ["2 years", "2 m o", "2 secs", "2 hrs"],
  ],
  ["k8s-short-name", ["a", "a-1", "a".repeat(63)], ["", "-a", "a-", "A", "a.b", "a".repeat(64)]],
  ["k8s-long-name", ["a.b-c.1", `${"a".repeat(251)}.b`], ["a..b", "a.", `${"a".repeat(252)}.b`]],
];
for (const [format, valid, invalid] of formats)
  test(`the format ${format} accepts what Kubernetes accepts, and nothing else`, () => {
    for (const text of valid) assert.equal(hasFormat(format, text), true, text);
    for (const text of invalid) assert.equal(hasFormat(format, text), false, text);
  });

test("an unknown format is not checked", () => {
  assert.equal(hasFormat("semver", "x"), undefined);
});
