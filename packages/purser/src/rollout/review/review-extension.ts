import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import type { Digest } from "@purser/kubernetes/digest";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { failed, done, type Result } from "@purser/kubernetes/result";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { bundleNameAnnotation, bundleVersionAnnotation } from "../../apis/v1/labels.ts";
import type { RegistryBundle } from "../../bundle/registry-bundle.ts";
import type { ChangePlan, ReviewedBundle } from "../../review/change-plan/change-plan.ts";
import { resolvePhases } from "../resolve-phases.ts";
import { SecretContents } from "../memory/secret-contents.ts";
import { extensionObjects } from "./extension-objects.ts";
import { liveObjects } from "./live-objects.ts";
import { reviewChanges } from "./review-changes.ts";

/** An extension and the bundle that it is about to get. */
export interface ExtensionReview {
  readonly extension: ClusterExtension;
  /** The newest revision that ever succeeded. */
  readonly installed: ClusterObjectSet | undefined;
  readonly to: {
    readonly name: string;
    /** Of the bundle's files. */
    readonly digest: Digest;
    readonly bundle: RegistryBundle;
    readonly deprecations?: readonly string[];
  };
}

/**
 * What an extension's next revision changes, compared with the live objects. Who approves the plan and who carries it out both make
 * it here, so that equal digests mean equal changes; the problem is why the objects of one of the versions are not known.
 */
export async function reviewExtension(
  { extension, installed, to }: ExtensionReview,
  client: KubeClient,
): Promise<Result<ChangePlan, string>> {
  const { name = "" } = extension.metadata;
  const { namespace = "", config } = extension.spec ?? {};
  const inline = config?.inline;
  const options = { name, namespace, ...(inline === undefined ? {} : { config: inline }) };
  const version = csvVersion(to.bundle);
  const rendered = extensionObjects(to.bundle, version, options);
  if (!rendered.ok) return failed(rendered.problem.text);
  const before = installed === undefined ? done(undefined) : await installedVersion(installed, client);
  if (!before.ok) return before;
  const after: ReviewedBundle = {
    name: to.name,
    version,
    digest: to.digest,
    csv: to.bundle.csv,
    objects: rendered.value,
    granted: rendered.value,
    stays: () => false,
    deprecations: to.deprecations ?? [],
  };
  const from = before.value;
  const onCluster = await liveObjects(client, [...(from?.objects ?? []), ...after.objects]);
  return done(
    reviewChanges({
      installation: `ext/${name}`,
      options: { api: "v1", ...options } as JsonObject,
      ...(from === undefined ? {} : { from }),
      path: [after],
      ...onCluster,
      dependencies: [],
    }),
  );
}

function csvVersion({ csv }: RegistryBundle): string {
  const spec = member(csv, "spec");
  const version = isJsonObject(spec) ? member(spec, "version") : undefined;
  return typeof version === "string" ? version : "";
}

/** The version that a revision holds. It has no ClusterServiceVersion. */
export async function installedVersion(
  revision: ClusterObjectSet,
  client: KubeClient,
): Promise<Result<ReviewedBundle, string>> {
  const phases = await resolvePhases(revision, client, new SecretContents());
  if (!phases.ok) return failed(phases.problem.message);
  const objects = phases.value.flatMap(({ members }) => members.map(({ object }) => object));
  const { annotations = {} } = revision.metadata;
  return done({
    name: annotations[bundleNameAnnotation] ?? "",
    version: annotations[bundleVersionAnnotation] ?? "",
    csv: {},
    objects,
    granted: objects,
    // What is not in the next revision is deleted with this one, CRDs too.
    stays: () => false,
    deprecations: [],
  });
}
