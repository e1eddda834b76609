import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNames, namedFormat } from "./named-format.ts";

const long = (length: number): string => "a".repeat(length);
const uuid = "123e4567-e89b-12d3-a456-426614174000";

/** Valid texts, and invalid ones with the beginning of each fault. */
const formats: Readonly<
  Record<string, { readonly valid: readonly string[]; readonly faults: Readonly<Record<string, readonly string[]>> }>
> = {
  dns1123Label: {
    valid: ["a", "a-1", "1", long(63)],
    faults: {
      "": ["a lowercase RFC 1123 label must"],
      "a.b": ["a lowercase RFC 1123 label must"],
      "a-": ["a lowercase RFC 1123 label must"],
      [long(64)]: ["must be no more than 63 bytes"],
      [`${long(63)}-`]: ["must be no more than 63 bytes", "a lowercase RFC 1123 label must"],
    },
  },
  dns1123Subdomain: {
    valid: ["a.b-c.1", long(253)],
    faults: { "a..b": ["a lowercase RFC 1123 subdomain must"], [long(254)]: ["must be no more than 253 bytes"] },
  },
  dns1035Label: {
    valid: ["a1", long(63)],
    faults: { "1a": ["a DNS-1035 label must"], [long(64)]: ["must be no more than 63 bytes"] },
  },
  qualifiedName: {
    valid: ["a", "A_b.c", "example.com/A", `${long(253)}/${long(63)}`],
    faults: {
      "a/b/c": ["a qualified name must consist of"],
      "/a": ["prefix part must be non-empty"],
      "A/a": ["prefix part a lowercase RFC 1123 subdomain must"],
      "a/": ["name part must be non-empty", "name part must consist of"],
      "a/-": ["name part must consist of"],
      [long(64)]: ["name part must be no more than 63 bytes"],
    },
  },
  dns1123LabelPrefix: {
    valid: ["a-", "a"],
    faults: { "-": ["a lowercase RFC 1123 label must"], "a.-": ["a lowercase RFC 1123 label must"] },
  },
  dns1123SubdomainPrefix: { valid: ["a.b-"], faults: { "a..b-": ["a lowercase RFC 1123 subdomain must"] } },
  dns1035LabelPrefix: { valid: ["a-"], faults: { "1-": ["a DNS-1035 label must"] } },
  labelValue: {
    valid: ["", "A_b.c", long(63)],
    faults: { "a b": ["a valid label must be an empty string or"], [long(64)]: ["must be no more than 63 bytes"] },
  },
  uri: {
    valid: ["https://a.example/b", "/a"],
    faults: { "": ['parse "": invalid URI'], a: ['parse "a": invalid URI'] },
  },
  uuid: {
    valid: [uuid, uuid.toUpperCase(), uuid.replaceAll("-", "")],
    faults: { "": ["does not match the UUID format"], [`${uuid}0`]: ["does not match the UUID format"] },
  },
  byte: { valid: ["YQ==", "YWI=", "YWJj"], faults: { YQ: ["invalid base64"], "Y===": ["invalid base64"] } },
  date: {
    valid: ["2026-01-31", "2024-02-29"],
    faults: { "2026-02-30": ["invalid date"], "2026-13-01": ["invalid date"], "2026-1-1": ["invalid date"] },
  },
  datetime: {
    valid: ["2026-01-31T23:59:59Z", "2026-01-31t00:00:00.5+02:00"],
    faults: {
      "2026-02-30T00:00:00Z": ["invalid datetime"],
      "2026-01-31T24:00:00Z": ["invalid datetime"],
      "2026-01-31T00:00:00": ["invalid datetime"],
    },
  },
};

test("the formats of CEL are those of Kubernetes, and a name of Object.prototype is none", () => {
  assert.deepEqual(formatNames, Object.keys(formats));
  assert.equal(namedFormat("constructor"), undefined);
  assert.equal(namedFormat("labelvalue"), undefined);
});

for (const [name, { valid, faults }] of Object.entries(formats))
  test(`the format ${name} of CEL accepts valid texts and reports every fault of others`, () => {
    const format = namedFormat(name);
    assert.ok(format !== undefined);
    assert.equal(format.name.toLowerCase(), name.toLowerCase());
    for (const text of valid) assert.deepEqual(format.faults(text), [], text);
    for (const [text, expected] of Object.entries(faults)) {
      const found = format.faults(text);
      assert.deepEqual(
        found.map((fault, index) => fault.slice(0, expected[index]?.length ?? 0)),
        expected,
        text,
      );
    }
  });
