import type { JsonObject } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";

/** A condition without times. */
export interface DeprecationCondition {
  readonly type: "Deprecated" | "PackageDeprecated" | "ChannelDeprecated" | "BundleDeprecated";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: "Deprecated" | "NotDeprecated" | "DeprecationStatusUnknown" | "Absent";
  readonly message: string;
}

export interface DeprecationQuestion {
  /** What the resolution returned: a blob, nothing deprecated (undefined), or no resolution at all ("unknown"). */
  readonly data: JsonObject | undefined | "unknown";
  /** `spec.source.catalog.channels`. */
  readonly channels: readonly string[];
  /** Name of the installed bundle. */
  readonly installed: string | undefined;
}

interface Entry {
  readonly schema: string;
  readonly name: string;
  readonly message: string;
}

function entriesOf(blob: JsonObject | undefined): readonly Entry[] {
  const entries = blob === undefined ? undefined : member(blob, "entries");
  if (!Array.isArray(entries)) return [];
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return entries.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { reference, message } = entry as { reference?: { schema?: unknown; name?: unknown }; message?: unknown };
    return [{ schema: text(reference?.schema), name: text(reference?.name), message: text(message) }];
  });
}

/** The four deprecation conditions of a ClusterExtension (upstream's `SetDeprecationStatus`). */
export function deprecationConditions(question: DeprecationQuestion): readonly DeprecationCondition[] {
  const { data, channels, installed } = question;
  const absent = { status: "Unknown", reason: "Absent", message: "no bundle installed yet" } as const;
  if (data === "unknown") {
    const unknown = {
      status: "Unknown",
      reason: "DeprecationStatusUnknown",
      message: "deprecation status unknown: catalog data unavailable",
    } as const;
    return [
      { type: "Deprecated", ...unknown },
      { type: "PackageDeprecated", ...unknown },
      { type: "ChannelDeprecated", ...unknown },
      { type: "BundleDeprecated", ...(installed === undefined ? absent : unknown) },
    ];
  }
  const entries = entriesOf(data);
  const messages = (keep: (entry: Entry) => boolean): readonly string[] =>
    entries.filter((entry) => entry.message !== "" && keep(entry)).map((entry) => entry.message);
  const ofPackage = messages((entry) => entry.schema === "olm.package");
  const ofChannel = messages(
    (entry) => entry.schema === "olm.channel" && (channels.length === 0 || channels.includes(entry.name)),
  );
  const ofBundle = messages(
    (entry) => entry.schema === "olm.bundle" && installed !== undefined && entry.name === installed,
  );
  const condition = (
    type: DeprecationCondition["type"],
    found: readonly string[],
    otherwise: string,
  ): DeprecationCondition =>
    found.length === 0
      ? { type, status: "False", reason: "NotDeprecated", message: otherwise }
      : { type, status: "True", reason: "Deprecated", message: found.join("\n") };
  return [
    condition("Deprecated", [...ofPackage, ...ofChannel, ...ofBundle], "not deprecated"),
    condition("PackageDeprecated", ofPackage, "package not deprecated"),
    condition("ChannelDeprecated", ofChannel, "channel not deprecated"),
    installed === undefined
      ? { type: "BundleDeprecated", ...absent }
      : condition("BundleDeprecated", ofBundle, "bundle not deprecated"),
  ];
}
