import { namespaces } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { operatorGroups } from "../apis/olm-resources.ts";
import type { OperatorGroup } from "../apis/v0/operator-group.ts";

interface DefaultGroup {
  readonly namespace: string;
  readonly name: string;
  readonly spec: NonNullable<OperatorGroup["spec"]>;
}

/** The namespace for operators that work in all namespaces. */
const operatorsNamespace = "operators";

/** As the namespaces of OLM's manifests; others are created without a level. */
const podSecurity = {
  "pod-security.kubernetes.io/enforce": "baseline",
  "pod-security.kubernetes.io/enforce-version": "latest",
  "pod-security.kubernetes.io/audit": "restricted",
  "pod-security.kubernetes.io/audit-version": "latest",
  "pod-security.kubernetes.io/warn": "restricted",
  "pod-security.kubernetes.io/warn-version": "latest",
};

/**
 * Creates the OperatorGroups of OLM's manifests: `global-operators` in `operators`, for all namespaces, and `olm-operators` in
 * the global namespace, for itself. A namespace that has a group keeps it; nothing is created where the kind is not served.
 */
export async function ensureDefaultGroups(
  client: KubeClient,
  globalNamespace: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await client.get(namespaces, { name: operatorsNamespace })) === undefined) {
    const metadata = { name: operatorsNamespace, labels: podSecurity };
    const object = { apiVersion: "v1", kind: "Namespace", metadata };
    const created = await client.write({ verb: "create", type: namespaces, object }, signal);
    if (!created.ok && created.problem.kind !== "alreadyExists") written(created);
  }
  const groups: readonly DefaultGroup[] = [
    { namespace: operatorsNamespace, name: "global-operators", spec: {} },
    { namespace: globalNamespace, name: "olm-operators", spec: { targetNamespaces: [globalNamespace] } },
  ];
  for (const group of groups) await ensureGroup(client, group, signal);
}

async function ensureGroup(
  client: KubeClient,
  { namespace, name, spec }: DefaultGroup,
  signal: AbortSignal,
): Promise<void> {
  if ((await client.list(operatorGroups, { namespace })).length > 0) return;
  const object: OperatorGroup = {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace, name },
    spec,
  };
  const created = await client.write({ verb: "create", type: operatorGroups, object }, signal);
  if (!created.ok && created.problem.kind !== "alreadyExists" && created.problem.kind !== "notFound") written(created);
}
