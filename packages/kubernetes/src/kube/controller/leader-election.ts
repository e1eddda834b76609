import type { Lease } from "../../apis/coordination.ts";
import { leases } from "../../apis/resources.ts";
import { formatMicroTime, type Clock } from "../../clock.ts";
import type { Entropy } from "../../entropy.ts";
import type { KubeClient } from "../client.ts";
import type { Log } from "../log.ts";

export interface LeaderElectionOptions {
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Identity of this candidate; unique per process, such as host name and a random uuid. */
  readonly identity: string;
  /** Of the Lease while this candidate holds it; others' stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Time after which others may acquire an unrenewed lease. Default 15000. */
  readonly leaseDurationMs?: number;
  /** Time for which the leader tries to renew before it stops. Default 10000; must be less than the lease duration. */
  readonly renewDeadlineMs?: number;
  /** Interval of attempts, plus up to a fifth of jitter. Default 3000. */
  readonly retryPeriodMs?: number;
}

export interface Candidate {
  /** Throws unless this process holds the lease now, by its own clock. */
  readonly fence: () => void;
  leading(): boolean;
  /** Resolves when the candidate has stopped and, if it was the leader, has released the lease. */
  stop(): Promise<void>;
}

/** This process is not the leader (any more): another one may be writing. */
class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/**
 * Runs for leader until stopped. `lead` is called each time the lease is acquired and must work until its signal
 * aborts, which happens `renewDeadlineMs` after the last successful renewal, before another process may take over. As
 * in client-go, other processes' clocks are not used, only the time for which their record has not changed here.
 */
export function standForElection(
  client: KubeClient,
  options: LeaderElectionOptions & { readonly clock: Clock; readonly entropy: Entropy; readonly log: Log },
  lead: (signal: AbortSignal) => Promise<void>,
): Candidate {
  const { clock, entropy, log, identity, namespace, name } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 3000 } = options;
  if (renewDeadlineMs >= leaseDurationMs) throw new RangeError("The renew deadline must end before the lease does");
  const stopping = new AbortController();
  let observed: { readonly version: string | undefined; readonly at: number } | undefined;
  /** Monotonic ms until which no other process can acquire the lease; counted from before the renewal was sent. */
  let ours: number | undefined;
  /** The holder whose lease was found last. */
  let awaited: string | undefined;
  /** The last written Lease: renewing it needs no read. */
  let written: Lease | undefined;
  const holds = (): boolean => ours !== undefined && clock.monotonic() < ours;

  const pause = (): Promise<void> =>
    clock.sleep(retryPeriodMs * (1 + entropy.fraction() / 5), stopping.signal).catch(() => {});

  /**
   * One attempt to acquire or renew.
   * @returns whether this process holds the lease; rejects when the server does not respond
   */
  async function tryToHold(signal: AbortSignal): Promise<boolean> {
    const asked = clock.monotonic();
    const held = written ?? (await client.get(leases, { namespace, name }));
    const now = formatMicroTime(clock.now());
    const mine = held?.spec?.holderIdentity === identity;
    if (held !== undefined && !mine && !isFree(held)) {
      waitFor(held.spec?.holderIdentity ?? "");
      return false;
    }
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: mine ? (held.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (held?.spec?.leaseTransitions ?? 0) + (mine || held === undefined ? 0 : 1),
    };
    const base = held ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } };
    const { annotations } = options;
    const metadata =
      annotations === undefined
        ? base.metadata
        : { ...base.metadata, annotations: { ...base.metadata.annotations, ...annotations } };
    const object: Lease = { ...base, metadata, spec };
    const result = await client.write(
      { verb: held === undefined ? "create" : "replace", type: leases, object },
      signal,
    );
    if (!result.ok) {
      const { kind, status } = result.problem;
      if (written !== undefined && (kind === "conflict" || kind === "notFound")) {
        written = undefined;
        return tryToHold(signal);
      }
      if (kind === "conflict" || kind === "alreadyExists") return false;
      throw new NotLeadingError(`Cannot write the lease "${namespace}/${name}": ${status.message}`);
    }
    written = result.value.object as Lease | undefined;
    ours = asked + renewDeadlineMs;
    return true;
  }

  /** Logs once for each holder why nothing is done here. */
  function waitFor(holder: string): void {
    if (holder === awaited) return;
    awaited = holder;
    log("info", "Waiting for the lease of another process", { lease: `${namespace}/${name}`, holder });
  }

  /** Released, or observed unchanged for its whole duration. */
  function isFree({ metadata, spec = {} }: Lease): boolean {
    if (spec.holderIdentity === undefined || spec.holderIdentity === "") return true;
    if (observed === undefined || observed.version !== metadata.resourceVersion) {
      observed = { version: metadata.resourceVersion, at: clock.monotonic() };
      return false;
    }
    return clock.monotonic() >= observed.at + (spec.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000;
  }

  async function renewUntilLost(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause();
      if (stopping.signal.aborted) return;
      try {
        // A renewal that completes after the deadline does not count.
        const trying = new AbortController();
        const left = Math.max(0, (ours ?? 0) - clock.monotonic());
        const deadline = clock.sleep(left, trying.signal).then(
          () => trying.abort(new NotLeadingError("The renew deadline has passed")),
          () => {},
        );
        const gaveUp = new Promise<never>((_resolve, reject) => {
          trying.signal.addEventListener("abort", () => reject(trying.signal.reason as Error), { once: true });
        });
        gaveUp.catch(() => {});
        let kept: boolean;
        try {
          kept = await Promise.race([tryToHold(trying.signal), gaveUp]);
        } finally {
          trying.abort();
          await deadline;
        }
        if (kept) continue;
        log("warn", "Another process has acquired the lease", { lease: `${namespace}/${name}` });
        return;
      } catch (error) {
        log("warn", "Cannot renew the lease", { lease: `${namespace}/${name}`, error: String(error) });
        if (!holds()) return;
      }
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      let won = false;
      try {
        won = await tryToHold(stopping.signal);
      } catch (error) {
        log("warn", "Cannot acquire the lease", { lease: `${namespace}/${name}`, error: String(error) });
      }
      if (!won) {
        await pause();
        continue;
      }
      log("info", "Leading", { lease: `${namespace}/${name}`, identity });
      awaited = undefined;
      const term = new AbortController();
      const work = lead(term.signal);
      await renewUntilLost();
      if (!stopping.signal.aborted) ours = undefined;
      term.abort(new NotLeadingError(`The lease "${namespace}/${name}" is no longer ours`));
      await work;
      if (stopping.signal.aborted && holds()) await giveBack();
      ours = undefined;
      observed = undefined;
      written = undefined;
    }
  }

  /** Releases the lease, so that the next leader need not wait; only after the work has ended. */
  async function giveBack(): Promise<void> {
    try {
      const held = await client.get(leases, { namespace, name });
      if (held?.spec?.holderIdentity !== identity) return;
      const spec = {
        ...held.spec,
        holderIdentity: "",
        leaseDurationSeconds: 1,
        renewTime: formatMicroTime(clock.now()),
      };
      await client.write({ verb: "replace", type: leases, object: { ...held, spec } }, new AbortController().signal);
    } catch (error) {
      log("warn", "Cannot release the lease", { lease: `${namespace}/${name}`, error: String(error) });
    }
  }

  const running = run();
  return {
    fence() {
      if (!holds()) throw new NotLeadingError(`The lease "${namespace}/${name}" is not ours`);
    },
    leading: holds,
    async stop() {
      stopping.abort(new Error("The election was stopped"));
      await running;
    },
  };
}
