import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { readTyped } from "../bundle/api-types/read-typed.ts";
import type { Explanation } from "../explanation/explanation.ts";
import { shellWord } from "../explanation/summary.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareKubeVersions } from "./kube-version-order.ts";
import { nodeFindings } from "./schema-node-changes.ts";
import { schemaPaths } from "./schema-paths.ts";

/** What an upgrade would break in one CRD. */
export interface CrdUpgradeRefusal {
  readonly crd: string;
  /** Upstream's lines without their prefix: CRD-wide, then same version, then across served versions; sorted inside of each. */
  readonly messages: readonly string[];
  /** The rule of each message. */
  readonly rules: readonly string[];
  /** A manifest that is no CRD: its only message stands without a prefix. */
  readonly unreadable?: true;
}

/**
 * Compares a CRD with the one on the cluster (absent: nothing to break) by OLM v1's default checks of CRD upgrade safety.
 * A version without schema counts as one with an empty schema; a manifest that is no CRD is refused with the reader's text.
 */
export function checkCrdUpgrade(old: JsonObject | undefined, next: JsonObject): CrdUpgradeRefusal | undefined {
  if (old === undefined) return undefined;
  // Upstream looks at manifests of the current API only.
  if (next["apiVersion"] !== "apiextensions.k8s.io/v1") return undefined;
  const [before, after] = [readCrd(old), readCrd(next)];
  const unreadable = (problem: string) => ({
    crd: nameOf(next),
    messages: [`converting unstructured to CRD object: ${problem}`],
    rules: ["unreadable"],
    unreadable: true as const,
  });
  if (!before.ok) return unreadable(before.problem);
  if (!after.ok) return unreadable(after.problem);
  const broken = [
    ...crdWide(before.value, after.value).toSorted(byText),
    ...sameVersions(before.value, after.value).toSorted(byText),
    ...servedVersions(before.value, after.value).toSorted(byText),
  ];
  if (broken.length === 0) return undefined;
  return { crd: nameOf(next), messages: broken.map(({ text }) => text), rules: broken.map(({ rule }) => rule) };
}

interface BrokenRule {
  readonly rule: string;
  readonly text: string;
}

const byText = (left: BrokenRule, right: BrokenRule): number =>
  left.text < right.text ? -1 : left.text > right.text ? 1 : 0;

function nameOf(crd: JsonObject): string {
  return (crd as unknown as KubeObject).metadata?.name ?? "";
}

/** Upstream's whole text: per CRD the prefix and its messages, joined by newlines. */
export function formatCrdUpgradeRefusals(refusals: readonly CrdUpgradeRefusal[]): string {
  return refusals.map(({ crd, messages }) => `validating upgrade for CRD "${crd}": ${messages.join("\n")}`).join("\n");
}

/** @param installed version that the extension has */
export function explainCrdUpgrade(
  refusals: readonly CrdUpgradeRefusal[],
  extension: string,
  installed: string | undefined,
): Explanation {
  const reference = shellWord(`ext/${extension}`);
  const names = refusals.map(({ crd }) => crd);
  return {
    code: "CrdUnsafe",
    summary: `The upgrade would change ${names
      .slice(0, 2)
      .map((name) => `CustomResourceDefinition "${name}"`)
      .join(" and ")} so that existing objects may break`,
    facts: { crds: refusals.map(({ crd, messages }) => ({ crd, messages })) },
    derivation: refusals.map((refusal) => ({
      relation: "conflicts",
      subject: refusal.crd,
      text: refusal.messages.join("; "),
      upstream: formatCrdUpgradeRefusals([refusal]),
    })),
    remedies: [
      ...(installed === undefined
        ? []
        : [
            {
              summary: `Stay at ${installed}, or name a version whose schema accepts the same objects`,
              command: `purser set ${reference} --version ${shellWord(installed)}`,
              patch: { spec: { source: { catalog: { version: installed } } } },
            },
          ]),
      { summary: "List the objects", command: `kubectl get ${shellWord(names[0] ?? "")} -A` },
      {
        summary: "If no object uses what is removed, switch the check off for this extension",
        command: `purser set ${reference} --crd-upgrade-safety None`,
        patch: { spec: { install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } } },
      },
    ],
  };
}

/** A version with every node of its schema by path; the checks look at each more than once. */
interface SchemaVersion {
  readonly name: string;
  readonly served: boolean;
  readonly nodes: ReadonlyMap<string, JsonObject>;
}

interface ReadCrd {
  readonly crd: CustomResourceDefinition;
  readonly versions: readonly SchemaVersion[];
}

/** A definition is the new one of one upgrade and the old one of the next. */
const known = new WeakMap<JsonObject, Result<ReadCrd, string>>();

function readCrd(object: JsonObject): Result<ReadCrd, string> {
  const read = known.get(object) ?? readUnknown(object);
  known.set(object, read);
  return read;
}

function readUnknown(object: JsonObject): Result<ReadCrd, string> {
  const typed = readTyped("ext.CustomResourceDefinition", object);
  if (!typed.ok) return failed(typed.problem.message);
  const crd = typed.value as unknown as CustomResourceDefinition;
  const versions = (crd.spec.versions ?? []).map(({ name, served, schema }) => ({
    name,
    served,
    nodes: nodesOf(schema),
  }));
  return done({ crd, versions });
}

/** OLM stops at a version without `schema`: it counts as one with an empty schema here. In `schema: {}` OLM sees no node at all. */
function nodesOf(schema: { readonly openAPIV3Schema?: JsonObject } | undefined): SchemaVersion["nodes"] {
  if (schema === undefined) return schemaPaths({});
  return schema.openAPIV3Schema === undefined ? new Map() : schemaPaths(schema.openAPIV3Schema);
}

function crdWide(old: ReadCrd, next: ReadCrd): readonly BrokenRule[] {
  const names = new Set(next.versions.map(({ name }) => name));
  const lost = (old.crd.status?.storedVersions ?? []).filter((version) => !names.has(version));
  const removed = old.versions.flatMap((version) => {
    const kept = next.versions.find(({ name }) => name === version.name);
    if (kept === undefined) return [];
    return [...version.nodes.keys()]
      .filter((path) => !kept.nodes.has(path))
      .map((path) => ({
        rule: "existingFieldRemoval",
        text: `existingFieldRemoval: removed field : ${version.name}.${path}`,
      }));
  });
  const [before, after] = [old.crd.spec.scope, next.crd.spec.scope];
  return [
    ...(before === after ? [] : [{ rule: "scope", text: `scope: scope changed : "${before}" -> "${after}"` }]),
    ...(lost.length === 0
      ? []
      : [
          {
            rule: "storedVersionRemoval",
            text: `storedVersionRemoval: stored versions removed : [${lost.join(" ")}]`,
          },
        ]),
    ...removed,
  ];
}

interface Finding extends BrokenRule {
  readonly detail: string;
  readonly isUnique: boolean;
}

/** Findings by property; a removed property is compared with an empty schema. */
function schemaFindings(old: SchemaVersion, next: SchemaVersion): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [path, node] of old.nodes)
    for (const { rule, text, detail, isUnique } of nodeFindings(node, next.nodes.get(path) ?? {}))
      findings.push({ rule, text: `${path}: ${rule}: ${text}`, detail, isUnique });
  return findings;
}

function sameVersions(old: ReadCrd, next: ReadCrd): readonly BrokenRule[] {
  return old.versions.flatMap((version) => {
    const kept = next.versions.find(({ name }) => name === version.name);
    if (kept === undefined) return [];
    return schemaFindings(version, kept).map(({ rule, text }) => ({ rule, text: `${version.name}: ${text}` }));
  });
}

/** Objects move between served versions without conversion; differences that existed before the upgrade are left out. */
function servedVersions(old: ReadCrd, next: ReadCrd): readonly BrokenRule[] {
  if (next.crd.spec.conversion?.strategy === "Webhook") return [];
  const key = ({ text, detail }: Finding) => `${text} ${detail}`;
  const known = new Set(servedPairs(old).map(key));
  return servedPairs(next).filter((finding) => finding.isUnique || !known.has(key(finding)));
}

function servedPairs({ versions }: ReadCrd): readonly Finding[] {
  const served = versions.filter((version) => version.served).toSorted((a, b) => compareKubeVersions(a.name, b.name));
  return served.flatMap((version, i) =>
    served.slice(i + 1).flatMap((later) =>
      schemaFindings(version, later).map(({ text, ...rest }) => ({
        text: `${version.name} -> ${later.name}: ${text}`,
        ...rest,
      })),
    ),
  );
}
