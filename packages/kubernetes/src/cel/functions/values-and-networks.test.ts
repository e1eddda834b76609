import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../json.ts";
import { type CelType, fromJson } from "../cel.ts";
import { CelFault } from "../cel-value.ts";
import { run, show } from "../testing/run-expression.ts";

/** An integer that a double cannot represent. */
const digits = (text: string): JsonValue =>
  (JSON as unknown as { readonly rawJSON: (text: string) => JsonValue }).rawJSON(text);

const values: readonly (readonly [
  kind: "bytes" | "duration" | "timestamp" | "string" | "double" | "int",
  value: JsonValue,
  result: string,
])[] = [
  ["bytes", "YWI=", "b'6162'"],
  ["bytes", "?", "invalid base64"],
  ["duration", "1h30m", "5400s"],
  ["duration", "1 hour", "invalid duration 1 hour"],
  ["timestamp", "2026-03-04T05:06:07Z", "2026-03-04T05:06:07Z"],
  ["timestamp", "2026-03-04", "2026-03-04T00:00:00Z"],
  ["timestamp", "yesterday", "invalid timestamp yesterday"],
  ["string", "a", "a"],
  ["string", null, "null"],
  ["string", true, "true"],
  ["int", 2, "2"],
  ["int", 2.5, "2.5"],
  ["int", digits("9223372036854775807"), "9223372036854775807"],
  ["double", 2, "2.0"],
  ["double", digits("9007199254740993"), "9007199254740992.0"],
];
for (const [kind, value, result] of values)
  test(`the JSON value ${JSON.stringify(value)} as ${kind} is ${result}`, () => {
    const held = fromJson(value, { kind } as CelType);
    assert.equal(held instanceof CelFault ? held.message : show(held), result);
  });

const expressions: readonly (readonly [expression: string, result: string])[] = [
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"],
  ["cidr('10.0.0.0/8').containsIP('11.1.2.3')", "false"],
  ["cidr('10.0.0.0/8').containsIP(ip('10.255.255.255'))", "true"],
  ["cidr('10.0.0.0/8').containsIP('10.1.2')", "no such overload"],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "true"],
  ["cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')", "false"],
  ["cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))", "true"],
  [
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0')",
    "network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(\"10.0.0.0\"): no '/'",
  ],
  [
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/33')",
    'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/33")',
  ],
  ["cidr('::/0').containsIP('10.0.0.1')", "false"],
  ["string(cidr('10.1.2.3/8').masked())", "10.0.0.0/8"],
  ["string(cidr('10.1.2.3/8').ip())", "10.1.2.3"],
  ["string(cidr('fd00::1:2/112').masked())", "fd00::1:0/112"],
  ["cidr('10.1.2.3/0').prefixLength()", "0"],
  ["quantity('1E')", "quantity"],
  ["quantity('1e3').isInteger()", "true"],
  ["quantity('1x')", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ["quantity('abc')", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ["quantity('1k').compareTo(quantity('1000'))", "0"],
  ["quantity('1').compareTo(quantity('2'))", "-1"],
  ["quantity('2').compareTo(quantity('1'))", "1"],
  ["sign(quantity('-1'))", "-1"],
  ["sign(quantity('0'))", "0"],
  ["sign(quantity('3'))", "1"],
  ["quantity('1500m').asApproximateFloat()", "1.5"],
  ["quantity('1500m').asInteger()", "cannot convert value to integer"],
  ["quantity('2k').asInteger()", "2000"],
  ["quantity('1').add(2) == quantity('3')", "true"],
  ["quantity('1').sub(quantity('500m')) == quantity('0.5')", "true"],
  ["quantity('1').isGreaterThan(quantity('1'))", "false"],
  ["quantity('2').isGreaterThan(quantity('1'))", "true"],
  ["quantity('1').isLessThan(quantity('1'))", "false"],
  ["quantity('1').isLessThan(quantity('2'))", "true"],
  [
    "format.named('dns1123Label').value().validate('A')",
    "some([a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')])",
  ],
  ["format.named('dns1123Label').value().validate('a')", "none"],
  ["format.named('other').hasValue()", "false"],
  ["self.map.all(k, self.map[k] > 0)", "true"],
  ["self.map.exists(k, self.map[k] > 1)", "true"],
  ["self.map.exists_one(k, self.map[k] > 0)", "false"],
  ["self.map.map(k, k)", "[x, y]"],
  ["self.map.filter(k, k == 'y')", "[y]"],
  ["self.numbers.all(n, 1 / (n - 1) > 0)", "false"],
  ["self.numbers.exists(n, 6 / (n - 1) > 2)", "true"],
  ["{'a': 1}['b']", "no such key: b"],
  ["{1: 'a'}[1u]", "ERROR: <input>:1:9: found no matching overload for '_[_]' applied to '(map(int, string), uint)'"],
  [
    "{1: 'a'}[1.0]",
    "ERROR: <input>:1:9: found no matching overload for '_[_]' applied to '(map(int, string), double)'",
  ],
  ["[1, 2][2]", "index out of bounds: 2"],
  ["[1, 2][-1]", "index out of bounds: -1"],
  ["[1, 2][1.0]", "ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(list(int), double)'"],
  ["self.absent", "no such key: absent"],
  ["has(self.absent)", "false"],
  ["self.any.other", "no such overload"],
  ["self.any > 1", "no such overload"],
  ["self.list == ['a', 'b']", "true"],
  ["self.set == ['q', 'p']", "true"],
  ["self.set + ['p', 'r']", "[p, q, r]"],
  ["type(self.when) == google.protobuf.Timestamp", "true"],
  ["type(1) == int && type(1u) == uint && type(1.0) == double && type('') == string", "true"],
  ["type(b'') == bytes && type([]) == list && type({}) == map && type(null) == null_type && type(int) == type", "true"],
  ["type(duration('1s')) == google.protobuf.Duration", "true"],
  ["true ? 1 : 1 / 0", "1"],
  ["false && 1 / 0 == 1", "false"],
  ["1 / 0 == 1 && false", "false"],
  ["1 / 0 == 1 || true", "true"],
  ["1 / 0 == 1 || false", "division by zero"],
  ["optional.of(1).or(optional.of(2)).value()", "1"],
  ["optional.none().or(optional.of(2)).value()", "2"],
  ["optional.none().value()", "optional.none() dereference"],
  ["self.?absent.orValue('x')", "x"],
  ["self.?s.hasValue()", "true"],
  ["self.map[?'z'].orValue(9)", "9"],
  ["self.numbers[?5].hasValue()", "false"],
  ["optional.of(2).optMap(x, x * 2)", "some(4)"],
  ["optional.of(2).optFlatMap(x, optional.none())", "none"],
];
for (const [expression, result] of expressions)
  test(`${expression} is ${result}`, () => assert.equal(run(expression), result));
