import type { Clock } from "../../clock.ts";
import { formatTime } from "../../clock.ts";
import type { CustomResourceDefinition } from "../../apis/apiextensions.ts";
import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { Registry } from "../registry/registry.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Storage } from "../storage/storage.ts";
import { customKind } from "./custom-kind.ts";
import { asDefinition, establishedStatus, hasCondition } from "./definition-status.ts";

export const definitionTable = "customresourcedefinitions.apiextensions.k8s.io";
export const definitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

interface Served {
  readonly definition: CustomResourceDefinition;
  readonly kinds: readonly ServedKind[];
  readonly retire: AbortController;
}

/**
 * Custom resource definitions at work: accepts their names, serves what is established, deletes the objects of
 * what is being deleted. All of it happens in the turn of the write that caused it.
 */
export class Definitions {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #builtIn: readonly ServedKind[];
  readonly #served = new Map<string, Served>();
  #registry: Registry;
  #revision = -1;
  #working = false;

  constructor(storage: Storage, clock: Clock, builtIn: readonly ServedKind[]) {
    this.#storage = storage;
    this.#clock = clock;
    this.#builtIn = builtIn;
    this.#registry = new Registry(builtIn);
    this.changed();
  }

  registry(): Registry {
    return this.#registry;
  }

  /** Brings everything in line with the stored definitions. */
  changed(): void {
    // Its own writes come back here.
    if (this.#working) return;
    this.#working = true;
    try {
      for (let round = 0; round < 20 && this.#settle(); round++);
      if (this.#storage.tableRevision(definitionTable) === this.#revision) return;
      this.#revision = this.#storage.tableRevision(definitionTable);
      this.#serve();
    } finally {
      this.#working = false;
    }
  }

  #all(): readonly CustomResourceDefinition[] {
    const found = this.#storage.list(definitionTable);
    return found.ok ? found.value.map(asDefinition) : [];
  }

  /** One round over all definitions; true when something was written. */
  #settle(): boolean {
    const now = formatTime(this.#clock.now());
    let wrote = false;
    for (const definition of this.#all()) {
      const name = definition.metadata.name ?? "";
      if (definition.metadata.deletionTimestamp !== undefined) {
        wrote = this.#clean(definition, now) || wrote;
        continue;
      }
      const others = this.#all().filter(
        ({ metadata, spec }) => metadata.name !== name && spec.group === definition.spec.group,
      );
      const status = establishedStatus(definition, others, now);
      const next: CustomResourceDefinition = { ...definition, ...(status === undefined ? {} : { status }) };
      if (deepEqual(asJson(next), asJson(definition))) continue;
      this.#storage.put(definitionTable, name, next);
      wrote = true;
    }
    return wrote;
  }

  /** Deletes the instances of a definition that is going; lets it go when none is left. */
  #clean(definition: CustomResourceDefinition, now: string): boolean {
    const { name = "", finalizers = [] } = definition.metadata;
    if (!finalizers.includes(definitionFinalizer)) return false;
    let wrote = false;
    const instances = this.#storage.list(name);
    for (const instance of instances.ok ? instances.value : []) {
      const key =
        instance.metadata.namespace === undefined
          ? (instance.metadata.name ?? "")
          : `${instance.metadata.namespace}/${instance.metadata.name ?? ""}`;
      if ((instance.metadata.finalizers ?? []).length === 0) this.#storage.remove(name, key);
      else if (instance.metadata.deletionTimestamp === undefined) this.#storage.put(name, key, dying(instance, now));
      else continue;
      wrote = true;
    }
    if (this.#storage.count(name) > 0) return wrote;
    const left = finalizers.filter((held) => held !== definitionFinalizer);
    const { finalizers: _all, ...metadata } = definition.metadata;
    const freed = { ...definition, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } };
    if (left.length === 0) this.#storage.remove(definitionTable, name, freed);
    else this.#storage.put(definitionTable, name, freed);
    return true;
  }

  /** Makes the registry anew; what did not change keeps its kinds and their watches. */
  #serve(): void {
    const present = new Set<string>();
    for (const definition of this.#all()) {
      const name = definition.metadata.name ?? "";
      const before = this.#served.get(name);
      if (!hasCondition(definition, "Established")) continue;
      present.add(name);
      if (before !== undefined && sameService(before.definition, definition)) continue;
      const sameSpec = before !== undefined && deepEqual(specOf(before.definition), specOf(definition));
      const retire = before !== undefined && sameSpec ? before.retire : new AbortController();
      if (!sameSpec) before?.retire.abort();
      const kinds = definition.spec.versions
        .filter(({ served }) => served)
        .map((version) => customKind(definition, version, retire.signal));
      this.#served.set(name, { definition, kinds, retire });
    }
    for (const [name, { retire }] of this.#served)
      if (!present.has(name)) {
        retire.abort();
        this.#served.delete(name);
      }
    this.#registry = new Registry([...this.#builtIn, ...[...this.#served.values()].flatMap(({ kinds }) => kinds)]);
  }
}

function specOf(definition: CustomResourceDefinition): ReturnType<typeof asJson>["spec"] {
  return asJson(definition)["spec"];
}

function sameService(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.generation === b.metadata.generation &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    a.spec.versions.length === b.spec.versions.length &&
    deepEqual(asJson(a)["spec"], asJson(b)["spec"]) &&
    deepEqual(acceptedOf(a), acceptedOf(b))
  );
}

function acceptedOf(definition: CustomResourceDefinition): ReturnType<typeof asJson>["spec"] {
  return definition.status?.acceptedNames as ReturnType<typeof asJson>["spec"];
}

function dying(instance: KubeObject, now: string): KubeObject {
  const { generation = 0 } = instance.metadata;
  return {
    ...instance,
    metadata: {
      ...instance.metadata,
      ...(generation > 0 ? { generation: generation + 1 } : {}),
      deletionTimestamp: now,
      deletionGracePeriodSeconds: 0,
    },
  };
}
