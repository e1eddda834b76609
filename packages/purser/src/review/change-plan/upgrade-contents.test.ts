import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangePlan } from "./change-plan.ts";
import { upgradeContents } from "./upgrade-contents.ts";

test("policies look at each permission that is added and at each finding about a CRD, of which rule it is", () => {
  const rule = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
  const total = {
    permissions: [
      {
        account: "ops/kiln",
        namespace: "ops",
        added: [
          { rule, flags: [] },
          { rule, flags: ["new"] },
        ],
        removed: [],
      },
      { account: "ops/clay", added: [], removed: [{ rule, flags: [] }] },
    ],
    crds: [
      { name: "pots.kiln.io", findings: ["a is removed", "b is required"], rules: ["existingFieldRemoval"] },
      { name: "bowls.kiln.io", findings: [], rules: [] },
    ],
  } as unknown as ChangePlan["total"];
  assert.deepEqual(upgradeContents({ total }), {
    permissions: [
      "ServiceAccount ops/kiln, namespace ops: get  secrets",
      "ServiceAccount ops/kiln, namespace ops: get  secrets  [new]",
    ],
    crds: [
      { rule: "existingFieldRemoval", text: "pots.kiln.io: a is removed" },
      { rule: "unhandled", text: "pots.kiln.io: b is required" },
    ],
  });
});
