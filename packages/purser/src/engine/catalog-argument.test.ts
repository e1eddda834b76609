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

const refused = ["/c/v4.20", "Bad=/c", "a/b/c=/c", "=/c", "a=", "a_b=/c", `${"x".repeat(64)}=/c`];
for (const text of refused) {
  test(`--catalog ${text.slice(0, 20)} is refused with a remedy`, () => {
    const parsed = parseCatalogArgument(text);
    assert.equal(parsed.ok, false);
    assert.match(parsed.ok ? "" : parsed.problem, /DNS-1123|names no path/);
  });
}

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
