import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { ApiRefusedError, isRefused } from "@purser/kubernetes/kube/refusal";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { extensionOwnerOf } from "../../rollout/plan/crd-of-extension.ts";
import { observedAddress } from "./observe-webhooks.ts";
import type { ObservedConversion } from "./plan/doctor-world.ts";

/** The definitions with a conversion webhook, with what a request that needs it answers. */
export async function observeConversions(
  client: KubeClient,
  csvs: readonly ClusterServiceVersion[],
  signal: AbortSignal,
): Promise<readonly ObservedConversion[]> {
  const converted = (await client.list(customResourceDefinitions)).filter(
    ({ spec, metadata }) => spec.conversion?.strategy === "Webhook" && metadata.deletionTimestamp === undefined,
  );
  return Promise.all(
    converted.map(async (crd) => {
      const failure = await conversionFailure(client, crd, signal);
      const installation = installationOf(crd, csvs);
      return {
        object: `CustomResourceDefinition ${crd.metadata.name}`,
        ...(await observedAddress(client, crd.spec.conversion?.webhook?.clientConfig ?? {})),
        ...(installation === undefined ? {} : { installation }),
        ...(failure === undefined ? {} : { failure }),
      };
    }),
  );
}

/** Lists one object in each served version: those that are stored in another one have to be converted. */
async function conversionFailure(
  client: KubeClient,
  { spec }: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { kind, plural } = spec.names;
  for (const { name: version, served } of spec.versions) {
    if (!served) continue;
    const type = { group: spec.group, version, kind, plural, namespaced: spec.scope === "Namespaced" };
    try {
      await client.page(type, {}, { limit: 1 }, signal);
    } catch (error) {
      if (!(error instanceof ApiRefusedError)) throw error;
      // Without the right to list, or while it is not served yet, nothing is known.
      if (!isRefused(error, "forbidden") && !isRefused(error, "notFound")) return error.message;
    }
  }
  return undefined;
}

function installationOf(crd: CustomResourceDefinition, csvs: readonly ClusterServiceVersion[]): string | undefined {
  const extension = extensionOwnerOf(crd);
  if (extension?.kind === "ClusterExtension") return `ext/${extension.name}`;
  const owner = csvs.find(({ spec }) =>
    (spec.customresourcedefinitions?.owned ?? []).some(({ name }) => name === crd.metadata.name),
  );
  return owner === undefined ? undefined : `csv/${owner.metadata.namespace}/${owner.metadata.name}`;
}
