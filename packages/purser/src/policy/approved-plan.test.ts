import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { approvedPlanOf, approvedPlanText } from "./approved-plan.ts";

const digest = digestOf("plan");
for (const [what, annotations, expected] of [
  ["as it is written", { "purser.dev/approved-plan": `op.v1@${digest}` }, { bundle: "op.v1", digest }],
  ["of a bundle whose name has an at sign", { "purser.dev/approved-plan": `a@b@${digest}` }, { bundle: "a@b", digest }],
  ["without annotations", undefined, undefined],
  ["without its annotation", { other: `op.v1@${digest}` }, undefined],
  ["without a bundle", { "purser.dev/approved-plan": `@${digest}` }, undefined],
  ["that is a digest alone", { "purser.dev/approved-plan": digest }, undefined],
  ["that is a bundle alone", { "purser.dev/approved-plan": "op.v1" }, undefined],
  ["whose digest is cut off", { "purser.dev/approved-plan": `op.v1@${digest.slice(0, -1)}` }, undefined],
] as const)
  test(`an approval ${what} is ${expected === undefined ? "none" : "read"}`, () => {
    const metadata = { name: "op", ...(annotations === undefined ? {} : { annotations }) };
    assert.deepEqual(approvedPlanOf({ metadata }), expected);
    if (expected !== undefined) assert.equal(approvedPlanText(expected), Object.values(annotations ?? {})[0]);
  });
