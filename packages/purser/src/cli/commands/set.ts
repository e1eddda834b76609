import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { clusterExtensions, subscriptions } from "../../apis/olm-resources.ts";
import { anyValue, catalogNameLabel } from "../../explanation/set-command.ts";
import type { Installation } from "../../installation/installation.ts";
import { parseMastermindsRange } from "../../version-range.ts";
import { installationArgument, withInstallation } from "../cluster/installations.ts";
import {
  type CommandSpec,
  flagOption,
  type Invocation,
  listOption,
  type Outcome,
  textOption,
  UsageError,
} from "../command.ts";
import { catalogSelector, crdSafetyField, crdSafetyOption } from "../cluster/extension-choices.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { changedValues } from "../install/changed-values.ts";
import { valueOptions } from "../install/operator-values.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { labelChanges } from "../settings/label-flags.ts";
import { refusedWrite } from "../report-refusal.ts";

export const setCommandSpec: CommandSpec = {
  description: [
    "Writes the spec or labels of the Subscription or ClusterExtension and nothing else; the controllers then decide. The value any",
    "removes a field. purser upgrade shows beforehand what an upgrade changes.",
  ].join("\n"),
  arguments: [installationArgument],
  options: [
    { flags: "--version RANGE", summary: "v1: allowed versions, such as 1.2.3, 1.x or '>=1.2 <2'" },
    { flags: "--channel CHANNEL", summary: "channel; v1: several are allowed", repeatable: true },
    { flags: "--catalog CATALOG", summary: "v0: NAMESPACE/NAME of a CatalogSource; v1: name of a ClusterCatalog" },
    { flags: "--catalog-selector LABELS", summary: "v1: ClusterCatalogs with these labels, such as tier=own,!beta" },
    { flags: "--approval MODE", summary: "v0: Automatic or Manual" },
    { flags: "--package PACKAGE", summary: "v0: package, before a version is installed" },
    { flags: "--start CSV", summary: "v0: first version, before one is installed" },
    {
      flags: "--upgrade-constraint-policy POLICY",
      summary: "v1: CatalogProvided, or SelfCertified: any version, whether the catalog allows the upgrade or not",
    },
    crdSafetyOption,
    { flags: "--label KEY=VALUE", summary: "a label of the object; KEY- removes it", repeatable: true },
    ...valueOptions,
    { flags: "--dry-run", summary: "print the change, write nothing" },
  ],
  examples: [
    ["purser set ext/argocd --version '>=1.2 <2'", "limit the versions of upgrades"],
    ["purser set ext/argocd --version any", "remove the limit"],
    ["purser set data/etcd --channel stable", "follow another channel"],
    ["purser set data/etcd --set resources.limits.memory=1Gi", "its configuration: spec.config; =null removes a value"],
  ],
  run: (invocation) => withInstallation(invocation, (client, one) => set(invocation, client, one)),
};

/** Fields of a spec, from the flags; null removes one. */
type Fields = Readonly<Record<string, JsonValue>>;

async function set(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { api, reference, namespace = "", name } = installation;
  if (reference.startsWith("csv/"))
    throw new UsageError(`${reference} has no Subscription to change`, `purser explain ${reference}`);
  const isV0 = api === "v0";
  const type: ResourceType = isV0 ? subscriptions : clusterExtensions;
  const key = isV0 ? { namespace, name } : { name };
  const live = isV0 ? await client.get(subscriptions, key) : await client.get(clusterExtensions, key);
  const spec = (live as { readonly spec?: JsonObject } | undefined)?.spec ?? {};
  const filter = isV0 ? spec : ((spec["source"] as JsonObject | undefined)?.["catalog"] as JsonObject | undefined);
  const asked = isV0 ? subscriptionFields(invocation) : extensionFields(invocation, filter?.["selector"]);
  const install = isV0 ? undefined : crdSafetyField(invocation);
  const held = live?.metadata.labels ?? {};
  const wantedLabels = Object.entries(labelChanges(invocation));
  const values = await changedValues(invocation, api, spec["config"]);
  const config = values === "same" ? undefined : values;
  const isSafetyNew = install !== undefined && !isSame(spec["install"], install);
  const fields = Object.entries(asked).filter(([field, value]) => !isSame(filter?.[field], value));
  if (Object.keys(asked).length === 0 && install === undefined && wantedLabels.length === 0 && values === undefined)
    throw new UsageError("no field to set is given", "purser set --help lists the fields");
  const changes: string[] = fields.map(
    ([field, value]) => `  ${field.padEnd(12)} ${wordOf(filter?.[field])} -> ${wordOf(value)}`,
  );
  const newLabels = wantedLabels.filter(([label, value]) => (held[label] ?? null) !== value);
  if (fields.length === 0 && !isSafetyNew && newLabels.length === 0 && config === undefined)
    return { exitCode: exitCodes.done, human: shown(`${reference} already has these values; nothing was changed`) };
  const changed = Object.fromEntries(fields) as JsonObject;
  const isSpecNew = fields.length > 0 || isSafetyNew || config !== undefined;
  const patch: JsonObject = {
    ...(newLabels.length === 0 ? {} : { metadata: { labels: Object.fromEntries(newLabels) } }),
    ...(!isSpecNew
      ? {}
      : {
          spec: {
            ...(isV0 ? changed : fields.length === 0 ? {} : { source: { catalog: changed } }),
            ...(isSafetyNew ? { install } : {}),
            ...(config === undefined ? {} : { config: config.patch }),
          },
        }),
  };
  const safety = (held: JsonValue | undefined): string =>
    JSON.stringify(held ?? null).match(/"(None|Strict)"/)?.[1] ?? "Strict";
  if (isSafetyNew) changes.push(`  CRD safety   ${safety(spec["install"])} -> ${safety(install)}`);
  changes.push(...(config?.lines ?? []).map((line) => `  config       ${line}`));
  for (const [label, value] of newLabels)
    changes.push(`  label        ${label}: ${held[label] ?? noLabel} -> ${value ?? noLabel}`);
  const data = { apiVersion: "purser.dev/v1alpha1", kind: "SpecChange", installation: reference, patch };
  const text = shown(`Change ${isSpecNew ? "the spec" : "the labels"} of ${reference}`, ...changes);
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  terminal.err(...text.split("\n"));
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const result = await client.write({ verb: "patch", type, key, patchType: "merge", patch }, signal);
  if (!result.ok) return refusedWrite(`change ${reference}`, result.problem, reference);
  const done = `${terminal.symbol("ok")} ${reference} is changed; purser status ${reference}`;
  return { exitCode: exitCodes.done, data, human: shown(done) };
}

const noLabel = "none";

/** API servers answer members in an order of their own. */
const isSame = (before: JsonValue | undefined, after: JsonValue): boolean => deepEqual(before ?? null, after);

const wordOf = (value: JsonValue | undefined): string => {
  if (value === undefined || value === null || value === "") return anyValue;
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "string") return value;
  const labels = (value as JsonObject)["matchLabels"] as JsonObject | undefined;
  const name = labels?.[catalogNameLabel];
  return typeof name === "string" ? name : JSON.stringify(value);
};

const orNull = (text: string): string | null => (text === anyValue ? null : text);

function refuse(invocation: Invocation, flags: readonly string[], kind: string): void {
  for (const flag of flags)
    if (textOption(invocation, flag) !== undefined)
      throw new UsageError(`--${flag} is for a ${kind}`, "purser set --help lists the flags of each");
}

function oneOf(invocation: Invocation, flag: string, values: readonly string[]): string | undefined {
  const given = textOption(invocation, flag);
  if (given !== undefined && !values.includes(given))
    throw new UsageError(`--${flag} "${given}" is neither ${values.join(" nor ")}`);
  return given;
}

function subscriptionFields(invocation: Invocation): Fields {
  refuse(invocation, ["upgrade-constraint-policy", "crd-upgrade-safety", "catalog-selector"], "ClusterExtension");
  if (textOption(invocation, "version") !== undefined)
    throw new UsageError(
      "--version is for a ClusterExtension; a Subscription follows its channel",
      "purser upgrade --to VERSION, or purser hold --version VERSION",
    );
  const [channel, ...more] = listOption(invocation, "channel");
  if (more.length > 0) throw new UsageError("a Subscription has one channel");
  const catalog = textOption(invocation, "catalog");
  const [sourceNamespace, source, ...rest] = catalog?.split("/") ?? [];
  if (catalog !== undefined && (source === undefined || source === "" || rest.length > 0))
    throw new UsageError(
      `--catalog "${catalog}" is not NAMESPACE/NAME of a CatalogSource`,
      "kubectl get catalogsources -A",
    );
  const packageName = textOption(invocation, "package");
  const start = textOption(invocation, "start");
  const approval = oneOf(invocation, "approval", ["Automatic", "Manual"]);
  return {
    ...(packageName === undefined ? {} : { name: packageName }),
    ...(source === undefined || sourceNamespace === undefined ? {} : { source, sourceNamespace }),
    ...(channel === undefined ? {} : { channel: orNull(channel) }),
    ...(start === undefined ? {} : { startingCSV: orNull(start) }),
    ...(approval === undefined ? {} : { installPlanApproval: approval }),
  };
}

function extensionFields(invocation: Invocation, selector: JsonValue | undefined): Fields {
  refuse(invocation, ["approval", "package", "start"], "Subscription");
  const version = textOption(invocation, "version");
  if (version !== undefined && version !== anyValue) {
    const range = parseMastermindsRange(version);
    if (!range.ok)
      throw new UsageError(`--version "${version}" is not a range of versions`, "write 1.2.3, 1.x or '>=1.2 <2'");
  }
  const channels = listOption(invocation, "channel");
  const catalog = textOption(invocation, "catalog");
  const chosen = textOption(invocation, "catalog-selector");
  if (chosen !== undefined && catalog !== undefined)
    throw new UsageError("--catalog-selector and --catalog exclude each other", "leave one of them out");
  const policy = oneOf(invocation, "upgrade-constraint-policy", ["CatalogProvided", "SelfCertified"]);
  return {
    ...(version === undefined ? {} : { version: orNull(version) }),
    ...(channels.length === 0 ? {} : { channels: channels.includes(anyValue) ? null : [...channels] }),
    ...(catalog === undefined
      ? {}
      : { selector: catalog === anyValue ? null : { ...withoutRest(selector), ...selectorFor(catalog, selector) } }),
    ...(chosen === undefined ? {} : { selector: chosen === anyValue ? null : selecting(chosen, selector) }),
    ...(policy === undefined ? {} : { upgradeConstraintPolicy: policy }),
  };
}

/** A merge patch keeps what it does not name. */
const withoutRest = (selector: JsonValue | undefined): JsonObject =>
  (selector as JsonObject | undefined)?.["matchExpressions"] === undefined ? {} : { matchExpressions: null };

function selectorFor(catalog: string, selector: JsonValue | undefined): JsonObject {
  const before = Object.keys(((selector as JsonObject | undefined)?.["matchLabels"] as JsonObject | undefined) ?? {});
  const removed = Object.fromEntries(before.map((label) => [label, null]));
  return { matchLabels: { ...removed, [catalogNameLabel]: catalog } };
}

function selecting(text: string, selector: JsonValue | undefined): JsonObject {
  const hasLabels = (selector as JsonObject | undefined)?.["matchLabels"] !== undefined;
  return { ...(hasLabels ? { matchLabels: null } : {}), ...(catalogSelector(text) as JsonObject) };
}
