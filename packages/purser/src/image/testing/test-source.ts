import { SeededEntropy } from "@purser/kubernetes/entropy";
import { done } from "@purser/kubernetes/result";
import { parseImageReference, type ImageReference } from "../../image-reference.ts";
import { RegistryConnections } from "../registry/registry-connections.ts";
import { defaultRegistryLimits } from "../registry/registry-limits.ts";
import type { RegistrySourceOptions } from "../registry/registry-source.ts";
import { defaultRetryPolicy } from "../registry/retry.ts";
import { PatientClock } from "./patient-clock.ts";

const neverMs = 10 ** 9;

/** Limits that no slow machine reaches; with a `PatientClock(neverMs)` they never end anything. */
export const patientLimits = {
  ...defaultRegistryLimits,
  answerMs: neverMs,
  uploadMs: neverMs,
  bodyMs: neverMs,
  errorMs: neverMs,
  blobWindowMs: neverMs,
};

export function parsedReference(text: string): ImageReference {
  const parsed = parseImageReference(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

export function testConnections(
  settings: Partial<ConstructorParameters<typeof RegistryConnections>[0]> = {},
): RegistryConnections {
  return new RegistryConnections({ environment: {}, hostRoots: [], authorities: [], ...settings });
}

/** Options for `registrySource` with one insecure place, no credentials and no real pauses. */
export function sourceOptions(
  reference: string,
  options: Partial<RegistrySourceOptions> & Pick<RegistrySourceOptions, "connections">,
): RegistrySourceOptions & { readonly clock: RegistrySourceOptions["clock"] } {
  const place = { reference: parsedReference(reference), isInsecure: true, isMirror: false };
  return {
    name: reference,
    places: () => done([place]),
    credentials: () => Promise.resolve(done(undefined)),
    clock: new PatientClock(neverMs),
    entropy: new SeededEntropy(1),
    limits: patientLimits,
    retry: { ...defaultRetryPolicy, totalMs: neverMs },
    ...options,
  };
}
