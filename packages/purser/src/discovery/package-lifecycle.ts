import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { PackageSummary } from "../catalog/catalog-index.ts";
import { textOf } from "../catalog/schemas/go-shape.ts";
import type { ReadBlob } from "./package-facts.ts";

/** A part of the time in which a version is supported; dates as `YYYY-MM-DD`. */
export interface LifecyclePhase {
  readonly name: string;
  readonly startDate?: string;
  readonly endDate?: string;
}

/** What a catalog states about one minor version of an operator. */
export interface VersionLifecycle {
  /** `X.Y` */
  readonly name: string;
  /** In order of their end; one without an end comes last. */
  readonly phases: readonly LifecyclePhase[];
  readonly platforms: readonly { readonly name: string; readonly versions: readonly string[] }[];
}

/** What a catalog states about the support of a package. */
export type PackageLifecycle =
  | { readonly kind: "none" }
  /** Exactly one document is expected, so that nobody can know which holds. */
  | { readonly kind: "several"; readonly count: number }
  | { readonly kind: "stated"; readonly versions: readonly VersionLifecycle[] };

const lifecycleSchema = /^io\.openshift\.operators\.lifecycles\./;

/** Reads the documents of the schema `io.openshift.operators.lifecycles.*`; parts that have another form are left out. */
export function packageLifecycle({ blobs }: PackageSummary, read: ReadBlob): PackageLifecycle {
  const found: JsonObject[] = [];
  // Documents of other schemas come last.
  for (const id of blobs.toReversed()) {
    const blob = read(id);
    const schema = textOf(blob, "schema");
    if (schema.startsWith("olm.")) break;
    if (lifecycleSchema.test(schema)) found.push(blob);
  }
  const [only, ...others] = found;
  if (only === undefined) return { kind: "none" };
  if (others.length > 0) return { kind: "several", count: found.length };
  return { kind: "stated", versions: objectsOf(only["versions"]).map(versionOf) };
}

const objectsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : [];

function versionOf(version: JsonObject): VersionLifecycle {
  return {
    name: textOf(version, "name"),
    phases: objectsOf(version["phases"])
      .map((phase) => ({ name: textOf(phase, "name"), ...dateOf("startDate", phase), ...dateOf("endDate", phase) }))
      .toSorted((one, other) => ((one.endDate ?? "~") < (other.endDate ?? "~") ? -1 : 1)),
    platforms: objectsOf(version["platformCompatibility"]).map((platform) => {
      const { versions } = platform;
      return {
        name: textOf(platform, "name"),
        versions: Array.isArray(versions) ? versions.filter((one) => typeof one === "string") : [],
      };
    }),
  };
}

const dateOf = (name: "startDate" | "endDate", phase: JsonObject): { readonly [key in typeof name]?: string } => {
  const text = textOf(phase, name);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? { [name]: text } : {};
};

export type PhaseState = "past" | "active" | "future";

/** Where a phase is on a day; both of its dates belong to it. */
export function phaseState({ startDate, endDate }: LifecyclePhase, today: string): PhaseState {
  if (endDate !== undefined && endDate < today) return "past";
  return startDate !== undefined && startDate > today ? "future" : "active";
}

/** The support of a version of the operator, by its major and minor number. */
export function lifecycleOf(lifecycle: PackageLifecycle, version: string): VersionLifecycle | undefined {
  if (lifecycle.kind !== "stated") return undefined;
  const [minor = ""] = /^\d+\.\d+/.exec(version) ?? [];
  return lifecycle.versions.find(({ name }) => name === minor);
}
