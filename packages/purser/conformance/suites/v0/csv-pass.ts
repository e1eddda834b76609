// One pass of the CSV controller over the objects of a golden case, for the suites that ask what it does.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { clusterServiceVersions, operatorGroups } from "../../../src/apis/olm-resources.ts";
import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../src/apis/v0/cluster-service-version.ts";
import { csvCleanupFinalizer, providedApisAnnotation } from "../../../src/apis/v0/labels.ts";
import type { OperatorGroup } from "../../../src/apis/v0/operator-group.ts";
import { observeCsv } from "../../../src/controllers/v0/cluster-service-version/observe-csv.ts";
import { planCsv } from "../../../src/controllers/v0/cluster-service-version/plan/plan-csv.ts";
import type { CsvWorld } from "../../../src/controllers/v0/cluster-service-version/plan/world.ts";
import { improved } from "../../../src/compat.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { applyMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { asObjects, RecordingCluster } from "./recording-cluster.ts";

const never = new AbortController().signal;
export const goldenNow = Date.parse("2024-01-01T00:00:00Z");

/** The CSV of a case as the cluster holds it: upstream adds its finalizer in the same pass, which is no part of an answer. */
export async function observeCase(input: JsonObject): Promise<CsvWorld> {
  const csv = objectAt(input, "csv") as unknown as ClusterServiceVersion;
  const held = { ...csv, metadata: { ...csv.metadata, finalizers: [csvCleanupFinalizer] } };
  const others = asObjects(listAt(input, "objects")).filter((object) => !isSame(object, csv));
  const cluster = new RecordingCluster([...others, held]);
  const resources = objectAt(input, "resources");
  const world = await observeCsv(
    keyOf(csv),
    { reader: cluster, signal: never },
    {
      compat: improved,
      client: { version: () => Promise.resolve({ major: "", minor: "", gitVersion: textAt(input, "kubeVersion") }) },
      discovery: {
        typeOfLately: ({ group, version, kind }) => {
          const served = listAt(resources, group === "" ? version : `${group}/${version}`);
          const found = asObjects(served).find((resource) => resource.kind === kind);
          return Promise.resolve(
            found === undefined ? undefined : { group, version, kind, plural: "", namespaced: true },
          );
        },
      },
    },
  );
  invariant(world !== undefined, "the CSV of the case is there");
  return world;
}

function isSame(object: KubeObject, csv: ClusterServiceVersion): boolean {
  return (
    object.kind === csv.kind &&
    object.metadata.name === csv.metadata.name &&
    object.metadata.namespace === csv.metadata.namespace
  );
}

/** What a pass leaves behind. */
export interface PassOutcome {
  readonly status: ClusterServiceVersionStatus | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** `olm.providedAPIs` written, by `namespace/name`. */
  readonly groups: Readonly<Record<string, string>>;
  /** `<plural>/<name>`. */
  readonly deleted: readonly string[];
  /** `update <plural> <name>` of what is neither deleted nor the CSV itself, and `install` when the strategy is executed. */
  readonly writes: readonly string[];
  readonly error: string | null;
  /** Whether the pass is to be retried without a change, which OLM does by returning an error to its queue. */
  readonly looksAgain: boolean;
}

/** Runs the plan of one pass, with what it writes. */
export function passOver(world: CsvWorld): PassOutcome {
  let { status } = world.csv;
  let annotations = world.csv.metadata.annotations ?? {};
  const groups: Record<string, string> = {};
  const deleted: string[] = [];
  const writes: string[] = [];
  const plan = planCsv(world, goldenNow);
  for (const action of plan.actions) {
    switch (action.kind) {
      case "status":
        status = action.status;
        break;
      case "attempt":
      case "install":
        writes.push("install");
        break;
      // Events are no part of an answer, and the worlds hold no custom resources.
      case "announce":
      case "deleteOperand":
        break;
      case "write": {
        const { write } = action;
        if (write.verb === "delete") deleted.push(`${write.type.plural}/${write.key.name}`);
        else if (write.type !== clusterServiceVersions)
          writes.push(
            `update ${write.type.plural} ${write.verb === "patch" ? write.key.name : write.object.metadata.name}`,
          );
        if (write.verb !== "patch") break;
        const target = write.type === operatorGroups ? groupOf(world, write.key.name) : world.csv;
        const patched = applyMergePatch(target as unknown as JsonValue, write.patch) as unknown as OperatorGroup;
        if (write.type === operatorGroups)
          groups[`${write.key.namespace}/${write.key.name}`] =
            patched.metadata.annotations?.[providedApisAnnotation] ?? "";
        if (write.type === clusterServiceVersions) annotations = patched.metadata.annotations ?? {};
      }
    }
  }
  const { retry: error = null, recheckAfterMs } = plan;
  return { status, annotations, groups, deleted, writes, error, looksAgain: recheckAfterMs !== undefined };
}

function groupOf(world: CsvWorld, name: string): OperatorGroup | undefined {
  return world.groups.find((group) => group.metadata.name === name);
}

/** `{phase, reason, message}` with absent texts empty. */
export function shownPhase(status: ClusterServiceVersionStatus | undefined): JsonObject {
  const text = (key: string): string => {
    const value = member((status ?? {}) as unknown as JsonObject, key);
    return typeof value === "string" ? value : "";
  };
  return { phase: text("phase"), reason: text("reason"), message: text("message") };
}
