import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { managedByLabel, managedByValue } from "../../apis/v1/labels.ts";
import type { ConfigFault } from "../../bundle/config-schema.ts";
import type { RegistryBundle } from "../../bundle/registry-bundle.ts";
import { renderExtension } from "../../bundle/render/render-v1.ts";
import { desiredRevision } from "../plan/revision.ts";

export interface ExtensionOptions {
  readonly name: string;
  readonly namespace: string;
  /** `spec.config.inline`. */
  readonly config?: JsonValue;
}

/** Why a bundle makes no objects, in OLM's words, and the fields of its configuration that do not fit. */
export interface ExtensionProblem {
  readonly text: string;
  readonly faults: readonly ConfigFault[];
}

/** The objects of the revision that OLM v1 makes of a bundle, without certificates. */
export function extensionObjects(
  bundle: RegistryBundle,
  version: string,
  { name, namespace, config }: ExtensionOptions,
): Result<readonly JsonObject[], ExtensionProblem> {
  const rendered = renderExtension(bundle, {
    installNamespace: namespace,
    certificateProvider: "own",
    ...(config === undefined ? {} : { config }),
  });
  if (!rendered.ok)
    return failed({
      text: rendered.problem.map(({ message }) => message).join("\n"),
      faults: rendered.problem.flatMap(({ faults = [] }) => faults),
    });
  const revision = desiredRevision({
    extension: { name, uid: "" },
    bundle: { name: "", packageName: bundle.packageName, version, image: "" },
    objects: rendered.value.objects,
  });
  if (!revision.ok) return failed({ text: revision.problem, faults: [] });
  const objects = revision.value.phases.flatMap((phase) => phase.objects);
  return done(objects.flatMap(({ object }) => (object === undefined ? [] : [asStored(object)])));
}

/**
 * With the label that every object of a revision gets, whatever the bundle gives it. OLM v1 writes webhook configurations with
 * a namespace, which the API server drops: they are cluster-scoped.
 */
function asStored(object: JsonObject): JsonObject {
  const { kind, metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const labels = isJsonObject(metadata["labels"]) ? metadata["labels"] : {};
  const marked = { ...metadata, labels: { ...labels, [managedByLabel]: managedByValue } };
  if (kind !== "ValidatingWebhookConfiguration" && kind !== "MutatingWebhookConfiguration")
    return { ...object, metadata: marked };
  const { namespace: _namespace, ...kept } = marked as JsonObject;
  return { ...object, metadata: kept };
}
