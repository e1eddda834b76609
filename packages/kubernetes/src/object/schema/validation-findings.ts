import type { Strides } from "../../steps.ts";
import type { FieldError } from "../field-error.ts";

/**
 * Result of a validation. `matches` counts checks that ran: of several failed alternatives the best one is reported.
 */
export interface Findings {
  readonly errors: FieldError[];
  matches: number;
  readonly strides: Strides;
}

export interface Place {
  /** Path of the value from the validated root, in the format of kube-openapi's validator (`spec.list[0]`). */
  readonly name: string;
  /** Prefix of `name`: empty for resources, the path of a default in a CRD. */
  readonly base: string;
}

/** The path as errors name it. */
export function fieldOf(place: Place): string {
  if (place.name === "") return place.base === "" ? "<nil>" : place.base;
  const name = place.name.startsWith(".") ? place.name.slice(1) : place.name;
  return place.base === "" ? name : `${place.base}.${name}`;
}

/** The place for errors that Kubernetes reports without a path. */
export function nowhere(place: Place): string {
  return place.base === "" ? "<nil>" : place.base;
}
