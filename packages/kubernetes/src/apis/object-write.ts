import type { KubeObject, ObjectKey } from "./object.ts";
import type { ResourceType } from "./resource-type.ts";
import type { JsonValue } from "../json.ts";

export type Subresource = "status" | "finalize" | "scale";

/** One change to one object. `object` carries its own name and namespace. */
export type ObjectWrite =
  | {
      readonly verb: "create";
      readonly type: ResourceType;
      readonly object: KubeObject;
      readonly fieldManager?: string;
      /** Checks the write and stores nothing. */
      readonly dryRun?: true;
    }
  | {
      /** Server-side apply. */
      readonly verb: "apply";
      readonly type: ResourceType;
      readonly object: KubeObject;
      readonly fieldManager: string;
      readonly force: boolean;
      readonly subresource?: Subresource;
      /** Checks the write and stores nothing. */
      readonly dryRun?: true;
    }
  | {
      /** PUT: a `resourceVersion` is a precondition. */
      readonly verb: "replace";
      readonly type: ResourceType;
      readonly object: KubeObject;
      readonly subresource?: Subresource;
      readonly fieldManager?: string;
    }
  | {
      readonly verb: "patch";
      readonly type: ResourceType;
      readonly key: ObjectKey;
      readonly patch: JsonValue;
      readonly patchType: "json" | "merge" | "strategic";
      readonly subresource?: Subresource;
      readonly fieldManager?: string;
    }
  | {
      readonly verb: "delete";
      readonly type: ResourceType;
      readonly key: ObjectKey;
      readonly propagation?: "Background" | "Foreground" | "Orphan";
      readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    };

export interface Written {
  /** The object as stored; absent when it was deleted immediately. */
  readonly object?: KubeObject;
  /** Of a deletion: the uid of the deleted object, when the server names it. */
  readonly deletedUid?: string;
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

/** The `metav1.Status` of a refusal. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
    readonly retryAfterSeconds?: number;
  };
}

/** Why the API server refused the write. A connection failure is not a refusal: it throws. */
export type WriteRefusal =
  | { readonly kind: "notFound"; readonly status: ApiStatus }
  | { readonly kind: "alreadyExists"; readonly status: ApiStatus }
  /** 409: the precondition failed, or an apply conflicts with other field managers (`status.details.causes`). */
  | { readonly kind: "conflict"; readonly status: ApiStatus }
  | { readonly kind: "invalid"; readonly status: ApiStatus }
  | { readonly kind: "forbidden"; readonly status: ApiStatus }
  | { readonly kind: "gone"; readonly status: ApiStatus }
  | { readonly kind: "busy"; readonly status: ApiStatus }
  | { readonly kind: "other"; readonly status: ApiStatus };
