import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImageProblem } from "../../image/image-problem.ts";
import { withoutImage } from "./image-refusal.ts";

const problem = (kind: ImageProblem["kind"], more: Partial<ImageProblem> = {}): ImageProblem =>
  ({ kind, reference: "r/a:1", cause: "the cause", remedy: "do that", ...more }) as ImageProblem;

for (const [kind, exitCode, code] of [
  ["reference", 2, "CatalogUnavailable"],
  ["unauthorized", 5, "CatalogUnavailable"],
  ["signature", 5, "SignatureRejected"],
  ["notFound", 6, "CatalogUnavailable"],
  ["unreachable", 9, "CatalogUnavailable"],
  ["configuration", 1, "CatalogUnavailable"],
  ["invalid", 1, "CatalogUnavailable"],
  ["content", 1, "CatalogUnavailable"],
  ["limit", 1, "CatalogUnavailable"],
  ["machine", 1, "CatalogUnavailable"],
] as const)
  test(`an image with the problem ${kind} ends with exit code ${exitCode} and ${code}`, () => {
    const outcome = withoutImage("catalog", problem(kind));
    assert.deepEqual([outcome.exitCode, outcome.explanation?.code], [exitCode, code]);
  });

test("the explanation has the cause, the remedy and what is known of the answer", () => {
  assert.deepEqual(withoutImage("bundle", problem("notFound", { httpStatus: 404, mirror: "m/a" })).explanation, {
    code: "BundleUnavailable",
    summary: "the cause",
    facts: { reference: "r/a:1", httpStatus: 404, mirror: "m/a" },
    derivation: [],
    remedies: [{ summary: "do that" }],
  });
});

test("a long cause is cut in the summary and whole in the derivation, its first line alone counts", () => {
  const line = "x".repeat(201);
  const { explanation } = withoutImage("bundle", problem("invalid", { cause: `${line}\nmore` }));
  assert.equal(explanation?.summary, "x".repeat(200));
  assert.deepEqual(explanation.derivation, [{ relation: "fact", subject: "r/a:1", text: `${line}\nmore` }]);
});

test("the image of a bundle in place of a catalog is shown as what it is", () => {
  const labels = { "operators.operatorframework.io.bundle.package.v1": "op" };
  const { exitCode, explanation } = withoutImage("catalog", problem("content", { labels }));
  assert.deepEqual(
    [exitCode, explanation?.code, explanation?.summary],
    [undefined, "CatalogInvalid", '"r/a:1" is the image of a bundle, not of a catalog'],
  );
  assert.equal(withoutImage("bundle", problem("content", { labels })).explanation?.code, "BundleUnavailable");
});
