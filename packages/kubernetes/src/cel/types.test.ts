import assert from "node:assert/strict";
import { test } from "node:test";
import { compileCel, type CelType } from "./cel.ts";
import { formatType } from "./cel-type.ts";
import { self } from "./testing/run-expression.ts";

const variables = new Map<string, CelType>([
  ["self", self],
  ["authorizer", { kind: "opaque", name: "authorizer" }],
  ["ip", { kind: "string" }],
]);

/** The type of an expression, or each of its errors in the order of the source. */
function typeOf(expression: string): string {
  const compiled = compileCel(expression, { variables, library: "kubernetes" });
  if (compiled.ok) return formatType(compiled.value.type);
  const { kind, message } = compiled.problem;
  return `${kind}: ${message
    .split("\n")
    .filter((line) => !line.startsWith(" |"))
    .join(" + ")}`;
}

const types: readonly (readonly [expression: string, type: string])[] = [
  ["null", "null"],
  ["true", "bool"],
  ["1", "int"],
  ["1u", "uint"],
  ["1.5", "double"],
  ["'a'", "string"],
  ["b'a'", "bytes"],
  ["int", "type"],
  ["self", "object"],
  ["self.list", "list(string)"],
  ["self.map", "map(string, int)"],
  ["self.map.x", "int"],
  ["self.map['x']", "int"],
  ["self.list[0]", "string"],
  ["self.list[?0]", "optional_type(string)"],
  ["self.map[?'x']", "optional_type(int)"],
  ["self.?s", "optional_type(string)"],
  ["self.?any", "optional_type(dyn)"],
  ["self.any", "dyn"],
  ["self.any.b", "dyn"],
  ["self.any[0]", "dyn"],
  ["self.any[?0]", "optional_type(dyn)"],
  ["self.absent", "string"],
  ["[]", "list(dyn)"],
  ["{}", "map(dyn, dyn)"],
  ["[1]", "list(int)"],
  ["[null, 1]", "compile: ERROR: <input>:1:8: expected type 'null' but found 'int'"],
  ["[null, self]", "compile: ERROR: <input>:1:8: expected type 'null' but found 'object'"],
  ["[null, optional.of(1)]", "compile: ERROR: <input>:1:19: expected type 'null' but found 'optional_type(int)'"],
  ["[1, dyn(1)]", "compile: ERROR: <input>:1:8: expected type 'int' but found 'dyn'"],
  ["{'a': 1}", "map(string, int)"],
  ["{1: 'a'}", "map(int, string)"],
  ["{'a': null}", "map(string, null)"],
  ["[[1]]", "list(list(int))"],
  ["[{'a': [1]}]", "list(map(string, list(int)))"],
  ["true ? 1 : 2", "int"],
  ["true ? null : self", "object"],
  ["true ? self : null", "object"],
  ["true ? dyn(1) : 2", "int"],
  ["true ? 2 : dyn(1)", "int"],
  ["true ? [dyn(1)] : [1]", "list(int)"],
  ["true ? {'a': dyn(1)} : {'a': 1}", "map(string, int)"],
  ["true ? optional.of(dyn(1)) : optional.of(1)", "optional_type(int)"],
  ["true ? optional.none() : optional.of(1)", "optional_type(int)"],
  ["1 + 1", "int"],
  ["'a' + 'b'", "string"],
  ["dyn(1) + dyn(1)", "dyn"],
  ["dyn(1) + 1", "int"],
  ["dyn(1) < 1", "bool"],
  ["1 == 1", "bool"],
  ["!true", "bool"],
  ["-1", "int"],
  ["-self.any", "dyn"],
  ["size('a')", "int"],
  ["type(1)", "type"],
  ["optional.of(1)", "optional_type(int)"],
  ["optional.of([1]).value()", "list(int)"],
  ["optional.none()", "optional_type(dyn)"],
  ["optional.of(self).?s", "optional_type(string)"],
  ["optional.of(self).s", "optional_type(string)"],
  ["optional.of(self.map)['x']", "optional_type(int)"],
  ["optional.of(self.list)[0]", "optional_type(string)"],
  ["self.list.map(x, 1)", "list(int)"],
  ["self.list.filter(x, true)", "list(string)"],
  ["self.map.filter(x, true)", "list(string)"],
  ["self.any.filter(x, true)", "list(dyn)"],
  ["self.any.map(x, x)", "list(dyn)"],
  ["self.list.all(x, true)", "bool"],
  ["self.list.exists_one(x, true)", "bool"],
  ["self.list.transformList(i, v, i)", "list(int)"],
  ["self.map.transformList(i, v, i)", "list(string)"],
  ["self.list.transformMap(i, v, v)", "map(int, string)"],
  ["self.map.transformMap(k, v, v)", "map(string, int)"],
  ["self.any.transformMap(k, v, v)", "map(int, dyn)"],
  ["self.list.transformMapEntry(i, v, {v: i})", "map(string, int)"],
  ["self.list.transformMapEntry(i, v, dyn(1))", "map(dyn, dyn)"],
  ["self.numbers.sortBy(x, x)", "list(int)"],
  ["self.map.sortBy(x, x)", "list(string)"],
  ["self.any.sortBy(x, x)", "list(dyn)"],
  ["optional.of(1).optMap(x, 'a')", "optional_type(string)"],
  ["optional.of(1).optFlatMap(x, optional.of('a'))", "optional_type(string)"],
  ["self.any.optMap(x, x)", "optional_type(dyn)"],
  ["self.any.optFlatMap(x, x)", "dyn"],
  ["self.when.getHours()", "int"],
  ["self.when - self.when", "duration"],
  ["self.when + duration('1s')", "timestamp"],
  ["google.protobuf.Timestamp", "type"],
  ["google.protobuf.Duration", "type"],
  ["has(self.s)", "bool"],
  ["authorizer", "kubernetes.authorization.Authorizer"],
  ["authorizer.requestResource", "kubernetes.authorization.ResourceCheck"],
  ["authorizer.path('/a')", "kubernetes.authorization.PathCheck"],
  ["authorizer.group('a').resource('b')", "kubernetes.authorization.ResourceCheck"],
  ["authorizer.group('a').resource('b').check('get')", "kubernetes.authorization.Decision"],
  ["authorizer.path('/a').check('get').reason()", "string"],
  ["url('/a')", "kubernetes.URL"],
  ["url('/a').getQuery()", "map(string, list(string))"],
  ["ip('::1')", "net.IP"],
  ["cidr('::1/8')", "net.CIDR"],
  ["quantity('1')", "kubernetes.Quantity"],
  ["semver('1.0.0')", "kubernetes.Semver"],
  ["format.uri()", "kubernetes.NamedFormat"],
  ["format.named('uri')", "optional_type(kubernetes.NamedFormat)"],
  ["format.uri().validate('a')", "optional_type(list(string))"],
  ["'a'.split(',')", "list(string)"],
];

for (const [expression, type] of types)
  test(`the type of ${expression} is ${type}`, () => assert.equal(typeOf(expression), type));

const refused: readonly (readonly [expression: string, problem: string])[] = [
  [
    "self.list['a']",
    "compile: ERROR: <input>:1:10: found no matching overload for '_[_]' applied to '(list(string), string)'",
  ],
  [
    "self.map[1]",
    "compile: ERROR: <input>:1:9: found no matching overload for '_[_]' applied to '(map(string, int), int)'",
  ],
  [
    "self.list[?'a']",
    "compile: ERROR: <input>:1:10: found no matching overload for '_[?_]' applied to '(list(string), string)'",
  ],
  ["self.n[0]", "compile: ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(int, int)'"],
  ["self.n.?x", "compile: ERROR: <input>:1:7: type 'int' does not support field selection"],
  ["self.s.x.y", "compile: ERROR: <input>:1:7: type 'string' does not support field selection"],
  ["has(self.zz)", "compile: ERROR: <input>:1:4: undefined field 'zz'"],
  ["has(self.n.x)", "compile: ERROR: <input>:1:4: type 'int' does not support field selection"],
  ["has(self)", "compile: ERROR: <input>:1:5: invalid argument to has() macro"],
  ["has('a')", "compile: ERROR: <input>:1:5: invalid argument to has() macro"],
  ["self.zz.all(x, x)", "compile: ERROR: <input>:1:5: undefined field 'zz'"],
  [
    "1.all(x, true)",
    "compile: ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  [
    "optional.of(1).all(x, true)",
    "compile: ERROR: <input>:1:12: expression of type 'optional_type(int)' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  [
    "self.list.optMap(x, x)",
    "compile: ERROR: <input>:1:5: expression of type 'list(string)' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  [
    "self.list.map(1, x)",
    "compile: ERROR: <input>:1:15: Syntax error: map(var, transform) invalid predicate iteration variable",
  ],
  [
    "self.list.map(x, x, x)",
    "compile: ERROR: <input>:1:14: found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'",
  ],
  [
    "self.list.filter(x, x)",
    "compile: ERROR: <input>:1:17: found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'",
  ],
  ["self.list.exists(x, x)", "compile: ERROR: <input>:1:21: expected type 'bool' but found 'string'"],
  [
    "self.list.exists_one(x, x)",
    "compile: ERROR: <input>:1:21: found no matching overload for '_?_:_' applied to '(string, int, int)'",
  ],
  [
    "self.list.transformList(i, v, v, v)",
    "compile: ERROR: <input>:1:24: found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'",
  ],
  [
    "self.map.transformMap(k, v, v, v)",
    "compile: ERROR: <input>:1:22: found no matching overload for '_?_:_' applied to '(int, map(string, int), map(string, int))'",
  ],
  [
    "self.list.sortBy(x, self)",
    "compile: ERROR: <input>:1:17: found no matching overload for '@sortByAssociatedKeys' applied to 'list(string).(list(object))'",
  ],
  [
    "self.list.sortBy(x, null)",
    "compile: ERROR: <input>:1:17: found no matching overload for '@sortByAssociatedKeys' applied to 'list(string).(list(null))'",
  ],
  ["1 && true", "compile: ERROR: <input>:1:1: expected type 'bool' but found 'int'"],
  ["true && 'a'", "compile: ERROR: <input>:1:9: expected type 'bool' but found 'string'"],
  [
    "1 || 'a'",
    "compile: ERROR: <input>:1:1: expected type 'bool' but found 'int' + ERROR: <input>:1:6: expected type 'bool' but found 'string'",
  ],
  ["1 ? 2 : 3", "compile: ERROR: <input>:1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  [
    "true ? 1 : 'a'",
    "compile: ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'",
  ],
  [
    "true ? [1] : ['a']",
    "compile: ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, list(int), list(string))'",
  ],
  [
    "true ? {'a': 1} : {'a': 'b'}",
    "compile: ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, map(string, int), map(string, string))'",
  ],
  ["!1", "compile: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'"],
  ["-'a'", "compile: ERROR: <input>:1:1: found no matching overload for '-_' applied to '(string)'"],
  ["1 + 'a'", "compile: ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ["1 in 2", "compile: ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, int)'"],
  [
    "'a' in self.numbers",
    "compile: ERROR: <input>:1:5: found no matching overload for '@in' applied to '(string, list(int))'",
  ],
  ["1 == 'a'", "compile: ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, string)'"],
  [
    "[1] == ['a']",
    "compile: ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(list(int), list(string))'",
  ],
  [
    "{'a': 1} == {1: 1}",
    "compile: ERROR: <input>:1:10: found no matching overload for '_==_' applied to '(map(string, int), map(int, int))'",
  ],
  ["size(1)", "compile: ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'"],
  ["'a'.size(1)", "compile: ERROR: <input>:1:9: found no matching overload for 'size' applied to 'string.(int)'"],
  ["'a'.nothing()", "compile: ERROR: <input>:1:12: undeclared reference to 'nothing' (in container '')"],
  ["nothing('a')", "compile: ERROR: <input>:1:8: undeclared reference to 'nothing' (in container '')"],
  [
    "nothing.of('a')",
    "compile: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '') + ERROR: <input>:1:11: undeclared reference to 'of' (in container '')",
  ],
  [
    "optional.nothing(1)",
    "compile: ERROR: <input>:1:1: undeclared reference to 'optional' (in container '') + ERROR: <input>:1:17: undeclared reference to 'nothing' (in container '')",
  ],
  ["optional.of()", "compile: ERROR: <input>:1:12: found no matching overload for 'optional.of' applied to '()'"],
  [
    "math.abs(1)",
    "compile: ERROR: <input>:1:1: undeclared reference to 'math' (in container '') + ERROR: <input>:1:9: undeclared reference to 'abs' (in container '')",
  ],
  ["self.s.format()", "compile: ERROR: <input>:1:14: found no matching overload for 'format' applied to 'string.()'"],
  [
    "self.list.join(1)",
    "compile: ERROR: <input>:1:15: found no matching overload for 'join' applied to 'list(string).(int)'",
  ],
  ["int([1])", "compile: ERROR: <input>:1:4: found no matching overload for 'int' applied to '(list(int))'"],
  ["type(1, 2)", "compile: ERROR: <input>:1:5: found no matching overload for 'type' applied to '(int, int)'"],
  ["[1, 'a', 2.0]", "compile: ERROR: <input>:1:5: expected type 'int' but found 'string'"],
  ["['a', 'b', 1, 2]", "compile: ERROR: <input>:1:12: expected type 'string' but found 'int'"],
  [
    "{'a': 1, 2: 'b', 'c': 3}",
    "compile: ERROR: <input>:1:10: expected type 'string' but found 'int' + ERROR: <input>:1:13: expected type 'int' but found 'string'",
  ],
  ["{'a': [], 'b': [1], 'c': ['x']}", "map(string, list(dyn))"],
  ["[[], [1], ['a']]", "list(list(dyn))"],
  ["[optional.none(), optional.of(1), optional.of('a')]", "list(optional_type(dyn))"],
  ["[{}, {'a': 1}]", "compile: ERROR: <input>:1:6: expected type 'map(dyn, dyn)' but found 'map(string, int)'"],
  ["[1, null]", "compile: ERROR: <input>:1:5: expected type 'int' but found 'null'"],
  ["'a'.matches('(')", "compile: ERROR: <input>:1:13: invalid matches argument"],
  ["'a'.find('[')", "program: instantiation failed: error parsing regexp: missing closing ]: `[`"],
  ["self.s.findAll('(')", "program: instantiation failed: error parsing regexp: missing closing ): `(`"],
  ["matches('a', '(')", "bool"],
  ["timestamp(253402300800)", "compile: ERROR: <input>:1:11: invalid timestamp argument"],
  ["timestamp('x')", "compile: ERROR: <input>:1:11: invalid timestamp argument"],
  ["duration('x')", "compile: ERROR: <input>:1:10: invalid duration argument"],
  ["int('x') + int('y')", "program: instantiation failed: type conversion error from 'string' to 'int'"],
  ["[int('x')]", "program: instantiation failed: type conversion error from 'string' to 'int'"],
  ["int(int('x'))", "program: instantiation failed: type conversion error from 'string' to 'int'"],
  [
    "bytes(b'a') == int('1')",
    "compile: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(bytes, int)'",
  ],
  ["string(string(int('x')))", "program: instantiation failed: type conversion error from 'string' to 'int'"],
  ["uint([1][0])", "uint"],
  ["self.n == 9223372036854775808", "compile: ERROR: <input>:1:11: invalid int literal"],
  ["self.n == -9223372036854775808", "bool"],
  ["self.n == -9223372036854775809", "compile: ERROR: <input>:1:11: invalid int literal"],
  ["[9223372036854775808]", "compile: ERROR: <input>:1:2: invalid int literal"],
  ["--9223372036854775808", "int"],
  ["1 +", "compile: ERROR: <input>:1:4: Syntax error: Unexpected token: EOF"],
  ["self.s ==", "compile: ERROR: <input>:1:10: Syntax error: Unexpected token: EOF"],
  ["(1", "compile: ERROR: <input>:1:3: Syntax error: Expected RPAREN, got EOF"],
  ["'a", "compile: ERROR: <input>:1:1: Syntax error: Unterminated string"],
  ["google.protobuf.Other", "compile: ERROR: <input>:1:1: undeclared reference to 'google' (in container '')"],
  ["google.other.Timestamp", "compile: ERROR: <input>:1:1: undeclared reference to 'google' (in container '')"],
  ["other.protobuf.Timestamp", "compile: ERROR: <input>:1:1: undeclared reference to 'other' (in container '')"],
  ["a.google.protobuf.Timestamp", "compile: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')"],
  ["ip.isCanonical('::1')", "bool"],
  [
    "cidr.isCanonical('::1')",
    "compile: ERROR: <input>:1:1: undeclared reference to 'cidr' (in container '') + ERROR: <input>:1:17: undeclared reference to 'isCanonical' (in container '')",
  ],
  [
    "self.zz + self.yy",
    "compile: ERROR: <input>:1:5: undefined field 'zz' + ERROR: <input>:1:15: undefined field 'yy'",
  ],
  [
    "authorizer.other",
    "compile: ERROR: <input>:1:11: type 'kubernetes.authorization.Authorizer' does not support field selection",
  ],
  [
    "authorizer.requestResource.other",
    "compile: ERROR: <input>:1:27: type 'kubernetes.authorization.ResourceCheck' does not support field selection",
  ],
  ["[1].map(x, y)", "compile: ERROR: <input>:1:12: undeclared reference to 'y' (in container '')"],
  ["self.?n.zz", "compile: ERROR: <input>:1:8: type 'int' does not support field selection"],
  ["optional.of(self).zz", "compile: ERROR: <input>:1:18: undefined field 'zz'"],
];

for (const [expression, problem] of refused)
  test(`${expression} is checked as by Kubernetes: ${problem}`, () => assert.equal(typeOf(expression), problem));

/** Free variables in the order in which they appear. */
const mentioned: readonly (readonly [expression: string, names: readonly string[]])[] = [
  ["self", ["self"]],
  ["self.a", ["self"]],
  ["has(a.b)", ["a"]],
  ["a[b]", ["a", "b"]],
  ["a[?b]", ["a", "b"]],
  ["[a, b]", ["a", "b"]],
  ["{a: b}", ["a", "b"]],
  ["a && b || c", ["a", "b", "c"]],
  ["a ? b : c", ["a", "b", "c"]],
  ["a.all(x, x == y)", ["a", "y"]],
  ["a.map(x, x > z, x + y)", ["a", "z", "y"]],
  ["a.transformMap(k, v, k + v + w)", ["a", "w"]],
  ["a.all(x, x) && x", ["a", "x"]],
  ["int", ["int"]],
  ["1", []],
  ["-a", ["a"]],
  ["!a", ["a"]],
  ["a.?b", ["a"]],
];

for (const [expression, names] of mentioned)
  test(`${expression} mentions ${names.join(", ") || "no variable"}`, () => {
    const all = ["self", "a", "b", "c", "d", "w", "x", "y", "z"].map((name): readonly [string, CelType] => [
      name,
      { kind: "dyn" },
    ]);
    const compiled = compileCel(expression, { variables: new Map(all), library: "kubernetes" });
    assert.ok(compiled.ok);
    assert.deepEqual([...compiled.value.mentions], names);
  });
