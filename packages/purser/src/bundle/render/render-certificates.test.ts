import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { renderServices } from "./render-certificates.ts";

test("ports of a webhook Service are ordered by their numbers; a named target counts as 0", () => {
  const webhook = (containerPort: number, targetPort?: number | string) => ({
    type: "ValidatingAdmissionWebhook" as const,
    generateName: "v",
    deploymentName: "d",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    containerPort,
    ...(targetPort === undefined ? {} : { targetPort }),
  });
  const [service] = renderServices(
    [{ name: "d", spec: { selector: {}, template: {} } }],
    [webhook(9443), webhook(443, 443), webhook(443, "https"), webhook(443, 50), webhook(443, "8"), webhook(443, "a")],
    "ns",
    "none",
  );
  const spec = service === undefined ? undefined : member(service, "spec");
  assert.deepEqual(isJsonObject(spec) ? spec["ports"] : undefined, [
    { name: "443", port: 443, targetPort: "a" },
    { name: "443", port: 443, targetPort: "https" },
    { name: "443", port: 443, targetPort: "8" },
    { name: "443", port: 443, targetPort: 50 },
    { name: "443", port: 443, targetPort: 443 },
    { name: "9443", port: 9443, targetPort: 9443 },
  ]);
});
