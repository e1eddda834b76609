import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import type { Surroundings } from "../surroundings.ts";
import { apiRolesController } from "./api-roles/api-roles-controller.ts";
import { catalogSourceController } from "./catalog-source/catalog-source-controller.ts";
import { copiedCsvController } from "./copied-csv/copied-csv-controller.ts";
import { csvController } from "./cluster-service-version/csv-controller.ts";
import { installPlanController } from "./install-plan/install-plan-controller.ts";
import { managedLabelController } from "./managed-label/managed-label-controller.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { NamespacePasses } from "./namespace/namespace-passes.ts";
import { olmConfigController } from "./olm-config/olm-config-controller.ts";
import { operatorConditionController } from "./operator-condition/operator-condition-controller.ts";
import { namespaceLabelController } from "./operator-group/namespace-label-controller.ts";
import {
  csvAdoptionController,
  operatorController,
  subscriptionAdoptionController,
} from "./operator/operator-controllers.ts";
import { operatorReportControllers } from "./operator-reports.ts";
import { operatorPermissionsController } from "./operator-permissions/operator-permissions-controller.ts";
import { operatorGroupController } from "./operator-group/operator-group-controller.ts";

/** The controller without its passes over namespaces that are not watched; keys of cluster-scoped objects remain. */
function limitedTo(watched: ReadonlySet<string> | undefined, controller: Controller): Controller {
  if (watched === undefined) return controller;
  return {
    ...controller,
    reconcile: async (key, context) =>
      key.namespace === undefined || watched.has(key.namespace) ? controller.reconcile(key, context) : {},
  };
}

/** The controllers of `operators.coreos.com`; the component of their events is OLM's, which tools filter by. */
export function v0Controllers(surroundings: Surroundings): readonly Controller[] {
  const { clusterOperators, clock, watchedNamespaces, globalNamespace } = surroundings;
  const passes = new NamespacePasses(clock);
  // Catalogs for all namespaces are read wherever operators are installed.
  const catalogs = watchedNamespaces === undefined ? undefined : new Set([...watchedNamespaces, globalNamespace]);
  return [
    limitedTo(catalogs, catalogSourceController(surroundings)),
    copiedCsvController(surroundings),
    ...[
      namespaceController(surroundings, passes),
      installPlanController(surroundings, passes),
      operatorGroupController(surroundings),
      namespaceLabelController(surroundings),
      managedLabelController(),
      operatorConditionController(),
      csvController(surroundings),
      apiRolesController(surroundings),
      operatorPermissionsController(surroundings),
      olmConfigController(surroundings),
      subscriptionAdoptionController(),
      csvAdoptionController(),
      operatorController(),
      ...(clusterOperators === undefined ? [] : operatorReportControllers(clusterOperators)),
    ].map((controller) => limitedTo(watchedNamespaces, controller)),
  ].map((controller) => ({ ...controller, eventComponent: "operator-lifecycle-manager" }));
}
