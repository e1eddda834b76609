import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { shellWord } from "./summary.ts";

/** What `purser set` writes instead of a value: the field is removed. */
export const anyValue = "any";

/** The label by which a ClusterExtension selects one catalog. */
export const catalogNameLabel = "olm.operatorframework.io/metadata.name";

/**
 * The `purser set` command that writes the fields of a Subscription's spec or of a ClusterExtension's catalog filter; null removes a
 * field. Undefined when one of them has no flag.
 */
export function setCommand(reference: string, fields: Readonly<Record<string, JsonValue>>): string | undefined {
  const { source, sourceNamespace, ...others } = fields;
  const flags: (readonly string[] | undefined)[] = Object.entries(others).map(([field, value]) => flagOf(field, value));
  if (typeof source === "string" && typeof sourceNamespace === "string")
    flags.unshift(["--catalog", `${sourceNamespace}/${source}`]);
  const words = flags.flatMap((flag) => flag ?? []);
  if (flags.length === 0 || flags.includes(undefined)) return undefined;
  return ["purser", "set", reference, ...words].map(shellWord).join(" ");
}

function flagOf(field: string, value: JsonValue): readonly string[] | undefined {
  const flag = flagOfField[field];
  if (flag === undefined) return undefined;
  if (value === null) return [flag, anyValue];
  if (typeof value === "string") return [flag, value];
  if (Array.isArray(value)) return value.flatMap((each) => (typeof each === "string" ? [flag, each] : []));
  const labels = isJsonObject(value) ? member(value, "matchLabels") : undefined;
  const name = isJsonObject(labels) ? member(labels, catalogNameLabel) : undefined;
  return typeof name === "string" ? [flag, name] : undefined;
}

const flagOfField: Readonly<Record<string, string>> = {
  version: "--version",
  channel: "--channel",
  channels: "--channel",
  selector: "--catalog",
  upgradeConstraintPolicy: "--upgrade-constraint-policy",
  name: "--package",
  startingCSV: "--start",
};
