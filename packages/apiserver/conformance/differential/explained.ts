import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { type NormalForm, sortedKeys } from "./normal-form.ts";
import type { Operation } from "./operation.ts";

/** History of an object. */
export interface Past {
  /** An apply has set an empty list or map in its metadata. */
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
  /** Why the responses differ. */
  readonly why: string;
  readonly holds: (operation: Operation, real: NormalForm, ours: NormalForm, past: Past) => boolean;
}

/** All known differences that remain, with their reasons. */
const table: readonly Explained[] = [
  {
    why: "kube-apiserver closes the connection on a strategic merge patch whose merge key is not a scalar",
    holds: ({ contentType }, real, ours) =>
      real.code === 0 && isRefusal(ours) && contentType === "application/strategic-merge-patch+json",
  },
  {
    why: "kube-apiserver closes the connection on selectable fields of a schema that is not structural",
    holds: ({ subject, body }, real, ours) =>
      real.code === 0 &&
      ours.code === 422 &&
      subject.kind === "CustomResourceDefinition" &&
      body.includes('"selectableFields":'),
  },
  {
    why: "kube-apiserver closes the connection on a Service that becomes headless and requests two IP families at once",
    holds: ({ subject, body }, real, ours) =>
      real.code === 0 &&
      ours.code === 422 &&
      subject.kind === "Service" &&
      body.includes('"clusterIP":"None"') &&
      body.includes('"ipFamilyPolicy":"RequireDualStack"'),
  },
  {
    why: "an invalid list of versions is quoted as an internal struct, in which an empty map differs from an absent one",
    holds: (_operation, real, ours) =>
      says(real, "OpenAPIV3Schema") && alike(real, ours, /\\*"Properties\\*":(?:null|\{\})/gu),
  },
  {
    why: "error texts of YAML parsers differ",
    holds: ({ contentType }, real, ours) =>
      real.code === 400 &&
      contentType === "application/apply-patch+yaml" &&
      says(real, "error converting YAML to JSON: yaml: ") &&
      alike(real, ours, /error converting YAML to JSON: yaml: (?:[^"\\]|\\.)*/gu),
  },
  {
    why: "error texts of CEL parsers differ",
    holds: (_operation, real, ours) =>
      says(real, "Syntax error: ") && alike(real, ours, /Syntax error: [^\n]*?(?=\\+n \|)/gu),
  },
  {
    why: "kube-apiserver stores an empty list or map that an apply sets in the metadata of a custom resource, invisibly, and drops it with the next write",
    holds: (operation, real, ours, { emptied }) =>
      (emptied || emptiesMetadata(operation)) && alike(real, ours, /"resourceVersion":"(?:un)?changed"/gu),
  },
  {
    why: "a list key that is not a scalar is printed as Go prints maps",
    holds: (_operation, real, ours) =>
      says(real, "failed to create typed patch object") && alike(real, ours, /\[\w+=[^\]]*\]/gu),
  },
  {
    why: "controllers restore the protection finalizers of a claim or a volume asynchronously, which delays deletion and owns finalizers",
    holds: ({ subject }, real, ours) =>
      subject.kind.startsWith("PersistentVolume") &&
      alike(
        real,
        ours,
        /"deletionTimestamp":"TIME",?|"deletionGracePeriodSeconds":0,?|,\\*"kubernetes\.io\/pvc?-protection\\*"|\\*"finalizers\\*":\[\\*"kubernetes\.io\/pvc?-protection\\*"\],|(?<="f:finalizers":\{)"\.":\{\},?/gu,
      ),
  },
  {
    why: "a controller wrote between reading and sending the resource version, which is a conflict in kube-apiserver",
    holds: ({ subject, body }, real, ours) =>
      subject.controlled === true &&
      body.includes('"{{rv}}"') &&
      real.code === 409 &&
      isSuccess(ours) &&
      says(real, "the object has been modified; please apply your changes"),
  },
  {
    why: "the pod garbage collector of kube-controller-manager deletes unscheduled terminating pods every 20 seconds",
    holds: ({ subject }, real, ours) =>
      subject.kind === "Pod" &&
      says(real, '"deletionTimestamp":') &&
      real.code === ours.code &&
      isDeepStrictEqual(withoutStatus(real), withoutStatus(ours)),
  },
  {
    why: "kube-apiserver defaults a Job's labels from its template when reading it, and stores them with the next write",
    holds: ({ subject }, real, ours) =>
      subject.kind === "Job" && alike(real, ours, /"resourceVersion":"(?:un)?changed"/gu),
  },
  {
    why: "the garbage collector of kube-controller-manager notices a new definition only after up to 30 seconds",
    holds: ({ subject, method }, real, ours) =>
      subject.custom === true &&
      method === "DELETE" &&
      isSuccess(real) &&
      (says(real, '"orphan"') || says(real, '"foregroundDeletion"')) &&
      // Here it has done its work: the object is deleted, or other finalizers alone keep it.
      (isDeleted(ours) ||
        alike(
          real,
          ours,
          /"finalizers":\["(?:orphan|foregroundDeletion)"\],|,"(?:orphan|foregroundDeletion)"(?=[,\]])|"(?:orphan|foregroundDeletion)",|"resourceVersion":"(?:un)?changed"/gu,
        )),
  },
];

const isRefusal = ({ code }: NormalForm): boolean => code >= 400 && code < 500;
const isSuccess = ({ code }: NormalForm): boolean => code >= 200 && code < 300;

/** Whether the object of a deletion does not exist any more. */
const isDeleted = ({ code, body }: NormalForm): boolean =>
  code === 404 || (code === 200 && isJsonObject(body) && body["kind"] === "Status" && body["status"] === "Success");

/** The object without its status, the status' managers and its resource version. */
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

/** Whether the forms are equal after removing what the pattern matches in their JSON. */
function alike(real: NormalForm, ours: NormalForm, apart: RegExp): boolean {
  const rest = (form: NormalForm): string => JSON.stringify(sortedKeys(form.body)).replaceAll(apart, "");
  return real.code === ours.code && isDeepStrictEqual(real.warnings, ours.warnings) && rest(real) === rest(ours);
}

/** The reason of a known difference; undefined for an unknown one. */
export function explanationOf(
  operation: Operation,
  real: NormalForm,
  ours: NormalForm,
  past: Past,
): string | undefined {
  return table.find(({ holds }) => holds(operation, real, ours, past))?.why;
}
