import type { CatalogSourceSpec } from "../../apis/v0/catalog-source.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { flagOption, type Invocation, type OptionSpec, textOption, UsageError } from "../command.ts";
import { labelChanges } from "../settings/label-flags.ts";

/** Labels of a catalog. */
export const labelOption: OptionSpec = {
  flags: "--label KEY=VALUE",
  summary: "label, by which extensions can select the catalog; KEY- removes one",
  repeatable: true,
};

/** Flags for the fields of a catalog. */
export const sourceFieldOptions: readonly OptionSpec[] = [
  {
    flags: "--priority NUMBER",
    summary: "priority; the highest is preferred when several catalogs offer a package (default 0)",
  },
  { flags: "--poll MINUTES", summary: "time between two looks at the tag; none (default): never" },
  labelOption,
  { flags: "--available", summary: "of a ClusterCatalog: install from it (default)" },
  { flags: "--unavailable", summary: "of a ClusterCatalog: keep it, but install nothing from it" },
];

/** A merge patch of the fields of a ClusterCatalog that the flags name; null removes a field. @throws UsageError */
export function sourceFields(invocation: Invocation): { readonly spec?: JsonObject; readonly labels?: JsonObject } {
  const image = imageFields(invocation);
  const priority = textOption(invocation, "priority");
  const isValid = priority !== undefined && /^-?\d{1,10}$/.test(priority) && Math.abs(Number(priority)) <= 2 ** 31 - 1;
  if (priority !== undefined && !isValid)
    throw new UsageError(`--priority "${priority}" is not a number`, "write a whole number, such as 10 or -100");
  const [on, off] = [flagOption(invocation, "available"), flagOption(invocation, "unavailable")];
  if (on && off) throw new UsageError("--available and --unavailable exclude each other");
  const spec: JsonObject = {
    ...(Object.keys(image).length === 0 ? {} : { source: { type: "Image", image } }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(on || off ? { availabilityMode: on ? "Available" : "Unavailable" } : {}),
  };
  const labels = labelChanges(invocation);
  return {
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

/** The same of a CatalogSource: a merge patch of its spec. @throws UsageError for what its kind, or the content it reads, does not have */
export function catalogSourceFields(invocation: Invocation, held: CatalogSourceSpec, name: string): JsonObject {
  for (const flag of ["available", "unavailable"])
    if (flagOption(invocation, flag))
      throw new UsageError(
        `--${flag} is for a ClusterCatalog, and ${name} is a CatalogSource`,
        `purser source set ${name} --priority -100 prefers other catalogs; purser source remove ${name} removes it`,
      );
  const { source, priority } = sourceFields(invocation).spec ?? {};
  const { ref, pollIntervalMinutes: poll } = imageIn(source);
  if ((ref !== undefined || poll !== undefined) && held.configMap !== undefined)
    throw new UsageError(`${name} reads ConfigMap ${held.configMap}, which has no image`, "change the ConfigMap");
  return {
    ...(ref === undefined ? {} : { image: ref, ...(held.address === undefined ? {} : { address: null }) }),
    ...(poll === undefined
      ? {}
      : { updateStrategy: poll === null ? null : { registryPoll: { interval: `${poll}m` } } }),
    ...(priority === undefined ? {} : { priority }),
  };
}

function imageIn(source: JsonValue | undefined): {
  readonly ref?: string;
  readonly pollIntervalMinutes?: number | null;
} {
  return ((source as JsonObject | undefined)?.["image"] ?? {}) as ReturnType<typeof imageIn>;
}

function imageFields(invocation: Invocation): JsonObject {
  const ref = textOption(invocation, "image");
  const poll = textOption(invocation, "poll");
  if (poll !== undefined && poll !== "none" && (!/^\d{1,6}$/.test(poll) || Number(poll) < 1))
    throw new UsageError(`--poll "${poll}" is not a number of minutes`, "write 1 or more, or none");
  if (poll !== undefined && poll !== "none" && ref?.includes("@") === true)
    throw new UsageError("an image with a digest does not change, so it is not polled", "leave out --poll");
  return {
    ...(ref === undefined ? {} : { ref }),
    ...(poll === undefined ? {} : { pollIntervalMinutes: poll === "none" ? null : Number(poll) }),
  };
}
