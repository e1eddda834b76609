import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { olmConfigs, operatorGroups } from "../apis/olm-resources.ts";
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
 * Creates OLMConfig `cluster` without settings and the OperatorGroups of OLM's manifests: `global-operators` in `operators`, for all namespaces, and `olm-operators` in
 * the global namespace, for itself. A namespace that has a group keeps it; nothing is created where the kinds are not served.
 */
export async function ensureDefaultObjects(
  client: KubeClient,
  globalNamespace: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await client.get(namespaces, { name: operatorsNamespace })) === undefined) {
    const metadata = { name: operatorsNamespace, labels: podSecurity };
    const object = { apiVersion: "v1", kind: "Namespace", metadata };
    await create(client, namespaces, object, signal);
  }
  const groups: readonly DefaultGroup[] = [
    { namespace: operatorsNamespace, name: "global-operators", spec: {} },
    { namespace: globalNamespace, name: "olm-operators", spec: { targetNamespaces: [globalNamespace] } },
  ];
  for (const group of groups) await ensureGroup(client, group, signal);
  const config = { apiVersion: "operators.coreos.com/v1", kind: "OLMConfig", metadata: { name: "cluster" } };
  if ((await client.get(olmConfigs, { name: "cluster" })) === undefined)
    await create(client, olmConfigs, config, signal);
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
  await create(client, operatorGroups, object, signal);
}

async function create(client: KubeClient, type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<void> {
  const created = await client.write({ verb: "create", type, object }, signal);
  if (!created.ok && created.problem.kind !== "alreadyExists" && created.problem.kind !== "notFound") written(created);
}
