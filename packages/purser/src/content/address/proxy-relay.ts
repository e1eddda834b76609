import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, isIP, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";
import type { GrpcProxy, ServerAddress } from "./grpc-proxy.ts";

/** A socket of this machine behind which lies one server, reached through a proxy. */
export interface ProxyRelay {
  /** Path of the Unix socket; only this user can open it. */
  readonly path: string;
  /** Why the last connection through the proxy could not be made; undefined after a good one. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/** A proxy that takes longer to open a connection is given up. */
const handshakeMs = 20_000;
/** The longest answer to CONNECT. */
const largestAnswer = 16 * 1024;

/**
 * Opens a socket whose connections go through the proxy to the server. The gRPC library speaks no SOCKS, and reads its
 * proxies from variables that OLM does not read.
 */
export async function openProxyRelay(proxy: GrpcProxy, server: ServerAddress): Promise<ProxyRelay> {
  const folder = await mkdtemp(join(tmpdir(), "purser-relay-"));
  const path = join(folder, "grpc");
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
    opened(far, proxy, server).then(
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
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the socket leads to the server. */
async function opened(socket: Socket, proxy: GrpcProxy, server: ServerAddress): Promise<void> {
  const answers = new Answers(socket);
  socket.setTimeout(handshakeMs, () => socket.destroy(new Error("does not answer")));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) => reject(new Error(`cannot be reached: ${error.message}`)));
    });
    if (proxy.kind === "http") await connectByHttp(socket, answers, proxy, server);
    else await connectBySocks(socket, answers, proxy, server);
  } finally {
    socket.setTimeout(0);
    answers.end();
  }
}

async function connectByHttp(
  socket: Socket,
  answers: Answers,
  { credentials }: GrpcProxy,
  { host, port }: ServerAddress,
): Promise<void> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const token = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  const own = token === undefined ? "" : `Proxy-Authorization: Basic ${token}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${own}\r\n`);
  const head = await answers.until("\r\n\r\n");
  const status = /^HTTP\/1\.[01] ([0-9]{3})/.exec(head)?.[1];
  if (status === undefined) throw new Error("does not speak HTTP");
  if (!status.startsWith("2")) throw new Error(`refuses to connect to ${target}: HTTP status ${status}`);
}

const socksProblems: readonly string[] = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "TTL expired",
  "command not supported",
  "address type not supported",
];

/** RFC 1928, with user and password of RFC 1929. */
async function connectBySocks(
  socket: Socket,
  answers: Answers,
  { credentials }: GrpcProxy,
  { host, port }: ServerAddress,
): Promise<void> {
  socket.write(credentials === undefined ? Buffer.of(5, 1, 0) : Buffer.of(5, 2, 0, 2));
  const [version, method] = await answers.bytes(2);
  if (version !== 5) throw new Error("does not speak SOCKS 5");
  if (method === 2 && credentials !== undefined) {
    const [user, password] = [Buffer.from(credentials.user), Buffer.from(credentials.password)];
    if (user.length > 255 || password.length > 255)
      throw new Error("does not accept a user or password of more than 255 bytes");
    socket.write(Buffer.concat([Buffer.of(1, user.length), user, Buffer.of(password.length), password]));
    if ((await answers.bytes(2))[1] !== 0) throw new Error("refuses the user and password");
  } else if (method !== 0) throw new Error("requires a user and password, and GRPC_PROXY has none");
  socket.write(Buffer.concat([Buffer.of(5, 1, 0), socksAddress(host), Buffer.of(port >> 8, port & 255)]));
  const [, reply = 1, , type] = await answers.bytes(4);
  if (reply !== 0)
    throw new Error(`refuses to connect to ${host}:${port}: ${socksProblems[reply] ?? `SOCKS reply ${reply}`}`);
  // The address that the proxy connects from is of no use here.
  const length = type === 1 ? 4 : type === 4 ? 16 : ((await answers.bytes(1))[0] ?? 0);
  await answers.bytes(length + 2);
}

/** Names go to the proxy as they are: only it may know them. */
function socksAddress(host: string): Uint8Array {
  if (isIP(host) === 4) return Buffer.of(1, ...host.split(".").map(Number));
  if (isIP(host) === 6) return Buffer.concat([Buffer.of(4), ipv6Bytes(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error("does not accept a host name of more than 255 bytes");
  return Buffer.concat([Buffer.of(3, name.length), name]);
}

function ipv6Bytes(host: string): Uint8Array {
  // The URL parser writes any form in groups of hexadecimal digits.
  const [front = "", back] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(front), groups(back ?? "")];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** Reads the answers of a handshake and gives back what comes behind them. */
class Answers {
  readonly #socket: Socket;
  #held = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #ended: Error | undefined;
  readonly #take = (chunk: Buffer): void => {
    this.#held = Buffer.concat([this.#held, chunk]);
    this.#wake?.();
  };
  readonly #fail = (error?: Error): void => {
    this.#ended ??= error instanceof Error ? error : new Error("closes the connection");
    this.#wake?.();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#take).on("error", this.#fail).on("end", this.#fail).on("close", this.#closed);
  }

  readonly #closed = (): void => this.#fail();

  async bytes(length: number): Promise<Buffer> {
    while (this.#held.length < length) await this.#more();
    return this.#cut(length);
  }

  async until(end: string): Promise<string> {
    for (;;) {
      const at = this.#held.indexOf(end);
      if (at >= 0) return this.#cut(at + end.length).toString("latin1");
      if (this.#held.length > largestAnswer) throw new Error("answers with too many headers");
      await this.#more();
    }
  }

  end(): void {
    const socket = this.#socket;
    socket.off("data", this.#take).off("error", this.#fail).off("end", this.#fail).off("close", this.#closed);
    socket.pause();
    if (this.#held.length > 0) socket.unshift(this.#held);
  }

  #cut(length: number): Buffer {
    const cut = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return cut;
  }

  async #more(): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
