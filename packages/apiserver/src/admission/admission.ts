import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Call } from "../call.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** A write request as admission sees it. */
export interface AdmissionRequest {
  readonly kind: ServedKind;
  readonly call: Call;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly namespace: string | undefined;
  /** Empty when the name is generated later. */
  readonly name: string;
  readonly subresource: string;
  /** Kind of the request body when it differs from the object's: `Scale`, `Eviction`, `Binding`, `TokenRequest`. */
  readonly body?: GroupVersionKind;
  readonly dryRun: boolean;
  /** `CreateOptions` and the like, as sent to webhooks. */
  readonly options: JsonObject;
}

/** Admits or refuses writes. `object` is absent on DELETE, `old` on CREATE. */
export interface Admission {
  /** Mutating plug-ins and webhooks; returns the object to store, which may be the given one. */
  mutate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>>;
  /** Validating plug-ins, policies and webhooks. */
  validate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<undefined, ApiStatus>>;
}

/** Admits everything; for writes that follow from an already admitted request. */
export const admitted: Admission = {
  mutate: (_request, object) => Promise.resolve(done(object)),
  validate: () => Promise.resolve(done(undefined)),
};
