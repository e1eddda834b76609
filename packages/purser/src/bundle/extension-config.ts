import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { SubscriptionConfig } from "../apis/v0/subscription.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import { readTyped } from "./api-types/read-typed.ts";
import { parseType } from "./api-types/struct-table.ts";
import { type ConfigFault, type ConfigFormat, configFaults, type ConfigSchema, schemaOf } from "./config-schema.ts";
import { supportedModes } from "./install-modes.ts";
import type { BundleFeature } from "./support-checks.ts";

export interface ExtensionConfig {
  readonly watchNamespace?: string;
  readonly deploymentConfig?: SubscriptionConfig;
}

/** Why a configuration is refused. */
export interface ConfigProblem {
  /** Upstream's text; a condition shows it without `terminal error: `. */
  readonly message: string;
  /** The rules that are broken, each with its field. At least one. */
  readonly faults: readonly ConfigFault[];
}

const deploymentMembers: readonly (readonly [string, string])[] = [
  ["affinity", "Affinity"],
  ["annotations", "{}string"],
  ["env", "[]EnvVar"],
  ["envFrom", "[]EnvFromSource"],
  ["nodeSelector", "{}string"],
  ["resources", "ResourceRequirements"],
  ["tolerations", "[]Toleration"],
  ["volumeMounts", "[]VolumeMount"],
  ["volumes", "[]Volume"],
];

/**
 * Reads `spec.config.inline` against the schema that the bundle's install modes give it. The problem is upstream's text;
 * a condition shows it without `terminal error: `.
 * @param config an object, or the raw text of the field; undefined when there is none
 */
export function readExtensionConfig(
  csv: ClusterServiceVersion,
  installNamespace: string,
  config: JsonValue | undefined,
  off: readonly BundleFeature[],
): Result<ExtensionConfig, ConfigProblem> {
  if (config === undefined && off.includes("singleOwnNamespace")) return done({});
  const refuse = (detail: string, faults: readonly ConfigFault[]) =>
    failed({
      message: `terminal error: invalid ClusterExtension configuration: invalid configuration: ${detail}`,
      faults,
    });
  let value: JsonValue = config ?? {};
  if (typeof config === "string") {
    const read = readYaml(config);
    if (!read.ok) return refuse(read.problem.message, [{ text: read.problem.message, field: [], schemaPath: "#" }]);
    value = read.value;
  }
  const report = configFaults(configSchema(csv, installNamespace, off), value);
  if (report !== undefined) {
    const { lines, faults } = report;
    return refuse(
      lines.length === 1
        ? (lines[0] ?? "")
        : `multiple errors found:\n${lines.map((line) => `  - ${line}`).join("\n")}`,
      faults,
    );
  }
  const given = isJsonObject(value) ? value : {};
  const watchNamespace = member(given, "watchNamespace");
  const deployment = member(given, "deploymentConfig");
  if (deployment === undefined) return done(typeof watchNamespace === "string" ? { watchNamespace } : {});
  const typed = readTyped("csv.SubscriptionConfig", deployment);
  if (!typed.ok) {
    const text = `failed to unmarshal deploymentConfig: ${typed.problem.message}`;
    return failed({
      message: `terminal error: invalid deploymentConfig: ${text}`,
      faults: [{ text, field: ["deploymentConfig"], schemaPath: "#/properties/deploymentConfig" }],
    });
  }
  return done({
    ...(typeof watchNamespace === "string" ? { watchNamespace } : {}),
    deploymentConfig: asDeploymentConfig(typed.value, deployment),
  });
}

/** Empty maps and parts of the affinity mean something to the merge and are lost on writing: they come from what was given. */
function asDeploymentConfig(typed: JsonObject, given: JsonValue): SubscriptionConfig {
  const kept: Record<string, JsonValue> = {};
  for (const name of ["nodeSelector", "affinity", "resources"]) {
    const value = isJsonObject(given) ? member(given, name) : undefined;
    if (value !== undefined && value !== null && member(typed, name) === undefined) kept[name] = value;
  }
  return { ...typed, ...kept } as unknown as SubscriptionConfig;
}

function configSchema(
  csv: ClusterServiceVersion,
  installNamespace: string,
  off: readonly BundleFeature[],
): ConfigSchema {
  const members = new Map<string, ConfigSchema>();
  const watch = watchNamespaceSchema(supportedModes(csv), installNamespace);
  if (watch !== undefined) members.set("watchNamespace", watch.schema);
  if (!off.includes("deploymentConfig")) {
    const inner = new Map(deploymentMembers.map(([name, type]) => [name, schemaOf(parseType(type))]));
    members.set("deploymentConfig", { kind: "object", members: inner, required: [], open: false });
  }
  return { kind: "object", members, required: watch?.required === true ? ["watchNamespace"] : [], open: false };
}

function watchNamespaceSchema(
  modes: readonly string[],
  installNamespace: string,
): { readonly schema: ConfigSchema; readonly required: boolean } | undefined {
  const own = modes.includes("OwnNamespace");
  const single = modes.includes("SingleNamespace");
  if (!own && !single) return undefined;
  const format = own === single || installNamespace === "" ? undefined : own ? ownFormat : singleFormat;
  const text: ConfigSchema = {
    kind: "string",
    limits: single,
    ...(format === undefined ? {} : { format: format(installNamespace) }),
  };
  return modes.includes("AllNamespaces")
    ? { schema: { kind: "anyOf", of: [{ kind: "null" }, text] }, required: false }
    : { schema: text, required: true };
}

function ownFormat(installNamespace: string): ConfigFormat {
  return {
    name: "ownNamespaceInstallMode",
    only: installNamespace,
    problem: (text) =>
      text === installNamespace
        ? undefined
        : `invalid value "${text}": must be "${installNamespace}" (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode`,
  };
}

function singleFormat(installNamespace: string): ConfigFormat {
  return {
    name: "singleNamespaceInstallMode",
    problem: (text) =>
      text === installNamespace
        ? `invalid value "${text}": must be different from "${installNamespace}" (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace`
        : undefined,
  };
}
