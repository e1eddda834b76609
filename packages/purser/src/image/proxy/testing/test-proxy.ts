import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from "node:net";
import type { Duplex } from "node:stream";
import type { TlsOptions } from "node:tls";

export interface TestProxyOptions {
  readonly kind: "http" | "socks5";
  /** An HTTP proxy that is reached by TLS. */
  readonly tls?: TlsOptions;
  /** `USER:PASSWORD` that it wants. */
  readonly login?: string;
  /** The port of this machine that every name leads to. */
  readonly port: number;
  /** In place of a connection: a status of HTTP, a reply of SOCKS, or silence. */
  readonly refuses?: number;
}

/** A proxy that alone knows the names of registries. */
export class TestProxy implements AsyncDisposable {
  /** Requests for connections, and forwarded requests; with the login. */
  readonly seen: string[] = [];
  readonly host: string;
  readonly #server: SocketServer;
  readonly #sockets: Set<Duplex>;

  private constructor(server: SocketServer, sockets: Set<Duplex>, seen: string[]) {
    this.#server = server;
    this.#sockets = sockets;
    this.seen = seen;
    this.host = `localhost:${(server.address() as AddressInfo).port}`;
  }

  static async start(options: TestProxyOptions): Promise<TestProxy> {
    const seen: string[] = [];
    const sockets = new Set<Duplex>();
    const server = options.kind === "http" ? httpProxy(options, seen, sockets) : socksProxy(options, seen, sockets);
    server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TestProxy(server, sockets, seen);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function httpProxy({ tls, login, port, refuses }: TestProxyOptions, seen: string[], sockets: Set<Duplex>): Server {
  const refusal = ({ method = "", url = "", headers }: IncomingMessage): number | undefined => {
    const sent = headers["proxy-authorization"]?.replace(/^Basic /, "") ?? "";
    const user = Buffer.from(sent, "base64").toString();
    seen.push(`${method} ${url} ${user}`.trim());
    return login !== undefined && user !== login ? 407 : refuses;
  };
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const status = refusal(request);
    if (status !== undefined) return void response.writeHead(status).end();
    const { pathname, search } = new URL(request.url ?? "");
    const sent = sendRequest(
      { port, host: "127.0.0.1", method: request.method, path: pathname + search, headers: request.headers },
      (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)),
    );
    request.pipe(sent);
  };
  const server = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    const status = refusal(request);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    join(socket, port, sockets);
  });
  return server;
}

function socksProxy({ login, port, refuses }: TestProxyOptions, seen: string[], sockets: Set<Duplex>): SocketServer {
  return createSocketServer((socket) => {
    let user = "";
    let step = login === undefined ? 1 : 0;
    const onData = (bytes: Buffer): void => {
      if (bytes[0] === 5 && bytes.length === 2 + (bytes[1] ?? 0))
        return void socket.write(Buffer.of(5, login === undefined ? 0 : bytes.includes(2, 2) ? 2 : 255));
      if (step++ === 0) {
        const [of, length = 0] = bytes;
        user = `${bytes.toString("latin1", 2, 2 + length)}:${bytes.toString("latin1", 3 + length)}`;
        return void socket.write(Buffer.of(of ?? 0, user === login ? 0 : 1));
      }
      const name = bytes[3] === 3 ? bytes.toString("latin1", 5, bytes.length - 2) : bytes.subarray(4, -2).join(".");
      seen.push(`SOCKS ${name}:${bytes.readUInt16BE(bytes.length - 2)} ${user}`.trim());
      socket.write(Buffer.of(5, refuses ?? 0, 0, 1, 0, 0, 0, 0, 0, 0));
      if (refuses !== undefined) return void socket.end();
      socket.off("data", onData);
      join(socket, port, sockets);
    };
    socket.on("data", onData);
  });
}

function join(near: Duplex, port: number, sockets: Set<Duplex>): void {
  const far = connect(port, "127.0.0.1");
  sockets.add(far);
  for (const socket of [near, far])
    socket.on("error", () => {}).on("close", () => (socket === near ? far : near).destroy());
  near.pipe(far).pipe(near);
}
