import type { IntOrString, Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { objectAt, textIn } from "../../kinds/decoding/json-parts.ts";
import { hashLabel, isUpdated, nodeOf, placeOn, seniority, type Place } from "./daemon-set-pods.ts";
import { isAvailable, isReady } from "../pod-state.ts";
import { scaled } from "../deployments/numbers.ts";

/** The state of one DaemonSet in one pass. */
export interface Fleet {
  readonly set: KubeObject;
  /** Hash label of the current template. */
  readonly hash: string;
  readonly nodes: readonly KubeObject[];
  /** All pods of the set, except terminating ones that have finished. */
  readonly pods: readonly Pod[];
  readonly minimumMs: number;
  readonly nowMs: number;
}

/** Changes of one pass: pods to delete, and nodes to create one on. */
export interface Moves {
  readonly remove: readonly Pod[];
  readonly create: readonly string[];
}

export function podsByNode({ pods }: Fleet): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return byNode;
}

function isStaying(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined;
}

export interface Limits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Limits of a rolling update over `wanted` nodes. */
function limitsOf(set: KubeObject, wanted: number): Limits {
  const strategy = objectAt(asJson(set), "spec", "updateStrategy");
  if (textIn(strategy, "type") !== "RollingUpdate") return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge: surge, maxUnavailable: slack } = objectAt(strategy, "rollingUpdate");
  const maxSurge = scaled(surge as IntOrString | undefined, wanted, "up");
  const maxUnavailable = scaled(slack as IntOrString | undefined, wanted, "up");
  // With both zero the rollout could not progress.
  return { maxSurge, maxUnavailable: wanted > 0 && maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/** One pod on each eligible node and none elsewhere; finished pods are replaced. */
export function manage(fleet: Fleet): Moves {
  const byNode = podsByNode(fleet);
  const known = new Set(fleet.nodes.map(({ metadata }) => metadata.name ?? ""));
  const lost = fleet.pods.filter((pod) => (pod.spec?.nodeName ?? "") === "" && !known.has(nodeOf(pod)));
  const remove: Pod[] = [];
  const create: string[] = [];
  for (const node of fleet.nodes) {
    const name = node.metadata.name ?? "";
    const moves = manageNode(fleet, placeOn(fleet.set, node), byNode.get(name));
    remove.push(...moves.remove);
    if (moves.create) create.push(name);
  }
  return { remove: [...remove, ...lost], create };
}

function manageNode(
  fleet: Fleet,
  place: Place,
  held: readonly Pod[] | undefined,
): { readonly remove: readonly Pod[]; readonly create: boolean } {
  const staying = (held ?? []).filter(isStaying);
  if (place === "leave") return { remove: staying, create: false };
  if (held === undefined) return { remove: [], create: place === "run" };
  const hasEnded = ({ status }: Pod): boolean => status?.phase === "Failed" || status?.phase === "Succeeded";
  const ended = staying.filter(hasEnded);
  const running = staying.filter((pod) => !hasEnded(pod)).toSorted(seniority);
  if (limitsOf(fleet.set, 1).maxSurge === 0) return { remove: [...ended, ...running.slice(1)], create: false };
  if (running.length <= 1) return { remove: ended, create: running.length === 0 && place === "run" };
  const updated = running.filter((pod) => pod.metadata.labels?.[hashLabel] === fleet.hash);
  const old = running.filter((pod) => pod.metadata.labels?.[hashLabel] !== fleet.hash);
  const [newest] = updated;
  const [oldest] = old;
  const replaced =
    newest !== undefined &&
    oldest !== undefined &&
    (!isReady(oldest) || isAvailable(newest, fleet.minimumMs, fleet.nowMs));
  return { remove: [...ended, ...updated.slice(1), ...old.slice(replaced ? 0 : 1)], create: false };
}

/** The current and the outdated pod on one node; undefined when there are several of one kind. */
function pairOf(
  { set, hash }: Fleet,
  held: readonly Pod[],
): { readonly fresh: Pod | undefined; readonly old: Pod | undefined } | undefined {
  const staying = held.filter(isStaying);
  const fresh = staying.filter((pod) => isUpdated(set, pod, hash));
  const old = staying.filter((pod) => !isUpdated(set, pod, hash));
  return fresh.length > 1 || old.length > 1 ? undefined : { fresh: fresh[0], old: old[0] };
}

/** The next step of a rolling update within its limits. */
export function roll(fleet: Fleet): Moves {
  const wanted = fleet.nodes.filter((node) => placeOn(fleet.set, node) === "run");
  const limits = limitsOf(fleet.set, wanted.length);
  const byNode = new Map(podsByNode(fleet));
  for (const { metadata } of wanted) if (!byNode.has(metadata.name ?? "")) byNode.set(metadata.name ?? "", []);
  return limits.maxSurge === 0
    ? { remove: replaceable(fleet, byNode, limits.maxUnavailable), create: [] }
    : surge(fleet, byNode, limits.maxSurge, wanted.length);
}

/** Outdated pods to delete now: unavailable ones, and as many available ones as maxUnavailable allows. */
function replaceable(
  fleet: Fleet,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  maxUnavailable: number,
): readonly Pod[] {
  const down: Pod[] = [];
  const candidates: Pod[] = [];
  let missing = 0;
  for (const held of byNode.values()) {
    const pair = pairOf(fleet, held);
    const available = (pod: Pod): boolean => isAvailable(pod, fleet.minimumMs, fleet.nowMs);
    if (pair === undefined || (pair.fresh === undefined) === (pair.old === undefined)) missing++;
    else if (pair.fresh !== undefined) missing += available(pair.fresh) ? 0 : 1;
    else if (pair.old !== undefined && !available(pair.old)) {
      down.push(pair.old);
      missing++;
    } else if (pair.old !== undefined && missing < maxUnavailable) candidates.push(pair.old);
  }
  return [...down, ...candidates.slice(0, Math.max(0, maxUnavailable - missing))];
}

function surge(fleet: Fleet, byNode: ReadonlyMap<string, readonly Pod[]>, maxSurge: number, wanted: number): Moves {
  const available = (pod: Pod | undefined): boolean =>
    pod !== undefined && isAvailable(pod, fleet.minimumMs, fleet.nowMs);
  const places = new Map(fleet.nodes.map((node) => [node.metadata.name ?? "", placeOn(fleet.set, node)]));
  const remove: Pod[] = [];
  const misplaced: Pod[] = [];
  const allowed: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let up = 0;
  for (const [node, held] of byNode) {
    const pair = pairOf(fleet, held);
    if (pair === undefined) {
      surging++;
      continue;
    }
    const { fresh, old } = pair;
    if (available(old ?? fresh)) up++;
    if (old === undefined) continue;
    if (fresh === undefined) {
      const runs = places.get(node) === "run";
      if (!available(old)) {
        if (runs) allowed.push(node);
        else remove.push(old);
      } else if (!runs) misplaced.push(old);
      else if (surging < maxSurge) candidates.push(node);
    } else if (available(fresh)) remove.push(old);
    else surging++;
  }
  return {
    remove: [...remove, ...misplaced.slice(0, Math.max(0, up - wanted))],
    create: [...allowed, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
  };
}
