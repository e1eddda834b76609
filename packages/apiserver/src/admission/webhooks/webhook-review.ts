import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { userJson } from "../../authorization/user-json.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import type { AdmissionRequest } from "../admission.ts";

export interface Objects {
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}

/**
 * The `request` of an AdmissionReview without its objects, as CEL expressions see it. `match` is the kind in the
 * version of the matching rule.
 */
export function describedRequest(match: ServedKind, request: AdmissionRequest): JsonObject {
  const { kind, body, call, operation, namespace, name, subresource, dryRun, options } = request;
  const kindOf = ({ type }: ServedKind): JsonObject => {
    const { group, version, kind: name }: GroupVersionKind = body ?? type;
    return { group, version, kind: name };
  };
  const resourceOf = ({ type }: ServedKind): JsonObject => ({
    group: type.group,
    version: type.version,
    resource: type.plural,
  });
  return {
    kind: kindOf(match),
    resource: resourceOf(match),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindOf(kind),
    requestResource: resourceOf(kind),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === undefined
      ? kind.table === "namespaces" && name !== ""
        ? { namespace: name }
        : {}
      : { namespace }),
    operation,
    userInfo: userJson(call.user),
    dryRun,
    options,
  };
}

/** The `request` of an AdmissionReview, with its members in declaration order. */
export function reviewRequest(
  uid: string,
  match: ServedKind,
  request: AdmissionRequest,
  { object, old }: Objects,
): JsonObject {
  const { dryRun, options, ...described } = describedRequest(match, request);
  return {
    uid,
    ...described,
    object: object === undefined ? null : asJson(object),
    oldObject: old === undefined ? null : asJson(old),
    dryRun: dryRun ?? false,
    options: options ?? null,
  };
}
