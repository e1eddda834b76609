import { isIP, type Socket } from "node:net";

/** A server by a name or an IP address without brackets. */
export interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/** A proxy that opens connections to servers, by whose name resolution the server is found. */
export interface TunnelProxy extends TunnelEnd {
  readonly kind: "http" | "socks5";
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** What the proxy did, as the rest of a sentence that begins with it. Never holds its password. */
export class TunnelError extends Error {
  override readonly name = "TunnelError";
  /** The same attempt may succeed in a moment. */
  readonly isPassing: boolean;

  constructor(message: string, options: { readonly isPassing?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.isPassing = options.isPassing ?? false;
  }
}

/** A proxy that takes longer to open a connection is given up. */
const handshakeMs = 20_000;
/** The longest answer to CONNECT. */
const largestAnswer = 16 * 1024;

/**
 * Resolves when the socket leads to the server; rejects with a `TunnelError`, and leaves the socket to the caller.
 * @param socket a connection to the proxy, plain or with TLS, that is not open yet
 */
export async function openTunnel(socket: Socket, proxy: TunnelProxy, server: TunnelEnd): Promise<void> {
  const answers = new Answers(socket);
  const late = new TunnelError("does not answer", { isPassing: true });
  socket.setTimeout(handshakeMs, () => socket.destroy(late));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("encrypted" in socket ? "secureConnect" : "connect", resolve);
      socket.once("error", (error) =>
        reject(
          error === late
            ? late
            : new TunnelError(`cannot be reached: ${error.message}`, { isPassing: true, cause: error }),
        ),
      );
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
  { credentials }: TunnelProxy,
  { host, port }: TunnelEnd,
): Promise<void> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const token = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  const own = token === undefined ? "" : `Proxy-Authorization: Basic ${token}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${own}\r\n`);
  const head = await answers.until("\r\n\r\n");
  const status = /^HTTP\/1\.[01] ([0-9]{3})/.exec(head)?.[1];
  if (status === undefined) throw new TunnelError("does not speak HTTP");
  if (!status.startsWith("2"))
    throw new TunnelError(`refuses to connect to ${target}: HTTP status ${status}`, {
      isPassing: status.startsWith("5"),
    });
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

/** A failure of the network or the server behind the proxy, which may end. */
const passingReplies: ReadonlySet<number> = new Set([1, 3, 4, 5, 6]);

/** RFC 1928, with user and password of RFC 1929. */
async function connectBySocks(
  socket: Socket,
  answers: Answers,
  { credentials }: TunnelProxy,
  { host, port }: TunnelEnd,
): Promise<void> {
  socket.write(credentials === undefined ? Buffer.of(5, 1, 0) : Buffer.of(5, 2, 0, 2));
  const [version, method] = await answers.bytes(2);
  if (version !== 5) throw new TunnelError("does not speak SOCKS 5");
  if (method === 2 && credentials !== undefined) {
    const [user, password] = [Buffer.from(credentials.user), Buffer.from(credentials.password)];
    if (user.length > 255 || password.length > 255)
      throw new TunnelError("does not accept a user or password of more than 255 bytes");
    socket.write(Buffer.concat([Buffer.of(1, user.length), user, Buffer.of(password.length), password]));
    if ((await answers.bytes(2))[1] !== 0) throw new TunnelError("refuses the user and password");
  } else if (method !== 0) throw new TunnelError("requires a user and password, and its URL has none");
  socket.write(Buffer.concat([Buffer.of(5, 1, 0), socksAddress(host), Buffer.of(port >> 8, port & 255)]));
  const [, reply = 1, , type] = await answers.bytes(4);
  if (reply !== 0)
    throw new TunnelError(`refuses to connect to ${host}:${port}: ${socksProblems[reply] ?? `SOCKS reply ${reply}`}`, {
      isPassing: passingReplies.has(reply),
    });
  // The address that the proxy connects from is of no use here.
  const length = type === 1 ? 4 : type === 4 ? 16 : ((await answers.bytes(1))[0] ?? 0);
  await answers.bytes(length + 2);
}

/** Names go to the proxy as they are: only it may know them. */
function socksAddress(host: string): Uint8Array {
  if (isIP(host) === 4) return Buffer.of(1, ...host.split(".").map(Number));
  if (isIP(host) === 6) return Buffer.concat([Buffer.of(4), ipv6Bytes(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new TunnelError("does not accept a host name of more than 255 bytes");
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
    this.#ended ??=
      error instanceof TunnelError
        ? error
        : new TunnelError(error === undefined ? "closes the connection" : `breaks the connection: ${error.message}`, {
            isPassing: true,
            cause: error,
          });
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
      if (this.#held.length > largestAnswer) throw new TunnelError("answers with too many headers");
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
