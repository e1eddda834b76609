import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { Result } from "@purser/kubernetes/result";
import { failed } from "@purser/kubernetes/result";
import type { AccessRequest } from "./attributes.ts";

/** The 403 Status for a request that no rule allows, with the message of kube-apiserver. */
export function accessDenied({ user, request, namespace }: AccessRequest, reason: string): Result<never, ApiStatus> {
  const why = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)}`;
  if (request.kind === "path")
    return failed(
      statusOf("Forbidden", `forbidden: ${who} cannot ${request.verb} path ${JSON.stringify(request.path)}${why}`, {}),
    );
  const { verb, group, resource, subresource = "", name = "" } = request;
  const full = group === "" ? resource : `${resource}.${group}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where =
    namespace === undefined || namespace === ""
      ? "at the cluster scope"
      : `in the namespace ${JSON.stringify(namespace)}`;
  const subject = name === "" ? full : `${full} ${JSON.stringify(name)}`;
  return failed(
    statusOf(
      "Forbidden",
      `${subject} is forbidden: ${who} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${why}`,
      { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
    ),
  );
}
