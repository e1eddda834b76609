import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Ask, Cluster, OpenWatch, Answer } from "./cluster.ts";
import { eventually } from "./eventually.ts";

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The environment of one case: the cluster, a namespace with a ConfigMap `a`, an API group. */
export class Scene {
  readonly ns: string;
  readonly group: string;
  /** Path of the namespace's ConfigMaps. */
  readonly cms: string;
  readonly cluster: Cluster;
  readonly #watches: OpenWatch[] = [];
  readonly #extra: string[] = [];
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  #definitions = false;

  constructor(cluster: Cluster, name: string) {
    this.cluster = cluster;
    this.ns = name;
    this.group = `${name}.purser.example.com`;
    this.cms = `/api/v1/namespaces/${name}/configmaps`;
  }

  async open(): Promise<void> {
    await this.#makeNamespace(this.ns);
    await this.ok({ method: "POST", path: this.cms, body: configMap("a", { data: { k: "v" } }) });
  }

  /** Registers a cleanup; the last one runs first. */
  atEnd(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  /** Creates an object that is not deleted with the case's namespace; it is deleted at the end. */
  readonly keep = async (collection: string, body: JsonObject): Promise<JsonObject> => {
    const path = `${collection}/${text(body, "metadata", "name")}`;
    this.atEnd(() => this.ask({ method: "DELETE", path }));
    return this.ok({ method: "POST", path: collection, body });
  };

  /** Creates another namespace, which is deleted with the case. */
  async namespace(suffix: string): Promise<string> {
    const name = `${this.ns}-${suffix}`;
    await this.#makeNamespace(name);
    this.#extra.push(name);
    return name;
  }

  async #makeNamespace(name: string): Promise<void> {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await this.ok({ method: "POST", path: "/api/v1/namespaces", body });
    // Without the default ServiceAccount pods are refused; a busy controller creates it late.
    const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await eventually(async () => assert.equal((await this.ask({ path })).code, 200, path));
  }

  /** Waits until all forms of discovery list the resource: they are updated after the definition is served. */
  async #discovered(plural: string): Promise<void> {
    const group = `/apis/${this.group}/v1`;
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const forms: readonly Ask[] = [
      { path: group },
      { path: "/apis" },
      { path: "/apis", headers: { accept: aggregated } },
      { path: "/openapi/v3" },
    ];
    for (const [index, form] of forms.entries()) {
      const named = index === 0 ? `"${plural}"` : this.group;
      await eventually(async () => {
        assert.ok((await this.ask(form)).text.includes(named), `${form.path} does not name ${named}`);
      });
    }
  }

  /** Starts the deletion of the case's objects without waiting for its completion. */
  async close(): Promise<void> {
    for (const watch of this.#watches) watch.stop();
    // A failed cleanup must not prevent the others.
    for (const cleanup of this.#cleanups.toReversed()) await cleanup().catch(() => undefined);
    if (this.#definitions) {
      const { object } = await this.ask({ path: definitionsPath });
      for (const item of itemsOf(object)) {
        const name = text(item, "metadata", "name");
        if (name.endsWith(`.${this.group}`)) await this.ask({ method: "DELETE", path: `${definitionsPath}/${name}` });
      }
    }
  }

  /**
   * Call it after all rows: a thousand terminating namespaces would delay rows that wait for a namespace's deletion.
   */
  async removeNamespaces(): Promise<void> {
    for (const name of [this.ns, ...this.#extra])
      await this.ask({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
  }

  readonly ask = (ask: Ask): Promise<Answer> => {
    return this.cluster.ask(ask);
  };

  /** Sends a request that must succeed. */
  readonly ok = async (ask: Ask): Promise<JsonObject> => {
    const answer = await this.ask(ask);
    assert.ok(answer.code < 300, `${ask.method ?? "GET"} ${ask.path}: ${answer.code} ${answer.text.slice(0, 1000)}`);
    return answer.object;
  };

  readonly watch = async (path: string, headers?: Readonly<Record<string, string>>): Promise<OpenWatch> => {
    const watch = await this.cluster.watch(path, headers);
    this.#watches.push(watch);
    return watch;
  };

  /** Creates a ConfigMap in the case's namespace. */
  readonly make = (name: string, more: JsonObject = {}): Promise<JsonObject> => {
    return this.ok({ method: "POST", path: this.cms, body: configMap(name, more) });
  };

  readonly merge = (path: string, body: JsonValue): Promise<Answer> => {
    return this.patch("merge-patch", path, body);
  };

  readonly patch = (
    type: "merge-patch" | "json-patch" | "strategic-merge-patch",
    path: string,
    body: JsonValue,
  ): Promise<Answer> => {
    return this.ask({ method: "PATCH", path, body, headers: { "content-type": `application/${type}+json` } });
  };

  /** Server-side apply; `path` without query. */
  readonly apply = (path: string, manager: string, body: JsonValue, query = ""): Promise<Answer> => {
    return this.ask({
      method: "PATCH",
      path: `${path}?fieldManager=${manager}${query}`,
      body,
      headers: { "content-type": "application/apply-patch+yaml" },
    });
  };

  /**
   * Creates the definition `<plural>.<group>` and waits until it is served; returns the path of the namespace's
   * objects.
   */
  readonly define = async (definition: JsonObject): Promise<string> => {
    this.#definitions = true;
    await this.ok({ method: "POST", path: definitionsPath, body: definition });
    const plural = text(definition, "spec", "names", "plural");
    const path = `/apis/${this.group}/v1/namespaces/${this.ns}/${plural}`;
    // A busy server responds with 429 for a while.
    await eventually(async () => assert.equal((await this.ask({ path })).code, 200));
    await this.#discovered(plural);
    return path;
  };

  /** Creates a definition and returns the response without waiting. */
  readonly tryDefine = (definition: JsonObject): Promise<Answer> => {
    this.#definitions = true;
    return this.ask({ method: "POST", path: definitionsPath, body: definition });
  };

  /** A definition with one version `v1` in the case's group. */
  readonly definition = (
    plural: string,
    kind: string,
    schema: JsonObject,
    version: JsonObject = {},
    spec: JsonObject = {},
  ): JsonObject => {
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${this.group}` },
      spec: {
        group: this.group,
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
        ...spec,
      },
    };
  };

  readonly object = (kind: string, name: string, rest: JsonObject = {}): JsonObject => {
    const metadata = rest["metadata"];
    return {
      apiVersion: `${this.group}/v1`,
      kind,
      ...rest,
      metadata: { name, ...(isJsonObject(metadata) ? metadata : {}) },
    };
  };
}

export function configMap(name: string, more: JsonObject = {}): JsonObject {
  const { metadata, ...rest } = more;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(isJsonObject(metadata) ? metadata : {}) },
    ...rest,
  };
}

export function itemsOf(object: JsonObject): readonly JsonObject[] {
  const items = member(object, "items");
  return Array.isArray(items) ? (items as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** The value at a path of member names; undefined when it does not exist. */
export function at(object: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let held = object;
  for (const key of path) held = isJsonObject(held) ? member(held, key) : undefined;
  return held;
}

/** The string at a path; empty when it does not exist. */
export function text(object: JsonObject, ...path: readonly string[]): string {
  const held = at(object, ...path);
  return typeof held === "string" ? held : "";
}

export function namesOf(object: JsonObject): readonly string[] {
  return itemsOf(object).map((item) => text(item, "metadata", "name"));
}

/** Waits until the object at the path does not exist. */
export async function gone(scene: Scene, path: string): Promise<void> {
  await eventually(async () => assert.equal((await scene.ask({ path })).code, 404, path));
}

/** An owner reference. */
export function ownedBy(owner: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: text(owner, "apiVersion"),
    kind: text(owner, "kind"),
    name: text(owner, "metadata", "name"),
    uid: text(owner, "metadata", "uid"),
    ...more,
  };
}
