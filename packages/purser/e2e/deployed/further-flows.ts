import {
  deployments,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiFamily } from "../../src/apis/api-family.ts";
import {
  catalogSources,
  clusterServiceVersions,
  clusterUpdatePolicies,
  olmConfigs,
  updatePolicies,
} from "../../src/apis/olm-resources.ts";
import type { Driver } from "../driver.ts";
import { eventually } from "../eventually.ts";
import { csvSucceeded, namespace, operatorGroup, subscription } from "../flow-steps.ts";
import { type Flow, silentOperator } from "../flows.ts";

const yaml = (object: object): string => `---\n${JSON.stringify(object)}\n`;

/** With a token of the named account, which Purser asks for. */
const tenant: Flow = {
  name: "v0: a package is installed as the ServiceAccount that its OperatorGroup names",
  namespaces: ["tenant-a"],
  crds: ["sleepinfos.kube-green.com"],
  async run(driver) {
    const where = "tenant-a";
    const subject = { kind: "ServiceAccount", name: "installer", namespace: where };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding" };
    await driver.apply(
      namespace(where) +
        yaml({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "installer", namespace: where } }) +
        yaml({
          ...binding,
          metadata: { name: "tenant-a-installer", labels: { "olm.owner.namespace": where } },
          roleRef,
          subjects: [subject],
        }) +
        yaml({
          apiVersion: "operators.coreos.com/v1",
          kind: "OperatorGroup",
          metadata: { name: "group", namespace: where },
          spec: { serviceAccountName: "installer" },
        }) +
        subscription(where, "kube-green", { channel: "alpha", startingCSV: "kube-green.v0.7.1" }),
    );
    await csvSucceeded(driver, where, "kube-green.v0.7.1");
  },
};

const webhook = {
  type: "ValidatingAdmissionWebhook",
  generateName: "validate.repaired.example",
  deploymentName: "server",
  containerPort: 443,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Ignore",
  rules: [{ apiGroups: ["repaired.example"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
  webhookPath: "/validate",
};

/** Webhooks, Deployments, copies and InstallPlans as somebody else left them. */
const repairs: Flow = {
  name: "v0: webhooks, Deployments and copies follow their ClusterServiceVersion",
  namespaces: ["repairs", "repairs-copies"],
  async run(driver) {
    const where = "repairs";
    const key = { namespace: where, name: "repaired.v1" };
    await driver.apply(
      namespace(where) +
        yaml({ apiVersion: "v1", kind: "Namespace", metadata: { name: "repairs-copies" } }) +
        operatorGroup(where) +
        silentOperator(where, key.name, {
          webhookdefinitions: [
            webhook,
            { ...webhook, type: "MutatingAdmissionWebhook", generateName: "mutate.repaired.example" },
          ],
        }) +
        yaml({
          apiVersion: "operators.coreos.com/v1alpha1",
          kind: "CatalogSource",
          metadata: {
            name: "templated",
            namespace: where,
            annotations: { "olm.catalogImageTemplate": "localhost:1/none:v{kube_major_version}" },
          },
          spec: { sourceType: "grpc", image: "localhost:1/none:old" },
        }),
    );
    await csvSucceeded(driver, where, key.name);
    for (const type of [validatingWebhookConfigurations, mutatingWebhookConfigurations]) {
      const configuration = async (): Promise<string> => {
        const all = await driver.list<KubeObject>(type);
        return JSON.stringify(all.find(({ metadata }) => metadata.labels?.["olm.owner"] === key.name) ?? {});
      };
      const { metadata } = JSON.parse(await configuration()) as { readonly metadata: { readonly name: string } };
      await driver.merge(type, { name: metadata.name }, { webhooks: [] });
      await eventually("the webhook is back", async () => {
        const text = await configuration();
        return text.includes('"webhooks":[{') ? undefined : text;
      });
    }
    await followCopies(driver, key);
    const live = await driver.get(clusterServiceVersions, key);
    const text = JSON.stringify(asJson(live ?? ({} as never))["spec"])
      .replaceAll('"name":"server"', '"name":"renamed"')
      .replaceAll('"deploymentName":"server"', '"deploymentName":"renamed"');
    await driver.merge(clusterServiceVersions, key, { spec: JSON.parse(text) as never });
    await eventually("the former Deployment is deleted", async () => {
      const names = (await driver.list(deployments, where)).map(({ metadata }) => metadata.name);
      return names.join() === "renamed" ? undefined : names.join();
    });
    await eventually("the template of the image is filled in", async () => {
      const image = (await driver.get(catalogSources, { namespace: where, name: "templated" }))?.spec.image;
      return image?.includes("none:v1") === true ? undefined : String(image);
    });
  },
};

/** Copies in all namespaces, asked for, changed with their original, and switched off again. */
async function followCopies(driver: Driver, key: { readonly namespace: string; readonly name: string }): Promise<void> {
  const copy = { namespace: "repairs-copies", name: key.name };
  const settings = { name: "cluster" };
  const switched = (off: boolean): Promise<void> =>
    driver.merge(olmConfigs, settings, { spec: { features: { disableCopiedCSVs: off } } });
  const described = async (): Promise<string | undefined> =>
    (await driver.get(clusterServiceVersions, copy))?.spec.displayName;
  await switched(false);
  await eventually("the copy is made", async () => ((await described()) === undefined ? "there is none" : undefined));
  await driver.merge(clusterServiceVersions, key, { spec: { displayName: "changed" } });
  await eventually("the copy follows", async () => ((await described()) === "changed" ? undefined : "it does not"));
  await switched(true);
  await eventually("the copy is deleted", async () => ((await described()) === undefined ? undefined : "it is there"));
}

/** An update policy of each kind shows whether it decides. */
const policies = (family: ApiFamily): Flow => ({
  name: `${family}: update policies show for how many installations they decide`,
  namespaces: [`policies-${family}`],
  catalogs: "none",
  async run(driver) {
    const where = `policies-${family}`;
    const policy = { apiVersion: "purser.dev/v1alpha1", spec: { level: "patch" } };
    const names = [
      [updatePolicies, { name: "freeze", namespace: where }],
      [clusterUpdatePolicies, { name: `freeze-${family}` }],
    ] as const;
    await driver.apply(
      namespace(where) + names.map(([{ kind }, metadata]) => yaml({ ...policy, kind, metadata })).join(""),
    );
    for (const [type, key] of names)
      await eventually(`${type.kind} has a status`, async () => {
        const { status } = (await driver.get(type, key)) ?? {};
        return status?.installations === 0 ? undefined : JSON.stringify(status);
      });
    await driver.remove(clusterUpdatePolicies, { name: `freeze-${family}` });
  },
});

export const furtherFlows: readonly Flow[] = [tenant, repairs, policies("v0"), policies("v1")];
