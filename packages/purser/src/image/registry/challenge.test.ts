import assert from "node:assert/strict";
import { test } from "node:test";
import { parseChallenges } from "./challenge.ts";

const cases: readonly {
  readonly given: string;
  readonly header: string | readonly string[] | undefined;
  readonly challenges: readonly unknown[];
}[] = [
  { given: "no header", header: undefined, challenges: [] },
  { given: "basic", header: 'Basic realm="a"', challenges: [{ scheme: "basic", parameters: { realm: "a" } }] },
  {
    given: "bearer with commas in a scope",
    header: 'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull,push"',
    challenges: [
      {
        scheme: "bearer",
        parameters: {
          realm: "https://auth.example/token",
          service: "registry.example",
          scope: "repository:a/b:pull,push",
        },
      },
    ],
  },
  {
    given: "values without quotes and names in upper case",
    header: "BEARER Realm=a , Service=b",
    challenges: [{ scheme: "bearer", parameters: { realm: "a", service: "b" } }],
  },
  {
    given: "an escaped quote",
    header: 'Basic realm="a\\"b"',
    challenges: [{ scheme: "basic", parameters: { realm: 'a"b' } }],
  },
  {
    given: "two challenges in one header",
    header: 'Basic realm="a", Bearer realm="b",service="c"',
    challenges: [
      { scheme: "basic", parameters: { realm: "a" } },
      { scheme: "bearer", parameters: { realm: "b", service: "c" } },
    ],
  },
  {
    given: "two headers",
    header: ['Basic realm="a"', "Negotiate"],
    challenges: [
      { scheme: "basic", parameters: { realm: "a" } },
      { scheme: "negotiate", parameters: {} },
    ],
  },
  { given: "text that is no challenge", header: '"""', challenges: [] },
];
for (const { given, header, challenges } of cases)
  test(`parseChallenges() reads ${given}`, () => assert.deepEqual(parseChallenges(header), challenges));

test("a long hostile header is read in linear time", () => {
  const header = `Basic ${"a".repeat(8000)}${" ".repeat(8000)}${'a="'.repeat(2000)}`;
  assert.equal(parseChallenges(header)[0]?.scheme, "basic");
});
