import type { Deployment } from "@purser/kubernetes/apis/apps";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type ApiFamily, everyFamily } from "../../apis/api-family.ts";
import { installedValues } from "../../deploy/installed-values.ts";
import { defaultValues } from "../../deploy/values.ts";
import { ownCrds } from "../own-manifests.ts";
import type { DoctorWorld } from "./plan/doctor-world.ts";

/** The API families that the installation in the cluster serves; both where there is none. */
export function servedFamilies(deployment: Deployment | undefined): readonly ApiFamily[] {
  const apis = deployment === undefined ? defaultValues.apis : installedValues(deployment).apis;
  return everyFamily.filter((family) => apis[family]);
}

/** The definitions of these families, each beside the one that this program comes with, of the same set. */
export async function observeDefinitions(
  client: KubeClient,
  families: readonly ApiFamily[],
): Promise<DoctorWorld["definitions"]> {
  const [wanted, standard] = [await ownCrds(families), await ownCrds(families, "standard")];
  return Promise.all(
    wanted.map(async (one, index) => {
      const live = await client.get(customResourceDefinitions, { name: one.metadata.name ?? "" });
      const isStandard = live?.metadata.annotations?.["olm.operatorframework.io/generator"] === "standard";
      return { wanted: (isStandard ? standard[index] : undefined) ?? one, ...(live === undefined ? {} : { live }) };
    }),
  );
}
