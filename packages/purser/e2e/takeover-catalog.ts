import type { ConfigMap } from "@purser/kubernetes/apis/core";

const group = "takeover.example.com";

/** An operator with two Deployments, a CRD, permissions of both scopes and a webhook, which needs a certificate. */
function csv(packageName: string, version: number, minKubeVersion = "1.20.0"): object {
  const name = `${packageName}.v${version}`;
  const image = `example.com/${packageName}:${version}`;
  const labels = (of: string) => ({ app: `${packageName}-${of}` });
  const deployment = (of: string) => ({
    name: `${packageName}-${of}`,
    label: { part: of },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels(of) },
      template: {
        metadata: { labels: labels(of), annotations: { note: "kept" } },
        spec: {
          serviceAccountName: packageName,
          containers: [{ name: of, image, ports: [{ containerPort: 8443 }] }],
        },
      },
    },
  });
  const permission = (rules: readonly object[]) => [{ serviceAccountName: packageName, rules }];
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name, namespace: "placeholder", annotations: { capabilities: "Basic Install" } },
    spec: {
      displayName: packageName,
      version: `${version}.0.0`,
      ...(version > 1 ? { replaces: `${packageName}.v${version - 1}` } : {}),
      minKubeVersion,
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: true,
      })),
      customresourcedefinitions: {
        owned: [
          { name: `${packageName}s.${group}`, version: "v1", kind: kindOf(packageName), displayName: packageName },
        ],
      },
      install: {
        strategy: "deployment",
        spec: {
          permissions: permission([{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create"] }]),
          clusterPermissions: permission([
            { apiGroups: [group], resources: [`${packageName}s`], verbs: ["*"] },
            { nonResourceURLs: ["/metrics"], verbs: ["get"] },
          ]),
          deployments: [deployment("server"), deployment("worker")],
        },
      },
      webhookdefinitions: [
        {
          type: "ValidatingAdmissionWebhook",
          generateName: `v${packageName}.${group}`,
          deploymentName: `${packageName}-server`,
          containerPort: 443,
          targetPort: 8443,
          failurePolicy: "Ignore",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          webhookPath: "/validate",
          rules: [{ apiGroups: [group], apiVersions: ["v1"], operations: ["CREATE"], resources: [`${packageName}s`] }],
        },
      ],
    },
  };
}

const kindOf = (packageName: string): string => packageName.slice(0, 1).toUpperCase() + packageName.slice(1);

function crd(packageName: string): object {
  const plural = `${packageName}s`;
  const kind = kindOf(packageName);
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: packageName },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/**
 * A ConfigMap that both managers read as a catalog.
 * @param versions of each package: the last of them is the head of its channel `stable`
 * @param minKubeVersions by name of ClusterServiceVersion, where not every cluster satisfies it
 */
export function takeoverCatalog(
  namespace: string,
  versions: Readonly<Record<string, number>>,
  minKubeVersions: Readonly<Record<string, string>> = {},
): ConfigMap {
  const packages = Object.entries(versions);
  const list = (items: readonly unknown[]): string => JSON.stringify(items);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name: "catalog" },
    data: {
      packages: list(
        packages.map(([packageName, last]) => ({
          packageName,
          defaultChannel: "stable",
          channels: [{ name: "stable", currentCSV: `${packageName}.v${last}` }],
        })),
      ),
      clusterServiceVersions: list(
        packages.flatMap(([packageName, last]) =>
          Array.from({ length: last }, (_, before) =>
            csv(packageName, before + 1, minKubeVersions[`${packageName}.v${before + 1}`]),
          ),
        ),
      ),
      customResourceDefinitions: list(packages.map(([packageName]) => crd(packageName))),
    },
  };
}
