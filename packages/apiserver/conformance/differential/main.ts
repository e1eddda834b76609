import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Answer } from "../cluster.ts";
import { clusterOf, embeddedCluster } from "../cluster.ts";
import { at, text } from "../scene.ts";
import { differenceText } from "./difference-text.ts";
import { Draw } from "./draw.ts";
import { emptiesMetadata, explanationOf } from "./explained.ts";
import type { NormalForm } from "./normal-form.ts";
import { normalForm } from "./normal-form.ts";
import type { Operation } from "./operation.ts";
import { Sequence } from "./operation.ts";
import { Side, SilentServer } from "./side.ts";
import { subjectsIn } from "./subjects.ts";

export interface DifferentialOptions {
  /** Kubeconfig of the real control plane. */
  readonly kubeconfig: string | undefined;
  readonly seed: number;
  readonly operations: number;
  /** Comma-separated kinds to write; all when absent. */
  readonly kinds?: string | undefined;
}

/**
 * Sends the same random writes to the embedded server and to a real kube-apiserver and compares responses and stored
 * objects. Resolves to the exit code: 1 for a difference that `explained.ts` does not know.
 */
export async function runDifferential(options: DifferentialOptions): Promise<number> {
  const { kubeconfig, seed, operations } = options;
  if (kubeconfig === undefined) {
    console.log("SKIP: the differential test compares with a real control plane: --kubeconfig FILE");
    return 0;
  }
  if (!Number.isInteger(seed) || !Number.isInteger(operations) || operations < 1) {
    console.error("--seed and --operations are whole numbers");
    return 2;
  }
  const sides = [new Side("real", clusterOf(kubeconfig)), new Side("embedded", await embeddedCluster())] as const;
  const ns = `diff-${Date.now().toString(36)}`;
  const group = `${ns}.purser.example.com`;
  const wanted = options.kinds?.split(",");
  const subjects = subjectsIn(group).filter(({ kind }) => wanted?.includes(kind) ?? true);
  try {
    for (const side of sides) await side.prepare(ns, group);
    const code = await new Comparison(sides, options).run(new Sequence(new Draw(seed), subjects, ns));
    await Promise.all(sides.map((side) => side.remove(ns, group)));
    return code;
  } catch (problem) {
    if (!(problem instanceof SilentServer)) throw problem;
    console.error(`seed ${seed}: ${problem.message}; nothing is known of the operations that were left`);
    return 2;
  } finally {
    await Promise.all(sides.map(({ cluster }) => cluster.close()));
  }
}

/** A collection without objects that the run has not created: controllers have their own in every namespace. */
function ownItems({ objects }: Operation, answer: Answer): Answer {
  const { items } = answer.object;
  if (!Array.isArray(items)) return answer;
  const isOwn = (item: JsonObject): boolean =>
    objects.some((path) => path.endsWith(`/${text(item, "metadata", "name")}`));
  return { ...answer, object: { ...answer.object, items: (items as readonly JsonObject[]).filter(isOwn) } };
}

/** A write of a scale can leave two entries of one updater; which of them the next write keeps is random. */
function hasTwins(object: JsonObject): boolean {
  const entries = at(object, "metadata", "managedFields");
  if (!Array.isArray(entries)) return false;
  const names = (entries as readonly JsonObject[]).map(({ manager, operation, apiVersion, subresource }) =>
    JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]),
  );
  return new Set(names).size < names.length;
}

/** The path of an object without its version and subresource. */
function inAnyVersion(path: string): string {
  return path.replace(/\/(?:scale|status)$/, "").replace(/\/v1(?:beta1)?\//, "/");
}

type Both<T> = readonly [real: T, ours: T];

class Comparison {
  readonly #sides: Both<Side>;
  readonly #options: DifferentialOptions;
  readonly #explained = new Map<string, number>();
  /** Custom resources in whose metadata an apply has set an empty list. */
  readonly #emptied = new Set<string>();
  #unexplained = 0;

  constructor(sides: Both<Side>, options: DifferentialOptions) {
    this.#sides = sides;
    this.#options = options;
  }

  async run(sequence: Sequence): Promise<number> {
    const { seed, operations } = this.#options;
    let refused = 0;
    for (let index = 0; index < operations; index++) {
      const operation = sequence.next();
      const { controlled = false } = operation.subject;
      if (controlled && operation.body.includes("{{rv}}")) await this.#refresh(operation.object);
      const answer = await this.#both(async (side) => ownItems(operation, await side.send(operation)));
      if (operation.subject.kind === "ServiceAccount" && operation.method === "DELETE")
        await this.#both((side) => side.hasAccount());
      const answers = this.#forms(answer, operation.object, controlled);
      if (answers[0].code >= 400) refused++;
      this.#compare(index, "answer", operation, answers);
      if (emptiesMetadata(operation)) this.#emptied.add(inAnyVersion(operation.object));
      for (const object of operation.objects) {
        const seen = await this.#both((side) => side.look(object, controlled));
        const states = this.#forms(seen, object, controlled);
        const same = isDeepStrictEqual(...states);
        if (isDeepStrictEqual(...answers)) this.#compare(index, "state", operation, states);
        this.#sides[0].learn(object, seen[0]);
        this.#sides[1].learn(object, seen[1]);
        // After a difference the object is created again on both sides, so that it is reported once.
        if (!same || hasTwins(seen[0].object)) await this.#both((side) => side.restart(object));
      }
    }
    for (const [why, count] of [...this.#explained].toSorted((a, b) => b[1] - a[1]))
      console.log(`explained ${count} times: ${why}`);
    console.log(
      `seed ${seed}: ${operations} operations, ${refused} of them refused, ${this.#unexplained} unexplained differences`,
    );
    return this.#unexplained > 0 ? 1 : 0;
  }

  /** Controllers write asynchronously: what is known of the object may be outdated. */
  async #refresh(object: string): Promise<void> {
    const seen = await this.#both((side) => side.look(object, true));
    this.#sides[0].learn(object, seen[0]);
    this.#sides[1].learn(object, seen[1]);
  }

  #both<T>(act: (side: Side) => Promise<T>): Promise<Both<T>> {
    return Promise.all([act(this.#sides[0]), act(this.#sides[1])]);
  }

  #forms([real, ours]: Both<Answer>, object: string, controlled: boolean): Both<NormalForm> {
    return [
      normalForm(real, this.#sides[0].known(object), controlled),
      normalForm(ours, this.#sides[1].known(object), controlled),
    ];
  }

  #compare(index: number, what: string, operation: Operation, [real, ours]: Both<NormalForm>): void {
    if (isDeepStrictEqual(real, ours)) return;
    const why = explanationOf(operation, real, ours, { emptied: this.#emptied.has(inAnyVersion(operation.object)) });
    if (why !== undefined) {
      this.#explained.set(why, (this.#explained.get(why) ?? 0) + 1);
      return;
    }
    this.#unexplained++;
    const { method, path, contentType, body } = operation;
    const { seed, kubeconfig = "", kinds } = this.#options;
    const only = kinds === undefined ? "" : ` --case ${kinds}`;
    console.log(`DIFF seed ${seed} operation ${index} ${what}: ${method} ${path} ${contentType}`);
    console.log(`  ${body.slice(0, 1500)}`);
    console.log(differenceText(real, ours));
    console.log(
      `  again: npm run -s conformance -- apiserver-differential --kubeconfig ${kubeconfig} --seed ${seed} --operations ${index + 1}${only}`,
    );
  }
}
