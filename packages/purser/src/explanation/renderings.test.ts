import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { conditionText } from "./condition-text.ts";
import type { Explanation } from "./explanation.ts";
import { editDistance, nearestNames } from "./nearest-name.ts";
import { listOf, shellWord, summaryOf } from "./summary.ts";
import { explanationMarkdown } from "./markdown.ts";
import { explanationLines, treeLines } from "./tree.ts";

const explanation: Explanation = {
  code: "DependencyMissing",
  summary: "Subscription my needs the API Disk",
  facts: {},
  derivation: [
    {
      relation: "requested",
      subject: "Subscription my",
      text: "Subscription my cannot get what it asks for",
      because: [
        { relation: "provided", subject: "my", text: "Only app can serve it" },
        { relation: "requires", subject: "app", text: "app requires Disk" },
      ],
    },
    { relation: "fact", subject: "catalog", text: "No catalog has Disk" },
  ],
  remedies: [{ summary: "Add a catalog", command: "purser source add more IMAGE" }],
};

test("the tree shows each reason with the reasons below it", () => {
  assert.equal(
    treeLines(explanation.derivation).join("\n"),
    [
      "├─ Subscription my cannot get what it asks for",
      "│  ├─ Only app can serve it",
      "│  └─ app requires Disk",
      "└─ No catalog has Disk",
    ].join("\n"),
  );
});

test("a remedy that loses data says so before its command", () => {
  const remedy = { summary: "Delete CRD a.b", command: "kubectl delete crd a.b", deletes: "data" } as const;
  const lossy: Explanation = { ...explanation, derivation: [], remedies: [remedy, { ...remedy, deletes: "objects" }] };
  assert.deepEqual(explanationLines(lossy), [
    "Subscription my needs the API Disk (DependencyMissing)",
    "fix: loses data: Delete CRD a.b",
    "     kubectl delete crd a.b",
    " or: Delete CRD a.b",
    "     kubectl delete crd a.b",
  ]);
  assert.match(
    explanationMarkdown(lossy, (text) => `<${text}>`),
    /1\. <loses data: Delete CRD a\.b>: <kubectl delete crd a\.b>/,
  );
});

test("the text of a condition has the first remedy and at most 1024 bytes", () => {
  assert.equal(
    conditionText(explanation),
    "Subscription my needs the API Disk. Add a catalog: purser source add more IMAGE",
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 3000 }), (summary) => {
      assert.ok(Buffer.byteLength(conditionText({ ...explanation, summary })) <= 1024);
    }),
  );
});

test("near names are found by case, containment and few edits, and far ones are not", () => {
  const names = ["etcd", "prometheus", "cert-manager", "grafana-operator", "constructor"];
  const cases: readonly (readonly [wanted: string, nearest: string])[] = [
    ["etdc", "etcd"],
    ["ETCD", "etcd"],
    ["promethues", "prometheus"],
    ["grafana", "grafana-operator"],
    ["certmanager", "cert-manager"],
    ["kafka", ""],
    ["q", ""],
    ["__proto__", ""],
  ];
  for (const [wanted, nearest] of cases) assert.equal(nearestNames(wanted, names)[0] ?? "", nearest, wanted);
});

test("an edit distance is symmetric, zero for equal texts only, and stops at its limit", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 8 }), (left, right, limit) => {
      const distance = editDistance(left, right, limit);
      assert.equal(distance, editDistance(right, left, limit));
      assert.equal(distance === 0, left === right);
      assert.ok(distance <= limit + 1);
      assert.equal(distance, Math.min(editDistance(left, right, 16), limit + 1));
    }),
  );
});

test("lists, summaries and shell words are cut and quoted", () => {
  assert.equal(listOf(["a", "b", "c", "d"], 3), "a, b, c and 1 more");
  assert.equal(listOf(["a", "b"], 3, "or"), "a or b");
  assert.equal(Array.from(summaryOf("é".repeat(300))).length, 200);
  assert.equal(shellWord("it's {x}"), `'it'\\''s {x}'`);
});
