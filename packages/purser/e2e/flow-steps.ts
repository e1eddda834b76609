// What flows apply and wait for.
import assert from "node:assert/strict";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../src/apis/olm-resources.ts";
import type { Driver } from "./driver.ts";
import { eventually } from "./eventually.ts";

export const namespace = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;

export const operatorGroup = (where: string): string =>
  `---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: group, namespace: ${where}}\nspec: {}\n`;

export const subscription = (where: string, name: string, spec: Readonly<Record<string, string>>): string =>
  `---\n${JSON.stringify({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name, namespace: where },
    spec: { name, source: "community", sourceNamespace: "olm", ...spec },
  })}\n`;

export const extension = (name: string, where: string, catalog: Readonly<Record<string, unknown>>): string =>
  `---\n${JSON.stringify({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name },
    spec: { namespace: where, source: { sourceType: "Catalog", catalog: { packageName: name, ...catalog } } },
  })}\n`;

export async function csvSucceeded(driver: Driver, where: string, name: string): Promise<void> {
  await eventually(`CSV ${where}/${name} succeeds`, async () => {
    const csv = await driver.get(clusterServiceVersions, { namespace: where, name });
    return csv?.status?.phase === "Succeeded"
      ? undefined
      : `it is ${csv === undefined ? "absent" : `${csv.status?.phase}: ${csv.status?.message}`}`;
  });
}

export async function csvGone(driver: Driver, where: string, name: string): Promise<void> {
  await eventually(`CSV ${where}/${name} is gone`, async () =>
    (await driver.get(clusterServiceVersions, { namespace: where, name })) === undefined
      ? undefined
      : "it is still there",
  );
}

/** The plan that the Subscription waits for, once it is for `csv`. */
export async function waitingPlan(driver: Driver, where: string, name: string, csv: string): Promise<string> {
  let found = "";
  await eventually(`a plan for ${csv} waits for approval`, async () => {
    const reference = (await driver.get(subscriptions, { namespace: where, name }))?.status?.installPlanRef?.name;
    const plan =
      reference === undefined ? undefined : await driver.get(installPlans, { namespace: where, name: reference });
    if (plan?.status?.phase !== "RequiresApproval" || !plan.spec.clusterServiceVersionNames.includes(csv))
      return `the plan is ${JSON.stringify(plan?.spec)} ${plan?.status?.phase}`;
    assert.equal(plan.spec.approved, false);
    found = plan.metadata.name ?? "";
    return undefined;
  });
  return found;
}

export async function extensionAt(driver: Driver, name: string, version: string): Promise<void> {
  await eventually(`extension ${name} is at ${version}`, async () => {
    const found = await driver.get(clusterExtensions, { name });
    const progressing = findCondition(found?.status?.conditions, "Progressing");
    const at = found?.status?.install?.bundle.version;
    if (
      at === version &&
      progressing?.reason === "Succeeded" &&
      findCondition(found?.status?.conditions, "Installed")?.status === "True"
    )
      return undefined;
    return `it is at ${at}: ${progressing?.reason} ${progressing?.message}`;
  });
}

export async function extensionSays(driver: Driver, name: string, words: RegExp): Promise<void> {
  await eventually(`extension ${name} says ${words}`, async () => {
    const progressing = findCondition(
      (await driver.get(clusterExtensions, { name }))?.status?.conditions,
      "Progressing",
    );
    return words.test(progressing?.message ?? "")
      ? undefined
      : `it says ${progressing?.reason} ${progressing?.message}`;
  });
}

export async function removeSubscription(driver: Driver, where: string): Promise<void> {
  for (const { metadata } of await driver.list(subscriptions, where))
    await driver.remove(subscriptions, { namespace: where, name: metadata.name ?? "" });
  for (const { metadata } of await driver.list(clusterServiceVersions, where))
    await driver.remove(clusterServiceVersions, { namespace: where, name: metadata.name ?? "" });
  await eventually(`namespace ${where} has no CSV`, async () =>
    (await driver.list(clusterServiceVersions, where)).length === 0 ? undefined : "some are left",
  );
}
