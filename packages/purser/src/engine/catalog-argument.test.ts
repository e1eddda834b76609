import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalogArgument } from "./catalog-argument.ts";

const accepted = [
  ["community=/c/v4.20", { namespace: "olm", name: "community", path: "/c/v4.20" }],
  ["team/own=./x", { namespace: "team", name: "own", path: "./x" }],
  ["/c/operators", { namespace: "olm", name: "operators", path: "/c/operators" }],
  ["/c/operators.yaml", { namespace: "olm", name: "operators", path: "/c/operators.yaml" }],
  ["a=b=c", { namespace: "olm", name: "a", path: "b=c" }],
] as const;
for (const [text, expected] of accepted) {
  test(`--catalog ${text} is read as ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseCatalogArgument(text), { ok: true, value: expected });
  });
}

const isLabel = 'is not a DNS-1123 label (lower-case letters, digits and "-", at most 63)';
const long = "x".repeat(64);
const refused: readonly (readonly [text: string, problem: string])[] = [
  ["/c/v4.20", `name "v4.20" ${isLabel}; give it one: --catalog NAME=/c/v4.20`],
  ["Bad=/c", `name "Bad" ${isLabel}`],
  ["a/b/c=/c", `name "b/c" ${isLabel}`],
  ["A/b=/c", `namespace "A" ${isLabel}`],
  ["=/c", `name "" ${isLabel}`],
  ["a_b=/c", `name "a_b" ${isLabel}`],
  [`${long}=/c`, `name "${long}" ${isLabel}`],
];
for (const [text, problem] of refused)
  test(`--catalog ${text.slice(0, 20)} is refused with a remedy`, () =>
    assert.deepEqual(parseCatalogArgument(text), { ok: false, problem: `--catalog "${text}": ${problem}` }));

for (const text of ["a=", ""])
  test(`--catalog "${text}" is refused because it names no path`, () =>
    assert.deepEqual(parseCatalogArgument(text), {
      ok: false,
      problem: `--catalog "${text}" names no path; write [NAMESPACE/]NAME=PATH`,
    }));

test("the name of a catalog that exists may hold dots, its namespace may not", () => {
  const existing = { existing: true };
  assert.deepEqual(parseCatalogArgument("olm/redhat.operators-4.20=/c", existing), {
    ok: true,
    value: { namespace: "olm", name: "redhat.operators-4.20", path: "/c" },
  });
  for (const text of ["a.b/c=/c", "olm/.a=/c", "olm/a..b=/c", `olm/${"x".repeat(254)}=/c`])
    assert.equal(parseCatalogArgument(text, existing).ok, false, text);
});

test("a catalog without a namespace belongs to the global namespace that is given", () => {
  const parsed = parseCatalogArgument("community=/c", { globalNamespace: "openshift-marketplace" });
  assert.deepEqual(parsed, {
    ok: true,
    value: { namespace: "openshift-marketplace", name: "community", path: "/c" },
  });
});
