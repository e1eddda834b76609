import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import { requestedPolicy } from "./requested-policy.ts";

type Selector = NonNullable<ClusterUpdatePolicy["spec"]["selector"]>;
const policy = (name: string, selector: Selector, namespace?: string, until?: string): ClusterUpdatePolicy => ({
  apiVersion: "purser.dev/v1alpha1",
  kind: namespace === undefined ? "ClusterUpdatePolicy" : "UpdatePolicy",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: { selector, ...(until === undefined ? {} : { until }) },
});
const policies = {
  updatePolicies: [
    policy("own", { packages: ["etcd"] }, "data"),
    policy("own", {}, "other"),
  ] as readonly UpdatePolicy[],
  clusterUpdatePolicies: [
    policy("production", { labels: { matchLabels: { stage: "production" } } }),
    policy("kafka", { packages: ["kafka"] }),
    policy("twin", { labels: { matchLabels: { stage: "twin" } } }),
    policy("twin-2", { labels: { matchLabels: { stage: "twin" } } }),
    policy("everything", {}),
    policy("over", { labels: { matchLabels: { stage: "over" } } }, undefined, "2026-01-01T00:00:00Z"),
  ],
};
const subject = { kind: "Subscription", name: "etcd", namespace: "data", packageName: "etcd", labels: {} } as const;
const now = Date.parse("2026-06-01T00:00:00Z");

const answers: readonly (readonly [named: string, answer: string])[] = [
  ["own", "UpdatePolicy data/own {}"],
  ["updatepolicy/data/own", "UpdatePolicy data/own {}"],
  ["production", 'ClusterUpdatePolicy production {"stage":"production"}'],
  ["clusterupdatepolicy/production", 'ClusterUpdatePolicy production {"stage":"production"}'],
  [
    "kafka",
    "Refused: ClusterUpdatePolicy kafka would not decide for etcd: it selects package kafka, or has ended; nothing was written",
  ],
  [
    "twin",
    "Refused: ClusterUpdatePolicy twin would not decide for etcd: it ties with ClusterUpdatePolicy twin-2, and then none of them decides; nothing was written",
  ],
  ["prodction", 'NotFound: There is no update policy "prodction"'],
];
for (const [named, answer] of answers)
  test(`--policy ${named}: ${answer}`, () => {
    const found = requestedPolicy(named, policies, subject, now);
    const text = found.ok
      ? `${found.value.reference} ${JSON.stringify(found.value.labels)}`
      : `${found.problem.code}: ${found.problem.summary}`;
    assert.equal(text, answer);
  });

test("a policy that a more specific one passes over is refused with its name, and so is one that has ended", () => {
  const labelled = { ...subject, labels: { stage: "production" } };
  const passedOver = requestedPolicy("everything", policies, labelled, now);
  assert.match(passedOver.ok ? "" : passedOver.problem.summary, /: ClusterUpdatePolicy production is more specific; /);
  const ended = requestedPolicy("over", policies, subject, now);
  assert.match(ended.ok ? "" : ended.problem.summary, /or has ended/);
});

test("a ClusterExtension has no policy of a namespace", () => {
  const found = requestedPolicy("own", policies, { ...subject, kind: "ClusterExtension" }, now);
  assert.equal(found.ok ? "" : found.problem.code, "NotFound");
});
