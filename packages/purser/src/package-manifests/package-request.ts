import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { parseFieldSelector, parseLabelSelector, type Selector } from "@purser/kubernetes/apis/selector";
import { statusOf } from "@purser/kubernetes/apis/status";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { packagesGroup, packagesVersion } from "../apis/v0/package-manifest.ts";

export const plural = "packagemanifests";
/** Where the API is served. */
export const apiRoot = `/apis/${packagesGroup}/${packagesVersion}`;

/** How the objects of an answer are written. */
export type AnswerForm =
  | { readonly kind: "objects" }
  /** `PartialObjectMetadata`. */
  | { readonly kind: "metadata" }
  /** What `kubectl get` prints, and how much of each object comes with its row. */
  | { readonly kind: "table"; readonly include: "None" | "Metadata" | "Object" };

/** A read of PackageManifests. */
export type PackageRequest =
  | {
      readonly kind: "list";
      /** Absent: all namespaces. */
      readonly namespace?: string;
      readonly labels: Selector;
      /** Only the packages of this name. */
      readonly name?: string;
      readonly form: AnswerForm;
    }
  | { readonly kind: "get"; readonly namespace: string; readonly name: string; readonly form: AnswerForm }
  | { readonly kind: "icon"; readonly namespace: string; readonly name: string };

/** What a request under {@link apiRoot} names, before its query is read: authorization needs nothing else. */
export interface PackageResource {
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The resource of a path; undefined for any other path. `verb` is Kubernetes' word for the method. */
export function resourceOf(method: string, path: string, query: URLSearchParams): PackageResource | undefined {
  if (!path.startsWith(`${apiRoot}/`)) return undefined;
  const parts = path.slice(apiRoot.length + 1).split("/");
  if (parts[0] === plural && parts.length === 1) return { verb: verbOf(method, false, query) };
  const [root, namespace = "", resource, name, subresource, ...rest] = parts;
  if (root !== "namespaces" || namespace === "" || resource !== plural || rest.length > 0) return undefined;
  if (name === undefined) return { verb: verbOf(method, false, query), namespace };
  if (name === "" || (subresource !== undefined && subresource !== "icon")) return undefined;
  const verb = verbOf(method, true, query);
  return { verb, namespace, name, ...(subresource === undefined ? {} : { subresource }) };
}

function verbOf(method: string, isNamed: boolean, query: URLSearchParams): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (["1", "true"].includes(query.get("watch") ?? "")) return "watch";
      return isNamed ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    default:
      return isNamed ? "delete" : "deletecollection";
  }
}

/** A method that no path serves. */
export const methodNotAllowed = statusOf(
  "MethodNotAllowed",
  "the server does not allow this method on the requested resource",
  {},
);

/** Reads the query and the `Accept` header. The problem is the answer's Status. */
export function packageRequest(
  { verb, namespace, name, subresource }: PackageResource,
  query: URLSearchParams,
  accept: string,
): Result<PackageRequest, ApiStatus> {
  if (verb === "watch")
    return failed(
      statusOf("MethodNotAllowed", `watch is not supported on resources of kind "${plural}.${packagesGroup}"`, {
        group: packagesGroup,
        kind: plural,
      }),
    );
  if (verb !== "get" && verb !== "list") return failed(methodNotAllowed);
  if (subresource !== undefined) return done({ kind: "icon", namespace: namespace ?? "", name: name ?? "" });
  const form = answerForm(accept, query);
  if (form === undefined)
    return failed(statusOf("NotAcceptable", "406: Not Acceptable\n\nAvailable representations: application/json", {}));
  if (name !== undefined) return done({ kind: "get", namespace: namespace ?? "", name, form });
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  if (!labels.ok) return failed(statusOf("BadRequest", labels.problem.message));
  const only = onlyName(query.get("fieldSelector") ?? "");
  if (!only.ok) return only;
  return done({
    kind: "list",
    ...(namespace === undefined ? {} : { namespace }),
    labels: labels.value,
    ...(only.value === undefined ? {} : { name: only.value }),
    form,
  });
}

/** The name that a field selector asks for; as upstream, whatever stands beside an exact name has no effect. */
function onlyName(text: string): Result<string | undefined, ApiStatus> {
  const selector = parseFieldSelector(text);
  if (!selector.ok) return failed(statusOf("BadRequest", selector.problem.message));
  if (selector.value.length === 0) return done(undefined);
  const unknown = selector.value.find(({ field }) => field !== "metadata.name" && field !== "metadata.namespace");
  if (unknown !== undefined)
    return failed(
      statusOf(
        "BadRequest",
        `${goQuote(unknown.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
      ),
    );
  const exact = selector.value.find(({ field, equal }) => field === "metadata.name" && equal);
  if (exact !== undefined) return done(exact.value);
  // Go sorts the terms; "metadata.name" comes before "metadata.namespace".
  const [first = ""] = selector.value.map(({ field }) => field).toSorted();
  return failed({ code: 500, reason: "", message: `field label not supported: ${first}` });
}

/** The first form of the header that is served; undefined when there is none. */
function answerForm(accept: string, query: URLSearchParams): AnswerForm | undefined {
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    if (!["", "application/json", "application/*", "*/*"].includes(type)) continue;
    const as = parameters.find((parameter) => parameter.startsWith("as="))?.slice(3);
    if (as === undefined) return { kind: "objects" };
    if (as === "table") return { kind: "table", include: includedObject(query) };
    if (as === "partialobjectmetadata" || as === "partialobjectmetadatalist") return { kind: "metadata" };
  }
  return undefined;
}

function includedObject(query: URLSearchParams): "None" | "Metadata" | "Object" {
  const given = query.get("includeObject");
  return given === "None" || given === "Object" ? given : "Metadata";
}
