import { type ApiFamily, everyFamily } from "../apis/api-family.ts";
import type { Surroundings } from "../controllers/surroundings.ts";
import { updatePolicyController } from "../controllers/policy/update-policy-controller.ts";
import { v0Controllers } from "../controllers/v0/v0-controllers.ts";
import { v1Controllers } from "../controllers/v1/v1-controllers.ts";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { Counters } from "@purser/kubernetes/kube/counters";
import type { InformerCache } from "@purser/kubernetes/kube/informer-cache";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import type { LeaderElectionOptions } from "@purser/kubernetes/kube/controller/leader-election";
import { inRoom, type Log } from "@purser/kubernetes/kube/log";
import { type Manager, startManager } from "@purser/kubernetes/kube/controller/manager";
import type { Identities } from "@purser/kubernetes/kube/object-writer";

/** The dependencies of the controllers of one instance. */
export interface EnginePorts extends Omit<Surroundings, "discovery" | "metrics"> {
  readonly identities: Identities;
  readonly log: Log;
  /** Whose controllers run; default both. */
  readonly families?: readonly ApiFamily[];
  /** Controllers beside those of the API families. */
  readonly controllers?: readonly Controller[];
  /** Counts passes, requests and lists; when absent, nobody reads what is counted. */
  readonly metrics?: Counters;
  /** When absent, this process is the leader immediately. */
  readonly leaderElection?: LeaderElectionOptions;
}

export interface Engine {
  /** What the controllers have read of the cluster. */
  readonly cache: InformerCache;
  /** What waits in the queues, by controller. */
  readonly queues: Manager["queues"];
  /** Whether this process is the leader, so that its controllers run. */
  leading(): boolean;
  /** Resolves when every cache has received its first list. */
  synced(): Promise<void>;
  /** Resolves when the controllers have nothing to do about what they have seen. */
  idle(): Promise<void>;
  /** Resolves when they have seen every object besides, and have nothing to do until time passes or an object changes. */
  settled(): Promise<void>;
  /** Stops the controllers and waits for running passes. Does not close the ports. */
  stop(): Promise<void>;
}

/** Starts the controllers of the chosen API families. */
export function startEngine(ports: EnginePorts): Engine {
  const { metrics = new Counters(), families = everyFamily } = ports;
  const surroundings = { ...ports, metrics, discovery: createDiscovery(ports.client, ports.clock) };
  const manager = startManager({
    name: "purser",
    client: ports.client,
    identities: ports.identities,
    clock: ports.clock,
    entropy: ports.entropy,
    log: inRoom(ports.log, "kube"),
    discovery: surroundings.discovery,
    controllers: [
      ...(families.includes("v0") ? v0Controllers(surroundings) : []),
      ...(families.includes("v1") ? v1Controllers(surroundings) : []),
      updatePolicyController(surroundings, families),
      ...(ports.controllers ?? []),
    ],
    metrics,
    ...(ports.tracing === undefined ? {} : { tracing: ports.tracing }),
    ...(ports.leaderElection === undefined ? {} : { leaderElection: ports.leaderElection }),
  });
  return {
    cache: manager.cache,
    queues: () => manager.queues(),
    leading: () => manager.leading(),
    synced: () => manager.synced(),
    idle: () => manager.idle(),
    settled: () => manager.settled(),
    stop: () => manager.stop(),
  };
}
