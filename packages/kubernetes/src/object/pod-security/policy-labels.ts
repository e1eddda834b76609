import type { FieldError } from "../field-error.ts";
import { invalid } from "../field-error.ts";

export type Level = "privileged" | "baseline" | "restricted";

/** A level, as of Kubernetes 1.`minor`. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: number | "latest";
}

/** The Pod Security settings of a namespace: enforced level and warn level. There is no audit log. */
export interface PodSecurityPolicy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** Invalid labels; the strictest value is used instead of them. */
  readonly errors: readonly FieldError[];
}

const prefix = "pod-security.kubernetes.io/";
const levels: readonly Level[] = ["privileged", "baseline", "restricted"];

/** `restricted:v1.25`, `baseline:latest`. */
export function formatLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === "latest" ? version : `v1.${version}`}`;
}

/** Positive when `a` is stricter than `b`, 0 when they are equal. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

function parseVersion(text: string): number | "latest" | undefined {
  if (text === "latest") return text;
  const digits = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  // Larger numbers exceed Go's int.
  return digits === undefined || BigInt(digits) > 0x7fff_ffff_ffff_ffffn ? undefined : Number(digits);
}

/** Parses the labels of a namespace; without labels everything is allowed. */
export function policyOf(labels: Readonly<Record<string, string>> | undefined): PodSecurityPolicy {
  const errors: FieldError[] = [];
  const labelled = (name: string): string | undefined =>
    labels !== undefined && Object.hasOwn(labels, prefix + name) ? labels[prefix + name] : undefined;
  const refuse = (name: string, text: string, why: string): void => {
    errors.push(invalid(`metadata.labels[${prefix}${name}]`, text, why));
  };
  const levelOf = (
    name: string,
    otherwise: Level,
  ): { readonly level: Level; readonly given: "valid" | "bad" | "not" } => {
    const text = labelled(name);
    if (text === undefined) return { level: "privileged", given: "not" };
    const level = levels.find((known) => known === text);
    if (level !== undefined) return { level, given: "valid" };
    refuse(name, text, `must be one of ${levels.join(", ")}`);
    return { level: otherwise, given: "bad" };
  };
  const versionOf = (name: string): number | "latest" => {
    const text = labelled(name);
    if (text === undefined) return "latest";
    const version = parseVersion(text);
    if (version === undefined) refuse(name, text, 'must be "latest" or "v1.x"');
    return version ?? "latest";
  };
  const enforced = levelOf("enforce", "restricted");
  const enforce = { level: enforced.level, version: versionOf("enforce-version") };
  // Parsed only for errors: there is no audit log.
  levelOf("audit", "privileged");
  versionOf("audit-version");
  const warned = levelOf("warn", "privileged");
  const warnVersion = versionOf("warn-version");
  if (warned.given !== "not" || enforced.given !== "valid" || enforced.level === "privileged")
    return { enforce, warn: { level: warned.level, version: warnVersion }, errors };
  const version = labelled("warn-version") === undefined ? enforce.version : warnVersion;
  return { enforce, warn: { level: enforce.level, version }, errors };
}
