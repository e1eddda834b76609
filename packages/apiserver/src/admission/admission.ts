import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Call } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** One write on its way through admission. */
export interface AdmissionRequest {
  readonly kind: ServedKind;
  readonly call: Call;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly namespace: string | undefined;
  /** Empty where a name is still to be generated. */
  readonly name: string;
  readonly subresource: string;
  /** What travels in the body where it is not the kind itself: `Scale`, `Eviction`, `Binding`, `TokenRequest`. */
  readonly body?: GroupVersionKind;
  readonly dryRun: boolean;
  /** `CreateOptions` and so on, as webhooks are told. */
  readonly options: JsonObject;
}

/** Decides about writes. Absent objects: `object` on DELETE, `old` on CREATE. */
export interface Admission {
  /** Plug-ins and mutating webhooks; gives back the object to go on with, which may be the one it got. */
  mutate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>>;
  /** Policies and validating webhooks. */
  validate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<undefined, ApiStatus>>;
}

/** For what follows from a request that has been admitted as something else. */
export const admitted: Admission = {
  mutate: (_request, object) => Promise.resolve(done(object)),
  validate: () => Promise.resolve(done(undefined)),
};
