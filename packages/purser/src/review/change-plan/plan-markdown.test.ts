import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ChangePlan, Changes } from "./change-plan.ts";
import { planMarkdown } from "./plan-markdown.ts";

const nothing: Changes = { objects: [], crds: [], permissions: [], images: [], webhooks: [], downtime: [] };
const digest = digestOf("plan");
const markdown = (total: Partial<Changes>, plan: Partial<ChangePlan> = {}): string =>
  planMarkdown({
    digest,
    inputs: {},
    installation: "sub/ns/op",
    from: { name: "op.v1", version: "1.0.0" },
    to: { name: "op.v2", version: "2.0.0" },
    hops: [{ from: "1.0.0", to: "2.0.0", changes: nothing }],
    total: { ...nothing, ...total },
    dependencies: [],
    deprecations: [],
    ...plan,
  });

const end = `\n\nPlan \`${digest}\`\n`;

test("a plan without changes has neither sections nor a path; an installation has no version before", () => {
  const counts = "- **objects** none\n- **permissions** unchanged";
  assert.equal(markdown({}), `### \`sub/ns/op\`: 1.0.0 → 2.0.0\n\n${counts}${end}`);
  const text = planMarkdown({
    digest,
    inputs: {},
    installation: "package op",
    to: { name: "op.v2", version: "2.0.0" },
    hops: [],
    total: nothing,
    dependencies: [],
    deprecations: [],
  });
  assert.equal(text, `### \`package op\`: install 2.0.0\n\n${counts}${end}`);
});

test("every kind of change has its line in the list, in order, and its section", () => {
  const deployment = { group: "apps", kind: "Deployment", namespace: "ns", drift: [] } as const;
  const rule = (resource: string) => ({ rule: { verbs: ["get"], apiGroups: [""], resources: [resource] }, flags: [] });
  const text = markdown(
    {
      objects: [
        {
          ...deployment,
          name: "manager",
          change: "changed",
          fields: [{ kind: "changed", path: [{ field: "spec" }, { field: "text" }], before: "a", after: "two\nlines" }],
        },
        { ...deployment, name: "kept", change: "kept", fields: [] },
      ],
      crds: [{ name: "as.g.io", change: "changed", findings: ["a field was removed"], rules: ["r"], stored: 1 }],
      permissions: [{ account: "ns/op", namespace: "ns", added: [rule("pods")], removed: [rule("nodes")] }],
      images: [
        { image: "r/a:1", change: "added" },
        { image: "r/b:1", change: "removed" },
        { image: "r/c:1", change: "kept" },
      ],
      webhooks: [{ type: "ConversionWebhook", name: "hook", change: "added", fields: [] }],
      downtime: ["the operator restarts"],
    },
    {
      hops: [
        { from: "1.0.0", to: "1.5.0", changes: nothing },
        { from: "1.5.0", to: "2.0.0", changes: nothing },
      ],
      dependencies: [
        { bundle: "b.v1", askedBy: [] },
        {
          bundle: "c.v1",
          askedBy: [
            { bundle: "op.v2", requirement: "API C" },
            { bundle: "b.v1", requirement: "package c" },
          ],
        },
      ],
      deprecations: ["use another"],
    },
  );
  assert.equal(
    text,
    `### \`sub/ns/op\`: 1.0.0 → 2.0.0

- **path** \`1.5.0\` → \`2.0.0\`, 2 hops
- **objects** 1 changed, 1 kept
- **permissions** 1 rule gained, 1 lost
- **CRD** ⚠ \`as.g.io: a field was removed (1 stored object)\`
- **webhook** \`ConversionWebhook hook\` added
- **restart** \`the operator restarts\`
- **needs** \`b.v1\`
- **needs** \`c.v1\`, for \`op.v2\`, \`b.v1\`
- **deprecated** \`use another\`

#### Permissions

\`\`\`diff
# ServiceAccount ns/op, namespace ns
+ get  pods
- get  nodes
\`\`\`

#### Images

\`\`\`diff
+ r/a:1
- r/b:1
\`\`\`

<details><summary>Objects</summary>

\`\`\`diff
# Deployment ns/manager changed
spec.text
- a
+ two lines
\`\`\`

</details>${end}`,
  );
});

test("the fence of a block is longer than any run of backticks in it", () => {
  const fenceOf = (image: string) => /(`+)diff/.exec(markdown({ images: [{ image, change: "added" }] }))?.[1];
  assert.deepEqual(["a", "a``", "a```b`", "a`````"].map(fenceOf), ["```", "```", "````", "``````"]);
});

test("images that stay the same have no section", () =>
  assert.ok(!markdown({ images: [{ image: "r/c:1", change: "kept" }] }).includes("Images")));
