import type { KubeObject, ObjectKey } from "../apis/object.ts";
import type { ResourceType } from "../apis/resource-type.ts";

/** What part of a resource type to list. Selectors are in Kubernetes' query syntax. */
export interface ListScope {
  /** Absent: the whole cluster. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Where a decision reads from: an informer's cache, a live client of any identity, or a snapshot file.
 * What is absent is undefined or an empty list; a reader that cannot read at all rejects.
 */
export interface ObjectReader {
  get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined>;
  list<Type extends KubeObject>(type: ResourceType<Type>, scope?: ListScope): Promise<readonly Type[]>;
}
