import { customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";

/** What an object needs to exist before it can be written. */
export type MissingPrerequisite =
  | { readonly kind: "namespace"; readonly name: string }
  /** `apiVersion` is not served, or does not have the kind. */
  | { readonly kind: "api"; readonly apiVersion: string; readonly served: string };

/** The namespace whose absence refused a write; undefined when the write was refused for another reason. */
export function missingNamespace({ kind, status }: WriteRefusal): MissingPrerequisite | undefined {
  const { details } = status;
  return kind === "notFound" && details?.kind === "namespaces" && details.name !== undefined
    ? { kind: "namespace", name: details.name }
    : undefined;
}

/** The types whose new objects may bring what is missing. */
export function awaitedTypes(missing: readonly MissingPrerequisite[]): readonly ResourceType[] {
  const wants = (kind: MissingPrerequisite["kind"]): boolean => missing.some((one) => one.kind === kind);
  return [...(wants("namespace") ? [namespaces] : []), ...(wants("api") ? [customResourceDefinitions] : [])];
}

/** Why the objects of a revision cannot be written; undefined when nothing is missing. */
export function explainMissing(missing: readonly MissingPrerequisite[]): Explanation | undefined {
  const unique = [...new Map(missing.map((one) => [nameOf(one), one])).values()];
  const [first] = unique;
  if (first === undefined) return undefined;
  const code = first.kind === "namespace" ? "RolloutFailed" : "ClusterIncompatible";
  const alike = unique.filter(({ kind }) => kind === first.kind);
  const names = listOf(alike.map(nameOf));
  return {
    code,
    summary: summaryOf(
      first.kind === "namespace"
        ? `${names} ${alike.length === 1 ? "does" : "do"} not exist`
        : `The cluster does not serve ${names}`,
    ),
    facts: { missing: unique.map((one) => ({ ...one })) },
    derivation: unique.map((one) => ({
      relation: "requires",
      subject: nameOf(one),
      text: `Objects of the revision need ${nameOf(one)}, which does not exist`,
    })),
    remedies: alike.slice(0, 3).map(remedyOf),
  };
}

const nameOf = (missing: MissingPrerequisite): string =>
  missing.kind === "namespace" ? `Namespace "${missing.name}"` : `kind ${missing.served} of ${missing.apiVersion}`;

function remedyOf(missing: MissingPrerequisite): Remedy {
  return missing.kind === "namespace"
    ? { summary: "Create it", command: `kubectl create namespace ${shellWord(missing.name)}` }
    : {
        summary: `Install the package that provides ${nameOf(missing)}; to find packages that name it`,
        command: `purser search ${shellWord(missing.served)}`,
      };
}
