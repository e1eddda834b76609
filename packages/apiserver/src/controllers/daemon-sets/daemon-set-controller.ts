import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { nodes, pods } from "@purser/kubernetes/apis/resources";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { numberIn, objectAt, objectIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { controllerRevisions, daemonSets } from "../../kinds/resource-types.ts";
import { daemonPod, hashLabel, nodeOf } from "./daemon-set-pods.ts";
import { manage, roll, type Fleet, type Moves } from "./daemon-set-rollout.ts";
import { daemonStatus } from "./daemon-set-status.ts";
import { claim, controlled } from "../ownership.ts";
import { createPod, deletePod, retryLater } from "../pod-control.ts";
import { untilAvailable } from "../pod-state.ts";
import { record } from "../recorder.ts";
import { forgetRevisions, historyOf, type History } from "../revision-history.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import { templateHash } from "../template-hash.ts";
import type { Refusal } from "../writer.ts";

/** Component of its events; its service account has another name. */
const component = "daemonset-controller";
const firstWaitMs = 1000;
const longestWaitMs = 15 * 60_000;

const naming: Parameters<typeof historyOf>[2] = {
  hashLabel,
  hash: (data, _text, collisions) => templateHash(data, String(collisions)),
};

/**
 * Backoff for the deletion of failed pods per node, so that controller and kubelet do not delete and fail in a hot
 * loop.
 */
class FailureWaits {
  readonly #waits = new Map<string, { readonly since: number; readonly ms: number }>();

  /** Remaining wait in milliseconds; 0 when the pod may be deleted now, which starts the next, longer wait. */
  take(key: string, nowMs: number): number {
    const held = this.#waits.get(key);
    if (held !== undefined && nowMs - held.since < held.ms) return held.since + held.ms - nowMs;
    const fresh = held === undefined || nowMs - held.since > 2 * longestWaitMs;
    this.#waits.set(key, { since: nowMs, ms: fresh ? firstWaitMs : Math.min(longestWaitMs, held.ms * 2) });
    return 0;
  }
}

function fleetOf(pass: Pass, set: KubeObject, hash: string, held: readonly Pod[]): Fleet {
  const hasEnded = ({ status, metadata }: Pod): boolean =>
    metadata.deletionTimestamp !== undefined && (status?.phase === "Failed" || status?.phase === "Succeeded");
  return {
    set,
    hash,
    nodes: pass.list(nodes),
    pods: held.filter((pod) => !hasEnded(pod)),
    minimumMs: (numberIn(objectIn(asJson(set), "spec"), "minReadySeconds") ?? 0) * 1000,
    nowMs: pass.nowMs(),
  };
}

async function carryOut(pass: Pass, { set, hash }: Fleet, { create, remove }: Moves): Promise<Refusal | undefined> {
  let refusal: Refusal | undefined;
  for (const node of create) {
    refusal = await createPod(pass, set, component, daemonPod(set, hash, node));
    if (refusal !== undefined) break;
  }
  for (const pod of remove) await deletePod(pass, set, component, pod);
  return refusal;
}

async function recordEnded(pass: Pass, set: KubeObject, pod: Pod): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata;
  const failed = pod.status?.phase === "Failed";
  const where = `daemon pod ${namespace}/${name} on node ${nodeOf(pod)}, will try to`;
  await record(pass, set, {
    component,
    type: failed ? "Warning" : "Normal",
    reason: failed ? "FailedDaemonPod" : "SucceededDaemonPod",
    message: failed ? `Found failed ${where} kill it` : `Found succeeded ${where} delete it`,
  });
}

/** Deletes revisions beyond the history limit that no pod uses. */
async function forgetOld(pass: Pass, { set, pods: held }: Fleet, { current, all }: History): Promise<void> {
  const old = all.filter((revision) => revision !== current);
  const live = new Set(held.map((pod) => pod.metadata.labels?.[hashLabel]));
  const idle = old.filter((revision) => !live.has(revision.metadata.labels?.[hashLabel]));
  await forgetRevisions(
    pass,
    idle,
    old.length - (numberIn(objectIn(asJson(set), "spec"), "revisionHistoryLimit") ?? 10),
  );
}

export function daemonSetController(): BuiltInController {
  const waits = new FailureWaits();

  /** Moves without failed pods in backoff, and the shortest remaining wait. */
  async function withoutWaiting(pass: Pass, fleet: Fleet, moves: Moves): Promise<readonly [Moves, number | undefined]> {
    const remove: Pod[] = [];
    let wait = Infinity;
    for (const pod of moves.remove) {
      const phase = pod.status?.phase;
      const generation = numberIn(objectIn(asJson(fleet.set), "status"), "observedGeneration") ?? 0;
      const key = `${fleet.set.metadata.uid ?? ""}/${generation}/${nodeOf(pod)}`;
      const left = phase === "Failed" ? waits.take(key, fleet.nowMs) : 0;
      if (left > 0) wait = Math.min(wait, left);
      else {
        if (phase === "Failed" || phase === "Succeeded") await recordEnded(pass, fleet.set, pod);
        remove.push(pod);
      }
    }
    return [{ ...moves, remove }, wait === Infinity ? undefined : wait];
  }

  return {
    name: "daemon-set-controller",
    watches: [
      { table: "daemonsets.apps", keys: ownKey },
      controlledBy(daemonSets, pods),
      controlledBy(daemonSets, controllerRevisions),
      {
        table: "nodes",
        keys: (_change, pass) =>
          pass.list(daemonSets).map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`),
      },
    ],
    reconcile: async (key, pass) => {
      const set = pass.get(daemonSets, parseKey(key));
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
      const history = await historyOf(pass, set, naming);
      const hash = history.current.metadata.labels?.[hashLabel] ?? "";
      const fleet = fleetOf(pass, set, hash, await claim(pass, set, pods));
      const [moves, wait] = await withoutWaiting(pass, fleet, manage(fleet));
      let refusal = await carryOut(pass, fleet, moves);
      const strategy = textIn(objectAt(asJson(set), "spec", "updateStrategy"), "type");
      // A rolling update continues only in a pass that creates and deletes nothing else.
      if (moves.create.length + moves.remove.length === 0 && strategy === "RollingUpdate")
        refusal = await carryOut(pass, fleet, roll(fleet));
      await forgetOld(pass, fleet, history);
      const after = await controlled(pass, set, pods);
      const status = daemonStatus(fleetOf(pass, set, hash, after), history.collisions);
      if (!deepEqual(status, objectIn(asJson(set), "status")))
        await pass.writer.replace(daemonSets, { ...set, status }, "status");
      retryLater(refusal);
      const due = untilAvailable(after, fleet.minimumMs, pass.nowMs());
      return wait === undefined && due === undefined ? undefined : Math.min(wait ?? Infinity, due ?? Infinity);
    },
  };
}
