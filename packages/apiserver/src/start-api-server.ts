/** The surface of the package: an API server with a socket, and one without for callers of the same process. */
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { ApiServer, ClientCredentials, Listener } from "./server.ts";
import { createApiServer } from "./server.ts";
import type { ApiServerOptions } from "./server-options.ts";
import type { StartProblem } from "./start-problem.ts";
import type { DataDirectory } from "./storage/data-directory.ts";
import { openDataDirectory, watchDataDirectory } from "./storage/data-directory.ts";
import { memoryStorage } from "./storage/object-store.ts";
import type { DetachedJournal } from "./storage/storage.ts";

export type { StartProblem } from "./start-problem.ts";
export { describeStartProblem } from "./start-problem.ts";
export { hasCluster } from "./storage/data-directory.ts";
export type { DetachedJournal, StorageProblem } from "./storage/storage.ts";
export type { ApiServer, ClientCredentials } from "./server.ts";
export { createApiServer } from "./server.ts";

export interface StartOptions extends Omit<ApiServerOptions, "storage"> {
  /**
   * Where to listen; `127.0.0.1` by default. The server's certificate names loopback addresses and `localhost`; the
   * kubeconfig of a server on another address tells clients to expect `localhost`.
   */
  readonly address?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Takes a free port when `port` is taken; false by default. */
  readonly orFreePort?: boolean;
  /** A directory that keeps the state, by its path or with choices; absent: the state is in memory and ends with the server. */
  readonly data?: string | DataDirectory;
  /**
   * Called when the files in the data directory were removed or replaced, so that every write is refused, and with undefined
   * when they are back. They are looked at every 2 s.
   */
  readonly onDetached?: (detached: DetachedJournal | undefined) => void;
}

export interface RunningApiServer {
  /** `https://127.0.0.1:7443`. */
  readonly url: string;
  readonly port: number;
  /** Text of a kubeconfig whose one context `purser` is the administrator at {@link url}. */
  readonly kubeconfig: string;
  /** The same administrator, for `https.request(url, credentials)`. */
  readonly credentials: ClientCredentials;
  /** The server in this process: requests without a socket, forks, further listeners. */
  readonly server: ApiServer;
  /** Set while every write is refused because files of the data directory were removed or replaced; undefined in memory. */
  detached(): DetachedJournal | undefined;
  /** Ends watches, closes sockets and the data directory. A second call changes nothing. */
  stop(): Promise<void>;
}

/**
 * Starts an API server that answers when this resolves: in about a second on a first start, which makes its keys.
 * @throws for an unknown option, so that no option is ignored silently
 */
export async function startApiServer(options: StartOptions = {}): Promise<Result<RunningApiServer, StartProblem>> {
  const { address = "127.0.0.1", port = 0, orFreePort = false, data, onDetached, ...own } = options;
  const directory = typeof data === "string" ? { path: data } : data;
  const storage = directory === undefined ? done(memoryStorage()) : await openDataDirectory(directory);
  if (!storage.ok) return failed({ kind: "storage", problem: storage.problem });
  const server = await createApiServer({ ...own, storage: storage.value }).catch(async (error: unknown) => {
    await storage.value.close();
    throw error;
  });
  let listening = await listen(server, address, port);
  if (!listening.ok && listening.problem.kind === "portTaken" && orFreePort)
    listening = await listen(server, address, 0);
  if (!listening.ok) {
    await server.stop();
    return listening;
  }
  const { url } = listening.value;
  const stopping = new AbortController();
  const watching =
    onDetached === undefined
      ? undefined
      : watchDataDirectory(storage.value, own.clock ?? systemClock, onDetached, stopping.signal);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort(new Error("the server stops"));
    await watching;
    await server.stop();
  };
  return done({
    url,
    port: listening.value.port,
    kubeconfig: server.adminKubeconfig(url),
    credentials: server.adminCredentials(),
    server,
    detached: () => storage.value.detached(),
    stop: () => (stopped ??= stop()),
  });
}

async function listen(server: ApiServer, host: string, port: number): Promise<Result<Listener, StartProblem>> {
  try {
    return done(await server.listen({ host, port }));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const { message } = error;
    switch (error.code) {
      case "EADDRINUSE":
        return failed({ kind: "portTaken", address: host, port });
      case "EACCES":
        return failed({ kind: "portRefused", address: host, port, message });
      case "EADDRNOTAVAIL":
      case "EAI_AGAIN":
      case "EINVAL":
      case "ENOTFOUND":
        return failed({ kind: "addressRefused", address: host, message });
      default:
        throw error;
    }
  }
}
