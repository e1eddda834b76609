import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { Event } from "@purser/kubernetes/apis/core";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OLMConfig } from "../../../../apis/v0/olm-config.ts";
import { withReadiness } from "../../../plan/readiness.ts";
import { type GlobalCsv, type OlmConfigWorld, planOlmConfig } from "./plan-olm-config.ts";

const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace: "ops", name: "op.v1", uid: "1" },
} as ClusterServiceVersion;
const noticeOf = (name: string): Event =>
  ({ apiVersion: "v1", kind: "Event", metadata: { namespace: "ops", name }, involvedObject: {} }) as Event;
const csvOf = (copies: number, ...notices: readonly string[]): GlobalCsv => ({
  csv,
  copies,
  places: 3,
  notices: notices.map(noticeOf),
});
/** Where copies are off, but for this many protected namespaces. */
const uncopied = (copies: number, places: number, ...notices: readonly string[]): GlobalCsv => ({
  ...csvOf(copies, ...notices),
  places,
});

function configOf(disableCopiedCSVs: boolean | undefined, condition?: Condition): OLMConfig {
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OLMConfig",
    metadata: { name: "cluster" },
    spec: { features: disableCopiedCSVs === undefined ? {} : { disableCopiedCSVs } },
    ...(condition === undefined ? {} : { status: { conditions: [condition, ...readiness] } }),
  };
}

const now = Date.parse("2026-01-01T00:00:00Z");

/** Lines of what the pass does: `status reason: message` of the condition, `notice TEXT`, `delete NAME`. */
const lines = (world: OlmConfigWorld): readonly string[] =>
  planOlmConfig(world, now).actions.map((action) => {
    if (action.kind === "notice") return `notice ${action.reason} ${action.message}`;
    const { write } = action;
    if (!("object" in write)) return `${write.verb} ${write.key.name}`;
    const [condition] = (write.object as OLMConfig).status?.conditions ?? [];
    return `${condition?.type} ${condition?.status} ${condition?.reason}: ${condition?.message}`;
  });

const present = "DisabledCopiedCSVs False CopiedCSVsEnabled: Copied CSVs are enabled and present across the cluster";
const missing =
  "DisabledCopiedCSVs False CopiedCSVsEnabled: Copied CSVs are enabled and at least one copied CSVs is missing";
const none =
  "DisabledCopiedCSVs True CopiedCSVsDisabled: Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode";
const readiness: readonly Condition[] = withReadiness(
  [],
  { kind: "ready", reason: "CopiedCSVsDisabled", message: none.slice(none.indexOf(":") + 2) },
  { observedGeneration: undefined, time: "2025-01-01T00:00:00Z" },
);
const unexpected =
  "DisabledCopiedCSVs False CopiedCSVsDisabled: Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in AllNamespace mode";
const notice = "notice DisabledCopiedCSVs CSV copying disabled for ops/op.v1";

for (const [words, world, expected] of [
  ["copies that are all there", { config: configOf(false), copies: true, csvs: [csvOf(3)] }, [present]],
  ["copies of which one is missing", { config: configOf(false), copies: true, csvs: [csvOf(3), csvOf(2)] }, [missing]],
  ["no CSV for all namespaces", { config: configOf(false), copies: true, csvs: [] }, [present]],
  ["copies that are off by default", { config: configOf(undefined), copies: false, csvs: [uncopied(0, 0)] }, [none]],
  ["a copy that is still there", { config: configOf(undefined), copies: false, csvs: [uncopied(1, 0)] }, [unexpected]],
  ["copies of protected namespaces", { config: configOf(undefined), copies: false, csvs: [uncopied(2, 2)] }, [none]],
  [
    "a copy that a protected namespace lacks",
    { config: configOf(undefined), copies: false, csvs: [uncopied(1, 2)] },
    [unexpected],
  ],
  ["copies that were turned off", { config: configOf(true), copies: false, csvs: [uncopied(0, 0)] }, [notice, none]],
  ["a CSV that has its notice", { config: configOf(true), copies: false, csvs: [uncopied(0, 0, "a")] }, [none]],
  [
    "a CSV that has two notices",
    { config: configOf(true), copies: false, csvs: [uncopied(0, 0, "a", "b")] },
    ["delete b", none],
  ],
  [
    "copies that were turned on again",
    { config: configOf(false), copies: true, csvs: [csvOf(3, "a")] },
    ["delete a", present],
  ],
  ["no OLMConfig", { config: undefined, copies: false, csvs: [uncopied(0, 0)] }, []],
  ["no OLMConfig any more", { config: undefined, copies: false, csvs: [uncopied(0, 0, "a")] }, ["delete a"]],
] as const)
  test(`OLMConfig shows ${words}`, () => {
    assert.deepEqual(lines(world), expected);
  });

const [type = "", status = "", reason = ""] = none.split(/[ :]/);
const shown: Condition = {
  type,
  status: status as "True",
  reason,
  message: none.slice(none.indexOf(":") + 2),
  lastTransitionTime: "2025-01-01T00:00:00Z",
};
test("a condition that says the same is not written again", () => {
  assert.deepEqual(lines({ config: configOf(undefined, shown), copies: false, csvs: [] }), []);
});

test("a notice is looked for half a minute after it was recorded, whether or not the condition changes", () => {
  const recheck = (condition: Condition | undefined, ...held: readonly string[]) =>
    planOlmConfig({ config: configOf(true, condition), copies: false, csvs: [csvOf(0, ...held)] }, now).recheckAfterMs;
  assert.deepEqual([recheck(undefined), recheck(shown)], [30_000, 30_000]);
  for (const held of [["a"], ["a", "b"]])
    assert.deepEqual([recheck(undefined, ...held), recheck(shown, ...held)], [undefined, undefined]);
});

for (const change of [{ status: "False" }, { reason: "Other" }, { message: "other" }] as const)
  test(`a condition with another ${Object.keys(change).join()} is written`, () => {
    const world = { config: configOf(undefined, { ...shown, ...change }), copies: false, csvs: [] };
    assert.deepEqual(lines(world), [none]);
  });

for (const [words, csvs, expected] of [
  ["are as OLMConfig asks for", [csvOf(3)], ["Ready=True", "Reconciling=False", "Stalled=False"]],
  ["are being made", [csvOf(2)], ["Ready=False", "Reconciling=True", "Stalled=False"]],
] as const)
  test(`kstatus reads from OLMConfig that copies ${words}`, () => {
    const [action] = planOlmConfig({ config: configOf(false), copies: true, csvs }, now).actions;
    assert.ok(action?.kind === "write" && "object" in action.write);
    const { conditions = [] } = (action.write.object as OLMConfig).status ?? {};
    assert.deepEqual(
      conditions.slice(1).map(({ type, status }) => `${type}=${status}`),
      expected,
    );
  });
