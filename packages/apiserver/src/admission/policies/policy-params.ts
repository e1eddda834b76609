import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { oneToServed } from "../../resource/versions.ts";

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** The type of a policy's parameters; undefined when it is not served. */
export function paramTypeOf(machinery: Machinery, { apiVersion, kind }: ParamKind): ServedKind | undefined {
  return machinery.registry().ofKind({ ...parseApiVersion(apiVersion), kind });
}

/**
 * The parameter objects to evaluate the policy with: `[null]` without paramKind, an empty list when none is found and
 * parameterNotFoundAction is Allow. The problem is the text after `failed to configure binding: `.
 */
export async function paramsOf(
  machinery: Machinery,
  requestNamespace: string | undefined,
  paramKind: ParamKind | undefined,
  paramRef: ParamRef | undefined,
): Promise<Result<readonly JsonValue[], string>> {
  if (paramKind === undefined || paramRef === undefined) return done([null]);
  const kind = paramTypeOf(machinery, paramKind);
  if (kind === undefined) return done([]);
  const { namespace: named = "", name = "", selector: wanted } = paramRef;
  const namespace = named === "" ? (requestNamespace ?? "") : named;
  if (kind.type.namespaced && namespace === "")
    return failed("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  if (!kind.type.namespaced && named !== "")
    return failed("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  let found: readonly KubeObject[];
  if (name !== "") {
    const one = machinery.storage.get(kind.table, kind.type.namespaced ? `${namespace}/${name}` : name);
    found = one === undefined ? [] : [one];
  } else {
    const selector = selectorOf(wanted ?? {});
    if (!selector.ok) return failed(selector.problem.message);
    const listed = machinery.storage.list(kind.table, kind.type.namespaced ? { namespace } : {});
    found = (listed.ok ? listed.value : []).filter(({ metadata }) => matchesSelector(selector.value, metadata.labels));
  }
  if (found.length === 0 && paramRef.parameterNotFoundAction === "Deny")
    return failed("no params found for policy binding with `Deny` parameterNotFoundAction");
  const shown: JsonValue[] = [];
  for (const object of found) {
    const served = await oneToServed(machinery, kind, object);
    if (!served.ok) return failed(served.problem.message);
    shown.push(asJson(served.value));
  }
  return done(shown);
}
