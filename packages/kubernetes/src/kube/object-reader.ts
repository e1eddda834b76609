import type { KubeObject, ObjectKey } from "../apis/object.ts";
import type { ResourceType } from "../apis/resource-type.ts";

/** The part of a resource type to list. Selectors use Kubernetes' query syntax. */
export interface ListScope {
  /** Absent: the whole cluster. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Port for reads by controllers: an informer cache, a live client of any identity, or a snapshot. Missing objects are
 * undefined or an empty list; failures to read reject.
 */
export interface ObjectReader {
  get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined>;
  list<Type extends KubeObject>(type: ResourceType<Type>, scope?: ListScope): Promise<readonly Type[]>;
}
