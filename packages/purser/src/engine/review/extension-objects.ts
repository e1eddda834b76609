import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { RegistryBundle } from "../../bundle/registry-bundle.ts";
import { renderExtension } from "../../bundle/render/render-v1.ts";
import { desiredRevision } from "../../rollout/plan/revision.ts";

export interface ExtensionOptions {
  readonly name: string;
  readonly namespace: string;
  /** `spec.config.inline`. */
  readonly config?: JsonValue;
}

/** The objects of the revision that OLM v1 makes of a bundle, without certificates; the problem is OLM's text. */
export function extensionObjects(
  bundle: RegistryBundle,
  version: string,
  { name, namespace, config }: ExtensionOptions,
): Result<readonly JsonObject[], string> {
  const rendered = renderExtension(bundle, {
    installNamespace: namespace,
    certificateProvider: "own",
    ...(config === undefined ? {} : { config }),
  });
  if (!rendered.ok) return failed(rendered.problem.map(({ message }) => message).join("\n"));
  const revision = desiredRevision({
    extension: { name, uid: "" },
    bundle: { name: "", packageName: bundle.packageName, version, image: "" },
    objects: rendered.value.objects,
  });
  if (!revision.ok) return revision;
  return done(
    revision.value.phases.flatMap(({ objects }) =>
      objects.flatMap(({ object }): readonly JsonObject[] => (object === undefined ? [] : [object])),
    ),
  );
}
