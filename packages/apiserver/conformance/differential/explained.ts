import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@purser/kubernetes/json";
import { type NormalForm, sortedKeys } from "./normal-form.ts";
import type { Operation } from "./operation.ts";

/** What happened to an object before. */
export interface Past {
  /** An apply gave its metadata an empty list or map. */
  readonly emptied: boolean;
}

/** Whether the operation is an apply that gives a custom resource an empty list or map in its metadata. */
export function emptiesMetadata({ subject, contentType, body }: Operation): boolean {
  return (
    subject.custom === true &&
    contentType === "application/apply-patch+yaml" &&
    /"(?:finalizers|ownerReferences)":\[\]|"(?:labels|annotations)":\{\}/.test(body)
  );
}

interface Explained {
  /** Why the embedded server answers otherwise. */
  readonly why: string;
  readonly holds: (operation: Operation, real: NormalForm, ours: NormalForm, past: Past) => boolean;
}

/** Every difference that stays, with its reason. */
const table: readonly Explained[] = [
  {
    why: "the real server breaks the connection over a strategic merge patch whose merge key is no scalar",
    holds: ({ contentType }, real, ours) =>
      real.code === 0 && ours.code > 0 && contentType === "application/strategic-merge-patch+json",
  },
  {
    why: "the real server breaks the connection over selectable fields of a schema that is not structural",
    holds: ({ subject, body }, real, ours) =>
      real.code === 0 &&
      ours.code === 422 &&
      subject.kind === "CustomResourceDefinition" &&
      body.includes('"selectableFields":'),
  },
  {
    why: "the real server breaks the connection over a Service that becomes headless and asks for two families at once",
    holds: ({ subject, body }, real, ours) =>
      real.code === 0 &&
      ours.code === 422 &&
      subject.kind === "Service" &&
      body.includes('"clusterIP":"None"') &&
      body.includes('"ipFamilyPolicy":"RequireDualStack"'),
  },
  {
    why: "a refused list of versions is shown as an internal struct, which tells an empty map from none",
    holds: (_operation, real, ours) =>
      says(real, "OpenAPIV3Schema") && alike(real, ours, /\\*"Properties\\*":(?:null|\{\})/gu),
  },
  {
    why: "the words of YAML parsers about what they cannot read are their own",
    holds: ({ contentType }, real, ours) =>
      real.code === 400 &&
      contentType === "application/apply-patch+yaml" &&
      says(real, "error converting YAML to JSON: yaml: ") &&
      alike(real, ours, /error converting YAML to JSON: yaml: (?:[^"\\]|\\.)*/gu),
  },
  {
    why: "the words of CEL's parser about what it cannot read are its own",
    holds: (_operation, real, ours) =>
      says(real, "Syntax error: ") && alike(real, ours, /Syntax error: [^\n]*?(?=\\+n \|)/gu),
  },
  {
    why: "an empty list or map that an apply gives the metadata of a custom resource is stored, and goes with the next write, though nothing of it shows",
    holds: (operation, real, ours, { emptied }) =>
      (emptied || emptiesMetadata(operation)) && alike(real, ours, /"resourceVersion":"(?:un)?changed"/gu),
  },
  {
    why: "a list's key that is no scalar is printed as Go prints maps",
    holds: (_operation, real, ours) =>
      says(real, "failed to create typed patch object") && alike(real, ours, /\[\w+=[^\]]*\]/gu),
  },
  {
    why: "controllers put back what protects a claim or a volume at their own time, which holds a deleted one and owns finalizers",
    holds: ({ subject }, real, ours) =>
      subject.kind.startsWith("PersistentVolume") &&
      alike(
        real,
        ours,
        /"deletionTimestamp":"TIME",?|"deletionGracePeriodSeconds":0,?|,\\*"kubernetes\.io\/pvc?-protection\\*"|\\*"finalizers\\*":\[\\*"kubernetes\.io\/pvc?-protection\\*"\],|(?<="f:finalizers":\{)"\.":\{\},?/gu,
      ),
  },
  {
    why: "a controller wrote between reading the revision and sending it, which is a conflict there",
    holds: ({ subject, body }, real) =>
      subject.controlled === true &&
      body.includes('"{{rv}}"') &&
      real.code === 409 &&
      says(real, "the object has been modified; please apply your changes"),
  },
  {
    why: "the real collector of pods that nobody runs ends those that are being deleted, three times a minute",
    holds: ({ subject }, real, ours) =>
      subject.kind === "Pod" &&
      says(real, '"deletionTimestamp":') &&
      real.code === ours.code &&
      isDeepStrictEqual(withoutStatus(real), withoutStatus(ours)),
  },
  {
    why: "the real server gives a Job the labels of its template when it is read, and stores them with the first write after that",
    holds: ({ subject }, real, ours) =>
      subject.kind === "Job" && alike(real, ours, /"resourceVersion":"(?:un)?changed"/gu),
  },
  {
    why: "the real collector learns of a new definition after up to half a minute",
    holds: ({ subject, method }, real) =>
      subject.custom === true && method === "DELETE" && (says(real, '"orphan"') || says(real, '"foregroundDeletion"')),
  },
];

/** The object without its status, without who wrote that, and without how often it was written. */
function withoutStatus(form: NormalForm): unknown {
  return JSON.parse(JSON.stringify(form), (key, value: unknown) => {
    if (key === "status" || key === "resourceVersion") return undefined;
    if (key !== "managedFields" || !Array.isArray(value)) return value;
    return (value as readonly JsonObject[]).filter((entry) => entry["subresource"] !== "status");
  });
}

function says(form: NormalForm, words: string): boolean {
  return JSON.stringify(form.body).includes(words);
}

/** Whether the forms are the same apart from what the pattern finds in their JSON. */
function alike(real: NormalForm, ours: NormalForm, apart: RegExp): boolean {
  const rest = (form: NormalForm): string => JSON.stringify(sortedKeys(form.body)).replaceAll(apart, "");
  return real.code === ours.code && isDeepStrictEqual(real.warnings, ours.warnings) && rest(real) === rest(ours);
}

/** The reason of a known difference; undefined for one that nobody explains. */
export function explanationOf(
  operation: Operation,
  real: NormalForm,
  ours: NormalForm,
  past: Past,
): string | undefined {
  return table.find(({ holds }) => holds(operation, real, ours, past))?.why;
}
