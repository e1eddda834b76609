import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { openTunnel, type TunnelEnd, type TunnelProxy } from "../../image/proxy/tunnel.ts";

/** A socket of this machine behind which lies one server, reached through a proxy. */
export interface ProxyRelay {
  /** Path of the Unix socket; only this user can open it. */
  readonly path: string;
  /** Why the last connection through the proxy could not be made; undefined after a good one. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/**
 * Opens a socket whose connections go through the proxy to the server. The gRPC library speaks no SOCKS, and reads its
 * proxies from variables that OLM does not read.
 */
export async function openProxyRelay(proxy: TunnelProxy, server: TunnelEnd): Promise<ProxyRelay> {
  const directory = await mkdtemp(join(tmpdir(), "purser-relay-"));
  const path = join(directory, "grpc");
  const open = new Set<Socket>();
  let problem: string | undefined;
  const listener = createServer({ pauseOnConnect: true }, (near) => {
    const far = connect(proxy.port, proxy.host);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      // Errors end the pair below; one that comes during the handshake is reported by it.
      socket.on("error", () => {});
    }
    near.on("close", () => far.destroy());
    openTunnel(far, proxy, server).then(
      () => {
        problem = undefined;
        pipeline(near, far, () => near.destroy());
        pipeline(far, near, () => far.destroy());
        near.resume();
      },
      (error: unknown) => {
        problem = `the proxy ${proxy.host}:${proxy.port} ${error instanceof Error ? error.message : String(error)}`;
        near.destroy();
        far.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(path, resolve);
  });
  return {
    path,
    problem: () => problem,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
