import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { webhookChanges, webhookDeployments } from "./webhook-changes.ts";

const csvOf = (...webhookdefinitions: readonly JsonValue[]): JsonObject => ({ spec: { webhookdefinitions } });
const hook = (generateName: string, more: JsonObject = {}): JsonObject => ({
  type: "ValidatingAdmissionWebhook",
  generateName,
  ...more,
});
const conversion = (generateName: string): JsonObject => hook(generateName, { type: "ConversionWebhook" });

const shown = (before: JsonObject | undefined, after: JsonObject): readonly string[] =>
  webhookChanges(before, after).map(({ type, name, change, fields }) =>
    [change, type, name, ...fields.map((field) => JSON.stringify(field))].join(" "),
  );

test("webhooks come, go and change, by type and name in order", () => {
  assert.deepEqual(shown(undefined, csvOf(hook("b"), hook("a"))), [
    "added ValidatingAdmissionWebhook a",
    "added ValidatingAdmissionWebhook b",
  ]);
  assert.deepEqual(shown(csvOf(hook("a"), conversion("a")), csvOf(hook("a"))), ["removed ConversionWebhook a"]);
  assert.deepEqual(shown(csvOf(hook("a")), csvOf(hook("a"))), []);
  const [changed = ""] = shown(csvOf(hook("a", { sideEffects: "None" })), csvOf(hook("a", { sideEffects: "Some" })));
  assert.match(changed, /^changed ValidatingAdmissionWebhook a \{.*sideEffects.*None.*Some.*\}$/);
});

test("what is no list of webhooks has none", () => {
  for (const csv of [{}, { spec: null }, { spec: {} }, { spec: { webhookdefinitions: "x" } }, csvOf("x", null)])
    assert.deepEqual(shown(csv as JsonObject, csvOf(hook("a"))), ["added ValidatingAdmissionWebhook a"]);
});

test("Deployments that serve webhooks are each named once", () => {
  const csv = csvOf(
    hook("a", { deploymentName: "d" }),
    hook("b", { deploymentName: "d" }),
    hook("c", { deploymentName: 1 }),
  );
  assert.deepEqual([...webhookDeployments(csv)], ["d", ""]);
});
