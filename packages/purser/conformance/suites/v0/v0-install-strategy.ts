import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../../../src/apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../src/apis/v0/operator-group.ts";
import { afterApply } from "../../../src/controllers/v0/cluster-service-version/plan/after-apply.ts";
import { transition } from "../../../src/controllers/v0/cluster-service-version/plan/transition.ts";
import { readTyped } from "../../../src/bundle/api-types/read-typed.ts";
import { permissionsOf } from "../../../src/bundle/csv-permissions.ts";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { installStrategy, observeStrategy, type StrategyPorts } from "../../../src/rollout/install-strategy.ts";
import { applyMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { compareExactly } from "../../compare.ts";
import type { Compare, Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { goldenNow, observeCase, passOver, shownPhase } from "./csv-pass.ts";
import { asObjects, RecordingCluster } from "./recording-cluster.ts";

const never = new AbortController().signal;

function readCsv(input: JsonObject): ClusterServiceVersion | undefined {
  const typed = readTyped("csv.ClusterServiceVersion", objectAt(input, "csv"));
  return typed.ok ? (typed.value as unknown as ClusterServiceVersion) : undefined;
}

function rbac(input: JsonObject): JsonValue {
  const csv = readCsv(input);
  if (csv === undefined) return { error: "the CSV cannot be read" };
  const permissions = permissionsOf(csv);
  if (!permissions.ok) return { error: permissions.problem };
  const accounts = permissions.value.map(({ serviceAccountName, objects }) => [
    serviceAccountName,
    objects.map(({ type, object }) => ({ kind: type, ...object })),
  ]);
  return { serviceAccounts: Object.fromEntries(accounts) as JsonObject };
}

/** One pass of the CSV controller over a CSV that is InstallReady: the install that it plans, and what follows from it. */
async function install(input: JsonObject): Promise<JsonValue> {
  const csv = readCsv(input);
  if (csv === undefined) return { error: "the CSV cannot be read" };
  const forbidden = listAt(input, "forbid").filter((name) => typeof name === "string");
  const cluster = new RecordingCluster(asObjects(listAt(input, "objects")), forbidden);
  const ready = { ...csv, status: { phase: "InstallReady" } } as unknown as JsonObject;
  const world = await observeCase({ ...input, csv: ready });
  const plan = transition(world, {} as OperatorGroup, goldenNow);
  const [planned] = plan.actions;
  const end =
    planned?.kind === "install"
      ? afterApply(world, await installStrategy(planned.strategy, portsTo(cluster), never), goldenNow)
      : plan;
  const [action] = end.actions;
  const phase = shownPhase(action?.kind === "status" ? action.status : undefined);
  return shown(cluster, phase, end.retry ?? null);
}

/** One pass of the CSV controller over the Deployments of an install, changed as the case says. */
async function status(input: JsonObject): Promise<JsonValue> {
  const deployments = await changedDeployments(input);
  const csv = { ...objectAt(input, "csv"), status: objectAt(input, "status") };
  const objects = [...listAt(input, "objects"), ...Object.values(deployments).filter(isJsonObject)];
  const outcome = passOver(await observeCase({ ...input, csv, objects }));
  return {
    csv: shownPhase(outcome.status),
    deployments,
    deleted: outcome.deleted,
    writes: outcome.writes,
    error: outcome.error,
  };
}

/** By name: each Deployment that an install makes, merged with its entry of the case, without what that removes. */
async function changedDeployments(input: JsonObject): Promise<JsonObject> {
  const csv = readCsv(input);
  if (csv?.spec.install.strategy !== "deployment") return {};
  const cluster = new RecordingCluster(asObjects(listAt(input, "objects")));
  await installStrategy(await observeStrategy(cluster, csv), portsTo(cluster), never);
  const changes = objectAt(input, "deployments");
  const entries = [...cluster.objects.values()]
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((object): (readonly [string, JsonValue])[] => {
      const name = object.metadata.name ?? "";
      const change = objectAt(changes, name);
      return change["missing"] === true ? [] : [[name, applyMergePatch(asSent(object), change)]];
    });
  return Object.fromEntries(entries) as JsonObject;
}

function portsTo(cluster: RecordingCluster): StrategyPorts {
  return { writer: cluster, clock: new VirtualClock(goldenNow), entropy: new SeededEntropy(1) };
}

function shown(cluster: RecordingCluster, csv: JsonObject, error: string | null): JsonObject {
  const objects = [...cluster.objects].map(([key, object]) => [key, asSent(object)]);
  return {
    writes: cluster.writes,
    objects: Object.fromEntries(objects) as JsonObject,
    deleted: cluster.deleted,
    csv,
    error,
  };
}

/** Typed objects show their empty status on the wire. */
function asSent(object: KubeObject): JsonObject {
  const typed = object.kind === "Deployment" || object.kind === "APIService";
  return { ...(object as unknown as JsonObject), ...(typed && object.status === undefined ? { status: {} } : {}) };
}

/** What depends on fresh certificates is random in both. */
function withRandom(expected: JsonValue | undefined, actual: JsonValue | undefined): JsonValue | undefined {
  if (expected === "$RANDOM") return actual === undefined ? undefined : "$RANDOM";
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((item: JsonValue, i) => withRandom(expected[i], item) ?? item);
  }
  if (!isJsonObject(expected) || !isJsonObject(actual)) return actual;
  const members = Object.keys(actual)
    .filter((key) => member(actual, key) !== undefined)
    .map((key) => [key, withRandom(member(expected, key), member(actual, key))]);
  return Object.fromEntries(members) as JsonObject;
}

const compareWrites: Compare = (golden, value) => compareExactly()(golden, withRandom(golden.expect, value) ?? null);

export const suite: Suite = {
  name: "v0-install-strategy",
  compare: compareWrites,
  async run(golden) {
    const { input } = golden;
    switch (textAt(input, "op")) {
      case "rbac":
        return answer(rbac(input));
      case "install":
        return answer(await install(input));
      default:
        return answer(await status(input));
    }
  },
};
