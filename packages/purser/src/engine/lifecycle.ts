import type { OpenContent } from "../content/content.ts";
import { Counters } from "@purser/kubernetes/kube/counters";
import { createContent } from "../content/create-content.ts";
import { inRoom } from "@purser/kubernetes/kube/log";
import { done, type Result } from "@purser/kubernetes/result";
import type { Tracing } from "@purser/kubernetes/tracing";
import { everyFamily } from "../apis/api-family.ts";
import { oncePoliciesAreConfigured } from "./configured-policies.ts";
import { ensureNamespace, type RegisteredArgument, registerCatalog } from "./catalog-objects.ts";
import { type CatalogServing, type CatalogServingProblem, startCatalogServing } from "./serving/catalog-serving.ts";
import { ClusterConfigMaps } from "./cluster-config-maps.ts";
import { type DoorProblem, type DoorServing, openDoors } from "./doors.ts";
import { defaultGates, gatesText } from "../feature-gates.ts";
import { ensureDefaultObjects } from "./default-objects.ts";
import type { CrdSet } from "../apis/crd-set.ts";
import { applyOwnCrds, ownCrds } from "./own-manifests.ts";
import { terminating } from "./terminating-crds.ts";
import {
  globalNamespace as defaultGlobalNamespace,
  systemNamespace as defaultSystemNamespace,
} from "../apis/own-namespaces.ts";
import { openImageAccess, type PullingOptions } from "./image-access.ts";
import { type PackageServing, type PackageServingProblem, servePackages } from "./serving/package-api.ts";
import { serviceHosts } from "@purser/kubernetes/certificate/service-certificate";
import { followServingSecret, type ServingSecret } from "../endpoints/serving-secret/serving-secret.ts";
import type { ExplainPort } from "../endpoints/explain/explain-port.ts";
import { explainedInstallations } from "./serving/explained-installations.ts";
import { installationOwner } from "./serving/installation-owner.ts";
import { readCatalogs } from "./serving/read-catalogs.ts";
import { Shutdown } from "./shutdown.ts";
import type { TraceOptions } from "./tracing/trace-settings.ts";
import { type Engine, type EnginePorts, startEngine } from "./start-engine.ts";

/** Why an address cannot be served. */
export type ServingProblem = CatalogServingProblem | PackageServingProblem | DoorProblem;

/** The parts of an instance of the lifecycle manager that differ between `purser up`, `purser run` and tests. */
export interface LifecycleOptions extends Omit<
  EnginePorts,
  "content" | "catalogOrigin" | "controllers" | "globalNamespace" | "systemNamespace"
> {
  /** The namespace of the Secrets of ClusterObjectSets; default `olmv1-system`. */
  readonly systemNamespace?: string;
  readonly catalogs: readonly RegisteredArgument[];
  /** The namespace whose CatalogSources are visible in all namespaces; default `olm`. */
  readonly globalNamespace?: string;
  readonly bundleDirectories: readonly string[];
  /** Directory of catalog indexes and of what images hold. */
  readonly cacheDirectory: string;
  /** How images are pulled; absent: no image is pulled. Closed with the instance. */
  readonly pulling?: PullingOptions;
  /** Replaces the content of `catalogs` and `bundleDirectories`; stopped with the instance. */
  readonly content?: OpenContent;
  /** When absent, catalogs are not served over HTTP. */
  readonly catalogServing?: CatalogServing;
  /**
   * Where `packages.operators.coreos.com` is served. `none`: not by this process, which removes what an earlier one left;
   * when absent, not either, and nothing is removed.
   */
  readonly packageServing?: PackageServing | "none";
  /** The Secret with the certificate that all replicas serve with; absent: each has its own. */
  readonly servingSecret?: ServingSecret;
  /** A ClusterRole with which the APIService and the Secret of all replicas are deleted. */
  readonly installationRole?: string;
  /** Where health, metrics and debug pages are served; absent: nowhere. */
  readonly doors?: DoorServing;
  /** Whether OpenTelemetry spans are sent; absent: none are made, but to `tracing`. */
  readonly traces?: TraceOptions;
  /** Which definitions of OLM v1 are applied; by default the experimental ones. */
  readonly crdSet?: CrdSet;
}

/** A running instance. */
export interface Lifecycle {
  readonly engine: Engine;
  /** Origin of the URLs under which catalogs are served over HTTP. */
  readonly catalogOrigin?: string;
  /** Stops controllers, servers and content, in this order. The client stays open. */
  readonly stop: () => Promise<void>;
}

/**
 * Prepares the cluster (CRDs, namespaces, default objects), starts content, catalog server and controllers, and registers the given
 * catalogs. Stops everything that it has started when it fails.
 * @param definitions `apply`: writes our CRDs and waits until they are established; `given`: the cluster serves them
 */
export async function startLifecycle(
  options: LifecycleOptions,
  definitions: "apply" | "given",
  signal: AbortSignal,
): Promise<Result<Lifecycle, ServingProblem>> {
  const { client, clock, compat, catalogs, globalNamespace = defaultGlobalNamespace, families = everyFamily } = options;
  const { systemNamespace = defaultSystemNamespace } = options;
  const [servesV0, servesV1] = [families.includes("v0"), families.includes("v1")];
  const whenAllowed = (write: () => Promise<void>): Promise<void> =>
    oncePoliciesAreConfigured(write, { clock, log: options.log, signal });
  const prepare = async (): Promise<void> => {
    await Promise.all([
      ...(definitions === "apply"
        ? [applyOwnCrds(client, clock, signal, compat, families, options.crdSet, options.log)]
        : []),
      ...(servesV0 ? [ensureNamespace(client, globalNamespace, signal)] : []),
      ...(servesV1 ? [ensureNamespace(client, systemNamespace, signal)] : []),
    ]);
    if (servesV0) await whenAllowed(() => ensureDefaultObjects(client, globalNamespace, signal));
  };
  // Their deletion may wait for finalizers that the controllers remove.
  const waitsForControllers =
    definitions === "apply" && (await terminating(client, await ownCrds(families, options.crdSet))).length > 0;
  if (!waitsForControllers) await prepare();
  const assembled = await assembleLifecycle(options, signal);
  if (!assembled.ok) return assembled;
  try {
    if (waitsForControllers) await prepare();
    for (const catalog of catalogs) await whenAllowed(() => registerCatalog(client, catalog, families, signal));
  } catch (error) {
    await assembled.value.stop();
    throw error;
  }
  return assembled;
}

/** Starts content, catalog server and controllers on a cluster that is already prepared. */
export async function assembleLifecycle(
  options: LifecycleOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<Result<Lifecycle, ServingProblem>> {
  const { catalogServing, packageServing, doors, cacheDirectory, catalogs, bundleDirectories, pulling, ...parts } =
    options;
  const { client, clock, entropy, log, globalNamespace = defaultGlobalNamespace, metrics = new Counters() } = parts;
  const { systemNamespace = defaultSystemNamespace } = parts;
  const shutdown = new Shutdown();
  log("info", `feature gates: ${gatesText(parts.gates ?? defaultGates)}`);
  try {
    const tracing = parts.tracing ?? (await openTracing(options, shutdown));
    const traced = tracing === undefined ? {} : { tracing };
    const imageAccess = pulling === undefined ? {} : { imageAccess: openImageAccess(options, pulling, shutdown) };
    const local = catalogs.filter((catalog) => "path" in catalog);
    const directories = { catalogs: local, bundleDirectories, cacheDir: cacheDirectory, clock, ...traced };
    const configMaps = new ClusterConfigMaps({ client, clock, entropy });
    const content = parts.content ?? createContent({ ...directories, configMaps, ...imageAccess });
    shutdown.add(() => content.stop());
    const { servingSecret, leaderElection } = options;
    const found = await installationOwner(client, options.installationRole, log);
    const owner = found === undefined ? {} : { owner: found };
    const secretOptions = {
      client,
      clock,
      entropy,
      log: inRoom(log, "certificates"),
      hosts: sharedHosts(options),
      ...owner,
    };
    const shared =
      servingSecret === undefined ? undefined : await followServingSecret(servingSecret, secretOptions, signal);
    if (shared !== undefined) shutdown.add(() => shared.stop());
    /** What the listeners answer from once the controllers have started. */
    const later: { engine?: Engine; explain?: ExplainPort } = {};
    const serving =
      catalogServing === undefined
        ? undefined
        : await startCatalogServing(catalogServing, {
            ...(shared === undefined ? {} : { shared }),
            // From the controllers' cache: a request for a catalog sends none to the API server.
            reader: { get: (type, key) => (later.engine?.cache ?? client).get(type, key) },
            content,
            clock,
            entropy,
            log: inRoom(log, "catalogs"),
            metrics,
            compat: options.compat,
          });
    if (serving?.ok === false) {
      await shutdown.run();
      return serving;
    }
    if (serving !== undefined) shutdown.add(() => serving.value.stop());
    const origin = serving === undefined ? {} : { catalogOrigin: serving.value.origin };
    const packages = await servePackages(packageServing, {
      explain: () => later.explain,
      client,
      content,
      clock,
      entropy,
      log: inRoom(log, "packages"),
      globalNamespace,
      ...(shared === undefined ? {} : { shared }),
      ...owner,
      ...(leaderElection === undefined ? {} : { lease: leaderElection }),
    });
    if (!packages.ok) {
      await shutdown.run();
      return packages;
    }
    const { controllers } = packages.value;
    shutdown.add(() => packages.value.stop());
    const engine = startEngine({
      ...parts,
      ...traced,
      metrics,
      content,
      controllers,
      globalNamespace,
      systemNamespace,
      ...origin,
    });
    later.engine = engine;
    shutdown.add(() => engine.stop());
    const served = parts.families ?? everyFamily;
    const explaining = { ...parts, reader: engine.cache, content, families: served, globalNamespace };
    const explain = explainedInstallations(explaining);
    later.explain = explain;
    if (leaderElection !== undefined) {
      const end = readCatalogs(engine.cache, content, served);
      shutdown.add(async () => end());
    }
    const opened =
      doors === undefined
        ? undefined
        : await openDoors(doors, {
            engine,
            families: served,
            explain,
            client,
            clock,
            log: inRoom(log, "doors"),
            metrics,
          });
    if (opened?.ok === false) {
      await shutdown.run();
      return opened;
    }
    if (opened !== undefined) shutdown.add(opened.value);
    return done({ engine, ...origin, stop: () => shutdown.run() });
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** The SDK is loaded only when spans are sent. It is stopped last, with the spans that the stopping controllers end. */
async function openTracing(
  { traces, clock, entropy, log, leaderElection }: LifecycleOptions,
  shutdown: Shutdown,
): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined;
  const { settings, version } = traces;
  const own = inRoom(log, "traces");
  if (settings.kind === "off") {
    if (settings.warning !== undefined) own("warn", "no spans are sent", { error: settings.warning });
    return undefined;
  }
  for (const error of settings.warnings) own("warn", "a setting of OpenTelemetry is ignored", { error });
  const { openOtlpTracing } = await import("./tracing/otlp-tracing.ts");
  const instance = leaderElection?.identity ?? entropy.uuid();
  const opened = openOtlpTracing(settings, { clock, log: own, version, instance });
  shutdown.add(() => opened.stop());
  return opened;
}

/** The names of the Services behind which all replicas answer. */
function sharedHosts({ packageServing, catalogServing }: LifecycleOptions): readonly string[] {
  const packages = packageServing === undefined || packageServing === "none" ? undefined : packageServing.service;
  const origin = catalogServing?.usesSharedCertificate === true ? catalogServing.origin : undefined;
  return [
    ...(packages === undefined ? [] : serviceHosts(packages.name, packages.namespace)),
    ...(origin === undefined ? [] : [new URL(origin).hostname]),
  ];
}
