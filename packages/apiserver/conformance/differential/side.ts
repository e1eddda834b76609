import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Ask, Cluster, Answer } from "../cluster.ts";
import { at, text } from "../scene.ts";
import type { Known } from "./normal-form.ts";
import type { Operation } from "./operation.ts";
import { definitionsIn } from "./subjects.ts";

/** Finalizers that controllers remove asynchronously after deletion. */
const passing: ReadonlySet<unknown> = new Set([
  "orphan",
  "foregroundDeletion",
  "kubernetes.io/pvc-protection",
  "kubernetes.io/pv-protection",
  "customresourcecleanup.apiextensions.k8s.io",
]);

/** Longer than any write takes, including controllers and the garbage collector. */
const answerMs = 300_000;

/** The server no longer responds, so that no comparison is possible. */
export class SilentServer extends Error {
  override readonly name = "SilentServer";
}

/** One of the two servers, with its latest responses about each object by path. */
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
      const received = await this.#ask({ method: "POST", path, body });
      if (received.code !== 201) throw new Error(`${this.name}: ${path}: ${received.text}`);
      return received.object;
    };
    await made("/api/v1/namespaces", { metadata: { name: ns } });
    await made("/api/v1/namespaces", { metadata: { name: `${ns}-limits` } });
    // Its finalizer keeps it when whole collections are deleted, because dependents of a deleted owner would be
    // collected.
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

  /** Pods are refused before the controller has created the service account, also after its deletion. */
  async hasAccount(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#ns}/serviceaccounts/default`;
    for (let received = await this.#ask({ path }); received.code !== 200; received = await this.#ask({ path }))
      await sleep(50);
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

  /** Sends the operation with the placeholders replaced by this server's values. */
  send({ object, method, path, body, contentType }: Operation): Promise<Answer> {
    const known = this.known(object);
    const filled = body
      .replaceAll("{{rv}}", known.rv === "" ? "7" : known.rv)
      .replaceAll("{{oldrv}}", known.oldrv)
      .replaceAll("{{uid}}", known.uid === "" ? "0-0" : known.uid)
      .replaceAll("{{anchor}}", known.anchor);
    // A server that closes the connection instead of responding has crashed on the request.
    const crash = (problem: unknown): Answer => ({
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

  #ask(ask: Ask): Promise<Answer> {
    const what = `${ask.method ?? "GET"} ${ask.path}`;
    const silent = (problem: unknown): never => {
      throw new SilentServer(`the ${this.name} server does not answer ${what}: ${String(problem)}`);
    };
    return this.#within(what, this.cluster.ask(ask).catch(silent));
  }

  /** The response, or a SilentServer error after the timeout. */
  async #within(what: string, answer: Promise<Answer>): Promise<Answer> {
    const stop = new AbortController();
    const late = sleep(answerMs, undefined, { signal: stop.signal }).then((): never => {
      throw new SilentServer(`the ${this.name} server has not answered ${what} within ${answerMs / 1000} seconds`);
    });
    // The sleep is rejected when aborted.
    late.catch(() => {});
    try {
      return await Promise.race([answer, late]);
    } finally {
      stop.abort();
    }
  }

  /** Reads an object again; for objects that controllers write, waits until it no longer changes. */
  async look(object: string, controlled: boolean): Promise<Answer> {
    let received = await this.#ask({ path: object });
    if (controlled)
      for (let tries = 0; tries < 40; tries++) {
        const before = at(received.object, "metadata", "resourceVersion");
        await sleep(25);
        received = await this.#ask({ path: object });
        const observed = at(received.object, "status", "observedGeneration");
        const seen = observed === undefined || observed === at(received.object, "metadata", "generation");
        if (seen && at(received.object, "metadata", "resourceVersion") === before) break;
      }
    return this.#collected(object, received);
  }

  async #collected(object: string, received: Answer): Promise<Answer> {
    let seen = received;
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

  learn(object: string, received: Answer): void {
    const before = this.known(object);
    const rv = received.code === 200 ? text(received.object, "metadata", "resourceVersion") : "";
    const uid = received.code === 200 ? text(received.object, "metadata", "uid") : "";
    const oldrv = rv === before.rv || before.rv === "" ? before.oldrv : before.rv;
    this.#known.set(object, { rv, oldrv, uid, anchor: this.#anchor });
  }

  /** Deletes the object, removing its finalizers. */
  async restart(object: string): Promise<void> {
    await this.#release(object);
    this.learn(object, await this.#ask({ path: object }));
  }

  async #release(path: string): Promise<void> {
    // A namespace is deleted by its controller.
    const isNamespace = /^\/api\/v1\/namespaces\/[^/]+$/u.test(path);
    const release = { metadata: { finalizers: null } };
    const headers = { "content-type": "application/merge-patch+json" };
    if (!isNamespace) await this.#ask({ method: "DELETE", path: `${path}?propagationPolicy=Background` });
    const received = await this.#ask({ method: "PATCH", path, body: release, headers });
    if (received.code === 200) await this.#collected(path, received);
  }
}
