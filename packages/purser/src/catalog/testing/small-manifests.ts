/**
 * The data of a ConfigMap in the package manifest format: `versions` of one package in one channel, each replacing the one
 * before, with the CRD `things` that all of them own.
 */
export function smallManifests(name: string, versions: readonly string[]): Readonly<Record<string, string>> {
  const group = `${name}.example.com`;
  const csvs = versions.map((version, index) => {
    const before = versions[index - 1];
    return `
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata:
    name: ${name}.v${version}
  spec:
    displayName: ${name}
    version: ${version}
${before === undefined ? "" : `    replaces: ${name}.v${before}\n`}    installModes:
    - {type: OwnNamespace, supported: true}
    - {type: SingleNamespace, supported: true}
    - {type: MultiNamespace, supported: false}
    - {type: AllNamespaces, supported: true}
    install: {strategy: deployment, spec: {deployments: []}}
    customresourcedefinitions:
      owned:
      - {name: things.${group}, version: v1, kind: Thing}
`;
  });
  return {
    packages: `
- packageName: ${name}
  defaultChannel: stable
  channels:
  - {name: stable, currentCSV: ${name}.v${versions.at(-1)}}
`,
    clusterServiceVersions: csvs.join(""),
    customResourceDefinitions: `
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    name: things.${group}
  spec:
    group: ${group}
    scope: Namespaced
    names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
    versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`,
  };
}
