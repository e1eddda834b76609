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
  /** Whether kube-apiserver answered as described, and ours as it must then: any other answer of ours is a difference. */
  readonly holds: (operation: Operation, real: NormalForm, ours: NormalForm, past: Past) => boolean;
}

/** All known differences that remain, with their reasons. */
const table: readonly Explained[] = [
  {
    why: "kube-apiserver closes the connection on a strategic merge patch whose merge key is not a scalar",
    holds: ({ contentType }, real, ours) =>
      real.code === 0 &&
      contentType === "application/strategic-merge-patch+json" &&
      (isRefusal(ours, 400, "BadRequest") || (isRefusal(ours, 422, "Invalid") && hasCause(ours, "patch"))),
  },
  {
    why: "kube-apiserver closes the connection on selectable fields of a schema that is not structural",
    holds: ({ subject, body }, real, ours) =>
      real.code === 0 &&
      isRefusal(ours, 422, "Invalid") &&
      hasCause(ours, "spec.validation.openAPIV3Schema", "spec.versions[", "spec.selectableFields[") &&
      subject.kind === "CustomResourceDefinition" &&
      body.includes('"selectableFields":'),
  },
  {
    why: "kube-apiserver closes the connection on a Service that becomes headless and requests two IP families at once",
    holds: ({ subject, body }, real, ours) =>
      real.code === 0 &&
      isRefusal(ours, 422, "Invalid") &&
      hasCause(ours, "spec.clusterIP", "spec.ipFamil") &&
      subject.kind === "Service" &&
      body.includes('"clusterIP":"None"') &&
      body.includes('"ipFamilyPolicy":"RequireDualStack"'),
  },
  {
    why: "an invalid list of versions is quoted as an internal struct, in which an empty map differs from an absent one",
    holds: (_operation, real, ours) =>
      says(real, "OpenAPIV3Schema") && differIn(real, ours, /(?<=\\"Properties\\*":)(?:null|\{\})/gu),
  },
  {
    why: "error texts of YAML parsers differ",
    holds: ({ contentType }, real, ours) =>
      real.code === 400 &&
      contentType === "application/apply-patch+yaml" &&
      differIn(
        real,
        ours,
        /(?<=error converting YAML to JSON: yaml: )(?:[^"\\]|\\.)+/gu,
        /(?<=error converting YAML to JSON: yaml: )(?:line \d+: )?(?!line )[a-z][\w']* (?:[^"\\]|\\.)+/gu,
      ),
  },
  {
    why: "error texts of CEL parsers differ",
    holds: (_operation, real, ours) =>
      differIn(real, ours, /(?<=Syntax error: )[^\n]*?(?=\\+n \|)/gu, /(?<=Syntax error: )\w[^\n]*?(?=\\+n \|)/gu),
  },
  {
    why: "kube-apiserver stores an empty list or map that an apply sets in the metadata of a custom resource, invisibly, and drops it with the next write",
    holds: (operation, real, ours, { emptied }) => (emptied || emptiesMetadata(operation)) && isUnchanged(real, ours),
  },
  {
    why: "a list key that is not a scalar is printed as Go prints maps",
    holds: (_operation, real, ours) =>
      says(real, "failed to create typed patch object") &&
      differIn(real, ours, /(?<=\[\w+=)[^\]]*\]/gu, /(?<=\[\w+=)[^\]]+\]/gu),
  },
  {
    why: "controllers restore the protection finalizers of a claim or a volume asynchronously, which delays deletion and owns finalizers",
    // Ours is deleted at once where only such a finalizer would keep it, and its finalizers belong to who wrote them.
    holds: ({ subject }, real, ours) =>
      subject.kind.startsWith("PersistentVolume") &&
      [/"deletionTimestamp":"TIME",?|"deletionGracePeriodSeconds":0,?/gu, /(?!)/gu].some((delayed) =>
        isSame(real, ours, (form) =>
          form === real
            ? textOf(form)
                .replaceAll(delayed, "")
                .replaceAll(
                  /,\\*"kubernetes\.io\/pvc?-protection\\*"|\\*"finalizers\\*":\[\\*"kubernetes\.io\/pvc?-protection\\*"\],/gu,
                  "",
                )
            : textOf(form).replaceAll(/(?<="f:finalizers":\{)"\.":\{\},?/gu, ""),
        ),
      ),
  },
  {
    why: "a controller wrote between reading and sending the resource version, which is a conflict in kube-apiserver",
    holds: ({ subject, body, path, method }, real, ours) =>
      subject.controlled === true &&
      body.includes('"{{rv}}"') &&
      real.code === 409 &&
      says(real, "the object has been modified; please apply your changes") &&
      isSuccess(ours) &&
      (isObject(ours, path.endsWith("/scale") ? "Scale" : subject.kind) || (method === "DELETE" && isDeleted(ours))),
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
    holds: ({ subject }, real, ours) => subject.kind === "Job" && isUnchanged(real, ours),
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
        isSame(real, ours, (form) =>
          (form === real ? textOf(form).replaceAll(collecting, "") : textOf(form)).replaceAll(revision, ""),
        )),
  },
];

const collecting =
  /"finalizers":\["(?:orphan|foregroundDeletion)"\],|,"(?:orphan|foregroundDeletion)"(?=[,\]])|"(?:orphan|foregroundDeletion)",/gu;
const revision = /"resourceVersion":"(?:un)?changed"/gu;

const isSuccess = ({ code }: NormalForm): boolean => code >= 200 && code < 300;

const isRefusal = ({ code, body }: NormalForm, expected: number, reason: string): boolean =>
  code === expected && isJsonObject(body) && body["status"] === "Failure" && body["reason"] === reason;

/** Whether a cause of the refusal is about one of these fields, which are given by how they begin. */
function hasCause({ body }: NormalForm, ...fields: readonly string[]): boolean {
  const details = isJsonObject(body) ? body["details"] : undefined;
  const causes = isJsonObject(details) ? details["causes"] : undefined;
  // In the normal form a cause is the JSON of field, reason and message.
  return (
    Array.isArray(causes) &&
    causes.some((cause) => fields.some((field) => typeof cause === "string" && cause.startsWith(`["${field}`)))
  );
}

const isObject = ({ body }: NormalForm, kind: string): boolean => isJsonObject(body) && body["kind"] === kind;

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

const textOf = ({ body }: NormalForm): string => JSON.stringify(sortedKeys(body));

/** Whether code and warnings are equal, and the bodies as these texts. */
function isSame(real: NormalForm, ours: NormalForm, text: (form: NormalForm) => string): boolean {
  return real.code === ours.code && isDeepStrictEqual(real.warnings, ours.warnings) && text(real) === text(ours);
}

/** Whether both have a text at the same places, which each words in its way, and are equal otherwise. */
function differIn(real: NormalForm, ours: NormalForm, theirs: RegExp, own = theirs): boolean {
  return (
    textOf(real).search(theirs) >= 0 &&
    isSame(real, ours, (form) => textOf(form).replaceAll(form === real ? theirs : own, "…"))
  );
}

/** Whether kube-apiserver wrote the object and ours found nothing to write, and all else is equal. */
function isUnchanged(real: NormalForm, ours: NormalForm): boolean {
  const written = '"resourceVersion":"changed"';
  return (
    says(real, written) &&
    isSame(real, ours, (form) =>
      form === real ? textOf(form).replaceAll(written, '"resourceVersion":"unchanged"') : textOf(form),
    )
  );
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
