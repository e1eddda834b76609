import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../src/json.ts";
import type { Cluster, Told } from "../cluster.ts";
import { at, configMap, text } from "../scene.ts";
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

/** One of the two servers with what it said of each object, by path. */
export class Side {
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
    await made("/api/v1/namespaces", { metadata: { name: `${ns}-limits` } });
    this.#anchor = text(await made(`/api/v1/namespaces/${ns}/configmaps`, configMap("anchor")), "metadata", "uid");
    for (const definition of definitionsIn(group)) {
      await made("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
      const path = `/apis/${group}/v1/${text(definition, "spec", "names", "plural")}`;
      while ((await this.cluster.ask({ path })).code !== 200) await sleep(50);
    }
    // Pods are refused before the controller has made it.
    const account = `/api/v1/namespaces/${ns}/serviceaccounts/default`;
    while ((await this.cluster.ask({ path: account })).code !== 200) await sleep(50);
  }

  async remove(ns: string, group: string): Promise<void> {
    for (const path of this.#known.keys()) await this.#release(path);
    const gone = async (path: string): Promise<unknown> => this.cluster.ask({ method: "DELETE", path });
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

  /** Reads an object of the operation again; one that controllers write is waited for. */
  async look(object: string, controlled: boolean): Promise<Told> {
    let told = await this.cluster.ask({ path: object });
    if (controlled)
      for (let tries = 0; tries < 40; tries++) {
        const before = at(told.object, "metadata", "resourceVersion");
        await sleep(25);
        told = await this.cluster.ask({ path: object });
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

  /** Removes the object, whatever holds it. */
  async restart(object: string): Promise<void> {
    await this.#release(object);
    this.learn(object, await this.cluster.ask({ path: object }));
  }

  async #release(path: string): Promise<void> {
    // A namespace ends at its controller's time.
    const isNamespace = /^\/api\/v1\/namespaces\/[^/]+$/u.test(path);
    const release = { metadata: { finalizers: null } };
    const headers = { "content-type": "application/merge-patch+json" };
    if (!isNamespace) await this.cluster.ask({ method: "DELETE", path: `${path}?propagationPolicy=Background` });
    const told = await this.cluster.ask({ method: "PATCH", path, body: release, headers });
    if (told.code === 200) await this.#collected(path, told);
  }
}
