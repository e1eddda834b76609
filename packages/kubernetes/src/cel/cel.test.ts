import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../json.ts";
import { type CelType, compileCel, fromJson } from "./cel.ts";
import { run, self, show } from "./testing/run-expression.ts";

const results: readonly (readonly [string, string])[] = [
  ["1 + 2 * 3", "7"],
  ["7 / 2", "3"],
  ["-7 % 3", "-1"],
  ["7.0 / 2.0", "3.5"],
  ["9223372036854775807 + 1", "integer overflow"],
  ["-9223372036854775808", "-9223372036854775808"],
  ["10 / (self.n - 5)", "division by zero"],
  ["1u - 2u", "unsigned integer overflow"],
  ["1 < 1.5", "true"],
  ["false && (1 / 0 > 0)", "false"],
  ["(1 / 0 > 0) && false", "false"],
  ["(1 / 0 > 0) || true", "true"],
  ["(1 / 0 > 0) || false", "division by zero"],
  ["self.list.exists(x, x == 'b')", "true"],
  ["[1, 0].exists(x, 1 / x == 1)", "true"],
  ["[0, 2].all(x, 1 / x == 1)", "false"],
  ["self.list.exists_one(x, x == 'a')", "true"],
  ["self.numbers.map(x, x * 2)", "[6, 2, 4]"],
  ["self.numbers.map(x, x > 1, x)", "[3, 2]"],
  ["self.map.filter(k, k != 'x')", "[y]"],
  ["self.map.all(k, v, v > 0)", "true"],
  ["self.list.existsOne(i, v, i == 1)", "true"],
  ["self.list.transformList(i, v, v + string(i))", "[a0, b1]"],
  ["self.map.transformMap(k, v, v * 10)['y']", "20"],
  ["self.list.transformMapEntry(i, v, {v: i})['b']", "1"],
  ["has(self.s)", "true"],
  ["has(self.absent)", "false"],
  ["self.absent", "no such key: absent"],
  ["self.?absent.orValue('z')", "z"],
  ["self.?s.hasValue()", "true"],
  ["self.list[?5].orValue('q')", "q"],
  ["optional.of(1).optMap(x, x + 1).value()", "2"],
  ["optional.none().orValue(3)", "3"],
  ["self.list[5]", "index out of bounds: 5"],
  ["'x' in self.map", "true"],
  ["'a' in self.list", "true"],
  ["self.set == ['q', 'p']", "true"],
  ["self.list == ['b', 'a']", "false"],
  ["self.a__dot__b", "7"],
  ["type(self.any) == string", "true"],
  ["self.any > 3", "no such overload"],
  ["'tacocat'.charAt(3)", "o"],
  ["'tacocat'.indexOf('ac')", "1"],
  ["'tacocat'.lastIndexOf('c')", "4"],
  ["'TacoCat'.lowerAscii()", "tacocat"],
  ["'a b c'.replace(' ', '-', 1)", "a-b c"],
  ["'a,b,c'.split(',', 2)", "[a, b,c]"],
  ["'tacocat'.substring(0, 4)", "taco"],
  ["' x '.trim()", "x"],
  ["['a', 'b'].join('-')", "a-b"],
  ["size('é😀')", "2"],
  ["'%s has %d (%.2f) %x'.format(['a', 5, 1.5, 255])", "a has 5 (1.50) ff"],
  ["'%s'.format([[1, 2]])", "[1, 2]"],
  ["strings.quote('a\"b')", '"a\\"b"'],
  ["self.numbers.sort()", "[1, 2, 3]"],
  ["self.numbers.isSorted()", "false"],
  ["self.numbers.sum()", "6"],
  ["self.numbers.max()", "3"],
  ["self.numbers.min()", "1"],
  ["[1, 2, 1].distinct()", "[1, 2]"],
  ["self.numbers.reverse()", "[2, 1, 3]"],
  ["lists.range(3)", "[0, 1, 2]"],
  ["[1, 2, 1].lastIndexOf(1)", "2"],
  ["sets.equivalent([1, 2], [2, 1, 1])", "true"],
  ["sets.intersects([1], [2])", "false"],
  ["'abc123'.find('[0-9]+')", "123"],
  ["'a1b2'.findAll('[0-9]')", "[1, 2]"],
  ["'a1b2'.findAll('[0-9]', 1)", "[1]"],
  ["'ABC'.matches('(?i)^abc$')", "true"],
  ["'a'.matches(self.list[0] + '[')", "error parsing regexp: missing closing ]: `[`"],
  ["'%s'.format([['a', 1.5, duration('1s'), b'x', null]])", `["a", 1.500000, duration("1s"), b"x", null]`],
  ["'%s'.format([{'b': [1], 'a': {}}])", `{"a":{}, "b":[1]}`],
  ["'%f|%.1f|%.0f'.format([1234567.5, 0.25, 2.5])", "1,234,567.500000|0.2|2"],
  ["'%e|%.2e'.format([123456.789, -0.5])", "1.234568×10⁰⁵|-5.000000×10⁻⁰¹"],
  ["'%f|%e'.format(['-Infinity', 'NaN'])", "-∞|   NaN"],
  ["'%s|%s|%s'.format([1e20, 1000000.0, 0.00001])", "1e+20|1e+06|1e-05"],
  ["'%d'.format([dyn('x')])", "error during formatting: decimal clause can only be used on integers, was given string"],
  ["'%s'.format([timestamp('2024-01-01T00:00:00+01:00')])", "2024-01-01T00:00:00+01:00"],
  ["timestamp('9999-12-31T23:59:59Z') + duration('1h')", "timestamp overflow"],
  ["timestamp(self.s)", "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  ["duration(self.s)", "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ["int(self.s)", "type conversion error from 'string' to 'int'"],
  ["-(-9223372036854775808)", "integer overflow"],
  ["-9223372036854775808 % -1", "integer overflow"],
  ["self.set + ['q', 'r']", "[p, q, r]"],
  ["(self.set + ['r']) == ['r', 'q', 'p']", "true"],
  ["['q', 'p'] == self.set", "false"],
  ["[1][dyn(1.5)]", "unsupported index value 1.5 in list"],
  ["[1][dyn('x')]", "unsupported index type 'string' in list"],
  ["self.map[dyn(1)]", "no such overload"],
  ["self.numbers.transformMapEntry(i, v, {'same': i})", "insert failed: key same already exists"],
  ["'%s'.format([type(quantity('1'))])", "kubernetes.Quantity"],
  ["quantity('1.5Gi').isInteger()", "false"],
  ["quantity('1k').add(quantity('1')).asInteger()", "1001"],
  ["url('http://a/b?x=1#f').getQuery()['x']", "[1]"],
  ["url('mailto:a@b').getScheme()", "mailto"],
  ["'hello'.lastIndexOf('o', 10)", "-1"],
  ["isURL('https://example.com/x')", "true"],
  ["isURL('example.com')", "false"],
  ["url(self.s).getHost()", "example.com:80"],
  ["url(self.s).getPort()", "80"],
  ["url(self.s).getScheme()", "https"],
  ["url(self.s).getEscapedPath()", "/a%20b"],
  ["url(self.s).getQuery()['k']", "[v]"],
  ["quantity('1Gi').isGreaterThan(quantity('500Mi'))", "true"],
  ["quantity('1500m').isInteger()", "false"],
  ["quantity('2k').add(5).asInteger()", "2005"],
  ["isQuantity('1x')", "false"],
  ["ip('::1').isLoopback()", "true"],
  ["ip('10.0.0.1').family()", "4"],
  ["isIP('01.2.3.4')", "false"],
  ["ip.isCanonical('2001:DB8::1')", "false"],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"],
  ["cidr('10.1.0.0/8').masked() == cidr('10.0.0.0/8')", "true"],
  ["isCIDR('10.0.0.0/33')", "false"],
  ["format.dns1123Label().validate('ok').hasValue()", "false"],
  ["format.named('dns1123Label').value().validate('NO').hasValue()", "true"],
  ["semver('1.2.3').isLessThan(semver('1.10.0'))", "true"],
  ["isSemver('v1.0', true)", "true"],
  ["isSemver('v1.0')", "false"],
  ["duration('90m') == duration('1h30m')", "true"],
  ["string(duration('1h30m'))", "5400s"],
  ["self.when.getHours()", "5"],
  ["self.when < timestamp('2027-01-01T00:00:00Z')", "true"],
  ["string(self.when)", "2026-03-04T05:06:07.5Z"],
  ["string(1.0)", "1"],
  ["int('12')", "12"],
  ["double('1e3')", "1000.0"],
  ["string(b'abc')", "abc"],
  ["self.n == 5 ? 'a' : 'b'", "a"],
  ["dyn(1) == dyn(1.0)", "true"],
];

for (const [expression, expected] of results) {
  test(`${expression} gives ${expected}`, () => assert.equal(run(expression), expected));
}

const refusals: readonly (readonly [string, string])[] = [
  ["self.zz", "ERROR: <input>:1:5: undefined field 'zz'"],
  ["self.s > 1", "ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(string, int)'"],
  ["foo(1)", "ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')"],
  ["other", "ERROR: <input>:1:1: undeclared reference to 'other' (in container '')"],
  ["self.n.x", "ERROR: <input>:1:7: type 'int' does not support field selection"],
  ["[1, 'a']", "ERROR: <input>:1:5: expected type 'int' but found 'string'"],
  ["'%s %s'.format(['a'])", "ERROR: <input>:1:15: index 1 out of range"],
  ["'a'.format([1])", "ERROR: <input>:1:11: too many arguments supplied to string.format (expected 0, got 1)"],
  ["'%z'.format([1])", `ERROR: <input>:1:12: could not parse formatting clause: unrecognized formatting clause "z"`],
  [
    "'%d'.format([1.0])",
    "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given double",
  ],
  ["self.s.matches('[')", "ERROR: <input>:1:16: invalid matches argument"],
  ["duration('1d')", "ERROR: <input>:1:10: invalid duration argument"],
  ["timestamp('0000-01-01T00:00:00Z')", "ERROR: <input>:1:11: invalid timestamp argument"],
  ["int('x')", "instantiation failed: type conversion error from 'string' to 'int'"],
  ["uint(-1)", "instantiation failed: unsigned integer overflow"],
  ["self.s.find('(')", "instantiation failed: error parsing regexp: missing closing ): `(`"],
  ["9223372036854775808", "ERROR: <input>:1:1: invalid int literal"],
  [
    "self.numbers.filter(x, x)",
    "ERROR: <input>:1:20: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'",
  ],
  ["self.numbers.all(x, x)", "ERROR: <input>:1:21: expected type 'bool' but found 'int'"],
  [
    "self.s.all(x, true)",
    "ERROR: <input>:1:5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["has(self.list[0])", "ERROR: <input>:1:14: invalid argument to has() macro"],
  ["{'a': 1, 'b': 'c'}", "ERROR: <input>:1:15: expected type 'int' but found 'string'"],
  ["math.greatest(1, 2)", "ERROR: <input>:1:1: undeclared reference to 'math' (in container '')"],
  ["cel.bind(x, 1, x)", "ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')"],
  ["['a'].sum()", "ERROR: <input>:1:10: found no matching overload for 'sum' applied to 'list(string).()'"],
];

for (const [expression, expected] of refusals) {
  test(`${expression} does not compile`, () => assert.equal(run(expression), expected));
}

test("all compile errors of an expression are reported, in source order", () => {
  const compiled = compileCel("self.zz > 1 && cel.bind(x, 1, x)", {
    variables: new Map([["self", self]]),
    library: "kubernetes",
  });
  assert.ok(!compiled.ok);
  const errors = compiled.problem.message.split("\n").filter((line) => line.startsWith("ERROR"));
  assert.deepEqual(errors, [
    "ERROR: <input>:1:5: undefined field 'zz'",
    "ERROR: <input>:1:16: undeclared reference to 'cel' (in container '')",
    "ERROR: <input>:1:24: undeclared reference to 'bind' (in container '')",
    "ERROR: <input>:1:25: undeclared reference to 'x' (in container '')",
    "ERROR: <input>:1:31: undeclared reference to 'x' (in container '')",
  ]);
});

test("a syntax error has its position", () => assert.match(run("self.s >"), /^ERROR: <input>:1:9: Syntax error: /));

test("nested loops end when the cost limit is exceeded", () => {
  const nested = "self.list.all(a, lists.range(1000).all(b, lists.range(1000).all(c, c >= 0)))";
  assert.equal(run(nested), "operation cancelled: actual cost limit exceeded");
});

test("a non-bool expression is refused where a bool is required", () => {
  const result = compileCel("1", { variables: new Map(), library: "olm", result: "bool" });
  assert.ok(!result.ok && result.problem.kind === "result");
});

test("a variable that holds null is null, in a loop as well", () => {
  for (const rule of ["old == null", "[old].all(held, held == null)", "[1].exists(one, old == null || old.n == one)"]) {
    const compiled = compileCel(rule, { variables: new Map([["old", { kind: "dyn" }]]), library: "kubernetes" });
    assert.ok(compiled.ok);
    const result = compiled.value.evaluate(new Map([["old", null]]), { maxCost: Infinity });
    assert.ok(result.ok && result.value.value === true, rule);
  }
});

const properties: CelType = { kind: "list", items: { kind: "map", values: { kind: "dyn" } } };

function constraint(rule: string, version: JsonValue): string {
  const compiled = compileCel(rule, {
    variables: new Map([["properties", properties]]),
    library: "olm",
    result: "bool",
  });
  if (!compiled.ok) return compiled.problem.message.split("\n")[0] ?? "";
  const held = fromJson([{ type: "olm.test", value: version }], properties);
  const result = compiled.value.evaluate(new Map([["properties", held]]), { maxCost: Infinity });
  return result.ok ? show(result.value.value) : result.problem.message;
}

test("olm.constraint rules compare versions tolerantly", () => {
  assert.equal(
    constraint("properties.exists(p, p.type == 'olm.test' && semver_compare(p.value, '1.0.0') == 0)", "1.0.0"),
    "true",
  );
  assert.equal(constraint("properties.exists(p, semver_compare(p.value, '1.0.1') == 0)", "1.0.0"), "false");
  assert.equal(constraint("properties.exists(p, semver_compare(p.value, 'v1.0') > 0)", "1.0.1"), "true");
});

test("an olm.constraint rule with an undeclared function does not compile", () => {
  assert.match(constraint("doesNotExist()", "1"), /undeclared reference to 'doesNotExist'/);
});
