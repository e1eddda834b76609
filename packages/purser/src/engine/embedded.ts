import { namespaces } from "@purser/kubernetes/apis/resources";
import type { ApiServer, DetachedJournal, StartProblem } from "@purser/apiserver";
import { startApiServer } from "@purser/apiserver";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { createClient } from "@purser/kubernetes/kube/client";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { Counters } from "@purser/kubernetes/kube/counters";
import type { Log } from "@purser/kubernetes/kube/log";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { type LifecycleOptions, type ServingProblem, startLifecycle } from "./lifecycle.ts";
import { globalNamespace as defaultGlobalNamespace } from "../apis/own-namespaces.ts";
import type { DemoWorld } from "./demo-world.ts";
import { approveFirstPlans, createDemoObjects } from "./demo-world.ts";
import { withNotedBundles } from "./noted-bundles.ts";
import { runningInstance } from "./running-instance.ts";
import { Shutdown } from "./shutdown.ts";
import type { Engine } from "./start-engine.ts";

const defaultPort = 7443;

/** Where the cluster's state is stored: in a directory, or in memory only. */
export type ClusterData =
  | { readonly kind: "directory"; readonly path: string; readonly fresh: boolean }
  | { readonly kind: "memory" };

/** Files that `purser up` writes beside the cluster's database: they show that the directory belonged to a cluster. */
const traces = ["kubeconfig", "running.json"];

export interface EmbeddedOptions extends Omit<
  LifecycleOptions,
  "client" | "identities" | "leaderElection" | "metrics"
> {
  readonly data: ClusterData;
  /** Default: 7443, or a free port when that is taken. */
  readonly port?: number;
  /** The demo, which is set up on the first start only. */
  readonly demo?: DemoWorld;
}

export type EmbeddedProblem = StartProblem | ServingProblem;

export interface Embedded {
  readonly url: string;
  readonly port: number;
  /** The default port, when it was taken and another one was chosen. */
  readonly movedFrom?: number;
  readonly kubeconfig: string;
  /** Origin of the URLs under which catalogs are served over HTTP. */
  readonly catalogOrigin?: string;
  readonly client: KubeClient;
  readonly server: ApiServer;
  readonly engine: Engine;
  /** True when there was no previous state. */
  readonly firstStart: boolean;
  /** Set while every write is refused because the files of the data directory were removed or replaced. */
  detached(): DetachedJournal | undefined;
  stop(): Promise<void>;
}

/**
 * Starts API server, controllers and content in this process and returns when the API server answers, the CRDs are
 * established and the controllers run. Existing objects are kept.
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
    // Stops everything that has been started, because open listeners would keep the process alive.
    await shutdown.run();
    throw error;
  }
}

async function start(
  options: EmbeddedOptions,
  signal: AbortSignal,
  shutdown: Shutdown,
): Promise<Result<Embedded, EmbeddedProblem>> {
  const { data, port: wantedPort, demo: wantedDemo, ...parts } = options;
  const { clock, entropy, log, catalogs, bundleDirectories, globalNamespace = defaultGlobalNamespace } = parts;
  const apiServer = await startApiServer({
    clock,
    entropy,
    ...(data.kind === "memory" ? {} : { data: { path: data.path, fresh: data.fresh, traces } }),
    port: wantedPort ?? defaultPort,
    orFreePort: wantedPort === undefined,
    report: (text) => log("warn", text),
    onDetached: detachmentLog(log),
  });
  if (!apiServer.ok) return failed(problemOf(apiServer.problem, data));
  const { server, url, port, kubeconfig } = apiServer.value;
  shutdown.add(() => apiServer.value.stop());
  const metrics = new Counters();
  const client = createClient(server.transport(), { userAgent: "purser", metrics });
  const { firstStart, demo, demoComplete } = await decideDemo(client, wantedDemo, globalNamespace, signal);
  const directories = demo === undefined ? bundleDirectories : [...bundleDirectories, demo.bundles];
  const started = await startLifecycle(
    {
      ...parts,
      metrics,
      client,
      identities: userIdentities({ client, asUser: (user) => server.transport(user) }),
      catalogs:
        demo === undefined ? catalogs : [...catalogs, { namespace: globalNamespace, name: "demo", path: demo.catalog }],
      bundleDirectories: directories,
      webhookCertificates: certificatesOf(parts),
    },
    "apply",
    signal,
  );
  if (!started.ok) return started;
  const { engine, stop, ...origin } = started.value;
  shutdown.add(stop);
  if (demo !== undefined && !demoComplete) {
    await createDemoObjects(client, demo, globalNamespace, signal);
    await markComplete(client, globalNamespace, signal);
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
    ...(wantedPort === undefined && port !== defaultPort ? { movedFrom: defaultPort } : {}),
    kubeconfig: withNotedBundles(kubeconfig, directories),
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
 * The first start records the demo in an annotation of the namespace that it creates. A later start uses the wanted demo
 * only if it is the recorded one; `demoComplete` is false when the process that set it up was killed before the end.
 */
async function decideDemo(
  client: KubeClient,
  wanted: DemoWorld | undefined,
  globalNamespace: string,
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

async function markComplete(client: KubeClient, globalNamespace: string, signal: AbortSignal): Promise<void> {
  const patch = { metadata: { annotations: { [completeAnnotation]: "true" } } };
  const key = { name: globalNamespace };
  written(await client.write({ verb: "patch", type: namespaces, key, patchType: "merge", patch }, signal));
}

/** Reports `locked` instead of `lost` while the process whose database file was removed still runs. */
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

/**
 * With `auto`, the embedded cluster uses certificates of its own: when cert-manager is installed its kinds are served, but
 * no container runs that would issue a certificate.
 */
function certificatesOf({
  webhookCertificates,
  compat,
}: Pick<LifecycleOptions, "webhookCertificates" | "compat">): LifecycleOptions["webhookCertificates"] {
  return webhookCertificates === "auto" && !compat.keepsUpstream("webhook-certificates") ? "own" : webhookCertificates;
}
