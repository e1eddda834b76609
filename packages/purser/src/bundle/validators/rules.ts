/** Why a rule exists and what to do about a finding. */
export interface RuleWords {
  readonly cause: string;
  readonly remedy: string;
}

/** Rules of bundle directories by id; ids are stable. */
const rules: Readonly<Record<string, RuleWords>> = {
  "bundle-manifests": {
    cause: "a bundle keeps its objects in manifests/",
    remedy: "put the CSV and CRDs into manifests/",
  },
  "bundle-metadata": { cause: "a bundle says in metadata/ where it belongs", remedy: "add metadata/annotations.yaml" },
  "bundle-media-type": { cause: "manifests/ holds no file", remedy: "put the CSV and CRDs into manifests/" },
  "bundle-annotations": {
    cause: "tools find package, channels and directories of a bundle by these annotations",
    remedy: "correct metadata/annotations.yaml; opm alpha bundle generate writes it",
  },
  "bundle-dependency": {
    cause: "a dependency that cannot be read keeps the operator from being resolved",
    remedy: "correct the entry in metadata/dependencies.yaml",
  },
  "manifest-file": {
    cause: "manifests/ is flat: directories in it are not read",
    remedy: "move the files up into manifests/",
  },
  "manifest-object": {
    cause: "every file of manifests/ must hold a Kubernetes object",
    remedy: "correct or remove the file",
  },
  "manifest-kind": {
    cause: "OLM installs certain kinds only from a bundle",
    remedy: "remove the object, or let the operator create it",
  },
  "object-metadata": { cause: "Kubernetes would refuse the object", remedy: "give it metadata with a name" },
  "csv-missing": { cause: "the ClusterServiceVersion is what OLM installs", remedy: "add one to manifests/" },
  "bundle-load": { cause: "the bundle cannot be read as a whole", remedy: "correct the file named" },
  "registry-bundle": { cause: "catalog tools read CSV and CRDs together", remedy: "make the CSV agree with the CRDs" },
  "crd-api-version": { cause: "CRDs are read in v1 and v1beta1", remedy: "write the CRD as apiextensions.k8s.io/v1" },
  "crd-type": { cause: "a field has a value of the wrong type", remedy: "correct the field" },
  "crd-field": { cause: "Kubernetes would refuse the CRD", remedy: "correct the field" },
  "csv-type": { cause: "a field has a value of the wrong type, or is missing", remedy: "correct the field" },
  "csv-name": {
    cause: "the name becomes an object's name and a label's value",
    remedy: "use <operator>.v<version> in lower case, at most 63 characters",
  },
  "csv-replaces": {
    cause: "it must be the name of a CSV",
    remedy: "name the CSV that this one follows, or remove the field",
  },
  "csv-examples": { cause: "consoles show examples of the operator's APIs", remedy: "add the annotation alm-examples" },
  "csv-examples-unreadable": {
    cause: "consoles cannot show the examples",
    remedy: "correct the JSON of the annotation",
  },
  "csv-example-api": { cause: "an example needs an API that the operator owns", remedy: "remove it, or own its API" },
  "csv-api-example": { cause: "people start from examples", remedy: "add an example of this API to alm-examples" },
  "csv-owned-crd-name": { cause: "a CRD's name is plural.group", remedy: "correct the name" },
  "csv-install-modes": {
    cause: "OLM chooses the watched namespaces by install modes",
    remedy: "support at least one; with conversion webhooks AllNamespaces only",
  },
  "csv-required-field": { cause: "OLM needs the field", remedy: "fill it in" },
  "csv-min-kube-version": {
    cause: "without it the operator counts as installable on every cluster",
    remedy: "set spec.minKubeVersion to a version such as 1.28.0",
  },
  "annotation-case": { cause: "OLM looks for the annotation in exact case", remedy: "rename the annotation" },
  "properties-annotation": {
    cause: "properties belong to the bundle, not the CSV",
    remedy: "move them to metadata/properties.yaml",
  },
  "bundle-duplicate-crd": { cause: "two manifests define one API", remedy: "keep one of them" },
  "bundle-missing-crd": { cause: "an owned API must come with the bundle", remedy: "add the CRD, or correct the CSV" },
  "bundle-extra-crd": {
    cause: "OLM installs only APIs that the CSV owns",
    remedy: "own it in the CSV, or remove the CRD",
  },
  "bundle-service-account": {
    cause: "OLM makes the service accounts of deployments itself",
    remedy: "remove the manifest, or rename the account",
  },
  "bundle-size": {
    cause: "OLM keeps an unpacked bundle in one ConfigMap",
    remedy: "shorten CRD descriptions or split the operator",
  },
  "bundle-release-name": {
    cause: "a release is part of the name",
    remedy: "name the CSV <package>-v<version>-<release>",
  },
  "bundle-related-image": { cause: "mirroring copies related images", remedy: "give a complete image reference" },
  "object-budget": {
    cause: "it would keep nodes from being drained",
    remedy: "allow at least one pod to be unavailable",
  },
  "object-priority": { cause: "it would change the priority of every other pod", remedy: "remove globalDefault" },
  "object-role-budgets": {
    cause: "such budgets can keep nodes from being drained",
    remedy: "drop the verbs if they are not needed",
  },
  "object-role-constraints": {
    cause: "the cluster's own pods depend on these",
    remedy: "use a constraint of your own",
  },
  "object-type": { cause: "a field has a value of the wrong type", remedy: "correct the field" },
  "removed-api": { cause: "newer clusters do not serve the API", remedy: "move to the API's successor" },
  "community-openshift": {
    cause: "OpenShift 4.9 lacks APIs that the bundle uses",
    remedy: "move to the APIs' successors, or set olm.maxOpenShiftVersion",
  },
  "hub-provider": { cause: "catalog pages show who provides an operator", remedy: "set spec.provider.name" },
  "hub-maintainer": { cause: "catalog pages show whom to write to", remedy: "give name and email of each maintainer" },
  "hub-link": { cause: "catalog pages show links", remedy: "give each link a name and a URL" },
  "hub-version": { cause: "the version orders upgrades", remedy: "set spec.version" },
  "hub-icon": {
    cause: "catalog pages show one icon",
    remedy: "give one icon as base64 of a gif, jpeg, png or svg+xml",
  },
  "hub-min-kube-version": {
    cause: "without it the operator counts as installable on every cluster",
    remedy: "set spec.minKubeVersion to a version such as 1.28.0",
  },
  "hub-capabilities": { cause: "catalog pages filter by capability level", remedy: "use one of the five levels" },
  "hub-categories": { cause: "catalog pages filter by category", remedy: "use standard categories" },
  "deprecated-validator": { cause: "the suite is split upstream", remedy: "use the suites that it names" },
  "practice-deployment": { cause: "nothing would run", remedy: "add a deployment to the install strategy" },
  "practice-requests": { cause: "quotas can refuse pods without requests", remedy: "request CPU and memory" },
  "practice-description": { cause: "people read what an API is for", remedy: "describe the CRD in the CSV" },
  "practice-channels": {
    cause: "people know what to expect of usual names",
    remedy: "begin with candidate, fast or stable",
  },
  "practice-crd-permissions": { cause: "CRDs are OLM's to manage", remedy: "declare dependencies instead" },
  "practice-csv-name": { cause: "people and tools read the version off the name", remedy: "use <operator>.v<version>" },
};

/** Cause and remedy of a rule; every rule of the validators has them. */
export function ruleWords(rule: string): RuleWords {
  const known = Object.hasOwn(rules, rule) ? rules[rule] : undefined;
  return known ?? { cause: "a rule of registry+v1 bundles is broken", remedy: "correct what the message names" };
}
