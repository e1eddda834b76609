import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import type { KubeClient } from "./client.ts";
import type { Controller } from "./controller.ts";
import type { Counters } from "./counters.ts";
import type { EventRecorder } from "./events.ts";
import type { InformerCache } from "./informer-cache.ts";
import type { LeaderElectionOptions } from "./leader-election.ts";
import type { Log } from "./log.ts";
import type { Identities } from "./object-writer.ts";

export interface ManagerOptions {
  /** Component name in events and logs. */
  readonly name: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly controllers: readonly Controller[];
  /** Default: every identity is the client's own, service accounts by TokenRequest are refused. */
  readonly identities?: Identities;
  /** Absent: controllers run at once. */
  readonly leaderElection?: LeaderElectionOptions;
  readonly log?: Log;
  readonly metrics?: Counters;
}

export interface Manager {
  readonly cache: InformerCache;
  readonly events: EventRecorder;
  readonly metrics: Counters;
  /** Whether controllers run here now. */
  leading(): boolean;
  /** Resolves when every informer had its first list. */
  synced(): Promise<void>;
  /** Resolves when the caches show what the server holds, every queue is empty and nothing is due now. */
  settled(): Promise<void>;
  /** Stops controllers, gives the lease back, ends informers. Waits for passes that are under way. */
  stop(): Promise<void>;
}

export declare function startManager(options: ManagerOptions): Manager;
