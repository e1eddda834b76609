import type { OptionSpec } from "./command.ts";

/** Flags of every command, with kubectl's names where the meaning is the same. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: "-n, --namespace NAMESPACE", summary: "namespace to work in" },
  { flags: "-A, --all-namespaces", summary: "every namespace" },
  { flags: "--kubeconfig FILE", summary: "kubeconfig to use; else KUBECONFIG, else the local cluster's while it runs" },
  { flags: "--context NAME", summary: "context of the kubeconfig" },
  { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "wide", "json", "yaml", "name"] },
  { flags: "-y, --yes", summary: "ask no questions" },
  { flags: "--timeout DURATION", summary: "how long to wait, such as 30s or 10m (default 10m)" },
  { flags: "--no-wait", summary: "return when the change is written, not when it is healthy" },
  { flags: "--no-headers", summary: "tables without headings" },
  { flags: "--color MODE", summary: "colours", choices: ["auto", "always", "never"] },
  { flags: "--ascii", summary: "no symbols beyond ASCII" },
  { flags: "--explain", summary: "on failure print the whole derivation" },
  { flags: "-q, --quiet", summary: "results only" },
  { flags: "-v, --verbose", summary: "show requests; on a crash the stack" },
  { flags: "-h, --help", summary: "this help" },
];

const clusterFlags: ReadonlySet<string> = new Set([
  "--namespace",
  "--all-namespaces",
  "--kubeconfig",
  "--context",
  "--timeout",
  "--no-wait",
  "--no-headers",
  "--yes",
]);

/** The global flags without those that concern a cluster. */
export const globalOptionsOnFiles: readonly OptionSpec[] = globalOptions.filter(
  ({ flags }) => !flags.split(/[ ,]+/).some((part) => clusterFlags.has(part)),
);

export const helpTopics: readonly { readonly name: string; readonly text: string }[] = [
  {
    name: "exit-codes",
    text: [
      "0    done",
      "1    failed; the cause is printed",
      "2    wrong usage: flag, argument or ambiguous name",
      "3    with --exit-code: there are changes",
      "4    waiting for a person or a time",
      "5    not allowed",
      "6    not found",
      "7    stale or conflicting",
      "8    timeout; work goes on in the cluster",
      "9    cluster unreachable or not signed in",
      "10   findings",
      "130  interrupted",
      "143  terminated",
    ].join("\n"),
  },
  {
    name: "names",
    text: [
      "package       etcd, etcd@0.9.4, etcd@'>=0.9 <1'",
      "installation  etcd            by name or package, when it is unique",
      "              data/etcd       Subscription etcd in namespace data",
      "              sub/data/etcd   the same, spelled out",
      "              ext/etcd        ClusterExtension etcd",
      "              csv/data/etcd.v0.9.0",
    ].join("\n"),
  },
  {
    name: "environment",
    text: [
      "KUBECONFIG         kubeconfig files, as kubectl reads them",
      "PURSER_DATA_DIR    where purser up keeps the local cluster (default: the XDG data folder)",
      "PURSER_CACHE_DIR   where catalog indexes are kept (default: the XDG cache folder)",
      "PURSER_COMPAT      the same as --compat",
      "PURSER_FEATURE_GATES  the same as --feature-gates",
      "NO_COLOR           colours off; CLICOLOR_FORCE=1 turns them on without a terminal",
    ].join("\n"),
  },
  {
    name: "feature-gates",
    text: [
      "of OLM v1, with the defaults here",
      "APIV1MetasHandler=true                  /metas of the catalog API",
      "BoxcutterRuntime=true                   roll-outs as ClusterObjectSets; cannot be off",
      "BundleReleaseSupport=false              the release in a bundle's olm.package property counts",
      "DeploymentConfig=true                   deploymentConfig in spec.config.inline",
      "GraphQLCatalogQueries=false             /graphql of the catalog API",
      "SingleOwnNamespaceInstallSupport=true   bundles for one namespace, and watchNamespace in spec.config.inline",
      "WebhookProviderCertManager=true         cert-manager may issue the certificates of webhooks",
      "WebhookProviderOpenshiftServiceCA=true  on OpenShift its service CA issues them",
    ].join("\n"),
  },
];
