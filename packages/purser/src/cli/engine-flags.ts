import type { ApiFamily } from "../apis/api-family.ts";
import { parseQuantity } from "@purser/kubernetes/object/quantity";
import type { CertificateProvider } from "../bundle/render/certificate-need.ts";
import type { Compat } from "../compat.ts";
import { namespaceProblem, parseCatalogArgument } from "../engine/catalog-argument.ts";
import { catalogLocation } from "../engine/catalog-location.ts";
import type { PullingOptions } from "../engine/image-access.ts";
import type { RegisteredArgument } from "../engine/catalog-objects.ts";
import type { CrdSet } from "../apis/crd-set.ts";
import type { ClusterOperatorNames, ClusterOperators } from "../controllers/openshift/cluster-operator-controller.ts";
import type { CatalogServing } from "../engine/serving/catalog-serving.ts";
import type { FeatureGates } from "../feature-gates.ts";
import type { ServingSecret } from "../endpoints/serving-secret/serving-secret.ts";
import type { DoorServing } from "../engine/doors.ts";
import {
  globalNamespace as defaultGlobalNamespace,
  systemNamespace as defaultSystemNamespace,
} from "../apis/own-namespaces.ts";
import type { PackageServing } from "../engine/serving/package-api.ts";
import type { TraceOptions } from "../engine/tracing/trace-settings.ts";
import { type DependencyMode, dependencyModes } from "../resolver/v1/dependency-modes.ts";
import type { Invocation, OptionSpec } from "./command.ts";
import { listOption, textOption, UsageError } from "./command.ts";
import { parseDuration } from "./output/duration.ts";
import { ownVersion } from "./own-version.ts";
import {
  catalogServing,
  doorServing,
  namespacedOption,
  packageServing,
  servingSecret,
  traces,
} from "./settings/serving-flags.ts";
import {
  bundleDirectories,
  bundlesOption,
  compatOf,
  compatOption,
  crdSetOf,
  crdSetOption,
  existing,
  familiesOf,
  familiesOption,
  gatesOf,
  gatesOption,
} from "./settings/shared-flags.ts";

/** Flags of the commands that run the controllers. */
export const engineOptions: readonly OptionSpec[] = [
  {
    flags: "--catalog [NAMESPACE/]NAME=PATH",
    summary:
      "register a file-based catalog: a directory, a file, an image, oci:DIR, oci-archive:FILE, docker-archive:FILE",
    repeatable: true,
  },
  familiesOption,
  crdSetOption,
  {
    flags: "--global-namespace NAMESPACE",
    summary: "namespace whose CatalogSources serve every namespace (default olm; on OpenShift openshift-marketplace)",
  },
  {
    flags: "--system-namespace NAMESPACE",
    summary: "namespace of the Secrets of ClusterObjectSets and of the Helm releases of OLM v1 (default olmv1-system)",
  },
  {
    flags: "--watched-namespaces LIST",
    summary: "reconcile objects of OLM v0 in these namespaces only, separated by commas (default: all)",
  },
  {
    flags: "--protected-copied-csv-namespaces LIST",
    summary: "namespaces that keep copies of ClusterServiceVersions while copies for all namespaces are off",
  },
  {
    flags: "--install-plan-retry-timeout DURATION",
    summary: "how long to retry the steps of an InstallPlan after an error, such as 30s or 5m (default 1m)",
  },
  bundlesOption,
  {
    flags: "--global-pull-secret NAMESPACE/NAME",
    summary: "a Secret with registry credentials that every pull may use",
  },
  {
    flags: "--dependencies MODE",
    summary:
      "what to do when the cluster lacks a dependency of a ClusterExtension's bundle: verify (default) refuses, propose lists what to install, install creates ClusterExtensions",
    choices: ["verify", "propose", "install"],
  },
  {
    flags: "--pull-cas-dir DIR",
    summary: "directory of PEM files: further certificate authorities of registries; changes count at once",
  },
  {
    flags: "--image-store-size SIZE",
    summary: "how much the unpacked images in the cache directory may take together, such as 5Gi (default 20Gi)",
  },
  {
    flags: "--catalog-address HOST:PORT",
    summary: "where ClusterCatalogs are served over HTTP (default 127.0.0.1:7444, else a free port; none: nowhere)",
  },
  {
    flags: "--catalog-origin URL",
    summary: "what ClusterCatalogs show as the start of their URL, where the address is reached under another name",
  },
  {
    flags: "--catalog-tls-cert FILE",
    summary: "certificate of the catalog address, to serve it over https",
  },
  { flags: "--catalog-tls-key FILE", summary: "key of that certificate; both files are read again when they change" },
  {
    flags: "--tls-profile PROFILE",
    summary:
      "TLS profile of the catalog and metrics addresses: intermediate (default; TLS 1.2 or newer), modern (TLS 1.3), old, or custom",
  },
  {
    flags: "--tls-custom-ciphers LIST",
    summary: "with --tls-profile custom: cipher suites of TLS 1.2, in Go's names, separated by commas",
  },
  { flags: "--tls-custom-curves LIST", summary: "with --tls-profile custom: curves, e.g. X25519,prime256v1" },
  {
    flags: "--tls-custom-version VERSION",
    summary: "with --tls-profile custom: lowest version, TLSv1.0 to TLSv1.3 (default TLSv1.2)",
  },
  gatesOption,
  {
    flags: "--package-api",
    summary: "serve PackageManifests, for kubectl get packagemanifests (default in purser up)",
  },
  { flags: "--no-package-api", summary: "do not serve PackageManifests" },
  {
    flags: "--package-api-address HOST:PORT",
    summary:
      "address of PackageManifests, at which the cluster's API server reaches this process (default 127.0.0.1:7445, else a free port)",
  },
  {
    flags: "--package-api-service NAMESPACE/NAME[:PORT]",
    summary:
      "Service of the package API of all replicas (port 443 by default); without it only the leader serves the package API",
  },
  {
    flags: "--serving-secret NAMESPACE/NAME",
    summary: "Secret of the serving certificate (tls.crt, tls.key, ca.crt) of all replicas",
  },
  {
    flags: "--serving-secret-issuer WHO",
    summary: "own (default): Purser creates the Secret and renews its certificate; others: Purser only reads it",
    choices: ["own", "others"],
  },
  {
    flags: "--installation-role NAME",
    summary: "a ClusterRole: the APIService and the Secret that Purser creates are deleted with it",
  },
  {
    flags: "--catalog-tls",
    summary: "serve catalogs over https with the certificate of --serving-secret",
  },
  {
    flags: "--metrics-address HOST:PORT",
    summary: "address of /metrics, /healthz, /readyz and /debug; :PORT for all interfaces (default: none)",
  },
  {
    flags: "--tls-cert FILE",
    summary: "certificate of the metrics address; with it the cluster decides who may get /metrics",
  },
  { flags: "--tls-key FILE", summary: "key of that certificate; both files are read again when they change" },
  {
    flags: "--client-ca FILE",
    summary: "authorities of the client certificates that may open the debug pages over TLS",
  },
  {
    flags: "--otlp-endpoint URL",
    summary:
      "send OpenTelemetry spans to URL/v1/traces (OTLP over HTTP); also switched on by OTEL_EXPORTER_OTLP_ENDPOINT and its neighbours",
  },
  { flags: "--debug-pages", summary: "serve the debug pages without TLS" },
  {
    flags: "--webhook-certificates PROVIDER",
    summary:
      "who issues the webhook certificates of v1 extensions (default auto: cert-manager where a real cluster serves it, else own)",
    choices: ["auto", "own", "cert-manager", "service-ca", "none"],
  },
  {
    flags: "--write-status-name NAME",
    summary: "on OpenShift: ClusterOperator for operators of OLM v0, e.g. operator-lifecycle-manager",
  },
  { flags: "--write-catalog-status-name NAME", summary: "on OpenShift: ClusterOperator for catalogs of OLM v0" },
  {
    flags: "--write-package-server-status-name NAME",
    summary: "on OpenShift: ClusterOperator for the CSV labelled olm.clusteroperator.name=NAME",
  },
  {
    flags: "--write-extension-status-name NAME",
    summary: "on OpenShift: ClusterOperator for extensions of OLM v1 (default olm; none: write none)",
  },
  compatOption,
];

export interface EngineFlags {
  readonly families: readonly ApiFamily[];
  readonly catalogs: readonly RegisteredArgument[];
  /** The value of `--global-namespace`. */
  readonly globalNamespace: string;
  readonly watchedNamespaces?: ReadonlySet<string>;
  readonly protectedNamespaces?: ReadonlySet<string>;
  readonly installPlanRetryMs?: number;
  readonly bundleDirectories: readonly string[];
  readonly compat: Compat;
  readonly gates: FeatureGates;
  readonly crdSet: CrdSet;
  /** Namespace of the Secrets of v1 revisions. */
  readonly systemNamespace: string;
  readonly webhookCertificates: CertificateProvider | "auto";
  readonly dependencies: DependencyMode;
  readonly pulling: PullingOptions;
  readonly catalogServing?: CatalogServing;
  readonly packageServing?: PackageServing | "none";
  readonly servingSecret?: ServingSecret;
  readonly installationRole?: string;
  readonly doors?: DoorServing;
  readonly clusterOperators: ClusterOperators;
  readonly traces: TraceOptions;
}

/**
 * Parses the flags of {@link engineOptions}.
 * @param servesPackages whether PackageManifests are served when no flag says so
 * @throws UsageError for invalid values
 */
export function engineFlags(invocation: Invocation, servesPackages: boolean): EngineFlags {
  const families = familiesOf(invocation);
  const serving = families.includes("v1") ? catalogServing(invocation) : undefined;
  const packages = packageServing(invocation, servesPackages, families);
  const doors = doorServing(invocation);
  const secret = servingSecret(invocation);
  const installationRole = textOption(invocation, "installation-role");
  const globalNamespace = textOption(invocation, "global-namespace") ?? defaultGlobalNamespace;
  const problem = namespaceProblem(globalNamespace);
  if (problem !== undefined) throw new UsageError(`--global-namespace ${problem}`);
  return {
    families,
    crdSet: crdSetOf(invocation),
    globalNamespace,
    ...namespaceLists(invocation),
    ...retryTimeout(invocation),
    ...(packages === undefined ? {} : { packageServing: packages }),
    ...(serving === undefined ? {} : { catalogServing: serving }),
    ...(secret === undefined ? {} : { servingSecret: secret }),
    ...(installationRole === undefined ? {} : { installationRole }),
    ...(doors === undefined ? {} : { doors }),
    clusterOperators: clusterOperators(invocation),
    traces: traces(invocation),
    catalogs: catalogArguments(invocation, globalNamespace),
    bundleDirectories: bundleDirectories(invocation),
    compat: compatOf(invocation),
    gates: gatesOf(invocation),
    systemNamespace: systemNamespaceOf(invocation),
    pulling: pullingOptions(invocation),
    dependencies: dependencyModes.find((mode) => mode === textOption(invocation, "dependencies")) ?? "verify",
    webhookCertificates: (textOption(invocation, "webhook-certificates") ??
      "auto") as EngineFlags["webhookCertificates"],
  };
}

/** `--watched-namespaces` and `--protected-copied-csv-namespaces`; a list with an empty element is none, as with OLM. @throws UsageError */
function namespaceLists(invocation: Invocation): Pick<EngineFlags, "watchedNamespaces" | "protectedNamespaces"> {
  const [watched, kept] = ["watched-namespaces", "protected-copied-csv-namespaces"].map((flag) => {
    const names = (textOption(invocation, flag) ?? "").split(",").map((name) => name.trim());
    const problem = names.flatMap((name) => (name === "" ? [] : (namespaceProblem(name) ?? [])))[0];
    if (problem !== undefined) throw new UsageError(`--${flag} ${problem}`);
    return names;
  });
  const isLimited = watched !== undefined && !watched.includes("");
  const named = (kept ?? []).filter((name) => name !== "");
  return {
    ...(isLimited ? { watchedNamespaces: new Set(watched) } : {}),
    ...(named.length === 0 ? {} : { protectedNamespaces: new Set(named) }),
  };
}

/** @throws UsageError */
function retryTimeout(invocation: Invocation): Pick<EngineFlags, "installPlanRetryMs"> {
  const text = textOption(invocation, "install-plan-retry-timeout");
  if (text === undefined) return {};
  return { installPlanRetryMs: parseDuration(text, "--install-plan-retry-timeout") };
}

/** The value of `--system-namespace`. @throws UsageError */
function systemNamespaceOf(invocation: Invocation): string {
  const name = textOption(invocation, "system-namespace") ?? defaultSystemNamespace;
  const problem = namespaceProblem(name);
  if (problem !== undefined) throw new UsageError(`--system-namespace ${problem}`);
  return name;
}

/** What is reported on OpenShift, with the release of the platform from `RELEASE_VERSION`. @throws UsageError */
function clusterOperators(invocation: Invocation): ClusterOperators {
  const release = invocation.terminal.env["RELEASE_VERSION"] ?? "";
  const flags = {
    operators: "write-status-name",
    catalogs: "write-catalog-status-name",
    packages: "write-package-server-status-name",
    extensions: "write-extension-status-name",
  } as const;
  const names: { -readonly [Part in keyof ClusterOperatorNames]: ClusterOperatorNames[Part] } = {};
  for (const [part, flag] of Object.entries(flags) as [keyof typeof flags, string][]) {
    const name = textOption(invocation, flag) ?? (part === "extensions" ? "olm" : "");
    if (name === "" || name === "none") continue;
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))
      throw new UsageError(
        `--${flag} "${name}" is not a valid object name`,
        'write lower-case letters, digits, "-" and "."',
      );
    if (Object.values(names).includes(name))
      throw new UsageError(
        `--${flag}: another flag names the ClusterOperator "${name}" too`,
        "give each a name of its own",
      );
    names[part] = name;
  }
  return { version: ownVersion(), names, ...(release === "" ? {} : { release }) };
}

/** How images are pulled: with the environment and the configuration of this machine. @throws UsageError */
function pullingOptions(invocation: Invocation): PullingOptions {
  const authorities = textOption(invocation, "pull-cas-dir");
  const globalPullSecret = namespacedOption(invocation, "global-pull-secret", "a Secret");
  return {
    environment: invocation.terminal.env,
    ...imageStoreSize(invocation),
    ...(authorities === undefined ? {} : { authorities: [existing(authorities, "--pull-cas-dir")] }),
    ...(globalPullSecret === undefined ? {} : { globalPullSecret }),
  };
}

/** @throws UsageError */
function imageStoreSize(invocation: Invocation): Pick<PullingOptions, "mostBytes"> {
  const text = textOption(invocation, "image-store-size");
  if (text === undefined) return {};
  const size = parseQuantity(text);
  const mostBytes = size.ok ? Number(size.value.nanos / 1_000_000_000n) : 0;
  if (mostBytes < 1)
    throw new UsageError(`--image-store-size "${text}" is not a size`, "write bytes, or a number with Mi or Gi: 5Gi");
  return { mostBytes };
}

/** The values of `--catalog`, with absolute paths. @throws UsageError */
function catalogArguments(invocation: Invocation, globalNamespace: string): readonly RegisteredArgument[] {
  const parsed = listOption(invocation, "catalog").map((text) => {
    const argument = parseCatalogArgument(text, { globalNamespace });
    if (!argument.ok) throw new UsageError(argument.problem);
    const { path, ...named } = argument.value;
    const location = catalogLocation(path);
    if (!location.ok) throw new UsageError(`--catalog ${text}: ${location.problem}`);
    return { ...named, ...location.value };
  });
  const names = parsed.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(`--catalog: two catalogs are called "${twice}"; give one another name: NAME=PATH`);
  return parsed;
}
