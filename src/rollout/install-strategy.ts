import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import { InvariantError } from "../invariant.ts";
import type { ObjectReader } from "../kube/object-reader.ts";
import type { ObjectWriter } from "../kube/object-writer.ts";
import type { Result } from "../result.ts";
import type { StrategyWorld } from "./plan/strategy-world.ts";

export interface StrategyPorts {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export interface StrategyFailure {
  /** `insufficientPermissions`: 403 while writing Deployments, not retried. `other`: retried. */
  readonly kind: "insufficientPermissions" | "other";
  /** Upstream's text. */
  readonly message: string;
}

export interface StrategyInstalled {
  /** Set when a certificate was issued: new values of `status.certsLastUpdated` and `certsRotateAt`, epoch ms. */
  readonly certificates?: { readonly lastUpdated: number; readonly rotateAt: number };
}

/** Reads everything that installing and checking one CSV needs. */
export function observeStrategy(reader: ObjectReader, csv: ClusterServiceVersion): Promise<StrategyWorld> {
  throw new InvariantError(`not written yet: ${csv.metadata.name} ${typeof reader}`);
}

/** Installs the CSV's Deployments with their certificates, APIServices and webhooks (3.2 of the v0 operator spec). */
export function installStrategy(
  world: StrategyWorld,
  ports: StrategyPorts,
  signal: AbortSignal,
): Promise<Result<StrategyInstalled, StrategyFailure>> {
  throw new InvariantError(`not written yet: ${world.csv.metadata.name} ${signal.aborted} ${typeof ports}`);
}
