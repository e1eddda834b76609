import type { GroupVersionKind, ResourceType } from "../apis/resource-type.ts";
import type { KubeClient } from "./client.ts";

export interface Discovery {
  /** The type as served now; undefined when it is not. A miss asks the server again, a hit comes from memory. */
  typeOf(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ResourceType | undefined>;
  /** The preferred served version of a kind. */
  preferred(
    kind: { readonly group: string; readonly kind: string },
    signal?: AbortSignal,
  ): Promise<ResourceType | undefined>;
  /** Whether `group/version` is served at all. */
  serves(apiVersion: string, signal?: AbortSignal): Promise<boolean>;
  /** Forgets a group, or everything: call it when CustomResourceDefinitions or APIServices change. */
  invalidate(group?: string): void;
}

export declare function createDiscovery(client: KubeClient): Discovery;
