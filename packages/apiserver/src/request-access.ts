import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { RuleRequest } from "@purser/kubernetes/object/rbac";
import type { Call } from "./call.ts";
import { flag } from "./request/query.ts";
import type { RequestPath, ResourcePath } from "./request/request-path.ts";

/** Whether a GET is answered with changes instead of objects. */
export function isWatch(path: ResourcePath, call: Call): boolean {
  return path.watchPrefix || (path.name === undefined && flag(call.query, "watch") === true);
}

function verbOf(path: ResourcePath, method: ApiRequest["method"], call: Call): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return path.name === undefined ? "deletecollection" : "delete";
    case "GET":
    case "HEAD":
    case "OPTIONS":
      if (isWatch(path, call)) return "watch";
      return path.name === undefined ? "list" : "get";
  }
}

/** What must be allowed before anything else is looked at. */
export function accessOf(
  path: Exclude<RequestPath, { readonly kind: "malformed" | "undetermined" }>,
  { method }: ApiRequest,
  call: Call,
): { readonly request: RuleRequest; readonly namespace: string | undefined } {
  if (path.kind === "nonResource")
    return { request: { kind: "path", verb: method.toLowerCase(), path: path.path }, namespace: undefined };
  const named = path.name ?? /^metadata\.name==?([^,]+)$/.exec(call.query.get("fieldSelector") ?? "")?.[1];
  // A namespace is requested within itself, so that roles in it may speak about it.
  const namespace = path.namespace ?? (path.group === "" && path.plural === "namespaces" ? path.name : undefined);
  return {
    request: {
      kind: "resource",
      verb: verbOf(path, method, call),
      group: path.group,
      resource: path.plural,
      ...(path.subresource === undefined ? {} : { subresource: path.subresource }),
      ...(named === undefined ? {} : { name: named }),
    },
    namespace,
  };
}
