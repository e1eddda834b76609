import type { Server } from "node:http";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** Why a server cannot listen. */
export interface ListenProblem {
  /** Another process has the port. */
  readonly taken: boolean;
  readonly message: string;
}

/** Binds the server; port 0 selects a free one. The result is the port. */
export function boundPort(
  server: Server,
  listen: { readonly host: string; readonly port: number },
): Promise<Result<number, ListenProblem>> {
  return new Promise((resolve) => {
    server.once("error", (error: Error & { readonly code?: string }) =>
      resolve(failed({ taken: error.code === "EADDRINUSE", message: error.message })),
    );
    server.listen(listen.port, listen.host, () => {
      const address = server.address();
      resolve(done(address === null || typeof address === "string" ? listen.port : address.port));
    });
  });
}

/** Stops accepting connections; running responses have `graceMs` milliseconds to finish. */
export async function closeServer(server: Server, clock: Clock, graceMs: number): Promise<void> {
  const ended = new AbortController();
  const cut = clock.sleep(graceMs, ended.signal).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
  ended.abort();
  await cut;
}
