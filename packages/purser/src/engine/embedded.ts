import { namespaces } from "@purser/kubernetes/apis/resources";
import type { ApiServer, DetachedJournal, StartProblem } from "@purser/apiserver";
import { startApiServer } from "@purser/apiserver";
import type { CertificateProvider } from "../bundle/render/certificate-need.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Compat } from "../compat.ts";
import { createContent } from "../content/create-content.ts";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { createClient } from "@purser/kubernetes/kube/client";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import type { Log } from "@purser/kubernetes/kube/log";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { CatalogArgument } from "./catalog-argument.ts";
import { type CatalogServing, type CatalogServingProblem, startCatalogServing } from "./catalog-serving.ts";
import { ensureNamespace, registerCatalog } from "./catalog-objects.ts";
import { globalNamespace, systemNamespace } from "./own-namespaces.ts";
import type { DemoWorld } from "./demo-world.ts";
import { approveFirstPlans, createDemoObjects } from "./demo-world.ts";
import { applyOwnCrds } from "./own-manifests.ts";
import { runningInstance } from "./running-instance.ts";
import { Shutdown } from "./shutdown.ts";
import type { Engine } from "./start-engine.ts";
import { startEngine } from "./start-engine.ts";

const defaultPort = 7443;

/** A folder that keeps the cluster's state, or memory alone. */
export type ClusterData =
  | { readonly kind: "folder"; readonly path: string; readonly fresh: boolean }
  | { readonly kind: "memory" };

/** What `purser up` leaves beside the cluster's file: where it is, there was a cluster. */
const traces = ["kubeconfig", "running.json"];

export interface EmbeddedOptions {
  readonly data: ClusterData;
  /** Absent: 7443, or a free one when that is taken. */
  readonly port?: number;
  readonly catalogs: readonly CatalogArgument[];
  readonly bundleFolders: readonly string[];
  /** Absent: catalogs are not served over HTTP. */
  readonly catalogServing?: CatalogServing;
  /** Set up on the first start only. */
  readonly demo?: DemoWorld;
  readonly compat: Compat;
  readonly webhookCertificates: CertificateProvider | "auto";
  /** Where catalog indexes are kept. */
  readonly cacheFolder: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
}

export type EmbeddedProblem = StartProblem | CatalogServingProblem;

export interface Embedded {
  readonly url: string;
  readonly port: number;
  /** Set when the default port was taken and another one was chosen. */
  readonly movedFrom?: number;
  readonly kubeconfig: string;
  /** Where catalogs are served over HTTP. */
  readonly catalogOrigin?: string;
  readonly client: KubeClient;
  readonly server: ApiServer;
  readonly engine: Engine;
  /** True when there was no state before. */
  readonly firstStart: boolean;
  /** Set while every write is refused because the files of the data folder were removed or replaced. */
  detached(): DetachedJournal | undefined;
  stop(): Promise<void>;
}

/**
 * Starts API server, controllers and content in this process and returns when the API answers, the CRDs are
 * established and the controllers run. What was set up before is kept.
 */
export async function startEmbedded(
  options: EmbeddedOptions,
  signal: AbortSignal,
): Promise<Result<Embedded, EmbeddedProblem>> {
  const shutdown = new Shutdown();
  try {
    const started = await start(options, signal, shutdown);
    if (!started.ok) await shutdown.run();
    return started;
  } catch (error) {
    // Stopped while it started: what already listens would keep the process alive.
    await shutdown.run();
    throw error;
  }
}

async function start(
  options: EmbeddedOptions,
  signal: AbortSignal,
  shutdown: Shutdown,
): Promise<Result<Embedded, EmbeddedProblem>> {
  const { clock, entropy, log } = options;
  const { data } = options;
  const apiServer = await startApiServer({
    clock,
    entropy,
    ...(data.kind === "memory" ? {} : { data: { path: data.path, fresh: data.fresh, traces } }),
    port: options.port ?? defaultPort,
    orFreePort: options.port === undefined,
    report: (text) => log("warn", text),
    onDetached: detachmentLog(log),
  });
  if (!apiServer.ok) return failed(problemOf(apiServer.problem, data));
  const { server, url, port, kubeconfig } = apiServer.value;
  shutdown.add(() => apiServer.value.stop());
  const client = createClient(server.transport(), { userAgent: "purser" });
  const { firstStart, demo, demoComplete } = await decideDemo(client, options.demo, signal);
  const catalogs =
    demo === undefined
      ? options.catalogs
      : [...options.catalogs, { namespace: globalNamespace, name: "demo", path: demo.catalog }];
  const content = createContent({
    catalogs,
    bundleFolders: demo === undefined ? options.bundleFolders : [...options.bundleFolders, demo.bundles],
    cacheDir: options.cacheFolder,
    clock,
  });
  shutdown.add(() => content.stop());
  const serving =
    options.catalogServing === undefined
      ? undefined
      : await startCatalogServing(options.catalogServing, { reader: client, content, clock, entropy, log });
  if (serving?.ok === false) return serving;
  if (serving !== undefined) shutdown.add(() => serving.value.stop());
  const origin = serving === undefined ? {} : { catalogOrigin: serving.value.origin };
  await Promise.all([
    applyOwnCrds(client, clock, signal, options.compat),
    ensureNamespace(client, systemNamespace, signal),
  ]);
  const identities = userIdentities({ client, asUser: (user) => server.transport(user) });
  const engine = startEngine({
    client,
    identities,
    content,
    clock,
    entropy,
    log,
    compat: options.compat,
    webhookCertificates: certificatesOf(options),
    globalNamespace,
    systemNamespace,
    ...origin,
  });
  shutdown.add(() => engine.stop());
  for (const catalog of catalogs) await registerCatalog(client, catalog, signal);
  if (demo !== undefined && !demoComplete) {
    await createDemoObjects(client, demo, signal);
    await markComplete(client, signal);
  }
  await engine.synced();
  signal.throwIfAborted();
  const stopping = new AbortController();
  const approvals =
    demo === undefined
      ? Promise.resolve()
      : approveFirstPlans(client, demo, clock, stopping.signal).catch((error: unknown) => {
          if (!stopping.signal.aborted)
            log("warn", "the demo's first plan could not be approved", { error: String(error) });
        });
  shutdown.add(async () => {
    stopping.abort(new Error("stopped"));
    await approvals;
  });
  return done({
    url,
    port,
    ...(options.port === undefined && port !== defaultPort ? { movedFrom: defaultPort } : {}),
    kubeconfig,
    ...origin,
    client,
    server,
    engine,
    firstStart,
    detached: () => apiServer.value.detached(),
    stop: () => shutdown.run(),
  });
}

const demoAnnotation = "purser.dev/demo";
const completeAnnotation = "purser.dev/demo-complete";

/**
 * The first start decides on the demo, and the namespace that it makes remembers it: a later start goes on serving
 * that demo, and finishes setting it up when the process that began was killed.
 */
async function decideDemo(
  client: KubeClient,
  wanted: DemoWorld | undefined,
  signal: AbortSignal,
): Promise<{ readonly firstStart: boolean; readonly demo: DemoWorld | undefined; readonly demoComplete: boolean }> {
  const namespace = await client.get(namespaces, { name: globalNamespace });
  if (namespace === undefined) {
    const annotations = { [demoAnnotation]: wanted?.name ?? "none" };
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: globalNamespace, annotations } };
    written(await client.write({ verb: "create", type: namespaces, object }, signal));
    return { firstStart: true, demo: wanted, demoComplete: false };
  }
  const { annotations } = namespace.metadata;
  return {
    firstStart: false,
    demo: annotations?.[demoAnnotation] === wanted?.name ? wanted : undefined,
    demoComplete: annotations?.[completeAnnotation] === "true",
  };
}

async function markComplete(client: KubeClient, signal: AbortSignal): Promise<void> {
  const patch = { metadata: { annotations: { [completeAnnotation]: "true" } } };
  const key = { name: globalNamespace };
  written(await client.write({ verb: "patch", type: namespaces, key, patchType: "merge", patch }, signal));
}

/** A process that lost its file still holds the folder, though nobody locks the file that is missing. */
function problemOf(problem: StartProblem, data: ClusterData): StartProblem {
  const isLost = problem.kind === "storage" && problem.problem.kind === "lost";
  if (!isLost || data.kind === "memory" || runningInstance(data.path) === undefined) return problem;
  const { file } = problem.problem;
  return { kind: "storage", problem: { kind: "locked", file, message: "a process that runs has lost the file" } };
}

function detachmentLog(log: Log): (detached: DetachedJournal | undefined) => void {
  return (detached) => {
    if (detached === undefined) log("error", "the files of the cluster are in place again: writes are accepted");
    else log("error", `every write is refused: ${detached.message}`, { file: detached.file, do: detached.remedy });
  };
}

/** cert-manager can be installed here and serves its kinds then, but no container runs that would issue a certificate. */
function certificatesOf({ webhookCertificates, compat }: EmbeddedOptions): EmbeddedOptions["webhookCertificates"] {
  return webhookCertificates === "auto" && !compat.keepsUpstream("webhook-certificates") ? "own" : webhookCertificates;
}
