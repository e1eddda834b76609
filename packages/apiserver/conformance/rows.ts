import type { Row } from "./row.ts";
import { accessDetailRows } from "./rows/access/access-details.ts";
import { aggregationRows } from "./rows/aggregation.ts";
import { applyRows } from "./rows/writes/apply.ts";
import { authenticationRows } from "./rows/access/authentication.ts";
import { authorizationRows } from "./rows/access/authorization.ts";
import { collectionRows } from "./rows/writes/collection.ts";
import { customApplyRows } from "./rows/custom-resources/apply-custom.ts";
import { workloadApplyRows } from "./rows/workloads/apply-workload.ts";
import { boundRows } from "./rows/bounds.ts";
import { clientRows } from "./rows/access/clients.ts";
import { cronJobRows } from "./rows/workloads/cron-jobs.ts";
import { daemonSetRows } from "./rows/workloads/daemon-sets.ts";
import { defaultRows } from "./rows/defaults.ts";
import { controllerRows } from "./rows/workloads/controllers.ts";
import { definitionDetailRows } from "./rows/custom-resources/definition-details.ts";
import { definitionOwnerRows } from "./rows/custom-resources/definition-owners.ts";
import { definitionRows } from "./rows/custom-resources/definitions.ts";
import { definitionObjectRows } from "./rows/custom-resources/definition-objects.ts";
import { definitionRuleRows } from "./rows/custom-resources/definition-rules.ts";
import { definitionVersionRows } from "./rows/custom-resources/definition-versions.ts";
import { deletionRows } from "./rows/writes/deletion.ts";
import { deploymentRows } from "./rows/workloads/deployments.ts";
import { discoveryRows } from "./rows/discovery.ts";
import { budgetRows } from "./rows/workloads/disruption-budgets.ts";
import { historyRows } from "./rows/history.ts";
import { bodyRows, negotiationRows, routingRows } from "./rows/http.ts";
import { jobRows } from "./rows/workloads/jobs.ts";
import { kindCreateRows } from "./rows/kind-creates.ts";
import { kindUpdateRows } from "./rows/kind-updates.ts";
import { kindRows } from "./rows/kinds.ts";
import { kubectlRows } from "./rows/kubectl.ts";
import { limitRows } from "./rows/admission/limits.ts";
import { listRows } from "./rows/lists.ts";
import { metadataRows } from "./rows/metadata.ts";
import { nameRows } from "./rows/names.ts";
import { patchRows } from "./rows/writes/patch.ts";
import { ruleCostRows } from "./rows/custom-resources/rule-costs.ts";
import { statefulSetRows } from "./rows/workloads/stateful-sets.ts";
import { strategicRows } from "./rows/writes/strategic.ts";
import { podRuleRows } from "./rows/pod-rules.ts";
import { podSecurityRows } from "./rows/admission/pod-security.ts";
import { policyDetailRows } from "./rows/admission/policy-details.ts";
import { policyRows } from "./rows/admission/policies.ts";
import { representationRows } from "./rows/representations.ts";
import { tableRows } from "./rows/tables.ts";
import { watchRows } from "./rows/watch.ts";
import { webhookDetailRows } from "./rows/admission/webhook-details.ts";
import { webhookRows } from "./rows/admission/webhooks.ts";
import { workloadRows } from "./rows/workloads/workloads.ts";
import { writeRows } from "./rows/writes/writes.ts";
import { writtenRows } from "./rows/writes/written.ts";

/** The conformance rows. A number with several vectors has one row for each. */
export const rows: readonly Row[] = [
  ...routingRows,
  ...negotiationRows,
  ...bodyRows,
  ...boundRows,
  ...discoveryRows,
  ...clientRows,
  ...kubectlRows,
  ...nameRows,
  ...metadataRows,
  ...kindRows,
  ...kindCreateRows,
  ...kindUpdateRows,
  ...podRuleRows,
  ...defaultRows,
  ...writeRows,
  ...listRows,
  ...historyRows,
  ...watchRows,
  ...patchRows,
  ...strategicRows,
  ...writtenRows,
  ...applyRows,
  ...workloadApplyRows,
  ...customApplyRows,
  ...deletionRows,
  ...collectionRows,
  ...definitionRows,
  ...definitionRuleRows,
  ...definitionDetailRows,
  ...definitionObjectRows,
  ...definitionOwnerRows,
  ...definitionVersionRows,
  ...ruleCostRows,
  ...authenticationRows,
  ...authorizationRows,
  ...accessDetailRows,
  ...webhookRows,
  ...webhookDetailRows,
  ...policyRows,
  ...policyDetailRows,
  ...podSecurityRows,
  ...limitRows,
  ...aggregationRows,
  ...workloadRows,
  ...deploymentRows,
  ...controllerRows,
  ...statefulSetRows,
  ...daemonSetRows,
  ...budgetRows,
  ...jobRows,
  ...cronJobRows,
  ...representationRows,
  ...tableRows,
];
