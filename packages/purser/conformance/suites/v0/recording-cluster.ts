import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { parseLabelSelector, matchesSelector } from "@purser/kubernetes/apis/selector";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { ListScope, ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { applyMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** Objects in memory with a record of all writes, for suites that compare writes to a cluster. */
export class RecordingCluster implements ObjectReader, ObjectWriter {
  /** `create deployments d1`, in order. */
  readonly writes: string[] = [];
  /** Last state as sent, by `group|resource|namespace|name`. */
  readonly objects = new Map<string, KubeObject>();
  readonly deleted: string[] = [];
  readonly requests: ObjectWrite[] = [];
  readonly #held: KubeObject[];
  readonly #forbidden: readonly string[];

  constructor(held: readonly KubeObject[], forbidden: readonly string[] = []) {
    this.#held = [...held];
    this.#forbidden = forbidden;
  }

  async get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined> {
    const found = this.#held.find((object) => isOf(object, type) && sameKey(object, key));
    return found as Type | undefined;
  }

  async list<Type extends KubeObject>(type: ResourceType<Type>, scope: ListScope = {}): Promise<readonly Type[]> {
    const selector = parseLabelSelector(scope.labelSelector ?? "");
    return this.#held.filter(
      (object) =>
        isOf(object, type) &&
        (scope.namespace === undefined || object.metadata.namespace === scope.namespace) &&
        (!selector.ok || matchesSelector(selector.value, object.metadata.labels ?? {})),
    ) as unknown as readonly Type[];
  }

  async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    const { type, verb } = write;
    if (this.#forbidden.includes(type.plural)) {
      const message = `${type.plural}.${type.group} "" is forbidden: denied by test`;
      return failed({ kind: "forbidden", status: { code: 403, reason: "Forbidden", message } });
    }
    this.requests.push(write);
    if (write.verb === "delete") {
      this.deleted.push(`${type.plural}/${write.key.name}`);
      return done({ warnings: [] });
    }
    if (write.verb === "patch") {
      const held = await this.get(type, write.key);
      const patched = applyMergePatch((held ?? {}) as unknown as JsonValue, write.patch);
      const object = (isJsonObject(patched) ? patched : {}) as unknown as KubeObject;
      this.#keep(type, write.key.name, object, "patch");
      return done({ object, warnings: [] });
    }
    const { metadata } = write.object;
    const name = metadata.name ?? `${metadata.generateName ?? ""}xxxxx`;
    const object = { ...write.object, metadata: { ...metadata, name } };
    if (verb === "create" && this.#held.some((held) => isOf(held, type) && sameKey(held, metadataKey(object)))) {
      const message = `${type.plural} "${name}" already exists`;
      return failed({ kind: "alreadyExists", status: { code: 409, reason: "AlreadyExists", message } });
    }
    this.#keep(type, name, object, verb === "replace" ? "update" : verb);
    return done({ object, warnings: [] });
  }

  /** Removes an object as others do, without a record. */
  drop(type: ResourceType, key: ObjectKey): void {
    const at = this.#held.findIndex((object) => isOf(object, type) && sameKey(object, key));
    if (at >= 0) this.#held.splice(at, 1);
  }

  #keep(type: ResourceType, name: string, object: KubeObject, verb: string): void {
    this.writes.push(`${verb} ${type.plural} ${name}`);
    const namespace = type.namespaced ? (object.metadata.namespace ?? "") : "";
    this.objects.set(`${type.group}|${type.plural}|${namespace}|${name}`, object);
    const at = this.#held.findIndex((held) => isOf(held, type) && sameKey(held, metadataKey(object)));
    if (at < 0) this.#held.push(object);
    else this.#held[at] = object;
  }
}

function isOf(object: KubeObject, type: ResourceType): boolean {
  return object.kind === type.kind && object.apiVersion === apiVersionOf(type);
}

function metadataKey({ metadata: { name = "", namespace } }: KubeObject): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

function sameKey({ metadata }: KubeObject, key: ObjectKey): boolean {
  return metadata.name === key.name && (key.namespace === undefined || metadata.namespace === key.namespace);
}

export function asObjects(values: readonly JsonValue[]): readonly KubeObject[] {
  return values.filter(isJsonObject).map((value: JsonObject) => value as unknown as KubeObject);
}
