import type { Clock } from "@purser/kubernetes/clock";
import { allSteps } from "@purser/kubernetes/steps";
import { formatTime } from "@purser/kubernetes/clock";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { Registry } from "../registry/registry.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { withOwnership } from "../resource/ownership.ts";
import type { Storage } from "../storage/storage.ts";
import { customKind } from "./custom-kind.ts";
import {
  asDefinition,
  definitionFinalizer,
  establishedStatus,
  hasCondition,
  markTerminating,
} from "./definition-status.ts";
import { HeldNames } from "./held-names.ts";

export const definitionTable = "customresourcedefinitions.apiextensions.k8s.io";

interface Served {
  readonly definition: CustomResourceDefinition;
  readonly kinds: readonly ServedKind[];
  readonly retire: AbortController;
}

/**
 * Controller of custom resource definitions: accepts their names, serves established ones, deletes the objects of
 * deleted ones. This happens synchronously in the write that caused it and reads only what that write affects, because
 * a cluster may have thousands of definitions.
 */
export class Definitions {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #builtIn: readonly ServedKind[];
  /** By group and name. */
  readonly #served = new Map<string, Map<string, Served>>();
  readonly #names = new HeldNames();
  /** By group, the definitions with a name conflict. */
  readonly #waiting = new Map<string, Set<string>>();
  #registry: Registry;
  /** Groups whose entries in the registry are outdated; rebuilt on the next access. */
  readonly #outdated = new Set<string>();

  constructor(storage: Storage, clock: Clock, builtIn: readonly ServedKind[]) {
    this.#storage = storage;
    this.#clock = clock;
    this.#builtIn = builtIn;
    this.#registry = Registry.of(builtIn);
    const found = storage.list(definitionTable);
    const definitions = found.ok ? found.value.map(asDefinition) : [];
    for (const definition of definitions) this.#names.note(definition);
    this.#reconcile(definitions.map(({ metadata }) => metadata.name ?? ""));
  }

  registry(): Registry {
    if (this.#outdated.size === 0) return this.#registry;
    const groups = new Map(
      [...this.#outdated].map((group) => [
        group,
        [
          ...this.#builtIn.filter(({ type }) => type.group === group),
          ...[...(this.#served.get(group)?.values() ?? [])].flatMap(({ kinds }) => kinds),
        ],
      ]),
    );
    this.#outdated.clear();
    this.#registry = this.#registry.with(groups);
    return this.#registry;
  }

  /** A definition was written or deleted, or an object of a terminating definition was deleted. */
  changed(name: string): void {
    this.#reconcile([name]);
  }

  #reconcile(names: readonly string[]): void {
    const queue = new Set(names);
    for (const name of queue) {
      queue.delete(name);
      // The conditions of conflicting definitions list their conflicts, so they are updated on every change of names.
      const changed = this.#updateStatus(name);
      for (const waiting of this.#waiting.get(changed ?? "") ?? []) queue.add(waiting);
      this.#serve(name);
    }
  }

  /** Updates a definition's status. Returns the group when its accepted names changed. */
  #updateStatus(name: string): string | undefined {
    const now = formatTime(this.#clock.now());
    const stored = this.#definition(name);
    if (stored?.metadata.deletionTimestamp !== undefined) this.#deleteInstances(stored, now);
    else if (stored !== undefined) {
      const status = establishedStatus(stored, this.#names.takenFor(stored), now);
      const next: CustomResourceDefinition = { ...stored, ...(status === undefined ? {} : { status }) };
      if (!deepEqual(asJson(next), asJson(stored)))
        this.#storage.put(definitionTable, name, this.#written(next, stored, now));
    }
    const left = this.#definition(name);
    this.#noteWaiting(name, left);
    return left === undefined ? this.#names.forget(name) : this.#names.note(left);
  }

  /** The definition with the server as field manager of the status. */
  #written(next: KubeObject, old: KubeObject, now: string): KubeObject {
    const kind = this.#builtIn.find(({ table }) => table === definitionTable);
    return kind === undefined
      ? next
      : allSteps(withOwnership(kind, "status", { next, old, manager: "kube-apiserver", now }));
  }

  #definition(name: string): CustomResourceDefinition | undefined {
    const object = this.#storage.get(definitionTable, name);
    return object === undefined ? undefined : asDefinition(object);
  }

  #noteWaiting(name: string, definition: CustomResourceDefinition | undefined): void {
    const group = groupOf(name);
    const waiting = this.#waiting.get(group) ?? new Set();
    if (definition !== undefined && !hasCondition(definition, "NamesAccepted")) {
      waiting.add(name);
      this.#waiting.set(group, waiting);
    } else if (waiting.delete(name) && waiting.size === 0) this.#waiting.delete(group);
  }

  /** Deletes the objects of a terminating definition, and its finalizer when none is left. */
  #deleteInstances(definition: CustomResourceDefinition, now: string): void {
    const { name = "", finalizers = [] } = definition.metadata;
    if (!finalizers.includes(definitionFinalizer)) return;
    const marked = markTerminating(definition, now, "InstanceDeletionInProgress");
    const begun = deepEqual(asJson(marked), asJson(definition))
      ? definition
      : this.#storage.put(definitionTable, name, this.#written(marked, definition, now));
    const instances = this.#storage.list(name);
    for (const instance of instances.ok ? instances.value : []) {
      const key =
        instance.metadata.namespace === undefined
          ? (instance.metadata.name ?? "")
          : `${instance.metadata.namespace}/${instance.metadata.name ?? ""}`;
      if ((instance.metadata.finalizers ?? []).length === 0) this.#storage.remove(name, key);
      else if (instance.metadata.deletionTimestamp === undefined) this.#storage.put(name, key, dying(instance, now));
    }
    if (this.#storage.count(name) > 0) return;
    const left = finalizers.filter((held) => held !== definitionFinalizer);
    const emptied = this.#written(markTerminating(begun, now, "InstanceDeletionCompleted"), begun, now);
    const { finalizers: _all, ...metadata } = emptied.metadata;
    const freed = { ...emptied, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } };
    if (left.length === 0) this.#storage.remove(definitionTable, name, freed);
    else this.#storage.put(definitionTable, name, freed);
  }

  /** Updates what is served; unchanged definitions keep their kinds and watches. */
  #serve(name: string): void {
    const definition = this.#definition(name);
    const group = groupOf(name);
    const served = this.#served.get(group) ?? new Map<string, Served>();
    const before = served.get(name);
    if (definition === undefined || !hasCondition(definition, "Established")) {
      if (before === undefined) return;
      before.retire.abort();
      served.delete(name);
      if (served.size === 0) this.#served.delete(group);
      this.#outdated.add(group);
      return;
    }
    if (before !== undefined && sameService(before.definition, definition)) return;
    const sameSpec = before !== undefined && deepEqual(specOf(before.definition), specOf(definition));
    const retire = before !== undefined && sameSpec ? before.retire : new AbortController();
    if (!sameSpec) before?.retire.abort();
    const kinds = definition.spec.versions
      .filter(({ served }) => served)
      .map((version) => customKind(definition, version, retire.signal));
    this.#served.set(group, served.set(name, { definition, kinds, retire }));
    this.#outdated.add(group);
  }
}

/** Definitions are named `<plural>.<group>`. */
const groupOf = (name: string): string => name.slice(name.indexOf(".") + 1);

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
