import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { callWebhook } from "../admission/webhooks/webhook-client.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";

const timeoutMs = 30_000;

/**
 * Converts custom resources with the conversion webhook of their definition. Name, uid and all metadata except labels
 * and annotations are kept from the original. Failures have code 500 without a reason, as in kube-apiserver.
 */
export async function convertByWebhook(
  machinery: Machinery,
  kind: ServedKind,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<Result<readonly KubeObject[], ApiStatus>> {
  const subject = `${objects[0]?.apiVersion ?? apiVersion}, Kind=${kind.type.kind}`;
  const refuse = (why: string): Result<never, ApiStatus> =>
    failed({ code: 500, reason: "", message: `conversion webhook for ${subject} ${why}` });
  const webhook = kind.custom?.definition.spec.conversion?.webhook;
  const clientConfig = webhook?.clientConfig;
  if (clientConfig === undefined) return refuse("failed: no client configuration");
  const uid = machinery.entropy.uuid();
  // The first supported version of the list; for v1beta1 the response's uid is not checked.
  const version = webhook?.conversionReviewVersions.find((known) => known === "v1" || known === "v1beta1") ?? "v1";
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: objects as unknown as JsonValue },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
  const called = await callWebhook(machinery, clientConfig, review, timeoutMs);
  if (!called.ok) return refuse(`failed: ${called.problem}`);
  const response = isJsonObject(called.value) ? member(called.value, "response") : undefined;
  if (!isJsonObject(response)) return refuse("failed: no response");
  if (version === "v1" && member(response, "uid") !== uid)
    return refuse(
      `failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(member(response, "uid") ?? "")}`,
    );
  const result = member(response, "result");
  if (isJsonObject(result) && member(result, "status") !== "Success")
    return refuse(`failed: ${textOr(member(result, "message"), "no message provided")}`);
  const converted = member(response, "convertedObjects");
  const list: readonly JsonValue[] = Array.isArray(converted) ? converted : [];
  if (list.length !== objects.length) return refuse(`returned ${list.length} objects, expected ${objects.length}`);
  const results: KubeObject[] = [];
  for (const [index, original] of objects.entries()) {
    const checked = check(original, list[index] ?? null, apiVersion, index);
    if (!checked.ok) return refuse(checked.problem);
    results.push(checked.value);
  }
  return done(results);
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function check(original: KubeObject, value: JsonValue, apiVersion: string, index: number): Result<KubeObject, string> {
  const object = asKubeObject(value);
  if (object === undefined) return failed(`returned invalid object at index ${index}: missing kind or apiVersion`);
  if (object.apiVersion !== apiVersion) {
    const { group, version } = parseApiVersion(object.apiVersion);
    return failed(
      `returned invalid object at index ${index}: invalid groupVersion (expected ${apiVersion}, received ${group === "" ? version : `${group}/${version}`})`,
    );
  }
  if (object.kind !== original.kind)
    return failed(
      `returned invalid object at index ${index}: invalid kind (expected ${original.kind}, received ${object.kind})`,
    );
  const { name = "", namespace = "", uid = "" } = original.metadata;
  const found = object.metadata;
  if ((found.name ?? "") !== name)
    return failed(`returned invalid object: must have the same name: ${name} != ${found.name ?? ""}`);
  if ((found.namespace ?? "") !== namespace)
    return failed(`returned invalid object: must have the same namespace: ${namespace} != ${found.namespace ?? ""}`);
  if ((found.uid ?? "") !== uid)
    return failed(`returned invalid object: must have the same UID: ${uid} != ${found.uid ?? ""}`);
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  return done({
    ...object,
    metadata: {
      ...kept,
      ...(found.labels === undefined ? {} : { labels: found.labels }),
      ...(found.annotations === undefined ? {} : { annotations: found.annotations }),
    },
  });
}
