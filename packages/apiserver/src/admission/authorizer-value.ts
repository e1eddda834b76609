import type { AccessAsker, CelValue } from "@purser/kubernetes/cel/cel";
import { CelOpaque } from "@purser/kubernetes/cel/cel";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import { serviceAccountUser } from "../authorization/attributes.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import type { AdmissionRequest } from "./admission.ts";

/** The CEL variable `authorizer` of admission expressions: permission checks for the requesting user. */
export function authorizerValue(authorizer: RbacAuthorizer, request: AdmissionRequest): CelValue {
  return new CelOpaque({ kind: "authorizer", value: askerFor(authorizer, request, request.call.user) });
}

function askerFor(authorizer: RbacAuthorizer, request: AdmissionRequest, user: UserInfo): AccessAsker {
  const { kind, namespace, name, subresource } = request;
  return {
    request: {
      group: kind.type.group,
      resource: kind.type.plural,
      subresource,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    },
    forAccount: (accountNamespace, accountName) =>
      askerFor(authorizer, request, serviceAccountUser(accountNamespace, accountName)),
    decide: ({ path, group = "", resource = "", ...rest }, verb) =>
      authorizer.decide(
        path === undefined
          ? {
              user,
              request: {
                kind: "resource",
                verb,
                group,
                resource,
                subresource: rest.subresource ?? "",
                name: rest.name ?? "",
              },
              namespace: rest.namespace === "" ? undefined : rest.namespace,
            }
          : { user, request: { kind: "path", verb, path }, namespace: undefined },
      ),
  };
}
