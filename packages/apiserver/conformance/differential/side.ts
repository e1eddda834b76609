import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Ask, Cluster, Told } from "../cluster.ts";
import { at, text } from "../scene.ts";
import type { Known } from "./normal-form.ts";
import type { Operation } from "./operation.ts";
import { definitionsIn } from "./subjects.ts";

/** Finalizers that controllers take away at their own time, once the object is deleted. */
const passing: ReadonlySet<unknown> = new Set([
  "orphan",
  "foregroundDeletion",
  "kubernetes.io/pvc-protection",
  "kubernetes.io/pv-protection",
  "customresourcecleanup.apiextensions.k8s.io",
]);

/** Longer than any write takes, controllers and the collector included. */
const answerMs = 20_000;

/** A server that answers nothing any more: no comparison can be made with it. */
export class SilentServer extends Error {
  override readonly name = "SilentServer";
}

/** One of the two servers with what it said of each object, by path. */
export class Side {
  readonly name: string;
  readonly cluster: Cluster;
  #ns = "";
  #anchor = "";
  readonly #known = new Map<string, Known>();

  constructor(name: string, cluster: Cluster) {
    this.name = name;
    this.cluster = cluster;
  }

  async prepare(ns: string, group: string): Promise<void> {
    const made = async (path: string, body: JsonObject): Promise<JsonObject> => {
      const told = await this.#ask({ method: "POST", path, body });
      if (told.code !== 201) throw new Error(`${this.name}: ${path}: ${told.text}`);
      return told.object;
    };
    await made("/api/v1/namespaces", { metadata: { name: ns } });
    await made("/api/v1/namespaces", { metadata: { name: `${ns}-limits` } });
    // Deletions of whole collections find it too; the dependents of one that is gone are collected.
    const anchor = { metadata: { name: "anchor", finalizers: ["x.io/anchor"] } };
    this.#anchor = text(await made(`/api/v1/namespaces/${ns}/configmaps`, anchor), "metadata", "uid");
    for (const definition of definitionsIn(group)) {
      await made("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
      const path = `/apis/${group}/v1/${text(definition, "spec", "names", "plural")}`;
      while ((await this.#ask({ path })).code !== 200) await sleep(50);
    }
    this.#ns = ns;
    await this.hasAccount();
  }

  /** Pods are refused while the controller has not made the account, after a deletion again. */
  async hasAccount(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#ns}/serviceaccounts/default`;
    for (let told = await this.#ask({ path }); told.code !== 200; told = await this.#ask({ path })) await sleep(50);
  }

  async remove(ns: string, group: string): Promise<void> {
    for (const path of [...this.#known.keys(), `/api/v1/namespaces/${ns}/configmaps/anchor`]) await this.#release(path);
    const gone = async (path: string): Promise<unknown> => this.#ask({ method: "DELETE", path });
    for (const { metadata } of definitionsIn(group) as readonly { readonly metadata?: { readonly name?: string } }[])
      await gone(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata?.name ?? ""}`);
    for (const name of [ns, `${ns}-x`, `${ns}-y`, `${ns}-limits`]) await gone(`/api/v1/namespaces/${name}`);
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
    const crash = (problem: unknown): Told => ({
      code: 0,
      headers: {},
      object: {},
      text: String(problem),
      message: "",
      warnings: [],
    });
    return this.#within(
      `${method} ${path}`,
      this.cluster.ask({ method, path, body: filled, headers: { "content-type": contentType } }).catch(crash),
    );
  }

  #ask(ask: Ask): Promise<Told> {
    const what = `${ask.method ?? "GET"} ${ask.path}`;
    const silent = (problem: unknown): never => {
      throw new SilentServer(`the ${this.name} server does not answer ${what}: ${String(problem)}`);
    };
    return this.#within(what, this.cluster.ask(ask).catch(silent));
  }

  /** The answer, unless it does not come in time. */
  async #within(what: string, answer: Promise<Told>): Promise<Told> {
    const stop = new AbortController();
    const late = sleep(answerMs, undefined, { signal: stop.signal }).then((): never => {
      throw new SilentServer(`the ${this.name} server has not answered ${what} within ${answerMs / 1000} seconds`);
    });
    // Stopped, it is rejected with nobody listening.
    late.catch(() => {});
    try {
      return await Promise.race([answer, late]);
    } finally {
      stop.abort();
    }
  }

  /** Reads an object of the operation again; one that controllers write is waited for. */
  async look(object: string, controlled: boolean): Promise<Told> {
    let told = await this.#ask({ path: object });
    if (controlled)
      for (let tries = 0; tries < 40; tries++) {
        const before = at(told.object, "metadata", "resourceVersion");
        await sleep(25);
        told = await this.#ask({ path: object });
        const observed = at(told.object, "status", "observedGeneration");
        const seen = observed === undefined || observed === at(told.object, "metadata", "generation");
        if (seen && at(told.object, "metadata", "resourceVersion") === before) break;
      }
    return this.#collected(object, told);
  }

  async #collected(object: string, told: Told): Promise<Told> {
    let seen = told;
    const isHeld = (): boolean => {
      const finalizers = at(seen.object, "metadata", "finalizers");
      return (
        Array.isArray(finalizers) &&
        finalizers.some((name) => passing.has(name)) &&
        at(seen.object, "metadata", "deletionTimestamp") !== undefined
      );
    };
    for (let tries = 0; isHeld() && tries < 100; tries++) {
      await sleep(20);
      seen = await this.#ask({ path: object });
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

  /** Removes the object, whatever holds it. */
  async restart(object: string): Promise<void> {
    await this.#release(object);
    this.learn(object, await this.#ask({ path: object }));
  }

  async #release(path: string): Promise<void> {
    // A namespace ends at its controller's time.
    const isNamespace = /^\/api\/v1\/namespaces\/[^/]+$/u.test(path);
    const release = { metadata: { finalizers: null } };
    const headers = { "content-type": "application/merge-patch+json" };
    if (!isNamespace) await this.#ask({ method: "DELETE", path: `${path}?propagationPolicy=Background` });
    const told = await this.#ask({ method: "PATCH", path, body: release, headers });
    if (told.code === 200) await this.#collected(path, told);
  }
}
