import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import { type ClusterState, stateSince, storedObjects } from "./cluster-state.ts";
import type { World } from "./world.ts";

/** An installation, an upgrade or a deletion: `act` does what users do and waits for its end. */
export interface Stage {
  readonly name: string;
  readonly act: () => Promise<void>;
}

/** A stage and how it ends undisturbed. */
export interface KnownStage extends Stage {
  /** Writes of the engine. */
  readonly writes: number;
  readonly end: ClusterState;
}

/** The process ends before its write number `write`, from 1, reaches the server, or after it was stored and before the response arrives. */
interface Moment {
  readonly write: number;
  readonly side: "before" | "after";
}

/** No controller reads Events: a process that ends at one leaves what it leaves at the neighbouring writes. */
const isEvent = ({ path }: ApiRequest): boolean => /\/events(\/|$)/.test(path);

/** Stops the engine at writes of consecutive stages, starts it again and compares each end with that of an undisturbed run. */
export class KillSweep {
  readonly stages: readonly KnownStage[];
  readonly #world: World;
  readonly #start: ReadonlyMap<string, KubeObject>;
  readonly #clean: () => Promise<void>;

  private constructor(
    world: World,
    start: ReadonlyMap<string, KubeObject>,
    clean: () => Promise<void>,
    stages: readonly KnownStage[],
  ) {
    this.#world = world;
    this.#start = start;
    this.#clean = clean;
    this.stages = stages;
  }

  /**
   * Runs the stages once undisturbed.
   * @param clean deletes what deletion leaves to users; the cluster is then as before the first stage
   */
  static async open(world: World, stages: readonly Stage[], clean: () => Promise<void>): Promise<KillSweep> {
    await world.settled();
    const start = await storedObjects(world.client);
    const known: KnownStage[] = [];
    for (const stage of stages) {
      const { writes } = await played(world, stage);
      known.push({ ...stage, writes, end: await stateSince(world.client, start) });
    }
    const sweep = new KillSweep(world, start, clean, known);
    await sweep.#cleaned();
    return sweep;
  }

  /** Rounds in which every moment of every stage occurs. */
  get allRounds(): number {
    return Math.max(...this.stages.map(({ writes }) => 2 * writes));
  }

  /** Runs all stages `rounds` times and stops the engine once in each; the moments are spread over the writes of the stage. */
  async run(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (const stage of this.stages) {
        const index = Math.floor((round * 2 * stage.writes) / rounds);
        await this.#stopped(stage, { write: Math.floor(index / 2) + 1, side: index % 2 === 0 ? "before" : "after" });
      }
      await this.#cleaned();
    }
  }

  async #stopped(stage: KnownStage, moment: Moment): Promise<void> {
    const when = `${stage.name}, stopped ${moment.side} write ${moment.write} of ${stage.writes}`;
    const { stopped, writes } = await played(this.#world, stage, moment);
    // A run may take fewer writes than another one, because statuses that change fast are written together.
    assert.ok(stopped || moment.write > stage.writes / 2, `${when}: there were only ${writes}`);
    await this.#equals(stage.end, when);
  }

  async #cleaned(): Promise<void> {
    await this.#clean();
    await this.#world.settled();
    await this.#equals({}, "after everything was deleted");
  }

  async #equals(wanted: ClusterState, when: string): Promise<void> {
    const world = this.#world;
    let found: ClusterState = {};
    const isEqual = async (): Promise<boolean> => {
      found = await stateSince(world.client, this.#start);
      return isDeepStrictEqual(found, wanted);
    };
    await world.until(when, isEqual).catch(() => assert.deepEqual(found, wanted, when));
  }
}

/** Plays the stage, with a restart of the engine at the moment, until everything is idle. */
async function played(
  world: World,
  { act }: Stage,
  moment?: Moment,
): Promise<{ readonly writes: number; readonly stopped: boolean }> {
  const death = Promise.withResolvers<undefined>();
  const numbers = new WeakMap<ApiRequest, number>();
  let writes = 0;
  let stopped = false;
  world.disturb = (request, side) => {
    if (side === "before" && !isEvent(request)) numbers.set(request, ++writes);
    if (moment?.side === side && moment.write === numbers.get(request)) {
      stopped = true;
      death.resolve(undefined);
    }
    if (stopped) throw new Error("the process has ended");
  };
  const ended = act();
  await Promise.race([death.promise, ended.then(() => world.settled())]);
  if (stopped)
    await world.restartEngine(() => {
      world.disturb = undefined;
    });
  await ended;
  await world.settled();
  world.disturb = undefined;
  return { writes, stopped };
}

/** Rounds of a sweep in `npm test`; with PURSER_TEST_KILLS=all as many as it takes to stop at every write. */
export function roundsOf(sweep: KillSweep, usual: number): number {
  return process.env["PURSER_TEST_KILLS"] === "all" ? sweep.allRounds : usual;
}
