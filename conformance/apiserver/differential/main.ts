import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../src/json.ts";
import type { Cluster, Told } from "../cluster.ts";
import { clusterOf, embeddedCluster } from "../cluster.ts";
import { at, configMap, text } from "../scene.ts";
import { Draw } from "./draw.ts";
import { explanationOf } from "./explained.ts";
import type { Known, NormalForm } from "./normal-form.ts";
import { normalForm } from "./normal-form.ts";
import type { Operation } from "./operation.ts";
import { drawOperation } from "./operation.ts";
import { definitionsIn, subjectsIn } from "./subjects.ts";

/** One of the two servers with what it said of each object, by path. */
class Side {
  readonly name: string;
  readonly cluster: Cluster;
  #anchor = "";
  readonly #known = new Map<string, Known>();

  constructor(name: string, cluster: Cluster) {
    this.name = name;
    this.cluster = cluster;
  }

  async prepare(ns: string, group: string): Promise<void> {
    const made = async (path: string, body: JsonObject): Promise<JsonObject> => {
      const told = await this.cluster.ask({ method: "POST", path, body });
      if (told.code !== 201) throw new Error(`${this.name}: ${path}: ${told.text}`);
      return told.object;
    };
    await made("/api/v1/namespaces", { metadata: { name: ns } });
    this.#anchor = text(await made(`/api/v1/namespaces/${ns}/configmaps`, configMap("anchor")), "metadata", "uid");
    for (const definition of definitionsIn(group)) {
      await made("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
      const path = `/apis/${group}/v1/${text(definition, "spec", "names", "plural")}`;
      while ((await this.cluster.ask({ path })).code !== 200) await sleep(50);
    }
  }

  async remove(ns: string, group: string): Promise<void> {
    const gone = async (path: string): Promise<unknown> => this.cluster.ask({ method: "DELETE", path });
    for (const { metadata } of definitionsIn(group) as readonly { readonly metadata?: { readonly name?: string } }[])
      await gone(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata?.name ?? ""}`);
    for (const name of [ns, `${ns}-x`, `${ns}-y`]) await gone(`/api/v1/namespaces/${name}`);
  }

  known(object: string): Known {
    return this.#known.get(object) ?? { rv: "", oldrv: "1", uid: "", anchor: this.#anchor };
  }

  /** Sends the operation with what this server knows in the place of its marks. */
  send({ object, method, path, body, contentType }: Operation): Promise<Told> {
    const known = this.known(object);
    const filled = body
      .replaceAll("{{rv}}", known.rv === "" ? "7" : known.rv)
      .replaceAll("{{oldrv}}", known.oldrv)
      .replaceAll("{{uid}}", known.uid === "" ? "0-0" : known.uid)
      .replaceAll("{{anchor}}", known.anchor);
    // A server that breaks the connection in place of an answer has crashed over the request.
    return this.cluster
      .ask({ method, path, body: filled, headers: { "content-type": contentType } })
      .catch((problem: unknown): Told => ({
        code: 0,
        headers: {},
        object: {},
        text: String(problem),
        message: "",
        warnings: [],
      }));
  }

  /** Reads the object again; one that controllers write is waited for. */
  async look({ object, subject }: Operation): Promise<Told> {
    let told = await this.cluster.ask({ path: object });
    if (subject.controlled === true)
      for (let tries = 0; tries < 40; tries++) {
        const before = at(told.object, "metadata", "resourceVersion");
        await sleep(25);
        told = await this.cluster.ask({ path: object });
        const seen = at(told.object, "status", "observedGeneration") === at(told.object, "metadata", "generation");
        if (seen && at(told.object, "metadata", "resourceVersion") === before) break;
      }
    return this.collected(object, told);
  }

  /** The collector lets go of what it holds at its own time. */
  async collected(object: string, told: Told): Promise<Told> {
    let seen = told;
    const isHeld = (): boolean => {
      const finalizers = at(seen.object, "metadata", "finalizers");
      const held =
        Array.isArray(finalizers) && finalizers.some((name) => name === "orphan" || name === "foregroundDeletion");
      return held && at(seen.object, "metadata", "deletionTimestamp") !== undefined;
    };
    for (let tries = 0; isHeld() && tries < 100; tries++) {
      await sleep(20);
      seen = await this.cluster.ask({ path: object });
    }
    return seen;
  }

  learn(object: string, told: Told): void {
    const before = this.known(object);
    const rv = told.code === 200 ? text(told.object, "metadata", "resourceVersion") : "";
    const uid = told.code === 200 ? text(told.object, "metadata", "uid") : "";
    const oldrv = rv === before.rv || before.rv === "" ? before.oldrv : before.rv;
    this.#known.set(object, { rv, oldrv, uid, anchor: this.#anchor });
  }
}

/** Every leaf by its path. */
function leaves(value: unknown, path = ""): readonly (readonly [string, string])[] {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, JSON.stringify(value)]];
  return entries.flatMap(([key, held]) => leaves(held, `${path}/${key}`));
}

/** What one answer says and the other does not; long texts from shortly before they part. */
function difference(real: NormalForm, ours: NormalForm): string {
  const [left, right] = [new Map(leaves(real)), new Map(leaves(ours))];
  const lines = (mine: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>, mark: string): string[] =>
    [...mine]
      .filter(([path, text]) => other.get(path) !== text)
      .slice(0, 8)
      .map(([path, text]) => `    ${mark} ${path} = ${excerpt(text, other.get(path))}`);
  return [...lines(left, right, "real"), ...lines(right, left, "ours")].join("\n");
}

function excerpt(text: string, other = ""): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const from = same < 200 ? 0 : same - 80;
  return `${from > 0 ? "…" : ""}${text.slice(from, from + 500)}`;
}

export interface DifferentialOptions {
  /** Of the real control plane. */
  readonly kubeconfig: string | undefined;
  readonly seed: number;
  readonly operations: number;
}

/**
 * Sends the same random writes to the embedded server and to a real one and compares answers and stored objects.
 * Resolves to the exit code: 1 for a difference that `explained.ts` does not know.
 */
export async function runDifferential({ kubeconfig, seed, operations }: DifferentialOptions): Promise<number> {
  if (kubeconfig === undefined) {
    console.log("SKIP: the differential test compares with a real control plane: --kubeconfig FILE");
    return 0;
  }
  const sides = [new Side("real", clusterOf(kubeconfig)), new Side("embedded", await embeddedCluster())] as const;
  const ns = `diff-${Date.now().toString(36)}`;
  const group = `${ns}.purser.example.com`;
  try {
    for (const side of sides) await side.prepare(ns, group);
    return await compareAll(sides, { ns, group, seed, operations });
  } finally {
    await Promise.all(sides.map((side) => side.remove(ns, group)));
    await Promise.all(sides.map(({ cluster }) => cluster.close()));
  }
}

interface Run {
  readonly ns: string;
  readonly group: string;
  readonly seed: number;
  readonly operations: number;
}

async function compareAll(sides: readonly [Side, Side], { ns, group, seed, operations }: Run): Promise<number> {
  const subjects = subjectsIn(group);
  const draw = new Draw(seed);
  const explained = new Map<string, number>();
  let unexplained = 0;
  let refused = 0;
  for (let index = 0; index < operations; index++) {
    const operation = drawOperation(draw, subjects, ns);
    const controlled = operation.subject.controlled === true;
    const both = async (act: (side: Side) => Promise<Told>): Promise<readonly [NormalForm, NormalForm, Told, Told]> => {
      const [real, ours] = await Promise.all([act(sides[0]), act(sides[1])]);
      const form = (side: Side, answer: Told): NormalForm =>
        normalForm(answer, side.known(operation.object), controlled);
      return [form(sides[0], real), form(sides[1], ours), real, ours];
    };
    const compare = (what: string, real: NormalForm, ours: NormalForm): void => {
      if (isDeepStrictEqual(real, ours)) return;
      const why = explanationOf(operation, real, ours);
      if (why !== undefined) {
        explained.set(why, (explained.get(why) ?? 0) + 1);
        return;
      }
      unexplained++;
      const { method, path, contentType, body } = operation;
      console.log(`DIFF ${index} ${what}: ${method} ${path} ${contentType}\n  ${body.slice(0, 1500)}`);
      console.log(difference(real, ours));
    };
    const [real, ours] = await both((side) => side.send(operation));
    if (real.code >= 400) refused++;
    compare("answer", real, ours);
    const [realState, ourState, realTold, ourTold] = await both((side) => side.look(operation));
    const same = isDeepStrictEqual(realState, ourState);
    if (isDeepStrictEqual(real, ours)) compare("state", realState, ourState);
    sides[0].learn(operation.object, realTold);
    sides[1].learn(operation.object, ourTold);
    if (!same) await restart(sides, operation);
  }
  for (const [why, count] of explained) console.log(`explained ${count} times: ${why}`);
  console.log(
    `seed ${seed}: ${operations} operations, ${refused} of them refused, ${unexplained} unexplained differences`,
  );
  return unexplained > 0 ? 1 : 0;
}

/** After a difference both begin anew with the object, so that it is told once. */
async function restart(sides: readonly Side[], operation: Operation): Promise<void> {
  for (const side of sides) {
    if (operation.subject.kind === "Namespace") continue;
    const path = operation.object;
    const release = { metadata: { finalizers: null } };
    const headers = { "content-type": "application/merge-patch+json" };
    await side.cluster.ask({ method: "PATCH", path, body: release, headers });
    await side.cluster.ask({ method: "DELETE", path: `${path}?propagationPolicy=Background` });
    await side.cluster.ask({ method: "PATCH", path, body: release, headers });
    side.learn(path, await side.cluster.ask({ path }));
  }
}
