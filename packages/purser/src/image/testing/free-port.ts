import { createServer } from "node:net";

/** Below the ports that Linux, macOS and Windows give to outgoing connections and to servers that ask for any port. */
const [lowest, highest] = [20_000, 32_000];

/**
 * A TCP port for a program that cannot be asked which one it took. Between this answer and the program's start no
 * connection and no other server gets it by chance, only another caller of this function, one in twelve thousand.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, host, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
