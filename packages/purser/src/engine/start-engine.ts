import type { Surroundings } from "../controllers/surroundings.ts";
import { v0Controllers } from "../controllers/v0/v0-controllers.ts";
import { v1Controllers } from "../controllers/v1/v1-controllers.ts";
import type { Counters } from "@purser/kubernetes/kube/counters";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import type { LeaderElectionOptions } from "@purser/kubernetes/kube/controller/leader-election";
import type { Log } from "@purser/kubernetes/kube/log";
import { startManager } from "@purser/kubernetes/kube/controller/manager";
import type { Identities } from "@purser/kubernetes/kube/object-writer";

/** What the controllers of one instance need. */
export interface EnginePorts extends Omit<Surroundings, "discovery"> {
  readonly identities: Identities;
  readonly log: Log;
  /** Counts passes, requests and lists; absent: nobody looks. */
  readonly metrics?: Counters;
  /** Absent: this process leads at once. */
  readonly leaderElection?: LeaderElectionOptions;
}

export interface Engine {
  /** Whether controllers run here now. */
  leading(): boolean;
  /** Resolves when every cache had its first list. */
  synced(): Promise<void>;
  /** Resolves when nothing is left to do but wait for the clock or for a change. */
  settled(): Promise<void>;
  /** Waits for passes that are under way. The ports stay open: whoever opened them closes them. */
  stop(): Promise<void>;
}

/** Starts all controllers of both API families. */
export function startEngine(ports: EnginePorts): Engine {
  const surroundings = { ...ports, discovery: createDiscovery(ports.client, ports.clock) };
  const manager = startManager({
    name: "purser",
    client: ports.client,
    identities: ports.identities,
    clock: ports.clock,
    entropy: ports.entropy,
    log: ports.log,
    discovery: surroundings.discovery,
    controllers: [...v0Controllers(surroundings), ...v1Controllers(surroundings)],
    ...(ports.metrics === undefined ? {} : { metrics: ports.metrics }),
    ...(ports.leaderElection === undefined ? {} : { leaderElection: ports.leaderElection }),
  });
  return {
    leading: () => manager.leading(),
    synced: () => manager.synced(),
    settled: () => manager.settled(),
    stop: () => manager.stop(),
  };
}
