import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../testing/free-port.ts";

export interface LocalRegistry {
  /** `127.0.0.1:PORT`, plain HTTP. */
  readonly host: string;
  stop(): Promise<void>;
}

/** Starts the distribution project's registry (`docker-registry` of Debian) on a free port, with its data in a temporary directory. */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const directory = mkdtempSync(join(tmpdir(), "purser-registry-"));
  const host = `127.0.0.1:${await freePort()}`;
  const config = join(directory, "config.yml");
  writeFileSync(
    config,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${directory}}}\nhttp: {addr: "${host}"}\n`,
  );
  const child = spawn("docker-registry", ["serve", config], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await answering(host, child);
  return {
    host,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answering(host: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`docker-registry ended with ${child.exitCode}`);
    const isUp = await fetch(`http://${host}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
