import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ChangePlan } from "../../review/change-plan/change-plan.ts";
import { planSet } from "../../review/change-plan/plan-set.ts";
import { runPurser } from "../testing/run-purser.ts";
import { planSetDocument } from "./change-plan-outcome.ts";
import { schemaProblems } from "./testing/json-schema.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-schema-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../../../docs/change-plan.schema.json"), "utf8"),
) as JsonObject;
const problems = (document: unknown): readonly string[] =>
  schemaProblems(JSON.parse(JSON.stringify(document)) as JsonObject, schema, schema);
const demo = join(import.meta.dirname, "../../../demo/default");

async function plan(...args: readonly string[]): Promise<JsonObject> {
  const world = ["--catalog", `demo=${join(demo, "catalog")}`, "--bundles", join(demo, "bundles")];
  const ran = await runPurser(["plan", ...args, ...world], { env: { PURSER_CACHE_DIR: join(directory, "cache") } });
  assert.equal(ran.exitCode, 0, ran.errors);
  return ran.data as JsonObject;
}

for (const args of [
  ["logbook-db", "--from", "1.0.0", "--to", "1.2.0"],
  ["ballast-cache", "--from", "0.2.0", "--as-extension"],
  ["ballast-cache", "--from", "0.3.0", "--as-extension"],
])
  test(`the document of plan ${args.join(" ")} fits docs/change-plan.schema.json`, async () => {
    const document = await plan(...args);
    assert.deepEqual(problems(document), []);
    assert.deepEqual(problems(planSetDocument(planSet([document as unknown as ChangePlan]))), []);
  });

test("every installation of a decision has a document that fits the schema", async () => {
  const { changes } = (await plan("semaphore-gateway")) as { readonly changes: readonly JsonObject[] };
  assert.equal(changes.length, 2);
  for (const change of changes) assert.deepEqual(problems(change), []);
});

test("a document with another field, without a field or with another value does not fit", async () => {
  const document = await plan("logbook-db", "--from", "1.0.0", "--to", "1.1.0");
  const { digest: _digest, ...without } = document;
  for (const wrong of [
    { ...document, extra: 1 },
    without,
    { ...document, digest: "sha256:1" },
    { ...document, to: "1.1.0" },
    { ...document, total: { ...(document["total"] as JsonObject), downtime: [1] } },
  ])
    assert.equal(problems(wrong).length, 1);
});
