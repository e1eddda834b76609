import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Invocation } from "../command.ts";
import { operatorValues } from "./operator-values.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-values-"));
after(() => rmSync(directory, { recursive: true }));

const valuesOf = (set: readonly string[], values: readonly string[] = []): JsonObject | undefined =>
  operatorValues({ options: { set, values } } as unknown as Invocation);
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

const paths: readonly (readonly [set: readonly string[], values: JsonObject])[] = [
  [["resources.limits.memory=1Gi"], { resources: { limits: { memory: "1Gi" } } }],
  [["nodeSelector.kubernetes\\.io/os=linux"], { nodeSelector: { "kubernetes.io/os": "linux" } }],
  [["env[0].name=A", "env[0].value=b=c"], { env: [{ name: "A", value: "b=c" }] }],
  [
    ["a=true", "b=3", "c=null", "d=1.10", 'e="3"', "f=", "g=[1]"],
    { a: true, b: 3, c: null, d: "1.10", e: "3", f: "", g: [1] },
  ],
  [["a.b=1", "a=2"], { a: 2 }],
  [["a[0][0]=x"], { a: [["x"]] }],
];
for (const [set, values] of paths)
  test(`--set ${set.join(" --set ")} gives ${JSON.stringify(values)}`, () => assert.deepEqual(valuesOf(set), values));

for (const [set, message] of [
  ["a", /--set "a" is not PATH=VALUE/],
  ["=a", /is not PATH=VALUE/],
  ["a..b=1", /is not PATH=VALUE/],
  ["a[x]=1", /is not PATH=VALUE/],
  ["a[1]=1", /--set "a\[1\]=1" leaves out \[0\]/],
] as const)
  test(`--set ${set} is refused`, () => assert.throws(() => valuesOf([set]), message));

test("a member named __proto__ is a member", () => {
  const values = valuesOf(["__proto__.x=1"]) ?? {};
  assert.deepEqual([Object.keys(values), Object.getPrototypeOf(values) === Object.prototype], [["__proto__"], true]);
});

test("later files win over earlier ones by member, --set over files, and lists are replaced", () => {
  const first = file("first.yaml", "resources: {limits: {cpu: 1, memory: 1Gi}}\nenv: [{name: A}]\n");
  const second = file("second.json", '{"resources":{"limits":{"cpu":2}},"env":[]}');
  assert.deepEqual(valuesOf(["resources.limits.memory=2Gi"], [first, second]), {
    resources: { limits: { cpu: 2, memory: "2Gi" } },
    env: [],
  });
  assert.equal(valuesOf([]), undefined);
  assert.deepEqual(valuesOf([], [file("empty.yaml", "")]), {});
});

test("a file that is missing, is no YAML or holds no object is refused with its place", () => {
  assert.throws(() => valuesOf([], [join(directory, "none")]), /--values cannot read .*none: open .*no such file/);
  assert.throws(() => valuesOf([], [file("bad.yaml", "a: [\n")]), /--values .*bad\.yaml:\d+/);
  assert.throws(() => valuesOf([], [file("list.yaml", "- a\n")]), /list\.yaml holds no object/);
  assert.throws(() => valuesOf([], [file("two.yaml", "a: 1\n---\nb: 2\n")]), /two\.yaml holds several documents/);
});
