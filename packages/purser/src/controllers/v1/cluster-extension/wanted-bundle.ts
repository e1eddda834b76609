import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { clusterVersions } from "../../../apis/openshift.ts";
import type { RegistryBundle } from "../../../bundle/registry-bundle.ts";
import type { BundleRequest, PullSecret } from "../../../catalog/content.ts";
import { reservedClaims, reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import { renderExtension } from "../../../bundle/render/render-v1.ts";
import { featuresOff } from "../../../bundle/gated-features.ts";
import type { CertificateProvider } from "../../../bundle/render/certificate-need.ts";
import { derivedOnce } from "../../../derived-once.ts";
import { defaultGates } from "../../../feature-gates.ts";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { Place } from "@purser/kubernetes/place";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed } from "@purser/kubernetes/result";
import { turns, workPerTurn } from "@purser/kubernetes/system/turns";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { judgeKubeVersion } from "../../../bundle/min-kube-version.ts";
import type { AskForBundle } from "../../bundle-waiters.ts";
import type { Surroundings } from "../../surroundings.ts";
import { explainKubeVersion } from "./plan/explain-kube-version.ts";
import { madeFrom } from "./plan/revision-source.ts";
import { pinnedProvider } from "./plan/revision-state.ts";
import type { RevisionBundle, RevisionStates } from "./plan/revision-state.ts";
import type { WantedBundle } from "./plan/world.ts";
import type { VerifiedRevisions } from "./verified-revisions.ts";

export interface BundleToWant {
  readonly bundle: RevisionBundle;
  /** The version as the catalog writes it. */
  readonly catalogVersion?: string;
  /** Of the extension, any order. */
  readonly revisions: readonly ClusterObjectSet[];
  readonly states: RevisionStates;
  readonly credentials: readonly PullSecret[];
  /** Its revision rolled out before, whatever the cluster was then. */
  readonly isInstalled: boolean;
  readonly signal: AbortSignal;
}

export interface WantedPorts {
  readonly ask: AskForBundle;
  readonly verified: VerifiedRevisions;
}

/** What is asked for to read the bundle. */
export function requestFor({ bundle, catalogVersion = bundle.version, credentials }: BundleToWant): BundleRequest {
  return {
    reference: bundle.image,
    packageName: bundle.packageName,
    version: catalogVersion,
    credentials,
    policy: [`package/${bundle.packageName}`],
  };
}

type RenderProblem = Extract<NonNullable<WantedBundle["rendered"]>, { readonly ok: false }>["problem"];

/** The bundle with its content and what it renders to; with a digest where revisions are pinned to it. */
export async function wantedBundle(
  extension: ClusterExtension,
  request: BundleToWant,
  surroundings: Surroundings,
  ports: WantedPorts,
): Promise<WantedBundle> {
  const wanted = await renderedBundle(extension, request, surroundings, ports);
  const { content, certificateProvider: _provider, ...others } = wanted;
  if (surroundings.compat.keepsUpstream("bundle-pins")) return { ...others, content };
  return content.kind === "ready" ? { ...wanted, digest: content.digest } : wanted;
}

async function renderedBundle(
  extension: ClusterExtension,
  request: BundleToWant,
  surroundings: Surroundings,
  { ask, verified }: WantedPorts,
): Promise<WantedBundle> {
  const { bundle } = request;
  const { state: content, objects } = ask(requestFor(request));
  if (objects === undefined || content.kind !== "ready") return { bundle, content };
  const providerOf = (): CertificateProvider | Promise<CertificateProvider> => providerFor(request, surroundings);
  const made = madeFrom(extension, bundle, content.digest);
  const recalled = request.isInstalled
    ? verified.recall(extension.metadata.name ?? "", made, request.revisions)
    : undefined;
  if (recalled !== undefined && (recalled.provider === undefined || recalled.provider === (await providerOf()))) {
    const { provider, revision } = recalled;
    return {
      bundle,
      content,
      ...(provider === undefined ? {} : { certificateProvider: provider }),
      rendered: done({ kind: "verified", revision }),
    };
  }
  const read = await objects.registry();
  if (!read.ok)
    return {
      bundle,
      content,
      rendered: failed({
        message: read.problem.map(({ message }) => message).join("\n"),
        reason: "Retrying",
        violations: read.problem.map(placed),
      }),
    };
  const claimed = surroundings.compat.keepsUpstream("reserved-groups") ? undefined : reservedProblem(read.value);
  if (claimed !== undefined)
    return { bundle, content, rendered: failed({ message: claimed, reason: "Blocked", violations: [claimed] }) };
  const tooOld = await kubeVersionProblem(request, read.value, surroundings);
  if (tooOld !== undefined) return { bundle, content, rendered: failed(tooOld) };
  // A bundle may be megabytes long, so it is rendered in a turn of its own.
  await turns.before(workPerTurn);
  const hasCertificates = hasWebhooks(read.value);
  const provider = hasCertificates ? await providerOf() : "none";
  const inline = extension.spec?.config?.inline;
  const rendered = renderedOnce(read.value, {
    installNamespace: extension.spec?.namespace ?? "",
    // Only the objects of webhooks depend on it.
    certificateProvider: provider,
    off: featuresOff(surroundings.gates ?? defaultGates, provider),
    ...(inline === undefined ? {} : { config: inline }),
  });
  if (!rendered.ok) {
    const configuration = rendered.problem.some(({ kind }) => kind === "configuration");
    const message = rendered.problem.map((problem) => problem.message).join("\n");
    return {
      bundle,
      content,
      rendered: failed({
        message,
        reason: configuration ? "InvalidConfiguration" : "Retrying",
        violations: rendered.problem.map((problem) => problem.message),
        ...(configuration ? { configuration: rendered.problem.flatMap(({ faults = [] }) => faults) } : {}),
      }),
    };
  }
  const properties = bundleProperties(read.value.csv);
  return {
    bundle,
    content,
    registry: read.value,
    ...(hasCertificates ? { certificateProvider: provider } : {}),
    rendered: done({
      kind: "objects",
      objects: rendered.value.objects,
      ...(properties === undefined ? {} : { properties }),
      source: { made, ...(hasCertificates ? { provider } : {}) },
    }),
  };
}

/** Keeps the rendered objects as long as the bundle's parsed tree stays in the cache. */
const renderedOnce = derivedOnce(renderExtension, (options) => JSON.stringify(options));

function hasWebhooks({ csv }: RegistryBundle): boolean {
  const { spec } = csv as unknown as Partial<ClusterServiceVersion>;
  return (spec?.webhookdefinitions ?? []).length > 0;
}

/** Why the cluster is too old for the bundle; a bundle that is installed stays. The version is read live, for few bundles and once. */
async function kubeVersionProblem(
  { bundle, isInstalled, signal }: BundleToWant,
  { csv }: RegistryBundle,
  { client, compat }: Surroundings,
): Promise<RenderProblem | undefined> {
  const { spec } = csv as unknown as Partial<ClusterServiceVersion>;
  const wanted = spec?.minKubeVersion ?? "";
  if (wanted === "" || isInstalled || compat.keepsUpstream("kube-versions")) return undefined;
  const read = await readOrRefusal(client.version(signal));
  const server = read.ok ? read.value.gitVersion : undefined;
  const { met, message } = judgeKubeVersion(wanted, server);
  if (met) return undefined;
  const explanation = explainKubeVersion(bundle, wanted, server, message);
  return { message, reason: "Blocked", violations: [message], explanation };
}

function reservedProblem({ csv, crds }: RegistryBundle): string | undefined {
  const claims = reservedClaims(csv as unknown as ClusterServiceVersion);
  return reservedClaimsProblem([...claims, ...reservedCrds(crds.map(({ object }) => object))]);
}

function placed({ message, place }: { readonly message: string; readonly place?: Place }): string {
  return place === undefined ? message : `${formatPlace(place)}: ${message}`;
}

function bundleProperties(csv: { readonly [key: string]: unknown }): string | undefined {
  const metadata = csv["metadata"] as { readonly annotations?: Readonly<Record<string, string>> } | undefined;
  return metadata?.annotations?.["olm.properties"];
}

/** The provider that the newest revision records for this bundle; else the one of the cluster. */
function providerFor(
  { states, bundle }: BundleToWant,
  surroundings: Surroundings,
): CertificateProvider | Promise<CertificateProvider> {
  const isPinned = surroundings.webhookCertificates === "auto" && !surroundings.compat.keepsUpstream("bundle-pins");
  // A provider that appears later does not change what is installed.
  return (isPinned ? pinnedProvider(states, bundle) : undefined) ?? certificateProvider(surroundings);
}

/**
 * `auto`: the service CA on OpenShift, cert-manager where the cluster serves it, each unless its gate is off; else `own`, or `none`
 * with `--compat=webhook-certificates`.
 */
async function certificateProvider({
  webhookCertificates,
  compat,
  discovery,
  gates = defaultGates,
}: Surroundings): Promise<CertificateProvider> {
  if (webhookCertificates !== "auto") return webhookCertificates;
  if (gates.WebhookProviderOpenshiftServiceCA && (await discovery.serves(apiVersionOf(clusterVersions))))
    return "service-ca";
  if (gates.WebhookProviderCertManager && (await discovery.serves("cert-manager.io/v1"))) return "cert-manager";
  return compat.keepsUpstream("webhook-certificates") ? "none" : "own";
}
