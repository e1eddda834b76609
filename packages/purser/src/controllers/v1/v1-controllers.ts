import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { SecretContents } from "../../rollout/memory/secret-contents.ts";
import type { Surroundings } from "../surroundings.ts";
import { clusterCatalogController } from "./cluster-catalog/cluster-catalog-controller.ts";
import { clusterExtensionController } from "./cluster-extension/cluster-extension-controller.ts";
import { extensionReportControllers } from "./extension-report.ts";
import { clusterObjectSetController } from "./cluster-object-set/cluster-object-set-controller.ts";

/** The controllers of `olm.operatorframework.io`. */
export function v1Controllers(surroundings: Surroundings): readonly Controller[] {
  const { clock, clusterOperators } = surroundings;
  // What one puts into Secrets the other rolls out.
  const secretContents = new SecretContents(clock);
  return [
    clusterCatalogController(surroundings),
    clusterExtensionController(surroundings, secretContents),
    clusterObjectSetController(surroundings, secretContents),
    ...(clusterOperators === undefined ? [] : extensionReportControllers(clusterOperators)),
  ];
}
