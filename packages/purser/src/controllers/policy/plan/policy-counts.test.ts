import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ClusterUpdatePolicySpec } from "../../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicyStatus } from "../../../apis/policy/update-policy.ts";
import type { PolicySubject } from "../../../policy/effective-policy.ts";
import { planPolicyStatuses } from "./policy-statuses.ts";

const now = Date.parse("2026-11-23T12:00:00Z");
const metadata = { name: "", uid: "1", resourceVersion: "1", generation: 1 };
const own = (namespace: string, name: string, spec: ClusterUpdatePolicySpec) => ({
  apiVersion: "purser.dev/v1alpha1" as const,
  kind: "UpdatePolicy" as const,
  metadata: { ...metadata, name, namespace },
  spec,
});
const everywhere = (name: string, spec: ClusterUpdatePolicySpec) => ({
  apiVersion: "purser.dev/v1alpha1" as const,
  kind: "ClusterUpdatePolicy" as const,
  metadata: { ...metadata, name },
  spec,
});
const installed = (kind: PolicySubject["kind"], namespace: string, name: string): PolicySubject => ({
  kind,
  name,
  namespace,
  packageName: name,
  labels: {},
});

/** `NAME installations reason: message` of every written status. */
function shown(actions: readonly ObjectWrite[]): readonly string[] {
  return actions.map((action) => {
    assert.ok("object" in action && action.object !== undefined);
    const { metadata: written, status } = action.object as unknown as {
      readonly metadata: { readonly name: string };
      readonly status: UpdatePolicyStatus;
    };
    const [condition] = status.conditions ?? [];
    return `${written.name} ${status.installations} ${condition?.reason}: ${condition?.message}`;
  });
}

test("a policy of a namespace counts the Subscriptions of its namespace alone, one of the cluster all", () => {
  const { actions } = planPolicyStatuses(
    {
      updatePolicies: [own("a", "first", { level: "none" }), own("c", "idle", { level: "none" })],
      clusterUpdatePolicies: [everywhere("all", { level: "patch" })],
      subjects: [
        installed("Subscription", "a", "one"),
        installed("Subscription", "a", "two"),
        installed("Subscription", "b", "three"),
        installed("ClusterExtension", "a", "four"),
      ],
    },
    now,
  );
  assert.deepEqual(shown(actions), [
    "first 2 Deciding: It decides for 2 installations",
    "idle 0 NothingSelected: It selects no installation, or more specific policies decide",
    "all 4 Deciding: It decides for 4 installations",
  ]);
});

test("policies that are equally specific name each other and how many installations they are tied for", () => {
  const { actions } = planPolicyStatuses(
    {
      updatePolicies: [own("a", "left", { level: "none" }), own("a", "right", { level: "none" })],
      clusterUpdatePolicies: [],
      subjects: [installed("Subscription", "a", "one"), installed("Subscription", "a", "two")],
    },
    now,
  );
  const rest = "so none of them decides and nothing is upgraded; make one selector more specific";
  assert.deepEqual(shown(actions), [
    `left 0 Tied: For Subscription a/one and 1 more it is as specific as UpdatePolicy a/right, ${rest}`,
    `right 0 Tied: For Subscription a/one and 1 more it is as specific as UpdatePolicy a/left, ${rest}`,
  ]);
});

test("a policy whose windows or soak cannot be read says so and that it holds every upgrade back", () => {
  const window = { schedule: "0 25 * * *", duration: "1h" };
  const { actions } = planPolicyStatuses(
    {
      updatePolicies: [],
      clusterUpdatePolicies: [everywhere("soak", { soak: "x" }), everywhere("window", { windows: [window] })],
      subjects: [],
    },
    now,
  );
  assert.deepEqual(shown(actions), [
    'soak 0 SoakInvalid: soak "x" is not a duration such as 3d or 12h, so every upgrade is held back',
    'window 0 WindowInvalid: A window cannot be read, so every upgrade is held back: its schedule "0 25 * * *" cannot be read: Invalid value for hour: 25',
  ]);
});

/** `NAME: PACKAGE TIME BUNDLES` of every written record, and `NAME` without one. */
function recorded(actions: readonly ObjectWrite[]): readonly string[] {
  return actions.map((action) => {
    assert.ok("object" in action && action.object !== undefined);
    const { metadata: written, status } = action.object as unknown as {
      readonly metadata: { readonly name: string };
      readonly status: UpdatePolicyStatus;
    };
    const seen = (status.firstSeen ?? []).map((one) => ` ${one.package} ${one.at} ${one.bundles.join(" ")}`);
    return [written.name, ...seen].join(":");
  });
}

test("every policy with soak that selects an installation records what it is offered, also one that does not decide", () => {
  const offer = { packageName: "one", bundles: ["one.v2"], isComplete: true };
  const { actions } = planPolicyStatuses(
    {
      updatePolicies: [
        own("a", "left", { soak: "1d" }),
        own("a", "right", { soak: "1d" }),
        own("b", "other", { soak: "1d" }),
      ],
      clusterUpdatePolicies: [
        everywhere("less", { soak: "1d" }),
        everywhere("named", { soak: "1d", selector: { names: ["two"] } }),
        everywhere("unsoaked", { level: "none" }),
      ],
      subjects: [
        { ...installed("Subscription", "a", "one"), offer },
        { ...installed("ClusterExtension", "c", "two"), offer: { ...offer, packageName: "two" } },
      ],
    },
    now,
  );
  const at = "2026-11-23T12:00:00Z";
  assert.deepEqual(recorded(actions), [
    `left: one ${at} one.v2`,
    `right: one ${at} one.v2`,
    "other",
    `less: one ${at} one.v2: two ${at} one.v2`,
    `named: two ${at} one.v2`,
    "unsoaked",
  ]);
});
