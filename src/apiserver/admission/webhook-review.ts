import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import { apiVersionOf } from "../../apis/resource-type.ts";
import type { JsonObject } from "../../json.ts";
import { userJson } from "../authorization/user-json.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { RuleMatch } from "./webhook-match.ts";

export interface Objects {
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}

function inVersion(object: KubeObject | undefined, match: RuleMatch): JsonObject | null {
  if (object === undefined) return null;
  const apiVersion = apiVersionOf(match.type);
  return object.apiVersion === apiVersion ? asJson(object) : { ...asJson(object), apiVersion };
}

/** The `request` of an AdmissionReview; policies see it as `request` too. */
export function reviewRequest(
  uid: string,
  match: RuleMatch,
  request: AdmissionRequest,
  { object, old }: Objects,
): JsonObject {
  const { kind, call, operation, namespace, name, subresource, dryRun, options } = request;
  const kindOf = ({ type }: RuleMatch): JsonObject => ({ group: type.group, version: type.version, kind: type.kind });
  const resourceOf = ({ type }: RuleMatch): JsonObject => ({
    group: type.group,
    version: type.version,
    resource: type.plural,
  });
  return {
    uid,
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
    object: inVersion(object, match),
    oldObject: inVersion(old, match),
    dryRun,
    options,
  };
}
