import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { freePort } from "./free-port.ts";

/** Debian's `docker-registry` with TLS and one user, `ann`, in a directory of its own. */
export class DockerRegistry {
  readonly host: string;
  readonly password: string;
  /** PEM of the authority that signed its certificate. */
  readonly authority: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  private constructor(parts: {
    host: string;
    password: string;
    authority: string;
    process: ChildProcess;
    directory: string;
  }) {
    this.host = parts.host;
    this.password = parts.password;
    this.authority = parts.authority;
    this.#process = parts.process;
    this.#directory = parts.directory;
  }

  static async start(): Promise<DockerRegistry> {
    const directory = mkdtempSync(join(tmpdir(), "docker-registry-"));
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const issuing = { now: Date.now() - 3_600_000, validityMs: 86_400_000, entropy: new SeededEntropy(3) };
    const authority = await issueAuthority({ ...issuing, commonName: "registry authority" });
    const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1"] });
    const password = "a password with : and ü";
    const users = file("users", execFileSync("htpasswd", ["-nbB", "-C", "5", "ann", password], { encoding: "utf8" }));
    const host = `127.0.0.1:${await freePort()}`;
    const config = {
      version: 0.1,
      log: { level: "warn", accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(directory, "data") } },
      http: {
        addr: host,
        secret: "of this test",
        tls: { certificate: file("cert.pem", serving.certificatePem), key: file("key.pem", serving.privateKeyPem) },
      },
      auth: { htpasswd: { realm: "test", path: users } },
    };
    // JSON is YAML.
    const child = spawn("docker-registry", ["serve", file("config.yml", JSON.stringify(config))], { stdio: "ignore" });
    const registry = new DockerRegistry({
      host,
      password,
      authority: authority.certificatePem,
      process: child,
      directory,
    });
    await registry.#reachable();
    return registry;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill("SIGKILL");
      await once(this.#process, "close");
    }
    rmSync(this.#directory, { recursive: true });
  }

  async #reachable(): Promise<void> {
    const [host = "", port] = this.host.split(":");
    for (;;) {
      const socket = connect(Number(port), host);
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      });
      socket.destroy();
      if (isOpen) return;
      if (this.#process.exitCode !== null) throw new Error(`docker-registry ended with ${this.#process.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
