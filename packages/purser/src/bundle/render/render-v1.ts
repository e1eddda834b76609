import type { ClusterServiceVersion, StrategyDeployment } from "../../apis/v0/cluster-service-version.ts";
import type { SubscriptionConfig } from "../../apis/v0/subscription.ts";
import { invariant } from "@purser/kubernetes/invariant";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readTyped } from "../api-types/read-typed.ts";
import { bundleFaults } from "../bundle-validators.ts";
import type { CertificateNeed, CertificateProvider } from "./certificate-need.ts";
import { readExtensionConfig } from "../extension-config.ts";
import { overridePodTemplate } from "./pod-overrides.ts";
import type { BundleProblem, RegistryBundle } from "../registry-bundle.ts";
import { certificateNeeds, renderCertificates, renderServices } from "./render-certificates.ts";
import { renderPermissions, renderServiceAccounts } from "./render-permissions.ts";
import { renderCrd, renderWebhooks } from "./render-webhooks.ts";
import { type BundleFeature, unsupportedReason } from "../support-checks.ts";
import { isNamespacedKind } from "../supported-kinds.ts";
import { targetNamespacesOf } from "../target-namespaces.ts";
import { mountCertificates, servingNames, webhooksOf } from "./webhook-wiring.ts";

export interface RenderOptions {
  readonly installNamespace: string;
  /** `spec.config.inline`; a string is its raw text. Absent: no configuration was given. */
  readonly config?: JsonValue;
  readonly certificateProvider: CertificateProvider;
  /** Upstream's feature gates that are off; absent: all are on. */
  readonly off?: readonly BundleFeature[];
}

export interface RenderedBundle {
  readonly objects: readonly JsonObject[];
  /** Filled only for the provider `own`. */
  readonly certificates: readonly CertificateNeed[];
}

/** The objects of a ClusterExtension, in upstream's order. Deterministic. */
export function renderExtension(
  bundle: RegistryBundle,
  options: RenderOptions,
): Result<RenderedBundle, readonly BundleProblem[]> {
  const csv = bundle.csv as unknown as ClusterServiceVersion;
  const off = options.off ?? [];
  const unsupported = unsupportedReason(csv, options.certificateProvider, off);
  if (unsupported !== undefined) return failed([{ kind: "unsupported", message: unsupported }]);
  const config = readExtensionConfig(csv, options.installNamespace, options.config, off);
  if (!config.ok) return failed([{ kind: "configuration", ...config.problem }]);
  const { watchNamespace, deploymentConfig } = config.value;
  return renderBundle(bundle, {
    installNamespace: options.installNamespace,
    certificateProvider: options.certificateProvider,
    ...(watchNamespace === undefined ? {} : { targetNamespaces: [watchNamespace] }),
    ...(deploymentConfig === undefined ? {} : { deploymentConfig }),
  });
}

export interface BundleRenderOptions {
  readonly installNamespace: string;
  readonly certificateProvider: CertificateProvider;
  /** Absent or empty: the default that the install modes give. */
  readonly targetNamespaces?: readonly string[];
  readonly deploymentConfig?: SubscriptionConfig;
}

/** The renderer below the configuration: validates the bundle and the namespaces, then generates. */
export function renderBundle(
  bundle: RegistryBundle,
  { installNamespace, certificateProvider, targetNamespaces, deploymentConfig }: BundleRenderOptions,
): Result<RenderedBundle, readonly BundleProblem[]> {
  const csv = bundle.csv as unknown as ClusterServiceVersion;
  const faults = bundleFaults(bundle);
  if (faults.length > 0) return failed(faults.map((message) => ({ kind: "invalid", message })));
  const targets = targetNamespacesOf(csv, installNamespace, targetNamespaces);
  if (!targets.ok) return failed([{ kind: "targetNamespaces", message: targets.problem }]);
  const deployments = csv.spec.install.spec?.deployments ?? [];
  const webhooks = csv.spec.webhookdefinitions ?? [];
  const crds: JsonObject[] = [];
  const problems: BundleProblem[] = [];
  for (const { object, place } of bundle.crds) {
    const crd = renderCrd(object, webhooks, installNamespace, certificateProvider);
    if (crd.ok) crds.push(crd.value);
    else problems.push({ kind: "invalid", message: crd.problem, place });
  }
  if (problems.length > 0) return failed(problems);
  const objects = [
    ...renderServiceAccounts(csv, installNamespace),
    ...renderPermissions(csv, installNamespace, targets.value),
    ...crds,
    ...bundle.others.map(({ object }) => placed(object, installNamespace)),
    ...deployments.map((deployment) =>
      renderDeployment(csv, deployment, installNamespace, targets.value, certificateProvider, deploymentConfig),
    ),
    ...renderWebhooks(webhooks, installNamespace, targets.value, certificateProvider),
    ...renderServices(deployments, webhooks, installNamespace, certificateProvider),
    ...renderCertificates(deployments, webhooks, installNamespace, certificateProvider),
  ];
  const certificates = certificateProvider === "own" ? certificateNeeds(deployments, webhooks, installNamespace) : [];
  return done({ objects: objects.map(asWritten), certificates });
}

/** Generated kinds go through their API types, so that they equal upstream's; the bundle's own objects stay unchanged. */
const generatedTypes: Readonly<Record<string, string>> = {
  Deployment: "Deployment",
  ValidatingWebhookConfiguration: "adm.ValidatingWebhookConfiguration",
  MutatingWebhookConfiguration: "adm.MutatingWebhookConfiguration",
};

function kindOf({ kind }: JsonObject): string {
  return typeof kind === "string" ? kind : "";
}

function asWritten(object: JsonObject): JsonObject {
  const kind = kindOf(object);
  const type = Object.hasOwn(generatedTypes, kind) ? generatedTypes[kind] : undefined;
  if (type === undefined) return object;
  const typed = readTyped(type, object);
  invariant(typed.ok, `a rendered ${kind} fits its type`);
  return typed.value;
}

function placed(object: JsonObject, namespace: string): JsonObject {
  if (!isNamespacedKind(kindOf(object))) return object;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), namespace } };
}

function renderDeployment(
  csv: ClusterServiceVersion,
  { name, spec, label }: StrategyDeployment,
  namespace: string,
  targets: readonly string[],
  provider: CertificateProvider,
  config: SubscriptionConfig | undefined,
): JsonObject {
  const served = webhooksOf(csv.spec.webhookdefinitions, name).length > 0 && provider !== "none";
  const pod = spec.template.spec;
  const given = {
    ...spec.template,
    metadata: {
      ...spec.template.metadata,
      annotations: {
        ...csv.metadata.annotations,
        ...spec.template.metadata?.annotations,
        "olm.targetNamespaces": targets.join(","),
        "olm.operatorNamespace": namespace,
      },
    },
    ...(pod === undefined ? {} : { spec: served ? mountCertificates(pod, servingNames(name).certificate) : pod }),
  };
  const template = config === undefined ? given : overridePodTemplate(given, config, "v1");
  const annotations = config?.annotations ?? {};
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name,
      namespace,
      ...(label === undefined ? {} : { labels: label }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: { ...spec, template, revisionHistoryLimit: 1 } as unknown as JsonValue,
  };
}
