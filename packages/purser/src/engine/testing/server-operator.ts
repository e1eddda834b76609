import type { ClusterServiceVersion, ClusterServiceVersionSpec } from "../../apis/v0/cluster-service-version.ts";

export const serverContainer = { name: "server", image: "server.example/image:1" } as const;

/** A CSV with one Deployment, `server`, whose simulated pods serve nothing. */
export function serverOperator(
  namespace: string,
  name: string,
  spec: Partial<ClusterServiceVersionSpec>,
): ClusterServiceVersion {
  const labels = { app: "server" };
  const template = { metadata: { labels }, spec: { containers: [serverContainer] } };
  const deployment = { name: "server", spec: { selector: { matchLabels: labels }, template } };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name },
    spec: {
      displayName: name,
      install: { strategy: "deployment", spec: { deployments: [deployment] } },
      installModes: [{ type: "OwnNamespace", supported: true }],
      ...spec,
    },
  } as ClusterServiceVersion;
}

/** The same with an admission webhook for a resource that does not exist, so that nothing calls it. */
export function webhookOperator(namespace: string, name: string): ClusterServiceVersion {
  return serverOperator(namespace, name, {
    webhookdefinitions: [
      {
        type: "ValidatingAdmissionWebhook",
        generateName: "check.example.org",
        deploymentName: "server",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [{ apiGroups: ["example.org"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
      },
    ],
  });
}
