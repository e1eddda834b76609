import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn } from "../../kinds/decoding/json-parts.ts";
import { isUpdated, placeOn, seniority } from "./daemon-set-pods.ts";
import { podsByNode, type Fleet } from "./daemon-set-rollout.ts";
import { isAvailable, isReady } from "../pod-state.ts";

/**
 * The set's status counters; on each node the first pod by {@link seniority} counts. `collisions`: number of hash
 * collisions.
 */
export function daemonStatus(fleet: Fleet, collisions: number): JsonObject {
  const { set, hash, nodes } = fleet;
  const byNode = podsByNode(fleet);
  const held = objectIn(asJson(set), "status");
  const places = nodes.map((node) => ({
    wanted: placeOn(set, node) === "run",
    pod: (byNode.get(node.metadata.name ?? "") ?? []).toSorted(seniority)[0],
  }));
  const wanted = places.filter((place) => place.wanted);
  const present = wanted.flatMap(({ pod }) => (pod === undefined ? [] : [pod]));
  const ready = present.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, fleet.minimumMs, fleet.nowMs)).length;
  const counted = {
    observedGeneration: set.metadata.generation ?? 0,
    updatedNumberScheduled: present.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  };
  return {
    currentNumberScheduled: present.length,
    numberMisscheduled: places.filter((place) => !place.wanted && place.pod !== undefined).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready.length,
    ...Object.fromEntries(Object.entries(counted).filter(([, count]) => count !== 0)),
    ...(collisions === 0 && numberIn(held, "collisionCount") === undefined ? {} : { collisionCount: collisions }),
    ...(held["conditions"] === undefined ? {} : { conditions: held["conditions"] }),
  };
}
