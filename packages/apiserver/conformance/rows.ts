import type { Row } from "./row.ts";
import { accessDetailRows } from "./rows/access-details.ts";
import { aggregationRows } from "./rows/aggregation.ts";
import { applyRows } from "./rows/apply.ts";
import { authenticationRows } from "./rows/authentication.ts";
import { authorizationRows } from "./rows/authorization.ts";
import { collectionRows } from "./rows/collection.ts";
import { customApplyRows } from "./rows/apply-custom.ts";
import { workloadApplyRows } from "./rows/apply-workload.ts";
import { boundRows } from "./rows/bounds.ts";
import { clientRows } from "./rows/clients.ts";
import { cronJobRows } from "./rows/cron-jobs.ts";
import { daemonSetRows } from "./rows/daemon-sets.ts";
import { defaultRows } from "./rows/defaults.ts";
import { controllerRows } from "./rows/controllers.ts";
import { definitionDetailRows } from "./rows/definition-details.ts";
import { definitionOwnerRows } from "./rows/definition-owners.ts";
import { definitionRows } from "./rows/definitions.ts";
import { definitionObjectRows } from "./rows/definition-objects.ts";
import { definitionRuleRows } from "./rows/definition-rules.ts";
import { definitionVersionRows } from "./rows/definition-versions.ts";
import { deletionRows } from "./rows/deletion.ts";
import { deploymentRows } from "./rows/deployments.ts";
import { discoveryRows } from "./rows/discovery.ts";
import { budgetRows } from "./rows/disruption-budgets.ts";
import { historyRows } from "./rows/history.ts";
import { bodyRows, negotiationRows, routingRows } from "./rows/http.ts";
import { jobRows } from "./rows/jobs.ts";
import { kindCreateRows } from "./rows/kind-creates.ts";
import { kindUpdateRows } from "./rows/kind-updates.ts";
import { kindRows } from "./rows/kinds.ts";
import { kubectlRows } from "./rows/kubectl.ts";
import { limitRows } from "./rows/limits.ts";
import { listRows } from "./rows/lists.ts";
import { metadataRows } from "./rows/metadata.ts";
import { nameRows } from "./rows/names.ts";
import { patchRows } from "./rows/patch.ts";
import { ruleCostRows } from "./rows/rule-costs.ts";
import { statefulSetRows } from "./rows/stateful-sets.ts";
import { strategicRows } from "./rows/strategic.ts";
import { podRuleRows } from "./rows/pod-rules.ts";
import { podSecurityRows } from "./rows/pod-security.ts";
import { policyDetailRows } from "./rows/policy-details.ts";
import { policyRows } from "./rows/policies.ts";
import { representationRows } from "./rows/representations.ts";
import { tableRows } from "./rows/tables.ts";
import { watchRows } from "./rows/watch.ts";
import { webhookDetailRows } from "./rows/webhook-details.ts";
import { webhookRows } from "./rows/webhooks.ts";
import { workloadRows } from "./rows/workloads.ts";
import { writeRows } from "./rows/writes.ts";
import { writtenRows } from "./rows/written.ts";

/** The conformance list. A row that covers a range stands here once for each vector. */
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
